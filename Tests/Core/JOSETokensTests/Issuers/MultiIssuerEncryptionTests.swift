import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Encrypted tokens of several issuers") struct MultiIssuerEncryptionTests: IssuerFixture {
    let keys: TwoIssuersKeys
    init() throws { keys = try TwoIssuersKeys() }

    @Test("iss in the outer header is only a hint, which the claims must confirm (RFC 7519, 5.3)")
    func hints() throws {
        let verifier = try bothNested
        let good = try sealed(token(Self.a, keyOfA), "\"\(Self.a)\"")
        #expect(try verifier.verify(good).claims.issuer == Self.a)
        // Within is a token of the other, truly signed.
        let lie = try sealed(token(Self.b, keyOfB), "\"\(Self.a)\"")
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verifier.verify(lie) }
        // Signed by the one that the hint names, and made out in the other's name.
        let forged = try sealed(token(Self.b, keyOfA), "\"\(Self.a)\"")
        #expect(throws: TokenError.claim(.issuerMismatch)) { try verifier.verify(forged) }
        for hint in [#""https://c.test""#, "5", "null", #"["https://a.test"]"#, #""https://a.test/""#] {
            let token = try sealed(token(Self.a, keyOfA), hint)
            #expect(throws: TokenError.issuerUnknown, "\(hint)") { try verifier.verify(token) }
        }
    }

    @Test("without iss in the outer header, the issuer in the claims determines the policy of both layers")
    func hidden() throws {
        let verifier = try bothNested
        #expect(try verifier.verify(sealed(token(Self.a, keyOfA))).claims.issuer == Self.a)
        #expect(
            try verifier.verify(sealed(token(Self.b, keyOfB), nil, .ecdhESA256KW, .a256gcm)).claims.issuer == Self.b)
        let crossed = try sealed(token(Self.a, keyOfB))
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verifier.verify(crossed) }
        let stranger = try sealed(token("https://c.test", keyOfA))
        #expect(throws: TokenError.issuerUnknown) { try verifier.verify(stranger) }
        // What the one allows outside is not the other's.
        let cases: [(String, PrivateKey, KeyManagementAlgorithm, ContentEncryption, TokenError)] = [
            (
                Self.a, keyOfA, .ecdhESA256KW, .a128gcm,
                .jose(.algorithmNotAllowed(.keyManagement), layer: .encryption)
            ),
            (
                Self.a, keyOfA, .ecdhES, .a256gcm, .jose(.algorithmNotAllowed(.contentEncryption), layer: .encryption)
            ),
            (Self.b, keyOfB, .ecdhES, .a256gcm, .jose(.algorithmNotAllowed(.keyManagement), layer: .encryption)),
        ]
        for (issuer, key, algorithm, content, error) in cases {
            let token = try sealed(token(issuer, key), nil, algorithm, content)
            #expect(throws: error, "\(issuer) \(algorithm) \(content)") { try verifier.verify(token) }
        }
        // A token that no policy allows is not decrypted either.
        let nobody = try sealed(token(Self.a, keyOfA), nil, .ecdhESA128KW)
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.keyManagement), layer: .encryption)) {
            try verifier.verify(nobody)
        }
    }

    @Test("cty, typ, crit and limits of the outer layer are those of the token's issuer (RFC 7516, 4.1.13)")
    func outerPolicies() throws {
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(
                    Self.nested(Self.a) {
                        $0.understoodCritical = ["x"]
                        $0.contentType = .absentOr("JWT")
                        $0.type = .exactly("outer")
                    }, keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(Self.nested(Self.b), keys: KeySet(keyOfB.publicKey)),
                TrustedIssuer(Self.nested("c") { $0.limits.plaintextBytes = 100 }, keys: KeySet(keyOfB.publicKey)),
            ], decryptionKeys: KeySet(mine))
        var odd = HeaderParameters(type: "outer")
        odd.critical = ["x"]
        odd.set("x", json: Array("1".utf8))
        let typed = HeaderParameters(type: "outer")
        let plain = HeaderParameters(contentType: "JWT")
        let cases: [(String, PrivateKey, HeaderParameters, JOSEError?)] = [
            (Self.a, keyOfA, odd, nil), (Self.a, keyOfA, typed, nil),
            (Self.a, keyOfA, plain, .headerInvalid(.type)), (Self.b, keyOfB, odd, .criticalHeaderUnknown),
            (Self.b, keyOfB, typed, .headerInvalid(.contentType)),
            (Self.b, keyOfB, plain, nil), ("c", keyOfB, plain, .limitExceeded(.plaintextBytes)),
        ]
        for (issuer, key, header, error) in cases {
            for hint in [nil, "\"\(issuer)\""] {
                let token = try sealed(token(issuer, key), hint, header: header)
                if let error {
                    #expect(throws: TokenError.jose(error, layer: .encryption), "\(issuer) \(header)") {
                        try verifier.verify(token)
                    }
                } else {
                    #expect(throws: Never.self, "\(issuer)") { try verifier.verify(token) }
                }
            }
        }
    }

    @Test("a token encrypted with one issuer's shared key is rejected as a token of another issuer")
    func sharedSecrets() throws {
        let ours = try SecretKey.generate(bits: 256)
        let theirs = try SecretKey.generate(bits: 256)
        func policy(_ issuer: String) -> TokenPolicy {
            .encrypted(
                EncryptionPolicy(keyManagement: [.a256kw], contentEncryption: [.a128gcm]), claims: Self.claims(issuer))
        }
        func token(_ issuer: String, _ key: SecretKey, _ hint: String? = nil) throws -> String {
            var header = HeaderParameters()
            if let hint { header.set("iss", json: Array("\"\(hint)\"".utf8)) }
            return try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a128gcm, header: header)
                .encrypt(#"{"iss":"\#(issuer)","aud":"shop","exp":9999999999}"#)
        }
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(policy(Self.a), decryptionKeys: KeySet(ours)), TrustedIssuer(policy(Self.b)),
            ], decryptionKeys: KeySet(theirs))
        #expect(throws: Never.self) { try verifier.verify(token(Self.a, ours, Self.a)) }
        #expect(throws: Never.self) { try verifier.verify(token(Self.b, theirs)) }
        #expect(throws: Never.self) { try verifier.verify(token(Self.b, theirs, Self.b)) }
        let failed = TokenError.jose(.decryptionFailed, layer: .encryption)
        for hint in [nil, Self.a] {
            #expect(throws: failed) { try verifier.verify(token(Self.a, theirs, hint)) }
        }
        for hint in [nil, Self.b] {
            #expect(throws: failed) { try verifier.verify(token(Self.b, ours, hint)) }
        }
    }

    @Test("a token that is only signed is rejected if its issuer encrypts, and the reverse")
    func forms() throws {
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(Self.signed(Self.a), keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(Self.nested(Self.b), keys: KeySet(keyOfB.publicKey)),
            ], decryptionKeys: KeySet(mine))
        let parts = JOSEError.malformed(ParseFailure(.token, .parts))
        #expect(throws: Never.self) { try verifier.verify(token(Self.a, keyOfA)) }
        #expect(throws: Never.self) { try verifier.verify(sealed(token(Self.b, keyOfB))) }
        #expect(throws: TokenError.jose(parts, layer: .encryption)) { try verifier.verify(token(Self.b, keyOfB)) }
        for hint in [nil, "\"\(Self.a)\""] {
            #expect(throws: TokenError.jose(parts, layer: .signature)) {
                try verifier.verify(sealed(token(Self.a, keyOfA), hint))
            }
        }
        for plaintext in ["{}", #"{"iss":"https://b.test"}"#, "", "a.b.c", "x"] {
            #expect(throws: TokenError.self, "\(plaintext)") { try verifier.verify(sealed(plaintext)) }
        }
    }

    @Test("encrypted claims that begin with white space or contain two dots are parsed as claims")
    func whiteSpace() async throws {
        let policy = TokenPolicy.encrypted(
            EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]), claims: Self.claims(Self.a))
        let one = try TokenVerifier(policy, decryptionKeys: KeySet(mine))
        let several = try TokenVerifier(issuers: [TrustedIssuer(policy)], decryptionKeys: KeySet(mine))
        // Two dots are in the issuer and the subject.
        let claims = #"{"iss":"\#(Self.a)","aud":"shop","sub":"a.b","exp":9999999999}"#
        #expect(claims.utf8.count { $0 == UInt8(ascii: ".") } == 2)
        for space in ["", " ", "\n", "\r\n\t ", String(repeating: " ", count: 100)] {
            let token = try sealed(space + claims + space, header: HeaderParameters())
            #expect(try one.verify(token).claims.subject == "a.b")
            #expect(try several.verify(token).claims.subject == "a.b")
            let batch = try await BatchVerifier(several).verify([Array(token.utf8)])
            #expect(try batch[0].get().claims.subject == "a.b")
        }
        // A signed token within is still found, and one after white space is none.
        let nested = try bothNested
        #expect(try nested.verify(sealed(token(Self.a, keyOfA))).claims.issuer == Self.a)
        #expect(throws: TokenError.self) { try nested.verify(sealed(" " + token(Self.a, keyOfA))) }
    }
}
