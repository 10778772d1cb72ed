import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Frequent mistakes of issuers and senders: an explanation names them, and a verifier rejects the token without saying more.
@Suite("Explained mistakes") struct ExplainedMistakeTests {
    private static let payload = #"{"iss":"https://id.example.com","aud":"shop","exp":9999999999}"#

    private static func policy(_ algorithms: [SignatureAlgorithm]) -> TokenPolicy {
        .signed(
            SignaturePolicy(algorithms: algorithms),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
    }

    /// Returns the line of the check that failed. The error is the one of `verify`, and names no mistake.
    private func failure(
        _ token: String, _ verifier: TokenVerifier, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (text: String, remedy: String) {
        let report = verifier.explain(token)
        let error = try #require(report.error, sourceLocation: sourceLocation)
        #expect(throws: error, sourceLocation: sourceLocation) { try verifier.verify(token) }
        let failed = report.lines.filter { $0.outcome == .failed }
        #expect(failed.count == 1, sourceLocation: sourceLocation)
        for part in token.split(separator: ".") where part.utf8.count > 8 {
            #expect(!report.description.contains(part), sourceLocation: sourceLocation)
        }
        return (failed.first?.failure ?? "", failed.first?.remedy ?? "")
    }

    private func token(header: String, signature: [UInt8]) -> String {
        Forge.token(Forge.input(header: header, payload: Self.payload), signature: signature)
    }

    private func signature(_ header: String, _ key: PrivateKey, _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        try Forge.signature(
            of: Array(Forge.input(header: header, payload: Self.payload).utf8), with: .privateKey(key), algorithm)
    }

    private func der(_ raw: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var body = Array(bytes.drop { $0 == 0 })
            if body.first.map({ $0 >= 0x80 }) ?? true { body.insert(0, at: 0) }
            return [2, UInt8(body.count)] + body
        }
        let body = integer(raw[..<(raw.count / 2)]) + integer(raw[(raw.count / 2)...])
        return [0x30] + (body.count < 0x80 ? [] : [0x81]) + [UInt8(body.count)] + body
    }

    @Test("an ECDSA signature in DER is named, with the octets that r and s have (RFC 7518, 3.4)")
    func derSignatures() throws {
        for (algorithm, kind, octets) in [
            (SignatureAlgorithm.es256, KeyKind.p256, 64), (.es384, .p384, 96), (.es512, .p521, 132),
        ] {
            let key = try PrivateKey.generate(kind)
            let verifier = try TokenVerifier(Self.policy([algorithm]), verificationKeys: key.publicKey)
            let header = #"{"alg":"\#(algorithm)"}"#
            let raw = try signature(header, key, algorithm)
            #expect(verifier.explain(token(header: header, signature: raw)).isValid)
            let (text, remedy) = try failure(token(header: header, signature: der(raw)), verifier)
            #expect(text.contains("is DER in place of r and s, which have \(octets) octets together"), "\(text)")
            #expect(remedy.contains("r and s one after the other"))
            // The shortest form has two integers of one byte; with fewer bytes it is a signature of another length.
            let shortest = try failure(token(header: header, signature: [0x30, 6, 2, 1, 1, 2, 1, 1]), verifier).text
            #expect(shortest.contains("is DER"), "\(shortest)")
            let shorter = try failure(token(header: header, signature: [0x30, 5, 2, 1, 1, 2, 1]), verifier).text
            #expect(shorter.contains("has 7 octets, \(octets) are required"), "\(shorter)")
        }
    }

    @Test("a signature of another length is named, and the algorithm whose length that is (RFC 7518, 3.2 to 3.4)")
    func lengths() throws {
        let key = try PrivateKey.generate(.p256)
        let verifier = try TokenVerifier(Self.policy([.es256]), verificationKeys: key.publicKey)
        let header = #"{"alg":"ES256"}"#
        let raw = try signature(header, key, .es256)
        #expect(verifier.explain(token(header: header, signature: raw)).isValid)
        for (changed, wanted) in [
            (Array(raw.dropLast()), "has 63 octets, 64 are required"), (raw + [0], "has 65 octets, 64 are required"),
            (raw + raw.prefix(32), "has 96 octets, 64 are required: 96 are those of ES384"),
        ] {
            #expect(try failure(token(header: header, signature: changed), verifier).text.contains(wanted))
        }
        let secret = try SecretKey(bytes: Array(0..<64))
        let macs = try TokenVerifier(Self.policy([.hs256]), verificationKeys: secret)
        let input = Array(Forge.input(header: #"{"alg":"HS256"}"#, payload: Self.payload).utf8)
        let tag = try Forge.signature(of: input, with: .symmetricKey(secret), .hs256)
        #expect(macs.explain(token(header: #"{"alg":"HS256"}"#, signature: tag)).isValid)
        let long = try Forge.signature(of: input, with: .symmetricKey(secret), .hs512)
        let text = try failure(token(header: #"{"alg":"HS256"}"#, signature: long), macs).text
        #expect(text.contains("64 are those of HS512"), "\(text)")
    }

    @Test("a signature by another key of the set than kid names is named, with the kid of that key (RFC 7515, 4.1.4)")
    func otherKeys() throws {
        let (first, second) = (
            try PrivateKey.generate(.p256, keyID: "k1"), try PrivateKey.generate(.p256, keyID: "k2")
        )
        let verifier = try TokenVerifier(
            Self.policy([.es256]),
            verificationKeys: KeySet([.publicKey(first.publicKey), .publicKey(second.publicKey)]))
        func made(_ keyID: String, _ key: PrivateKey) throws -> String {
            let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
            return try token(header: header, signature: signature(header, key, .es256))
        }
        #expect(try verifier.explain(made("k2", second)).isValid)
        let (text, remedy) = try failure(made("k1", second), verifier)
        #expect(text.contains("the signature does not verify") && text.contains("with kid 'k2'"), "\(text)")
        #expect(remedy == "have the issuer write the kid of the key that it signs with")
        let unknown = try failure(made("k9", first), verifier).text
        #expect(unknown.contains("no key matches the token's kid") && unknown.contains("with kid 'k1'"), "\(unknown)")
        // Another key is not found in a signature of nobody's.
        let forged = try failure(made("k1", .generate(.p256)), verifier).text
        #expect(forged == "the signature does not verify")
        // A source that may get the missing key yet is told of it once, and not for the explanation.
        let source = ChangingKeys(KeySet(first.publicKey))
        source.onMissing(.refreshIncomplete)
        let changing = try TokenVerifier(Self.policy([.es256]), verificationKeys: source)
        let report = changing.explain(try made("k9", first))
        #expect(report.error == .jose(.keysUnavailable(.refreshIncomplete), layer: .signature))
        #expect(report.description.contains("with kid 'k1'") && source.missing.count == 1)
        #expect(try changing.explain(made("k1", first)).isValid)
    }

    @Test("the padding of RSA that alg does not name is named (RFC 7518, 3.3 and 3.5)") func paddings() throws {
        let key = try PrivateKey.stored()
        let verifier = try TokenVerifier(Self.policy([.rs256, .ps256]), verificationKeys: key.publicKey)
        for (named, made, wanted) in [
            (
                SignatureAlgorithm.ps256, SignatureAlgorithm.rs256,
                "is one of RSASSA-PKCS1-v1_5, and alg names RSASSA-PSS"
            ),
            (.rs256, .ps256, "is one of RSASSA-PSS, and alg names RSASSA-PKCS1-v1_5"),
        ] {
            let header = #"{"alg":"\#(named)"}"#
            let right = try signature(header, key, named)
            #expect(verifier.explain(token(header: header, signature: right)).isValid)
            let other = try signature(header, key, made)
            let (text, remedy) = try failure(token(header: header, signature: other), verifier)
            #expect(text.contains(wanted) && remedy.contains("sign with RSASSA"), "\(text)")
        }
        // Without a kid the key is meant whose signatures have this length.
        let larger = try PrivateKey.stored(bits: 3072)
        let both = try TokenVerifier(
            Self.policy([.ps256]),
            verificationKeys: KeySet([.publicKey(key.publicKey), .publicKey(larger.publicKey)]))
        let header = #"{"alg":"PS256"}"#
        let right = try signature(header, larger, .ps256)
        #expect(both.explain(token(header: header, signature: right)).isValid)
        let other = try signature(header, larger, .rs256)
        let text = try failure(token(header: header, signature: other), both).text
        #expect(text.contains("is one of RSASSA-PKCS1-v1_5"), "\(text)")
    }

    @Test("what is around a token, padding and the standard alphabet are named (RFC 7515, 2)") func texts() throws {
        let key = try PrivateKey.generate(.p256)
        let verifier = try TokenVerifier(Self.policy([.es256]), verificationKeys: key.publicKey)
        let good = try JWSSigner(key: key, algorithm: .es256).sign(Self.payload)
        #expect(verifier.explain(good).isValid)
        let parts = good.split(separator: ".")
        for (changed, wanted, remedy) in [
            ("Bearer \(good)", "begins with the name of a scheme", "without 'Bearer '"),
            ("bearer \(good)", "begins with the name of a scheme", "without 'Bearer '"),
            ("DPoP \(good)", "begins with the name of a scheme", "without 'Bearer '"),
            ("Authorization:", "begins with the name of a scheme", "without 'Bearer '"),
            ("\"\(good)\"", "is in quotation marks", "without the quotation marks"),
            ("'\(good)'", "is in quotation marks", "without the quotation marks"),
            ("\(good)==", "has padding", "without padding"),
            ("\(parts[0])=.\(parts[1]).\(parts[2])", "has padding", "without padding"),
            ("\(parts[0]).\(parts[1]).+\(parts[2].dropFirst())", "has + or /", "- and _"),
            ("\(parts[0]).\(parts[1]).\(parts[2].dropLast())/", "has + or /", "- and _"),
        ] {
            let found = try failure(changed, verifier)
            #expect(found.text.contains(wanted) && found.remedy.contains(remedy), "\(found)")
        }
        // Other texts have none of these mistakes.
        for text in ["", "Authorization", "a.b", "e30.e30.e30", "\(good)!"] {
            let found = try failure(text, verifier).text
            #expect(!found.contains("scheme") && !found.contains("quotation") && !found.contains("padding"), "\(found)")
        }
    }

    @Test("mistakes of the signed token inside an encrypted one are named, too (RFC 7519, 11.2)") func nested() throws {
        let (signing, receiving) = (try PrivateKey.generate(.p256), try PrivateKey.generate(.p256))
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let verifier = try TokenVerifier(
            policy, verificationKeys: signing.publicKey, decryptionKeys: KeySet(receiving))
        func outer(_ inner: String) throws -> String {
            try JWEEncrypter(
                key: receiving.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm,
                header: HeaderParameters(contentType: "JWT")
            ).encrypt(inner)
        }
        let header = #"{"alg":"ES256"}"#
        let raw = try signature(header, signing, .es256)
        #expect(try verifier.explain(outer(token(header: header, signature: raw))).isValid)
        let text = try failure(outer(token(header: header, signature: der(raw))), verifier).text
        #expect(text.contains("is DER"), "\(text)")
        let quoted = try failure(outer("\"" + token(header: header, signature: raw) + "\""), verifier).text
        #expect(quoted.contains("is in quotation marks"), "\(quoted)")
        let prefixed = try failure("Bearer " + outer(token(header: header, signature: raw)), verifier).text
        #expect(prefixed.contains("begins with the name of a scheme"), "\(prefixed)")
    }
}
