import Foundation
import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@testable import JOSEDigiD
@testable import JOSEItsme
@testable import JOSEMitID
@testable import JOSERelyingParty

/// Claims that a provider does not document may be absent from its ID tokens. Present ones must be right, whichever
/// profile reads them.
@Suite("ID tokens: the rules that no profile leaves out") struct ProviderRuleTests {
    typealias Change = @Sendable (inout ClaimsBuilder) -> Void

    /// A profile, and the error of a login with it whose ID token has another type and changed claims; nil for a login
    /// that succeeds.
    private struct Login {
        let profile: String
        let provider: ScriptedProvider
        let clientID: String
        private let attempt: (_ type: String?, _ change: @escaping Change) async throws -> RelyingPartyError?

        init(
            _ profile: String, _ provider: ScriptedProvider,
            _ failure: @escaping (_ change: @escaping Change) async throws -> RelyingPartyError?
        ) {
            self.profile = profile
            self.provider = provider
            clientID = provider.manner.clientID
            attempt = { type, change in
                let before = provider.script
                defer { provider.script = before }
                provider.script.type = type
                return try await failure(change)
            }
        }

        /// Creates a row of a fixture that performs whole logins.
        init(_ profile: String, _ fixture: LoginFixture) {
            self.init(profile, fixture.provider) { change in
                try await fixture.failure { script in
                    let own = script.idTokenClaims
                    script.idTokenClaims = { claims in
                        own(&claims)
                        change(&claims)
                    }
                }
            }
        }

        func failure(type: String? = "JWT", _ change: @escaping Change = { _ in }) async throws -> RelyingPartyError? {
            try await attempt(type, change)
        }
    }

    private static func logins() throws -> [Login] {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        let openID = try LoginFixture(
            .openID(issuer: LoginFixture.issuer), manner: manner, request: LoginRequest())
        var own = ProviderProfile(name: "own", production: nil)
        own.idToken.token.type = .any
        own.idToken.rules = [.issuer, .audience(trusted: []), .expiration, .nonce]
        var logins = [
            Login("openid", openID), Login("own", try LoginFixture(own, manner: manner, request: LoginRequest())),
            Login("itsme.v1", try .itsmeV1()), Login("itsme.v1.nested", try .itsmeV1Nested()),
            Login("itsme.v2", try .itsmeV2()), Login("itsme.now.key", try .itsmeKey()),
            Login("itsme.now.secret", try .itsmeSecret()), Login("entra", try EntraTests.fixture()),
        ]
        for (name, profile) in [("mitid.broker", ProviderProfile.mitID()), ("mitid.par", .mitIDPushed())] {
            let fixture = try MitIDFixture(profile)
            logins.append(Login(name, fixture.provider) { try await fixture.failure(claims: $0) })
        }
        let altID = try AltIDFixture()
        logins.append(
            Login("altid.age", altID.fixture.provider) { change in
                try await refusal { try await altID.prove(.altIDAge(atLeast: [18]), change) }
            })
        let zenKey = try ZenKeyFixture()
        logins.append(
            Login("zenkey", zenKey.carrier) { change in try await zenKey.failure { $0.idTokenClaims = change } })
        let digiD = try DigiDOpenIDFixture()
        logins.append(
            Login("digid.oidc", digiD.provider) { change in try await digiD.failure { $0.idToken = change } })
        return logins
    }

    private static func hash(_ text: String) -> ClaimValue? {
        (try? SignatureAlgorithm.rs256.tokenHash(of: text)).map { .string($0) }
    }

    @Test(
        "R44 at_hash, c_hash and azp of another login are rejected by every profile (OpenID Connect Core, 3.1.3.7 to 3.3.2.11)"
    )
    func hashes() async throws {
        for login in try Self.logins() {
            let (name, provider, clientID) = (login.profile, login.provider, login.clientID)
            #expect(try await login.failure() == nil, "\(name)")
            #expect(try await login.failure { $0["azp"] = .string(clientID) } == nil, "\(name)")
            // The provider counts access tokens, and makes that of the response before the ID token.
            let right: Change = { claims in
                claims["c_hash"] = Self.hash(provider.lastForm(.token)["code"] ?? "")
                guard name != "digid.oidc" else { return }
                claims["at_hash"] = Self.hash("access-\(provider.state.withLock { $0.count })")
            }
            #expect(try await login.failure(right) == nil, "\(name)")
            for claim in ["at_hash", "c_hash"] {
                for value in [Self.hash("other"), "", 1, .null] as [ClaimValue?] {
                    let error = try await login.failure { $0[claim] = value }
                    #expect(error == .idToken(.hashMismatch), "\(name): \(claim)")
                }
            }
            for value in ["other", 1, [.string(clientID)]] as [ClaimValue] {
                let error = try await login.failure { $0["azp"] = value }
                #expect(error == .idToken(.authorizedPartyMismatch), "\(name)")
            }
            // Null is absent.
            #expect(try await login.failure { $0["azp"] = .null } == nil, "\(name)")
            #expect(try await login.failure { $0["jti"] = 1 } == .idToken(.claimType("jti")), "\(name)")
        }
    }

    @Test("R45 a second audience is rejected by every profile, and by ZenKey's unless azp is the client (3.1.3.7)")
    func audiences() async throws {
        for login in try Self.logins() {
            let (name, clientID) = (login.profile, login.clientID)
            // DigiD's audience is its token endpoint, and not the client.
            let twice: Change = { claims in
                guard let own = claims["aud"] else { return }
                claims["aud"] = .array([own, "other"])
            }
            let once: Change = { claims in
                guard let own = claims["aud"] else { return }
                claims["aud"] = .array([own])
            }
            #expect(try await login.failure(once) == nil, "\(name)")
            let alone = try await login.failure(twice)
            let named = try await login.failure { claims in
                twice(&claims)
                claims["azp"] = .string(clientID)
            }
            if name == "zenkey" {
                #expect(alone == .idToken(.authorizedPartyMismatch) && named == nil)
            } else {
                #expect(alone == .idToken(.audienceMismatch) && named == .idToken(.audienceMismatch), "\(name)")
            }
        }
    }

    @Test(
        "R43 a token of another kind is rejected as an ID token by every profile: by typ, and by events (RFC 8417, 4)")
    func kinds() async throws {
        for login in try Self.logins() {
            let name = login.profile
            for type in [nil, "JWT"] { #expect(try await login.failure(type: type) == nil, "\(name)") }
            for kind in TokenKind.allCases {
                let error = try await login.failure(type: kind.rawValue)
                // Samples of ZenKey have the type of an access token.
                let isSample = name == "zenkey" && kind == .accessToken
                #expect(error == (isSample ? nil : .idToken(.contentTypeMismatch)), "\(name): \(kind)")
            }
            let media = try await login.failure(type: "APPLICATION/Logout+JWT")
            #expect(media == .idToken(.contentTypeMismatch), "\(name)")
            let events = try await login.failure { $0["events"] = [LogoutTokenProfile.event: [:]] }
            #expect(events == .idToken(.claimUnexpected("events")), "\(name)")
        }
    }

    @Test("R43 the access token of DigiD and the transaction token of MitID are of no other kind by their typ")
    func furtherTokens() async throws {
        let rules: [(String, TokenRules, [String])] = [
            ("digid", DigiDOpenID.accessTokenRules, ["at+jwt"]),
            ("mitid", ProviderProfile.mitID().furtherTokens[MitID.transactionToken] ?? TokenRules(), []),
        ]
        for (name, rules, accepted) in rules {
            #expect(rules.type == .any && rules.acceptedTypes == accepted, "\(name)")
        }
        let fixture = try DigiDOpenIDFixture()
        let provider = fixture.provider
        for (type, failure) in [
            (nil, nil), ("JWT", nil), ("at+jwt", nil), ("unknown", nil), ("logout+jwt", .contentTypeMismatch),
            ("dpop+jwt", .contentTypeMismatch),
        ] as [(String?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { tokens in
                tokens.response = { text in
                    guard let range = text.firstRange(of: /"access_token":"[^"]*"/),
                        let payload = Forge.decoded(String(text[range].dropFirst(16).split(separator: ".")[1]))
                    else { return text }
                    let member = type.map { #","typ":"\#($0)"# + "\"" } ?? ""
                    let header = #"{"alg":"RS256","kid":"\#(TestKeys.provider.keyID ?? "")"\#(member)}"#
                    let token = try? Forge.signed(
                        header: header, payload: String(decoding: payload, as: UTF8.self),
                        with: .privateKey(TestKeys.provider), .rs256)
                    return text.replacingOccurrences(of: text[range], with: #""access_token":"\#(token ?? "")""#)
                }
            }
            #expect(error == failure.map { RelyingPartyError($0, in: .accessToken) }, "\(type ?? "absent")")
        }
        #expect(provider.calls(.token) == 6)
    }
}
