import Foundation
import TestSupport
import Testing

@testable import JOSETokens

/// Values of the application as claims, issuer and audience, and the properties of single tokens.
@Suite("Values as claims") struct ValueClaimTests {
    private static let now: NumericDate = 1_795_000_000
    private let key = JOSETokensKey.key

    /// One key for all tests, because generating is no part of them.
    private enum JOSETokensKey {
        static let key = try! PrivateKey.generate(.p256, keyID: "k1")
    }

    private func policy(_ adjust: (inout ClaimPolicy) -> Void = { _ in }) -> TokenPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(Self.now)
        adjust(&claims)
        return .signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
    }

    @Test("variables are claims: text, numbers, Bool, lists, objects, Date, UUID and URL")
    func values() throws {
        let issuer = try TokenIssuer(policy(), signingKey: key)
        let verifier = try TokenVerifier(policy(), verificationKeys: key.publicKey)
        let (user, roles, age, isAdmin, share) = ("u-1", ["reader", "editor"], 41, true, 0.5)
        let id = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        let url = try #require(URL(string: "https://shop.example/a?b=c"))
        let since = Date(timeIntervalSince1970: 1_700_000_000.75)
        let token = try issuer.issue([
            "sub": user, "roles": roles, "age": age, "admin": isAdmin, "share": share, "id": id, "page": url,
            "since": since, "auth_time": NumericDate(1_794_999_999), "large": UInt64.max, "small": Int8.min,
            "names": ["de": "Hund", "cs": "pes"], "part": user.prefix(1), "nothing": ClaimValue.null,
        ])
        let claims = try verifier.verify(token).claims
        #expect(claims.subject == user && claims.strings("roles") == roles && claims.integer("age") == 41)
        #expect(claims.bool("admin") == true && claims.number("share") == 0.5 && claims.string("part") == "u")
        #expect(claims.string("id") == id.uuidString && claims.string("page") == "https://shop.example/a?b=c")
        #expect(claims.integer("since") == 1_700_000_000 && claims.integer("auth_time") == 1_794_999_999)
        #expect(claims.json("large") == Array("18446744073709551615".utf8) && claims.integer("small") == -128)
        #expect(claims.json("names") == Array(#"{"cs":"pes","de":"Hund"}"#.utf8))
        #expect(claims.json("nothing") == Array("null".utf8))

        var builder: ClaimsBuilder = ["sub": "literal"]
        builder["sub"] = user
        builder["roles"] = roles
        builder["scope"] = "read:\(user)"
        builder["age"] = nil
        let built = try verifier.verify(issuer.issue(builder)).claims
        #expect(built.subject == user && built.strings("roles") == roles && built.string("scope") == "read:u-1")
        #expect(try verifier.verify(issuer.issue(["sub": "\(user)-\(age)"])).claims.subject == "u-1-41")
        // Literals of several types in one list are claims as before, and a number that JSON lacks is rejected as before.
        #expect(
            try verifier.verify(issuer.issue(["mixed": ["a", 1, true]])).claims.json("mixed")
                == Array(#"["a",1,true]"#.utf8))
        #expect(throws: TokenError.self) { try issuer.issue(["x": Double.nan]) }
    }

    @Test("a String and an interpolation are an issuer and an audience, compared byte by byte (RFC 7519, 4.1.1)")
    func rules() throws {
        let (host, audience) = ("id.example", "shop")
        let token = try TokenIssuer(policy(), signingKey: key).issue()
        let issuer = "https://" + host
        for claims in [
            ClaimPolicy(issuer: issuer, audience: audience), ClaimPolicy(issuer: "https://\(host)", audience: audience),
            ClaimPolicy(issuer: "https://\(host)", audience: .oneOf(["other", audience])),
            ClaimPolicy(issuer: .oneOf([issuer]), audience: "\(audience)"),
            ClaimPolicy(issuer: .exactly(issuer), audience: .oneOf([audience])),
            ClaimPolicy(issuer: issuer, audience: "\(audience)"),
        ] {
            var claims = claims
            claims.clock = .fixed(Self.now)
            let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
            #expect(throws: Never.self) { try TokenVerifier(policy, verificationKeys: key.publicKey).verify(token) }
        }
        var other = ClaimPolicy(issuer: issuer + "/", audience: audience)
        other.clock = .fixed(Self.now)
        let stranger = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: other), verificationKeys: key.publicKey)
        #expect(throws: TokenError.claim(.issuerMismatch)) { try stranger.verify(token) }
    }

    @Test("keys whose types name their kinds are given wherever a JWK or a key source is asked for")
    func keys() throws {
        let ours = try PrivateKey.generate(.p256)
        let secret = try SecretKey.generate(bits: 256)
        let nested = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        let token = try TokenIssuer(nested, signingKey: key, encryptionKey: ours.publicKey).issue(["sub": "u"])
        let verifier = try TokenVerifier(nested, verificationKeys: key.publicKey, decryptionKeys: ours)
        #expect(try verifier.verify(token).claims.subject == "u")
        #expect(throws: TokenError.self) {
            try TokenVerifier(nested, verificationKeys: ours.publicKey, decryptionKeys: ours).verify(token)
        }
        let mac = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        let signed = try TokenIssuer(mac, signingKey: secret).issue()
        #expect(throws: Never.self) { try TokenVerifier(mac, verificationKeys: secret).verify(signed) }
        #expect(throws: Never.self) { try TokenVerifier(mac, verificationKeys: KeySet([secret, key])).verify(signed) }
        // A public key signs nothing. The compiler rejects a `PublicKey`; the kind of a JWK is known when the program runs.
        let (signer, other): (any SigningKey, any SigningKey) = (JWK.privateKey(key), JWK.publicKey(key.publicKey))
        #expect(throws: Never.self) { try TokenIssuer(policy(), signingKey: signer) }
        #expect(throws: TokenError.jose(.keyUnsuitable(.publicKey), layer: .signature)) {
            try TokenIssuer(policy(), signingKey: other)
        }
        #expect(throws: Never.self) { try SignatureBatch(key: key.publicKey, algorithm: .es256) }
    }

    @Test("a token has header parameters of its own, in each layer, and the next token those of the issuer")
    func headers() async throws {
        let ours = try PrivateKey.generate(.p256)
        let nested = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        var inner = HeaderParameters(keyID: "k1")
        inner.set("trace", "t-1")
        var outer = HeaderParameters()
        outer.set("tenant", "x")
        let options = TokenOptions(signatureHeader: inner, encryptionHeader: outer)
        let verifier = try TokenVerifier(nested, verificationKeys: key.publicKey, decryptionKeys: ours)
        let issuer = try TokenIssuer(nested, signingKey: key, encryptionKey: ours.publicKey)
        let external = try TokenIssuer(nested, externalKey: RemoteSigner(key), encryptionKey: ours.publicKey)
        for token in [
            try issuer.issue(options: options), try issuer.issue(json: Array("{}".utf8), options: options),
            try issuer.issue(encoding: ["sub": "u"], options: options),
            try await external.issue(options: options, timeout: .ample),
        ] {
            let verified = try verifier.verify(token)
            #expect(verified.header.string("trace") == "t-1" && verified.header.keyID == "k1")
            #expect(verified.encryptionHeader?.string("tenant") == "x")
        }
        let next = try verifier.verify(issuer.issue())
        #expect(next.header.string("trace") == nil && next.encryptionHeader?.string("tenant") == nil)
        // A layer that the policy does not have takes no header, and a reserved name is rejected as at the issuer's creation.
        let plain = try TokenIssuer(policy(), signingKey: key)
        #expect(throws: TokenError.policyInvalid(.key)) {
            try plain.issue(options: TokenOptions(encryptionHeader: outer))
        }
        var wrong = HeaderParameters()
        wrong.set("alg", "none")
        #expect(throws: TokenError.jose(.headerInvalid(.reservedName), layer: .signature)) {
            try plain.issue(options: TokenOptions(signatureHeader: wrong))
        }
        #expect(throws: Never.self) { try plain.issue(options: TokenOptions(signatureHeader: inner)) }
    }

    @Test("an issuer rejects a typ or cty that a verifier of its policy would reject, in each layer (RFC 8725, 3.11)")
    func types() async throws {
        let ours = try PrivateKey.generate(.p256)
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("at+jwt")
        signature.contentType = .absent
        var encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        encryption.type = .absentOr("JWT")
        let nested = TokenPolicy.nested(
            outer: encryption, inner: signature, claims: ClaimPolicy(issuer: "i", audience: "a"))
        func issuer(_ inner: HeaderParameters, _ outer: HeaderParameters) throws(TokenError) -> TokenIssuer {
            try TokenIssuer(
                nested, signingKey: key, encryptionKey: ours.publicKey, signatureHeader: inner, encryptionHeader: outer)
        }
        let plain = HeaderParameters()
        let working = try issuer(HeaderParameters(type: "application/AT+JWT"), HeaderParameters(type: "jwt"))
        let verifier = try TokenVerifier(nested, verificationKeys: key.publicKey, decryptionKeys: ours)
        #expect(throws: Never.self) { try verifier.verify(working.issue()) }
        let cases: [(HeaderParameters, TokenError)] = [
            (HeaderParameters(type: "xx"), .jose(.headerInvalid(.type), layer: .signature)),
            (HeaderParameters(contentType: "JWT"), .jose(.headerInvalid(.contentType), layer: .signature)),
        ]
        for (header, error) in cases {
            #expect(throws: error) { try issuer(header, plain) }
            #expect(throws: error) { try working.issue(options: TokenOptions(signatureHeader: header)) }
            #expect(throws: error) {
                try TokenIssuer(
                    nested, externalKey: RemoteSigner(key), encryptionKey: ours.publicKey, signatureHeader: header)
            }
        }
        for header in [HeaderParameters(type: "xx"), HeaderParameters(contentType: "text/plain")] {
            let fault: HeaderFault = header.type == nil ? .contentType : .type
            let error = TokenError.jose(.headerInvalid(fault), layer: .encryption)
            #expect(throws: error) { try issuer(plain, header) }
            #expect(throws: error) { try working.issue(options: TokenOptions(encryptionHeader: header)) }
        }
    }

    @Test("nbf in the future is issued where it is asked for, and rejected otherwise (RFC 7519, 4.1.5)")
    func notBefore() async throws {
        let start = NumericDate(secondsSince1970: Self.now.secondsSince1970 + 86_400)
        let issuer = try TokenIssuer(policy(), signingKey: key, lifetime: .seconds(600))
        var claims = ClaimsBuilder()
        claims.notBefore = start
        #expect(throws: TokenError.claim(.notYetValid)) { try issuer.issue(claims) }
        let external = try TokenIssuer(policy(), externalKey: RemoteSigner(key), lifetime: .seconds(600))
        for token in [
            try issuer.issue(options: TokenOptions(validFrom: start)),
            try issuer.issue(claims, options: TokenOptions(validFrom: start)),
            try await external.issue(options: TokenOptions(validFrom: start), timeout: .ample),
        ] {
            let verifier = try TokenVerifier(policy(), verificationKeys: key.publicKey)
            #expect(throws: TokenError.claim(.notYetValid)) { try verifier.verify(token) }
            let later = try TokenVerifier(policy { $0.clock = .fixed(start) }, verificationKeys: key.publicKey)
            let read = try later.verify(token).claims
            #expect(read.notBefore == start && read.issuedAt == Self.now)
            #expect(read.expiration?.secondsSince1970 == start.secondsSince1970 + 600)
        }
        let short = try issuer.issue(options: TokenOptions(lifetime: .seconds(30)))
        let read = try TokenVerifier(policy(), verificationKeys: key.publicKey).verify(short).claims
        #expect(read.expiration?.secondsSince1970 == Self.now.secondsSince1970 + 30 && read.notBefore == nil)
        for lifetime in [Duration.zero, .seconds(-1)] {
            #expect(throws: TokenError.policyInvalid(.lifetimeNotPositive)) {
                try issuer.issue(options: TokenOptions(lifetime: lifetime))
            }
        }
        #expect(throws: TokenError.policyInvalid(.validFrom)) {
            try issuer.issue(options: TokenOptions(validFrom: NumericDate(secondsSince1970: .infinity)))
        }
        // The policy's other rules hold at that time: here the lifetime.
        let strict = try TokenIssuer(
            policy { $0.maximumLifetime = .seconds(3_600) }, signingKey: key, lifetime: .seconds(600))
        #expect(throws: TokenError.claim(.lifetimeTooLong)) {
            try strict.issue(options: TokenOptions(validFrom: start))
        }
        #expect(throws: Never.self) { try strict.issue(options: TokenOptions(validFrom: Self.now)) }
    }

    @Test("awaiting calls have typed errors, and decode the claims")
    func awaiting() async throws {
        struct User: Decodable, Equatable { let sub: String }
        let token = try TokenIssuer(policy(), signingKey: key).issue(["sub": "u"])
        let verifier = try TokenVerifier(policy(), verificationKeys: key.publicKey)
        let coalescing = CoalescingVerifier(verifier, isMeasured: false)
        let bytes = Array(token.utf8)
        let users = [
            try await verifier.verify(token, as: User.self, timeout: .seconds(1)),
            try await verifier.verify(bytes, timeout: .seconds(1)).claims.decode(as: User.self),
            try await coalescing.verify(token).claims.decode(as: User.self),
            try await coalescing.verify(bytes).claims.decode(as: User.self),
            try await coalescing.verify(token, timeout: .seconds(1)).claims.decode(as: User.self),
            try await coalescing.verify(bytes, timeout: .seconds(1)).claims.decode(as: User.self),
        ]
        #expect(users == Array(repeating: User(sub: "u"), count: 6))
        let late = try TokenVerifier(policy { $0.clock = .fixed(1_900_000_000) }, verificationKeys: key.publicKey)
        var seen = ""
        do throws(TokenError) {
            _ = try await late.verify(token, timeout: .seconds(1))
        } catch .claim(.expired) {
            seen = "expired"
        } catch {
            seen = error.code
        }
        #expect(seen == "expired")
    }
}
