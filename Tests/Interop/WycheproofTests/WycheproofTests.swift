import Foundation
import JOSE
import JOSECrypto
import TestSupport
import Testing

/// A file of Wycheproof and its evaluator.
struct Row: CustomTestStringConvertible, Sendable {
    let file: String
    let evaluator: VectorEvaluator
    var isAvailable = true

    var testDescription: String { file }

    static let all: [Row] = tokens + signatures + secrets

    private static let tokens = [
        Row(file: "json_web_signature", evaluator: .signedToken),
        Row(file: "json_web_encryption", evaluator: .encryptedToken),
        Row(file: "json_web_key", evaluator: .signedToken), Row(file: "json_web_crypto", evaluator: .token),
    ]

    private static let signatures: [Row] =
        [
            Row(file: "ecdsa_secp256k1_sha256_p1363", evaluator: .signature(.es256k)),
            Row(file: "ecdsa_secp256r1_sha256_p1363", evaluator: .signature(.es256)),
            Row(file: "ecdsa_secp384r1_sha384_p1363", evaluator: .signature(.es384)),
            Row(file: "ecdsa_secp521r1_sha512_p1363", evaluator: .signature(.es512)),
            Row(file: "ed25519", evaluator: .ed25519), Row(file: "ed448", evaluator: .signature(.ed448)),
            Row(file: "hmac_sha256", evaluator: .mac(.sha256)), Row(file: "hmac_sha384", evaluator: .mac(.sha384)),
            Row(file: "hmac_sha512", evaluator: .mac(.sha512)),
        ]
        + [
            ("2048_sha256", .rs256), ("2048_sha384", .rs384), ("2048_sha512", .rs512), ("3072_sha256", .rs256),
            ("3072_sha384", .rs384), ("3072_sha512", .rs512), ("4096_sha256", .rs256), ("4096_sha384", .rs384),
            ("4096_sha512", .rs512), ("8192_sha256", .rs256), ("8192_sha384", .rs384), ("8192_sha512", .rs512),
        ].map { (name: String, scheme: SignatureScheme) in
            Row(file: "rsa_signature_\(name)", evaluator: .signature(scheme))
        }
        + [
            ("2048_sha256_mgf1_0", .ps256), ("2048_sha256_mgf1_32", .ps256), ("2048_sha256_mgf1sha1_20", .ps256),
            ("2048_sha384_mgf1_48", .ps384), ("3072_sha256_mgf1_32", .ps256), ("4096_sha256_mgf1_32", .ps256),
            ("4096_sha384_mgf1_48", .ps384), ("4096_sha512_mgf1_32", .ps512), ("4096_sha512_mgf1_64", .ps512),
            ("misc", .ps256),
        ].map { (name: String, scheme: SignatureScheme) in Row(file: "rsa_pss_\(name)", evaluator: .signature(scheme)) }
        + [
            ("44", "ML-DSA-44", .mlDSA44), ("65", "ML-DSA-65", .mlDSA65), ("87", "ML-DSA-87", .mlDSA87),
        ].flatMap { (set: String, name: String, scheme: SignatureScheme) in
            [
                Row(file: "mldsa_\(set)_verify", evaluator: .mlDSA(scheme, name), isAvailable: scheme.isAvailable),
                Row(
                    file: "mldsa_\(set)_sign_seed", evaluator: .mlDSASeed(scheme, name), isAvailable: scheme.isAvailable
                ),
            ]
        }

    private static let secrets: [Row] =
        [Row(file: "aes_gcm", evaluator: .gcm), Row(file: "aes_wrap", evaluator: .keyWrap)]
        + ["secp256r1_webcrypto", "secp384r1_webcrypto", "secp521r1_webcrypto"].map {
            Row(file: "ecdh_\($0)", evaluator: .agreement)
        }
        + [
            Row(file: "ecdh_secp256k1_webcrypto", evaluator: .noAgreement),
            Row(file: "x25519_jwk", evaluator: .agreement),
            Row(file: "x448_jwk", evaluator: .agreement),
        ]
        + [
            ("2048_sha1_mgf1sha1", .sha1, "SHA-1"), ("2048_sha256_mgf1sha256", .sha256, "SHA-256"),
            ("2048_sha256_mgf1sha1", .sha256, "SHA-256"), ("2048_sha384_mgf1sha384", .sha384, "SHA-384"),
            ("2048_sha512_mgf1sha512", .sha512, "SHA-512"), ("3072_sha256_mgf1sha256", .sha256, "SHA-256"),
            ("3072_sha512_mgf1sha512", .sha512, "SHA-512"), ("4096_sha256_mgf1sha256", .sha256, "SHA-256"),
            ("4096_sha512_mgf1sha512", .sha512, "SHA-512"), ("misc", .sha256, "SHA-256"),
        ].map { (name: String, hash: Hash, title: String) in
            Row(file: "rsa_oaep_\(name)", evaluator: .oaep(hash, title))
        }
        + [("256", .sha256), ("384", .sha384), ("512", .sha512)].map { (name: String, hash: Hash) in
            Row(file: "pbkdf2_hmacsha\(name)", evaluator: .passwordKey(hash))
        }
}

private enum Wycheproof {
    /// The folder in BULLA_WYCHEPROOF: the repository, or its `testvectors_v1`.
    static let folder: URL? = ProcessInfo.processInfo.environment["BULLA_WYCHEPROOF"].map { name in
        let inner = URL(filePath: name).appending(path: "testvectors_v1")
        return FileManager.default.fileExists(atPath: inner.path) ? inner : URL(filePath: name)
    }
}

@Suite("Wycheproof") struct WycheproofTests {
    @Test(
        "gives the published result for every Wycheproof file in the folder BULLA_WYCHEPROOF",
        .enabled(if: Wycheproof.folder != nil))
    func files() throws {
        let folder = try #require(Wycheproof.folder)
        if ProcessInfo.processInfo.environment["BULLA_NEEDS_MLDSA"] != nil {
            #expect(!Row.all.contains { !$0.isAvailable }, "a libcrypto without ML-DSA")
        }
        var (evaluated, accepted, foreign) = (0, 0, 0)
        for row in Row.all where row.isAvailable {
            let file = try WycheproofFile(Data(contentsOf: folder.appending(path: "\(row.file)_test.json")))
            #expect(file.cases.count == file.announced && file.announced > 0, "\(row.file)")
            let excepted = Set(Policy.exceptions.filter { $0.file == row.file }.flatMap(\.ids))
            let differences = row.evaluator.differences(file)
            for difference in differences where !excepted.contains(difference.id) {
                Issue.record("\(row.file), \(difference)")
            }
            #expect(excepted.subtracting(differences.map(\.id)).isEmpty, "\(row.file): no difference any more")
            evaluated += file.cases.count
            accepted += file.cases.count { $0.result == .valid && row.evaluator.fits($0) }
            foreign += file.cases.count { !row.evaluator.fits($0) }
        }
        print(
            """
            Wycheproof: \(Row.all.count(where: \.isAvailable)) files, \(evaluated) cases; \(accepted) valid, \(foreign) with \
            parameters that JOSE has not, \(Policy.exceptions.flatMap(\.ids).count) exceptions
            """)
        #expect(evaluated > 8_000 && accepted > 3_000)
    }

    @Test("a case whose published result differs from the library's is reported, in both directions")
    func control() throws {
        let key =
            #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
        // RFC 7515, A.1.
        let good = """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLm\
            NvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            """
        let bad = good.dropLast() + "l"
        func file(_ results: [(String, String)]) throws -> WycheproofFile {
            let tests = results.enumerated().map { index, row in
                #"{"tcId":\#(index + 1),"comment":"","jws":"\#(row.0)","result":"\#(row.1)","flags":[]}"#
            }
            return try WycheproofFile(
                #"{"numberOfTests":\#(tests.count),"testGroups":[{"private":\#(key),"tests":[\#(tests.joined(separator: ","))]}]}"#
                    .utf8)
        }
        let right = try file([(good, "valid"), (String(bad), "invalid"), (good, "acceptable")])
        #expect(VectorEvaluator.signedToken.differences(right).isEmpty)
        let wrong = try file([(good, "invalid"), (String(bad), "valid"), (String(bad), "acceptable"), (good, "valid")])
        #expect(VectorEvaluator.signedToken.differences(wrong).map(\.id) == [1, 2, 3])
        #expect(VectorEvaluator.signedToken.differences(wrong).map(\.accepted) == [true, false, false])
        #expect(throws: (any Error).self) { try file([(good, "good")]) }
        // A case with parameters that JOSE lacks must be rejected, whatever its published result.
        #expect(
            VectorEvaluator(fits: { _ in false }, run: VectorEvaluator.signedToken.run).differences(right).map(\.id)
                == [1, 3])
    }
}
