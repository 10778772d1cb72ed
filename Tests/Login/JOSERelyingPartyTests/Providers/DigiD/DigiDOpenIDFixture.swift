import JOSE
import JOSEDigiD
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization

/// A service, DigiD by OpenID Connect, and a user who logs in.
struct DigiDOpenIDFixture: Sendable {
    /// Changes to the tokens of one login.
    struct Tokens: Sendable {
        var idToken: @Sendable (inout ClaimsBuilder) -> Void = { _ in }
        var accessToken: @Sendable (inout ClaimsBuilder) -> Void = { _ in }
        /// The key that signs the access token in place of the provider's.
        var accessKey: PrivateKey?
        /// Returns the signed ID token with its encryption layer.
        var seal: @Sendable (String) throws -> String = DigiDOpenIDFixture.seal
        var response: @Sendable (String) -> String = { $0 }
    }
    let fixture: LoginFixture
    var provider: ScriptedProvider { fixture.provider }
    var party: RelyingParty { fixture.party }
    var clock: TestClock { fixture.clock }

    static let issuer = "https://ad.digid.test/openid-connect/v1"
    static let clientID = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"
    static let number = "111222333"

    init(
        _ settings: DigiDOpenIDSettings = DigiDOpenIDSettings(issuer: issuer), clientID: String = clientID,
        environment: ProviderEnvironment = .test, redirectURI: String = LoginFixture.redirectURI,
        timeLimit: Duration? = nil
    ) throws {
        var profile = ProviderProfile.digiDOpenID(settings)
        if let timeLimit { profile.timeLimit = timeLimit }
        var manner = ProviderManner(authentication: .certificate)
        manner.clientID = clientID
        manner.usesPKCE = true
        manner.wantsRedirectURI = false
        manner.acr = "http://eidas.europa.eu/LoA/low"
        fixture = try LoginFixture(
            profile, manner: manner, request: LoginRequest(), environment: environment,
            issuer: Self.issuer, redirectURIs: [redirectURI])
    }

    /// Encrypts an ID token as DigiD does: its header has neither `kid` nor `cty`.
    static func seal(_ jws: String) throws -> String {
        try Forge.encrypted(
            header: Array(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8), plaintext: Array(jws.utf8),
            with: .publicKey(TestKeys.clientEncryption.publicKey), .rsaOAEP, .a256gcm)
    }

    func login(
        _ request: LoginRequest = LoginRequest(), tokens change: (inout Tokens) -> Void = { _ in }
    ) async throws -> LoggedInUser {
        var tokens = Tokens()
        change(&tokens)
        let start = try await party.beginLogin(request)
        script(tokens, start)
        return try await fixture.finish(start)
    }

    func failure(
        _ request: LoginRequest = LoginRequest(), tokens change: (inout Tokens) -> Void
    ) async throws -> RelyingPartyError? {
        try await refusal { try await login(request, tokens: change) }
    }

    /// Sets the responses of DigiD to the code of this login.
    func script(_ tokens: Tokens, _ start: AuthorizationRequest) {
        let request = provider.read(FormFields(ofURL: start.url)["request"] ?? "")
        let provider = provider
        let now = clock.now.secondsSince1970
        provider.script.idToken = { claims in
            var claims = claims
            claims["sub"] = .string(Self.number)
            claims["aud"] = .string(Self.issuer + "/token")
            claims["sub_id_type"] = "urn:nl-eid-gdi:1.0:id:legacy-BSN"
            claims["exp"] = .integer(Int64(now) + 120)
            claims["nbf"] = .integer(Int64(now) + 120)
            claims["auth_time"] = nil
            claims["jti"] = .string("id-" + (request["state"] ?? ""))
            tokens.idToken(&claims)
            return try tokens.seal(try provider.sign(claims))
        }
        provider.script.tokenResponse = { text in
            var claims: ClaimsBuilder = ["iss": .string(Self.issuer), "azp": .string(provider.manner.clientID)]
            claims["exp"] = .integer(Int64(now) + 120)
            claims["jti"] = .string("access-" + (request["state"] ?? ""))
            tokens.accessToken(&claims)
            var script = provider.script
            if let key = tokens.accessKey { script.signingKey = key }
            let access = (try? provider.sign(claims, script)) ?? ""
            let start = text.firstRange(of: /"access_token":"[^"]*"/)
            guard let start else { return text }
            let state = #","state":"\#(request["state"] ?? "")""#
            return tokens.response(text.replacingCharacters(in: start, with: #""access_token":"\#(access)"\#(state)"#))
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
