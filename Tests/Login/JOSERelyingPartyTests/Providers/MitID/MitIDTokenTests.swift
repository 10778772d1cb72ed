import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: ID tokens") struct MitIDTokenTests {
    @Test("MitID case 13, MitID case 14: rejects an ID token that a transaction key signed, whatever it contains")
    func keyRoles() async throws {
        let fixture = try MitIDFixture()
        let authority = try MitIDAuthority.made.get()
        let transactionKey = try authority.jwk()
        let published = try #require(transactionKey.publicKey)
        var signing = try authority.key.privateKeyOfTests
        signing.keyID = published.keyID
        fixture.provider.script.published.append(published)
        #expect(try await fixture.failure() == nil)
        let key = signing
        #expect(try await fixture.failure { $0.signingKey = key } == .idToken(.keyUnsuitable))
        let transaction = try Forge.signed(
            header: #"{"alg":"RS256","kid":"\#(key.keyID ?? "")"}"#,
            payload:
                #"{"iss":"\#(MitIDFixture.issuer)","aud":"partner-code","exp":1889388800,"transaction_actions":"LOG_ON"}"#,
            with: .privateKey(key), .rs256)
        #expect(try await fixture.failure { $0.idToken = { _ in transaction } } == .idToken(.keyUnsuitable))
        let renamed = try Forge.signed(
            header: #"{"alg":"RS256","kid":"unknown"}"#, payload: "{}", with: .privateKey(key), .rs256)
        #expect(try await fixture.failure { $0.idToken = { _ in renamed } } == .idToken(.keyNotFound))
    }

    @Test("MitID case 15: rejects HS256 under the client's secret, and any algorithm but RS256 (R10)")
    func algorithms() async throws {
        let secret = "a secret of thirty-two bytes, and of some more"
        let fixture = try MitIDFixture(
            credentials: .secret(secret), authentication: .clientSecretPost,
            manner: { $0.authentication = .secretPost })
        #expect(try await fixture.failure() == nil)
        let key = JWK.symmetricKey(try SecretKey(bytes: Array(secret.utf8)))
        for (name, algorithm, key) in [
            ("HS256", SignatureAlgorithm.hs256, key), ("PS256", .ps256, .privateKey(TestKeys.provider)),
            ("RS512", .rs512, .privateKey(TestKeys.provider)),
        ] {
            let token = try Forge.signed(
                header: #"{"alg":"\#(name)","kid":"\#(TestKeys.provider.keyID ?? "")"}"#, payload: "{}", with: key,
                algorithm)
            #expect(
                try await fixture.failure { $0.idToken = { _ in token } } == .idToken(.algorithmNotAllowed), "\(name)")
        }
        #expect(try await fixture.failure { $0.idToken = { _ in "a.b" } } == .idToken(.malformed))
    }

    @Test("MitID case 16: rejects a key with another key's certificate, and ignores a thumbprint that cannot be one")
    func certificates() async throws {
        let authority = try MitIDAuthority.made.get()
        let fixture = try MitIDFixture()
        let key = TestKeys.provider
        let own = key.publicKey.jwk()
        let other = try Certificate(pem: authority.root.pem)
        for (more, expected) in [
            (",\"x5c\":[\"\(other.base64)\"]", RelyingPartyError.idToken(.keyUnsuitable)),
            (",\"x5t\":\"short\"", nil), ("", nil),
        ] as [(String, RelyingPartyError?)] {
            // Each case has a new service, because keys are cached.
            let fixture = try MitIDFixture()
            let set = "{\"keys\":[\(own.dropLast())\(more)},\(TestKeys.providerEncryption.publicKey.jwk())]}"
            fixture.provider.script.answers[.keys] = { _ in .json(set) }
            #expect(try await refusal { try await fixture.login() } == expected, "\(more.prefix(8))")
        }
        #expect(try await fixture.failure() == nil)
    }

    @Test("MitID case 17: auth_time is a number or a string of digits, and is compared with a requested max_age (R20)")
    func authTime() async throws {
        var request = LoginRequest.mitID()
        let fixture = try MitIDFixture()
        #expect(try await fixture.failure(claims: { $0["auth_time"] = "1700000000" }) == nil)
        #expect(try await fixture.failure(claims: { $0["auth_time"] = 1_700_000_000 }) == nil)
        request.maximumAge = .seconds(300)
        let aged = try MitIDFixture(request: request)
        for bad in ["abc", "", "-1", "1e9", " 1700000000", -1, ["1700000000"]] as [ClaimValue] {
            #expect(
                try await aged.failure(claims: { $0["auth_time"] = bad }) == .idToken(.claimType("auth_time")))
            // Without max_age nobody needs the time.
            #expect(try await fixture.failure(claims: { $0["auth_time"] = bad }) == nil)
        }
        #expect(try await aged.failure(claims: { $0["auth_time"] = "1699999700" }) == nil)
        #expect(try await aged.failure(claims: { $0["auth_time"] = "1699999600" }) == .idToken(.authenticationTooOld))
        #expect(try await aged.failure(claims: { $0["auth_time"] = nil }) == .idToken(.claimMissing("auth_time")))
    }

    @Test("MitID case 18: amr may be a string or an array, and must contain an accepted authenticator")
    func authenticators() async throws {
        let fixture = try MitIDFixture()
        let before = fixture.provider.script.idTokenClaims
        var seen: [[MitIDAuthenticator]] = []
        for amr in [ClaimValue.string("code_app"), .array(["code_app"])] {
            fixture.provider.script.idTokenClaims = { claims in
                before(&claims)
                claims["amr"] = amr
            }
            seen.append(try await fixture.login().mitIDAuthenticators)
        }
        #expect(seen == [[.codeApp], [.codeApp]])
        #expect(try await fixture.failure(claims: { $0["amr"] = 7 }) == .idToken(.claimType("amr")))
        var settings = MitIDFixture.settings
        settings.authenticators = [.codeAppEnhanced, .u2fToken]
        let strict = try MitIDFixture(.mitID(settings))
        #expect(try await strict.failure(claims: { $0["amr"] = "code_app_enchanced" }) == nil)
        #expect(try await strict.failure(claims: { $0["amr"] = ["password", "u2f_token"] }) == nil)
        #expect(try await strict.failure(claims: { $0["amr"] = ["code_app"] }) == .idToken(.claimUnexpected("amr")))
        #expect(try await strict.failure(claims: { $0["amr"] = nil }) == .idToken(.claimMissing("amr")))
    }

    @Test("MitID case 19: a level that is below the requested one, has another prefix, or is absent is too low")
    func levels() async throws {
        let fixture = try MitIDFixture(request: .mitID(level: .substantial))
        for (loa, expected) in [
            (MitIDFixture.level + "Low", RelyingPartyError.idToken(.acrTooLow)), (MitIDFixture.level + "High", nil),
            (MitIDFixture.level + "Substantial", nil),
            ("https://data.gov.dk/concept/core/nsis/loa/High", .idToken(.acrTooLow)),
            ("High", .idToken(.acrTooLow)), (MitIDFixture.level + "high", .idToken(.acrTooLow)),
        ] as [(String, RelyingPartyError?)] {
            #expect(try await fixture.failure(claims: { $0["loa"] = .string(loa) }) == expected, "\(loa)")
        }
        #expect(try await fixture.failure(claims: { $0["loa"] = nil }) == .idToken(.acrTooLow))
        // The broker's default level is required as well.
        let plain = try MitIDFixture(request: .mitID())
        #expect(
            try await plain.failure(claims: { $0["loa"] = .string(MitIDFixture.level + "Low") }) == .idToken(.acrTooLow)
        )
        let low = try MitIDFixture(request: .mitID(level: .low))
        #expect(try await low.failure(claims: { $0["loa"] = .string(MitIDFixture.level + "Low") }) == nil)
        var request = LoginRequest.mitID()
        var parameters = MitIDParameters()
        parameters.authenticatorLevel = .high
        request.mitID = parameters
        let means = try MitIDFixture(request: request)
        #expect(try await means.failure() == nil)
        #expect(
            try await means.failure(claims: { $0["aal"] = .string(MitIDFixture.level + "Substantial") })
                == .idToken(.acrTooLow))
    }

    @Test(
        "MitID case 20: rejects a test identity in production only, and a professional one unless the settings accept it"
    ) func identities() async throws {
        let production = try MitIDFixture(environment: .production, issuer: "https://netseidbroker.dk/op")
        var either = LoginRequest.mitID()
        either.mitIDProviders = [.mitID, .eBoks]
        func failure(
            _ fixture: MitIDFixture, _ type: String?, issuer: String, byEBoks isByEBoks: Bool = false
        ) async throws -> RelyingPartyError? {
            let before = fixture.provider.script.idTokenClaims
            fixture.provider.script.idTokenClaims = { claims in
                MitIDFixture.broker(&claims)
                if isByEBoks {
                    MitIDFixture.bare(&claims)
                    claims["idp"] = "eboks"
                }
                claims["identity_type"] = type.map { .string($0) }
            }
            defer { fixture.provider.script.idTokenClaims = before }
            let start = try await fixture.party.beginLogin(isByEBoks ? either : fixture.fixture.request)
            let form = fixture.form(start.url, issuer: issuer)
            return try await refusal {
                try await fixture.party.completeLogin(callback: MitIDFixture.callback(form), binding: start.binding)
            }
        }
        let real = "https://netseidbroker.dk/op"
        let unexpected = RelyingPartyError.idToken(.claimUnexpected("identity_type"))
        #expect(try await failure(production, "private", issuer: real) == nil)
        #expect(try await failure(production, "test", issuer: real) == unexpected)
        #expect(try await failure(production, "professional", issuer: real) == unexpected)
        #expect(try await failure(production, "robot", issuer: real) == unexpected)
        #expect(try await failure(production, nil, issuer: real) == .idToken(.claimMissing("identity_type")))
        #expect(try await failure(try MitIDFixture(), "test", issuer: MitIDFixture.issuer) == nil)
        // A provider that states no type is not trusted with a test identity either.
        #expect(try await failure(production, nil, issuer: real, byEBoks: true) == nil)
        #expect(try await failure(production, "test", issuer: real, byEBoks: true) == unexpected)
        #expect(try await failure(try MitIDFixture(), "test", issuer: MitIDFixture.issuer, byEBoks: true) == nil)
        var settings = MitIDFixture.settings
        settings.identityTypes = [.professional]
        let professional = try MitIDFixture(.mitID(settings))
        #expect(try await failure(professional, "professional", issuer: MitIDFixture.issuer) == nil)
        #expect(try await failure(professional, "private", issuer: MitIDFixture.issuer) == unexpected)
    }

    @Test("each claim is checked, in the order of the broker's documentation") func claims() async throws {
        var request = LoginRequest.mitID()
        request.maximumAge = .seconds(300)
        let fixture = try MitIDFixture(request: request)
        let rows: [(RelyingPartyError.Reason, @Sendable (inout ClaimsBuilder) -> Void)] = [
            (.issuerMismatch, { $0["iss"] = "https://netseidbroker.dk/op" }),
            (.audienceMismatch, { $0["aud"] = "another" }), (.expired, { $0["exp"] = 1_699_999_900 }),
            (.notYetValid, { $0["nbf"] = 1_700_000_100 }), (.issuedInFuture, { $0["iat"] = 1_700_000_100 }),
            (.nonceMismatch, { $0["nonce"] = "n" }), (.hashMismatch, { $0["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }),
            (.hashMismatch, { $0["c_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }),
            (.claimUnexpected("idp"), { $0["idp"] = "mitid_erhverv" }), (.acrTooLow, { $0["loa"] = "x" }),
            (.claimUnexpected("identity_type"), { $0["identity_type"] = "x" }), (.claimType("amr"), { $0["amr"] = 1 }),
            (.claimType("auth_time"), { $0["auth_time"] = "x" }),
            (.claimType("session_expiry"), { $0["session_expiry"] = "soon" }),
            (.claimMissing("sub"), { $0["sub"] = nil }),
        ]
        #expect(try await fixture.failure() == nil)
        for (index, row) in rows.enumerated() {
            // If all later checks fail as well, the first one is reported.
            let broken = rows[index...]
            #expect(
                try await fixture.failure(claims: { claims in for other in broken { other.1(&claims) } })
                    == .idToken(row.0), "\(row.0)")
            #expect(try await fixture.failure(claims: row.1) == .idToken(row.0), "\(row.0) alone")
        }
        #expect(try await fixture.failure(claims: { $0["idp"] = nil }) == .idToken(.claimMissing("idp")))
    }

    @Test("at_hash and c_hash must match the access token and the code") func hashes() async throws {
        let fixture = try MitIDFixture()
        fixture.provider.script.tokenResponse = { $0.replacing(/access-\d+/, with: "access-fixed") }
        let right = try SignatureAlgorithm.rs256.tokenHash(of: "access-fixed")
        #expect(try await fixture.failure(claims: { $0["at_hash"] = .string(right) }) == nil)
        let wrong = try SignatureAlgorithm.rs256.tokenHash(of: "access-other")
        #expect(try await fixture.failure(claims: { $0["at_hash"] = .string(wrong) }) == .idToken(.hashMismatch))
    }
}
