internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

extension ProviderProfile {
    /// Returns the profile of age proofs with the wallet AltID, for `RelyingParty.beginAltIDAgeProof(_:)`. The result
    /// is an age and no login: it has no account, no refresh token and no logout.
    ///
    /// - Parameter settings: The settings of the service. Unless the environment is `.sandbox(issuer:)`, a relying
    ///   party needs ``MitIDSettings/ageAuthority``, and is rejected with `configurationError` without it.
    public static func altIDAge(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        var profile = MitID.profile(
            "altid.age", issuers: (settings.ageAuthority, settings.ageAuthority), settings, [.object, .query])
        profile.isLogin = false
        profile.request.parameters = [
            "language": profile.request.parameters["language"] ?? .any, "idp_values": .any,
        ]
        profile.request.check = { (request, _) throws(RelyingPartyError.Reason) in try MitID.checkProof(&request) }
        var rules = BackChannelRules()
        rules.request.parameters = [
            "idp_values": .any, "reference_id": .plainText(255),
            "flow_type": .oneOf([AltIDFlow.link.rawValue, AltIDFlow.iframe.rawValue]),
            "qr_code_response": .oneOf([AltIDQRCode.png.rawValue, AltIDQRCode.svg.rawValue]),
        ]
        rules.request.deliveries = [.pushedParameters]
        rules.request.check = profile.request.check
        rules.beginning = .unknownUser
        profile.backChannel = rules
        profile.idToken.rules = MitID.ageRules
        profile.userInfo = nil
        profile.furtherTokens = [:]
        profile.session = SessionRules()
        profile.finish = { (user, login, _) throws(RelyingPartyError) in
            do throws(RelyingPartyError.Reason) {
                user.providerValues[MitID.Value.age] = try MitIDAge(ofAltID: login.scopes, login.claims)
            } catch {
                throw RelyingPartyError(error, in: .idToken)
            }
        }
        return profile
    }
}

extension MitID {
    /// The rules for the ID token of an age proof. It has no `identity_type` and no level.
    static var ageRules: [LoginRule] {
        [
            .issuer, .audience(trusted: []), .authorizedPartyIfPresent, .expiration, .notBefore, .issuedAt, .nonce,
            .accessTokenHash, .codeHash, identityProvider, .claim("idtoken_type", isOneOf: [ageTokenType]), .subject,
        ]
    }

    /// The type of an ID token (`idtoken_type`) that proves an age and is no login.
    static let ageTokenType = "av"

    /// Checks the request of an age proof: AltID alone, and at least one age.
    static func checkProof(_ request: inout LoginRequest) throws(RelyingPartyError.Reason) {
        let provider = MitIDProvider.altIDAge
        let providers = try MitIDProvider.list(request["idp_values"] ?? provider.rawValue)
        guard providers == [provider] else { throw .invalidParameter("idp_values") }
        // There is no account for which a common scope, such as that of refresh tokens, could be of use.
        let ages = request.scopes.filter { $0 != "openid" }
        guard !ages.isEmpty, ages.allSatisfy({ provider.rules.owns($0) }) else { throw .invalidParameter("scope") }
        request["idp_values"] = provider.rawValue
        request.notes[Note.providers] = provider.rawValue
    }
}

extension LoginRequest {
    /// Returns a request for an age proof with the wallet AltID, for `RelyingParty.beginAltIDAgeProof(_:)`.
    ///
    /// - Parameter ages: The ages, in years, of which each is asked whether the user has reached it: 13, 15, 16, 18,
    ///   21, 23, 25, 27 or 67. Any other age is rejected with `invalidParameter` when the request begins.
    public static func altIDAge(atLeast ages: [Int]) -> LoginRequest {
        var request = LoginRequest()
        request.mitIDProviders = [.altIDAge]
        request.scopes += ages.map { MitIDProvider.altIDAge.scope(ofAge: $0) }
        return request
    }
}

extension RelyingParty {
    /// Begins an age proof with the profile `ProviderProfile.altIDAge(_:)`.
    ///
    /// - Parameter request: The request, which `LoginRequest.altIDAge(atLeast:)` returns.
    /// - Returns: The authorization request, with the URL and the cookie for the browser.
    /// - Throws: `configurationError` if the relying party has another profile, `invalidParameter` for a parameter or a
    ///   scope that age proofs do not have, or the error of a request to the provider or the store.
    public func beginAltIDAgeProof(_ request: LoginRequest) async throws(RelyingPartyError) -> AuthorizationRequest {
        guard !profile.isLogin else { throw RelyingPartyError(.configurationError, in: .request) }
        return try await beginRequest(request)
    }

    /// Completes an age proof, with the checks of `completeLogin(callback:binding:)`. No user is logged in.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - binding: The binding that the browser sent with the callback; nil if it sent none.
    /// - Returns: The answer for each requested age.
    /// - Throws: `configurationError` if the relying party has another profile, `claimMissing` for an age without an
    ///   answer, `claimUnexpected` for an ID token of a login and for two answers that differ, or the error of any
    ///   other check that failed.
    public func completeAltIDAgeProof(
        callback: AuthorizationCallback, binding: String?
    ) async throws(RelyingPartyError) -> MitIDAge {
        guard !profile.isLogin else { throw RelyingPartyError(.configurationError, in: .callback) }
        let proof = try await completeRequest(callback: callback, binding: binding)
        guard let age = proof.mitIDAge else { throw RelyingPartyError(.internalFault, in: .idToken) }
        return age
    }
}
