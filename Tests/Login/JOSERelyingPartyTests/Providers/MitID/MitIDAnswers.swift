import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

extension MitIDFixture {
    /// Settings with an issuer of age proofs.
    static var altIDSettings: MitIDSettings {
        var settings = settings
        settings.ageAuthority = issuer
        return settings
    }

    /// Performs a login that an identity provider of the broker answers.
    ///
    /// - Parameters:
    ///   - request: The request of the service.
    ///   - word: The identity provider, as `idp` names it.
    ///   - userInfo: The claims of the userinfo response besides `sub`.
    ///   - change: A change of the claims of the ID token, which are those of a login with MitID.
    func answer(
        _ request: LoginRequest, by word: String, userInfo: [String: ClaimValue] = [:],
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void = { _ in }
    ) async throws -> LoggedInUser {
        let before = provider.script
        defer { provider.script = before }
        provider.script.idTokenClaims = { claims in
            MitIDFixture.broker(&claims)
            claims["idp"] = .string(word)
            change(&claims)
        }
        provider.script.userInfoClaims = { claims in for (name, value) in userInfo { claims[name] = value } }
        return try await login(request)
    }

    /// Returns the error of such a login; nil if it succeeds.
    func refused(
        _ request: LoginRequest, by word: String, userInfo: [String: ClaimValue] = [:],
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void = { _ in }
    ) async throws -> RelyingPartyError? {
        try await refusal { try await answer(request, by: word, userInfo: userInfo, change) }
    }

    /// Removes the claims that only MitID and MitID Erhverv state.
    static let bare: @Sendable (inout ClaimsBuilder) -> Void = { claims in
        for name in ["identity_type", "loa", "aal", "ial", "amr"] { claims[name] = nil }
    }

    static func request(_ providers: [MitIDProvider], scopes: [String] = []) -> LoginRequest {
        var request = LoginRequest()
        request.mitIDProviders = providers
        request.scopes += scopes
        return request
    }
}
