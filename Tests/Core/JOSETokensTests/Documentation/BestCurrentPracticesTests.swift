import Foundation
import JOSE
import JOSETokens
import TestSupport
import Testing

/// The table of the article, whose settings are in the library, and that of `Tests/Security/BEST-CURRENT-PRACTICES.md`,
/// whose tests are in the suite.
@Suite("Best current practices") struct BestCurrentPracticesTests {
    private static let root = Repository.root

    private struct Rule {
        /// The section of the draft, and the rule.
        let name: [String]
        /// The settings of the article, or the tests of the other table.
        let codes: [String]
    }

    private static let article = "Sources/Core/JOSETokens/JOSETokens.docc/BestCurrentPractices.md"
    private static let proofs = "Tests/Security/BEST-CURRENT-PRACTICES.md"

    private static func codeSpans(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func rules(_ path: String) throws -> [Rule] {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| 3.") }.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            return Rule(
                name: cells[1...2].map { $0.trimmingCharacters(in: .whitespaces) }, codes: codeSpans(cells[3]))
        }
    }

    /// The settings, which exist if this compiles.
    private static var settings: [String: Any] {
        [
            "ClaimPolicy.audience": \ClaimPolicy.audience,
            "ClaimPolicy.forbidden": \ClaimPolicy.forbidden,
            "ClaimPolicy.issuer": \ClaimPolicy.issuer,
            "ClaimPolicy.required": \ClaimPolicy.required,
            "ClaimPolicy.subject": \ClaimPolicy.subject,
            "EncryptionPolicy.allowsCompression": \EncryptionPolicy.allowsCompression,
            "EncryptionPolicy.contentEncryption": \EncryptionPolicy.contentEncryption,
            "EncryptionPolicy.keyManagement": \EncryptionPolicy.keyManagement,
            "JOSEHeader.bytes": \JOSEHeader.bytes,
            "HeaderParameters.compresses": \HeaderParameters.compresses,
            "JWK.algorithm": \JWK.algorithm,
            "JWK.keyID": \JWK.keyID,
            "KeyManagementAlgorithm.ecdhES": KeyManagementAlgorithm.ecdhES,
            "KeyManagementAlgorithm.pbes2HS256A128KW": KeyManagementAlgorithm.pbes2HS256A128KW,
            "KeyManagementAlgorithm.recommended": KeyManagementAlgorithm.recommended,
            "KeyManagementAlgorithm.rsa1_5BrokenDecryptionOnly": KeyManagementAlgorithm.rsa1_5BrokenDecryptionOnly,
            "ParsingLimits.maxPBKDF2Iterations": \ParsingLimits.maxPBKDF2Iterations,
            "ParsingLimits.plaintextBytes": \ParsingLimits.plaintextBytes,
            "PrivateKey.algorithm": \PrivateKey.algorithm,
            "PrivateKey.operations": \PrivateKey.operations,
            "PublicKey.algorithm": \PublicKey.algorithm,
            "SignatureAlgorithm.all": SignatureAlgorithm.all,
            "SignatureAlgorithm.ed25519": SignatureAlgorithm.ed25519,
            "SignatureAlgorithm.ed448": SignatureAlgorithm.ed448,
            "SignatureAlgorithm.init(name:)": SignatureAlgorithm.init(name:),
            "SignaturePolicy.algorithms": \SignaturePolicy.algorithms,
            "SignaturePolicy.type": \SignaturePolicy.type,
            "SecretKey.generate(bits:keyID:)": { try SecretKey.generate(bits: $0, keyID: $1) }
                as (Int, String?) throws -> SecretKey,
            "TokenError": TokenError.self,
            "TokenPolicy.encrypted(_:claims:)": TokenPolicy.encrypted(_:claims:),
            "TokenPolicy.nested(outer:inner:claims:)": TokenPolicy.nested(outer:inner:claims:),
            "TokenPolicy.signed(_:claims:)": TokenPolicy.signed(_:claims:),
            "TokenProfile.check(_:)": { try ($0 as any TokenProfile).check($1) }
                as (any TokenProfile, VerifiedToken) throws -> Void,
            "TokenVerifier.policies": \TokenVerifier.policies,
            "TokenVerifier.verify(_:)": { try $0.verify($1) } as (TokenVerifier, String) throws -> VerifiedToken,
            "TypeRule.exactly(_:)": TypeRule.exactly(_:),
            "TypeRule.otherThan(_:)": TypeRule.otherThan(_:),
            "JWSVerifier.init(keys:policy:trust:)": JWSVerifier.init(keys:policy:trust:),
        ]
    }

    @Test("each section of the draft has a rule, and each rule names settings that exist") func everySetting() throws {
        let rules = try Self.rules(Self.article)
        #expect(Set(rules.map { $0.name[0] }) == Set((1...15).map { "3.\($0)" }))
        for rule in rules { #expect(!rule.codes.isEmpty, "\(rule)") }
        #expect(Set(rules.flatMap(\.codes)) == Set(Self.settings.keys))
    }

    @Test("each rule of the article has tests, which are in the suite") func everyTest() throws {
        let proofs = try Self.rules(Self.proofs)
        #expect(try proofs.map(\.name) == Self.rules(Self.article).map(\.name))
        for rule in proofs { #expect(!rule.codes.isEmpty, "\(rule)") }
        let tests = Self.root.appending(path: "Tests")
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            for piece in text.components(separatedBy: "@Test(").dropFirst() {
                let name = piece.drop { $0.isWhitespace }
                if name.hasPrefix("\"") { names.insert(String(name.dropFirst().prefix { $0 != "\"" })) }
            }
        }
        #expect(names.count > 400)
        for name in Set(proofs.flatMap(\.codes)) {
            let isThere = names.contains(name)
            #expect(isThere, "\(name)")
        }
    }

    @Test("two ECDSA signatures of one message differ, and two Ed25519 signatures are equal") func nonces() throws {
        for (kind, algorithm, differ) in [
            (KeyKind.p256, SignatureAlgorithm.es256, true), (.p384, .es384, true), (.p521, .es512, true),
            (.secp256k1, .es256k, true), (.ed25519, .ed25519, false), (.ed448, .ed448, false),
        ] {
            let signer = try JWSSigner(key: PrivateKey.generate(kind), algorithm: algorithm)
            #expect(try (signer.sign("x") != signer.sign("x")) == differ, "\(algorithm)")
        }
    }
}
