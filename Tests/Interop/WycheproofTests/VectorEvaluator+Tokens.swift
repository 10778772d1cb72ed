import JOSE
import TestSupport

extension VectorEvaluator {
    /// Verifies `jws` with the public keys of the group or, if there are none, with its private keys.
    static let signedToken = VectorEvaluator { test in
        let policy = SignaturePolicy(algorithms: SignatureAlgorithm.all)
        _ = try JWSVerifier(keys: keys(test, "public", "private"), policy: policy).verify(text(test.fields["jws"]))
    }

    /// Decrypts `jwe` and compares the plaintext with `pt`. Compressed content (RFC 7520, 5.9) needs the trait `Zip`.
    static let encryptedToken = VectorEvaluator(
        fits: { EncryptionPolicy.compressionIsBuilt || !$0.flags.contains("CompressedPlaintext") }
    ) { test in
        var policy = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all + [.rsa1_5BrokenDecryptionOnly],
            contentEncryption: ContentEncryption.all)
        policy.allowsCompression = true
        let opened = try JWEDecrypter(keys: keys(test, "private"), policy: policy).decrypt(text(test.fields["jwe"]))
        guard test.fields["pt"] != nil else { return }
        try expect(opened.plaintext, test.bytes("pt"))
    }

    /// Verifies a `jws` or decrypts a `jwe`.
    static let token = VectorEvaluator { test in
        try (test.fields["jwe"] == nil ? signedToken : encryptedToken).run(test)
    }

    /// Returns the token as text; a case may have a JSON object in place of a compact token.
    private static func text(_ token: JSON?) throws -> String {
        guard let token else { throw Refused.unreadable }
        return token.string ?? token.text
    }

    /// Reads keys with the optional ROCA check, because the files contain such a key and expect it to be rejected.
    private static func keys(_ test: Case, _ names: String...) throws -> KeySet {
        guard let name = names.first(where: { test.group[$0] != nil }), let given = test.group[name] else {
            throw Refused.unreadable
        }
        let set = given["keys"] == nil ? JSON.object(["keys": .array([given])]) : given
        return try KeySet(parsing: set.text, checks: .roca)
    }
}
