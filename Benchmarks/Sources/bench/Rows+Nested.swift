internal import CRaw
internal import JOSE
internal import JOSETokens

/// A nested token, its verifier, and the raw calls of both layers.
struct NestedCase {
    let name: String
    let token: [UInt8]
    let verifier: TokenVerifier
    let issuer: TokenIssuer
    private let signed: SignedCase
    private let recipient: Recipient
    private let content: ContentEncryption
    private let parts: TokenParts

    init(
        _ fixtures: Fixtures, _ recipient: Recipient, _ content: ContentEncryption, _ inner: SignatureAlgorithm,
        limiter: DecryptionLimiter? = nil, operations: PrivateKeyOperations = .libcrypto
    ) throws {
        name = "\(recipient.name)+\(content.name) > \(inner.name)"
        signed = try SignedCase(fixtures, inner)
        self.recipient = recipient
        self.content = content
        token = Array(try recipient.encrypter(content, contentType: "JWT").encrypt(signed.token).utf8)
        parts = TokenParts(token)
        var outer = EncryptionPolicy(keyManagement: [recipient.algorithm], contentEncryption: [content])
        outer.limiter = limiter
        outer.privateKeyOperations = operations
        let policy = TokenPolicy.nested(
            outer: outer, inner: SignaturePolicy(algorithms: [inner]), claims: fixtures.claimPolicy)
        verifier = try TokenVerifier(
            policy, verificationKeys: signed.fixture.verificationKeys, decryptionKeys: KeySet(recipient.key))
        issuer = try TokenIssuer(policy, signingKey: signed.fixture.key, encryptionKey: recipient.key)
    }

    /// Returns a verifier with a cache.
    func verifier(_ cache: TokenCache) throws -> TokenVerifier {
        try TokenVerifier(
            verifier.policies[0], verificationKeys: signed.fixture.verificationKeys,
            decryptionKeys: KeySet(recipient.key),
            cache: cache)
    }

    /// Returns the raw call that rejects a wrong tag. No signature is verified.
    func rawOpen() -> Raw { recipient.rawDecrypt(content, parts, signed.token) }

    /// Returns the raw calls of a verification.
    ///
    /// - Parameter keysAlone: Whether only the private and the public RSA operation are performed, without the content's cipher.
    func rawVerify(keysAlone: Bool) -> Raw {
        recipient.rawDecrypt(content, parts, signed.token, keyAlone: keysAlone, then: [signed.rawVerify()])
    }

    /// Returns the private-key operation alone.
    func rawPrivate() -> Raw { recipient.rawDecrypt(content, parts, signed.token, keyAlone: true) }

    func rawIssue() -> Raw {
        signed.rawSign(then: [recipient.rawEncrypt(content, parts, signed.token)])
    }
}

extension Fixtures {
    func nestedCases() throws -> [NestedCase] {
        let all = try recipients()
        func recipient(_ name: String) throws -> Recipient {
            guard let found = all.first(where: { $0.name == name }) else { throw JOSEError.keyNotFound }
            return found
        }
        return [
            try NestedCase(self, recipient("RSA-OAEP"), .a128cbcHS256, .rs256),
            try NestedCase(self, recipient("RSA-OAEP-256"), .a256gcm, .ps256),
            try NestedCase(self, recipient("ECDH-ES P-256"), .a128gcm, .es256),
            try NestedCase(self, recipient("ECDH-ES+A256KW P-256"), .a256cbcHS512, .es256),
            try NestedCase(self, recipient("ECDH-ES X25519"), .a256gcm, .edDSA),
            try NestedCase(self, recipient("A256KW"), .a256gcm, .hs256),
            try NestedCase(self, shared(.dir, bytes: 32), .a256gcm, .hs256),
        ]
    }

    func nestedRows() throws -> [Row] {
        let cases = try nestedCases()
        let verify = cases.map { nested in
            let isRSA = nested.name.hasPrefix("RSA")
            return Row(
                "nested", nested.name, verifying(nested.verifier, nested.token),
                raw: { nested.rawVerify(keysAlone: isRSA) },
                goals: (isRSA ? [.ratio(0.97)] : []) + [.allocations(12)],
                note: isRSA ? "raw: the private and the public call alone" : nil)
        }
        let json = claims
        let issue = cases.map { nested in
            let issuer = nested.issuer
            return Row(
                "issue", nested.name,
                { count in
                    var good = 0
                    for _ in 0..<count {
                        if let made = try? issuer.issueBytes(json: json), made.count > json.count { good += 1 }
                    }
                    return good
                }, raw: nested.rawIssue)
        }
        return verify + issue
    }
}
