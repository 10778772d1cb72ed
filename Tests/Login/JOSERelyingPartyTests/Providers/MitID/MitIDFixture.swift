import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

/// A service, the broker, and a user of MitID who consents.
struct MitIDFixture: Sendable {
    let fixture: LoginFixture
    var provider: ScriptedProvider { fixture.provider }
    var party: RelyingParty { fixture.party }
    var clock: TestClock { fixture.clock }

    static let issuer = "https://broker.test/op"
    static let level = "https://data.gov.dk/concept/core/nsis/"
    static let link = "https://app.service.test/back"

    static var settings: MitIDSettings {
        var settings = MitIDSettings()
        settings.appLinks = MitIDAppLinks(urls: [link], associatedHosts: ["app.service.test"])
        return settings
    }

    init(
        _ profile: ProviderProfile = .mitID(settings), request: LoginRequest = .mitID(),
        environment: ProviderEnvironment = .sandbox(issuer: issuer), issuer: String = issuer,
        credentials: ClientCredentials? = nil, authentication: ClientAuthentication? = nil,
        manner change: (inout ProviderManner) -> Void = { _ in }
    ) throws {
        var manner = ProviderManner(authentication: .assertion(audience: issuer, isEncrypted: false))
        manner.idToken = .signed
        manner.userInfo = .json
        manner.usesPKCE = true
        change(&manner)
        fixture = try LoginFixture(
            profile, manner: manner, request: request, environment: environment, issuer: issuer,
            credentials: credentials, authentication: authentication)
        provider.script.metadata["authorization_response_iss_parameter_supported"] = "true"
        provider.script.metadata["backchannel_authentication_endpoint"] = "\"\(issuer)/ciba\""
        provider.script.metadata["backchannel_token_delivery_modes_supported"] = #"["poll"]"#
        provider.script.idTokenClaims = Self.broker
        provider.script.userInfoClaims = { claims in
            claims["mitid.uuid"] = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"
            claims["mitid.age"] = "35"
            claims["mitid.date_of_birth"] = "1988-02-29"
            claims["mitid.has_cpr"] = "true"
            claims["mitid.psd2"] = "false"
            claims["dk.cpr"] = "2902881234"
            claims["session_is_active"] = "true"
            claims["session_expiry"] = "1700003600"
        }
    }

    /// Sets the claims that the broker adds to every ID token.
    static let broker: @Sendable (inout ClaimsBuilder) -> Void = { claims in
        claims["idp"] = "mitid"
        claims["loa"] = .string(level + "Substantial")
        claims["aal"] = .string(level + "High")
        claims["identity_type"] = "private"
        claims["amr"] = ["code_app"]
        claims["session_expiry"] = "1700003600"
        claims["transaction_id"] = "t-1"
    }

    /// Returns the form that the broker's page posts.
    func form(_ url: String, issuer: String? = Self.issuer) -> String {
        provider.authorize(url) + (issuer.map { "&iss=" + FormFields.encoded($0) } ?? "")
    }

    static func callback(_ form: String) -> AuthorizationCallback {
        .form(Array(form.utf8), contentType: "application/x-www-form-urlencoded")
    }

    func login(_ request: LoginRequest? = nil) async throws -> LoggedInUser {
        let start = try await party.beginLogin(request ?? fixture.request)
        return try await party.completeLogin(callback: Self.callback(form(start.url)), binding: start.binding)
    }

    func failure(
        _ request: LoginRequest? = nil, _ change: (inout ScriptedProvider.Script) -> Void = { _ in }
    ) async throws -> RelyingPartyError? {
        let before = provider.script
        defer { provider.script = before }
        change(&provider.script)
        return try await refusal { try await login(request) }
    }

    /// Returns the reason for which a request is not sent; nil if it is sent.
    func refused(_ request: LoginRequest) async throws -> RelyingPartyError? {
        try await refusal { try await party.beginLogin(request) }
    }

    /// Returns the error of a login whose ID token has further claims.
    func failure(claims change: @escaping @Sendable (inout ClaimsBuilder) -> Void) async throws -> RelyingPartyError? {
        try await failure { script in
            let before = script.idTokenClaims
            script.idTokenClaims = { claims in
                before(&claims)
                change(&claims)
            }
        }
    }
}

extension RelyingPartyError {
    static func idToken(_ failure: RelyingPartyError.Reason) -> Self { Self(failure, in: .idToken) }
    static func request(_ failure: RelyingPartyError.Reason) -> Self { Self(failure, in: .request) }
    static func callback(_ failure: RelyingPartyError.Reason) -> Self { Self(failure, in: .callback) }
}
