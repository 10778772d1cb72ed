import JOSE
import TestSupport

extension VectorEvaluator {
    /// `jws`, judged with the keys that the group shows, else with those that it keeps.
    static let signedToken = VectorEvaluator { test in
        let policy = SignaturePolicy(algorithms: SignatureAlgorithm.all)
        _ = try JWSVerifier(keys: keys(test, "public", "private"), policy: policy).verify(text(test.fields["jws"]))
    }

    /// `jwe`, whose plaintext is `pt`. What is compressed (RFC 7520, 5.9) needs the trait `Zip`.
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

    /// Either.
    static let token = VectorEvaluator { test in
        try (test.fields["jwe"] == nil ? signedToken : encryptedToken).run(test)
    }

    /// An object where the case has JSON in place of a compact token.
    private static func text(_ token: JSON?) throws -> String {
        guard let token else { throw Refused.unreadable }
        return token.string ?? token.text
    }

    /// With the ROCA test, which is on request: the files have such a key and want it refused.
    private static func keys(_ test: Case, _ names: String...) throws -> KeySet {
        guard let name = names.first(where: { test.group[$0] != nil }), let given = test.group[name] else {
            throw Refused.unreadable
        }
        let set = given["keys"] == nil ? JSON.object(["keys": .array([given])]) : given
        return try KeySet(parsing: set.text, checks: .roca)
    }
}
