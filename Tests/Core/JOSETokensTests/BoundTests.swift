import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Bounds of policies, issuers and profiles") struct TokenBoundTests {
    private static func issuer(
        lifetime: Duration = .seconds(300), change: (inout ClaimPolicy) -> Void = { _ in }
    ) throws -> TokenIssuer {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(Fixture.now)
        change(&claims)
        return try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: claims),
            signingKey: .symmetricKey(SecretKey(bytes: Array(0..<32))), lifetime: lifetime)
    }

    @Test("auth_time is not in the future, within the leeway") func authenticatedLater() throws {
        let fixture = try Fixture()
        func verify(_ time: String, _ leeway: Duration) throws {
            _ = try fixture.verify(fixture.claims(["auth_time": time])) {
                $0.maximumAuthenticationAge = .seconds(300)
                $0.leeway = leeway
            }
        }
        #expect(throws: TokenError.claim(.issuedInFuture("auth_time"))) { try verify("1700000001", .zero) }
        #expect(throws: Never.self) { try verify("1700000000", .zero) }
        #expect(throws: TokenError.claim(.issuedInFuture("auth_time"))) { try verify("1700000061", .seconds(60)) }
        #expect(throws: Never.self) { try verify("1700000060", .seconds(60)) }
    }

    @Test("a leeway has at most 300 seconds") func leeway() throws {
        let fixture = try Fixture()
        #expect(throws: Never.self) { try fixture.verify(fixture.claims()) { $0.leeway = .seconds(300) } }
        #expect(throws: TokenError.policyInvalid(.leeway)) {
            try fixture.verify(fixture.claims()) { $0.leeway = .milliseconds(300_001) }
        }
    }

    @Test("an issuer's lifetime is positive, and within the years that RFC 3339 can express") func lifetimes() throws {
        for (lifetime, fault) in [
            (Duration.zero, PolicyFault.lifetimeNotPositive), (.seconds(-1), .lifetimeNotPositive),
            (.seconds(253_402_300_800), .duration),
        ] {
            #expect(throws: TokenError.policyInvalid(fault), "\(lifetime)") { try Self.issuer(lifetime: lifetime) }
        }
        #expect(throws: Never.self) { try Self.issuer(lifetime: .seconds(253_402_300_799)) }
        #expect(throws: Never.self) { try Self.issuer(lifetime: .milliseconds(1)) }
    }

    @Test("a token with an exp in milliseconds is not issued, as it would never expire (RFC 7519, 2)")
    func milliseconds() throws {
        let issuer = try Self.issuer()
        #expect(throws: Never.self) { try issuer.issue(["exp": .integer(1_700_000_300)]) }
        #expect(throws: Never.self) { try issuer.issue(["exp": .integer(253_402_300_799)]) }
        for expiration in [1_700_000_300_000, 253_402_300_800] as [Int64] {
            let failure = TokenError.claim(.invalid("exp"))
            #expect(throws: failure) { try issuer.issue(["exp": .integer(expiration)]) }
            #expect(throws: failure) { try issuer.issue(json: Array("{\"exp\":\(expiration)}".utf8)) }
            #expect(failure.remedy == "have the issuer set exp to a number of seconds since 1970, not of milliseconds")
        }
        #expect(throws: TokenError.claim(.invalid("exp"))) {
            try issuer.issue(options: TokenOptions(lifetime: .seconds(253_402_300_799)))
        }
    }

    @Test("an issuer issues no token that exceeds the limits of its own policy") func limits() throws {
        let key = try SecretKey(bytes: Array(0..<32))
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(Fixture.now)
        func signed(_ bytes: Int?) throws -> String {
            var policy = SignaturePolicy(algorithms: [.hs256])
            if let bytes { policy.limits.tokenBytes = bytes }
            return try TokenIssuer(.signed(policy, claims: claims), signingKey: .symmetricKey(key)).issue(["sub": "u"])
        }
        func encrypted(_ bytes: Int?) throws -> String {
            var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
            if let bytes { policy.limits.plaintextBytes = bytes }
            return try TokenIssuer(.encrypted(policy, claims: claims), encryptionKey: .symmetricKey(key))
                .issue(["sub": "u"])
        }
        let length = try signed(nil).utf8.count
        #expect(try signed(length).utf8.count == length)
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) { try signed(length - 1) }
        let plaintext = try part(3, of: encrypted(nil)).count
        #expect(throws: Never.self) { try encrypted(plaintext) }
        #expect(throws: TokenError.jose(.limitExceeded(.plaintextBytes), layer: .encryption)) {
            try encrypted(plaintext - 1)
        }
    }

    @Test("an issuer encrypts with algorithms of its policy only") func algorithms() throws {
        let key = try SecretKey(bytes: Array(0..<32))
        let outer = EncryptionPolicy(keyManagement: [.a256kw], contentEncryption: [.a256gcm])
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(Fixture.now)
        let policy = TokenPolicy.encrypted(outer, claims: claims)
        func issuer(_ management: KeyManagementAlgorithm?, _ content: ContentEncryption?) throws {
            _ = try TokenIssuer(
                policy, encryptionKey: .symmetricKey(key), keyManagement: management, contentEncryption: content)
        }
        for (management, content) in [(nil, nil), (.a256kw, .a256gcm)]
            as [(KeyManagementAlgorithm?, ContentEncryption?)]
        {
            #expect(throws: Never.self) { try issuer(management, content) }
        }
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.keyManagement), layer: .encryption)) {
            try issuer(.dir, nil)
        }
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.contentEncryption), layer: .encryption)) {
            try issuer(nil, .a128gcm)
        }
    }

    @Test(
        "sub of a logout token is a string that is not empty, beside sid too (OpenID Connect Back-Channel Logout, 2.4)",
        arguments: ["5", #""""#, "[]"]) func logoutSubject(_ subject: String) throws
    {
        var profile = LogoutTokenProfile(
            issuer: ProfileFixture.issuer, clientID: "client", algorithms: [.es256], replayStore: nil)
        profile.claims.clock = .fixed(ProfileFixture.now)
        let good = [
            "iss": #""https://id.example""#, "aud": #""client""#, "sub": #""u""#, "sid": #""s""#, "exp": "1700000120",
            "iat": "1700000000", "jti": #""x""#,
            "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
        ]
        try ProfileCase.refused("sub", ["sub": subject], .invalid("sub"))
            .run(profile, claims: good, type: "logout+jwt")
    }

    @Test("a proof of possession has three parts and the bound of any token (RFC 9449, 4.3)") func proofs() throws {
        let prover = try DPoPProver(
            key: .generate(.p256), algorithm: .es256, clock: .fixed(ProfileFixture.now))
        let proof = try prover.proof(method: "GET", url: "https://rs.example/a")
        let request = DPoPRequest(method: "GET", url: "https://rs.example/a")
        func verify(_ text: String, _ bytes: Int) throws {
            let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: nil) {
                $0.claims.clock = .fixed(ProfileFixture.now)
                $0.signature.limits.tokenBytes = bytes
            }
            _ = try verifier.verify(text, for: request)
        }
        #expect(throws: Never.self) { try verify(proof, proof.utf8.count) }
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try verify(proof, proof.utf8.count - 1)
        }
        let malformed = TokenError.jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        for text in [proof + ".", proof + "..", String(proof.split(separator: ".")[0]), ""] {
            #expect(throws: malformed, "\(text.suffix(3))") { try verify(text, 1 << 16) }
        }
    }

    @Test("an SD-JWT has the bounds of a token and of an object") func disclosures() throws {
        let table = try SDJWTTable()
        let text = try table.issue(["sub", "name"]).text
        var limits = ParsingLimits.standard
        limits.tokenBytes = text.utf8.count
        limits.objectMembers = 2
        #expect(try SDJWT(text, limits: limits).disclosures.count == 2)
        limits.objectMembers = 1
        #expect(throws: TokenError.jose(.limitExceeded(.objectMembers), layer: .signature)) {
            try SDJWT(text, limits: limits)
        }
        limits.objectMembers = 2
        // A disclosure that is too deep, or has too many members, exceeds a limit as well, and is not malformed.
        func reading(_ value: String) -> TokenError? {
            let disclosure = base64URL(Array(#"["salt","name",\#(value)]"#.utf8))
            do throws(TokenError) {
                _ = try SDJWT("e30.e30.AA~\(disclosure)~")
                return nil
            } catch { return error }
        }
        let members = (0..<1_001).map { #""m\#($0)":0"# }
        #expect(reading("{" + members.dropLast().joined(separator: ",") + "}") == nil)
        #expect(
            reading("{" + members.joined(separator: ",") + "}")
                == .jose(.limitExceeded(.objectMembers), layer: .signature))
        #expect(reading(String(repeating: "[", count: 31) + String(repeating: "]", count: 31)) == nil)
        #expect(
            reading(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
                == .jose(.limitExceeded(.jsonDepth), layer: .signature))
        #expect(reading("[") == .disclosure(.malformed))
        // The article Setting limits gives the number.
        let many = (0..<1_001).map { base64URL(Array(#"["salt \#($0)","name \#($0)",0]"#.utf8)) + "~" }
        #expect(try SDJWT("e30.e30.AA~" + many.dropLast().joined()).disclosures.count == 1_000)
        #expect(throws: TokenError.jose(.limitExceeded(.objectMembers), layer: .signature)) {
            try SDJWT("e30.e30.AA~" + many.joined())
        }
        limits.tokenBytes -= 1
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try SDJWT(text, limits: limits)
        }
    }
}
