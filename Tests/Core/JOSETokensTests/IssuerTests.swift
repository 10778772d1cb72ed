import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Token issuer") struct IssuerTests {
    static func claims() -> ClaimPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.nonce = "n"
        claims.accessToken = "token"
        claims.maximumAge = .seconds(30)
        return claims
    }

    @Test("a hash is written of what the policy has: the access token, the code (OpenID Connect Core, 3.3.2.11)")
    func hashes() throws {
        let key = try PrivateKey.generate(.p256)
        for (accessToken, code) in [("t", nil), (nil, "c"), ("t", "c"), (nil, nil)] as [(String?, String?)] {
            var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
            (claims.accessToken, claims.code) = (accessToken, code)
            let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
            let token = try TokenIssuer(policy, signingKey: .privateKey(key)).issue()
            let issued = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey)).verify(token).claims
            for (name, value) in [("at_hash", accessToken), ("c_hash", code)] {
                let hash = try value.map { try SignatureAlgorithm.es256.tokenHash(of: $0) }
                #expect(issued.string(name) == hash && issued.contains(name) == (hash != nil))
            }
        }
    }

    @Test("issued tokens are accepted by a verifier with the same policy, in each form") func mirror() throws {
        let signing = try PrivateKey.generate(.ed25519, keyID: "s")
        let shared = try SecretKey.generate(bits: 256, keyID: "k")
        let x = try PrivateKey.generate(.x25519, keyID: "e")
        var signature = SignaturePolicy(algorithms: [.rs256, .ed25519])
        signature.type = .exactly("at+jwt")
        let outer = EncryptionPolicy(keyManagement: [.rsaOAEP, .ecdhESA256KW], contentEncryption: [.a256gcm])
        var unsigned = Self.claims()
        unsigned.accessToken = nil
        let policies: [(TokenPolicy, JWK?, JWK?)] = [
            (.signed(signature, claims: Self.claims()), .privateKey(signing), nil),
            (
                .encrypted(EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm]), claims: unsigned),
                nil,
                .symmetricKey(shared)
            ),
            (
                .nested(outer: outer, inner: signature, claims: Self.claims()), .privateKey(signing),
                .publicKey(x.publicKey)
            ),
        ]
        for (policy, signingKey, encryptionKey) in policies {
            let issuer = try TokenIssuer(policy, signingKey: signingKey, encryptionKey: encryptionKey)
            let token = try issuer.issue(["sub": "u", "list": [1, 2.5, true, .null, ["a": "b"]]])
            let verifier = try TokenVerifier(
                policy, verificationKeys: KeySet(signing.publicKey),
                decryptionKeys: KeySet([.privateKey(x), .symmetricKey(shared)]))
            let claims = try verifier.verify(token).claims
            #expect(claims.subject == "u" && claims.string("nonce") == "n" && claims.issuer == "https://id.example")
            #expect(claims.json("list") == Array(#"[1,2.5,true,null,{"a":"b"}]"#.utf8))
            #expect(claims.expiration! - claims.issuedAt! >= .seconds(300))
        }
    }

    @Test("an issuer rejects claims that the verifier would reject, before it signs") func refuses() throws {
        let key = try SecretKey.generate(bits: 256)
        let issuer = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: Self.claims()), signingKey: .symmetricKey(key))
        #expect(throws: Never.self) { try issuer.issue(["sub": "u"]) }
        #expect(throws: TokenError.claim(.issuerMismatch)) { try issuer.issue(["iss": "other"]) }
        #expect(throws: TokenError.claim(.expired)) { try issuer.issue(["exp": 1]) }
        #expect(throws: TokenError.claim(.invalid("nonce"))) { try issuer.issue(["nonce": "m"]) }
        #expect(throws: TokenError.claim(.invalid("sub"))) { try issuer.issue(["sub": 5]) }
        for text in ["", "[]", "{", #"{"a":1,"a":2}"#, "{\"a\":NaN}"] {
            #expect(throws: TokenError.self, "\(text)") { try issuer.issue(json: Array(text.utf8)) }
        }
        #expect(throws: TokenError.self) { try issuer.issue(["x": .number(.infinity)]) }
        #expect(throws: TokenError.self) { try issuer.issue(["x": .json(Array("1,2".utf8))]) }
    }

    @Test("an issuer keeps the caller's JSON byte for byte and appends its own claims") func keepsBytes() throws {
        let key = try SecretKey.generate(bits: 256)
        var claims = ClaimPolicy(issuer: .oneOf(["a", "b"]), audience: .anyAudienceUnchecked)
        claims.clock = .fixed(1000)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.hs256]), claims: claims)
        let issuer = try TokenIssuer(policy, signingKey: .symmetricKey(key), lifetime: .seconds(60))
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key))
        let cases = [
            (#"{ "iss":"\u0061" , "exp": 1060,"iat":1000 }"#, #"{ "iss":"\u0061" , "exp": 1060,"iat":1000 }"#),
            (#"{"iss":"b"}"#, #"{"iss":"b","iat":1000,"exp":1060}"#),
            (#"{"iss":"b" } "#, #"{"iss":"b" ,"iat":1000,"exp":1060}"#),
        ]
        for (given, made) in cases {
            let token = try issuer.issue(json: Array(given.utf8))
            #expect(try String(decoding: verifier.verify(token).claims.payload, as: UTF8.self) == made)
        }
    }

    @Test("an issuer rejects keys that the policy's layers or algorithms cannot use") func keys() throws {
        let rsa = try PrivateKey.stored()
        let ec = try PrivateKey.generate(.p256)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: Self.claims())
        #expect(throws: Never.self) { try TokenIssuer(policy, signingKey: .privateKey(ec)) }
        #expect(throws: TokenError.jose(.keyUnsuitable(.kind), layer: .signature)) {
            try TokenIssuer(policy, signingKey: .privateKey(rsa))
        }
        #expect(throws: TokenError.jose(.keyUnsuitable(.publicKey), layer: .signature)) {
            try TokenIssuer(policy, signingKey: .publicKey(ec.publicKey))
        }
        #expect(throws: TokenError.policyInvalid(.key)) { try TokenIssuer(policy) }
        #expect(throws: TokenError.policyInvalid(.key)) {
            try TokenIssuer(policy, signingKey: .privateKey(ec), encryptionKey: .publicKey(ec.publicKey))
        }
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.signature), layer: .signature)) {
            try TokenIssuer(policy, signingKey: .privateKey(ec), algorithm: .es384)
        }
    }
}
