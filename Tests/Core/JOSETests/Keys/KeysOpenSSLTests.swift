import Foundation
import JOSE
import TestSupport
import Testing

private let hasOpenSSL = (try? run("openssl", ["version"]))?.status == 0

/// Interoperability with the key files of the `openssl` command.
@Suite("Keys exchanged with the openssl command", .enabled(if: hasOpenSSL, "the openssl command is not installed"))
struct KeysOpenSSLTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func openssl(_ arguments: String...) throws {
        let (status, _, errors) = try run("openssl", arguments)
        try #require(status == 0, "\(arguments.joined(separator: " ")): \(errors)")
    }

    private func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(name)))) }
    private func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    private static let kinds: [(arguments: [String], kind: KeyKind)] = [
        (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], .rsa(bits: 2048)),
        (
            ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_keygen_pubexp:3"],
            .rsa(bits: 2048)
        ),
        (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], .p256),
        (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], .p384),
        (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], .p521),
        (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"], .secp256k1),
        (["-algorithm", "ED25519"], .ed25519), (["-algorithm", "X25519"], .x25519),
        (["-algorithm", "ED448"], .ed448), (["-algorithm", "X448"], .x448),
    ]

    private func generate(_ arguments: [String]) throws {
        let (status, _, errors) = try run("openssl", ["genpkey", "-quiet", "-out", path("key.pem")] + arguments)
        if status == 0 { return }
        // Older versions of the command have no -quiet.
        let again = try run("openssl", ["genpkey", "-out", path("key.pem")] + arguments)
        try #require(again.status == 0, "\(arguments) \(errors) \(again.stderr)")
    }

    @Test("keys that openssl writes are read, and written with the same bytes")
    func reading() throws {
        for (arguments, kind) in Self.kinds {
            try generate(arguments)
            try openssl("pkey", "-in", path("key.pem"), "-pubout", "-out", path("public.pem"))
            try openssl("pkey", "-in", path("key.pem"), "-outform", "DER", "-out", path("key.der"))
            try openssl("pkey", "-in", path("key.pem"), "-pubout", "-outform", "DER", "-out", path("public.der"))
            let key = try PrivateKey(pem: text("key.pem"))
            #expect(key.kind == kind)
            #expect(try key.publicKey.pem() == text("public.pem"), "\(kind)")
            #expect(try key.publicKey.der() == bytes("public.der"), "\(kind)")
            #expect(try key.exportPrivatePEM() == bytes("key.pem"), "\(kind)")
            #expect(try PrivateKey(der: bytes("key.der")) == key, "\(kind)")
            #expect(try PublicKey(pem: text("public.pem")) == key.publicKey, "\(kind)")
            #expect(try PublicKey(der: bytes("public.der")) == key.publicKey, "\(kind)")
        }
    }

    @Test("openssl reads the keys that the library writes, in each encoding")
    func writing() throws {
        for key in try Fixture.generated() {
            var forms: [PrivateKeyForm] = [.pkcs8]
            switch key.kind {
            case .rsa: forms.append(.pkcs1)
            case .p256, .p384, .p521, .secp256k1: forms.append(.sec1)
            default: break
            }
            for form in forms {
                try Data(try key.exportPrivatePEM(form)).write(to: folder.url.appending(path: "ours.pem"))
                try openssl("pkey", "-in", path("ours.pem"), "-check", "-noout")
                try openssl("pkey", "-in", path("ours.pem"), "-pubout", "-out", path("theirs.pem"))
                #expect(try text("theirs.pem") == key.publicKey.pem(), "\(key) \(form)")
            }
            try Data(try key.publicKey.der()).write(to: folder.url.appending(path: "ours.der"))
            try openssl("pkey", "-pubin", "-inform", "DER", "-in", path("ours.der"), "-noout")
        }
    }

    @Test("PKCS#1 and SEC1 files of openssl are read, also with curve parameters in front")
    func traditional() throws {
        try generate(Self.kinds[0].arguments)
        try openssl("rsa", "-in", path("key.pem"), "-traditional", "-out", path("pkcs1.pem"))
        try openssl("rsa", "-in", path("key.pem"), "-RSAPublicKey_out", "-out", path("public.pem"))
        let rsa = try PrivateKey(pem: text("key.pem"))
        #expect(try text("pkcs1.pem").contains("BEGIN RSA PRIVATE KEY"))
        #expect(try PrivateKey(pem: text("pkcs1.pem")) == rsa)
        #expect(try rsa.exportPrivatePEM(.pkcs1) == bytes("pkcs1.pem"))
        #expect(try PublicKey(pem: text("public.pem")) == rsa.publicKey)
        #expect(try rsa.publicKey.pem(.pkcs1) == text("public.pem"))

        try openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", path("ec.pem"))
        #expect(try text("ec.pem").contains("BEGIN EC PARAMETERS"))
        let ec = try PrivateKey(pem: text("ec.pem"))
        #expect(ec.kind == .p256)
        try openssl("ec", "-in", path("ec.pem"), "-out", path("sec1.pem"))
        #expect(try ec.exportPrivatePEM(.sec1) == bytes("sec1.pem"))
    }

    @Test("encrypted PKCS #8 is read with its passphrase, and a missing or wrong one is reported")
    func encrypted() throws {
        let ciphers = [
            ["-v2", "aes-256-cbc"], ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512", "-iter", "10000"], ["-scrypt"],
        ]
        for (arguments, kind) in [Self.kinds[0], Self.kinds[2], Self.kinds[5]] {
            try generate(arguments)
            let key = try PrivateKey(pem: text("key.pem"))
            for cipher in ciphers {
                let common = ["pkcs8", "-topk8", "-in", path("key.pem"), "-passout", "pass:open sesame"] + cipher
                #expect(try run("openssl", common + ["-out", path("locked.pem")]).status == 0)
                #expect(try run("openssl", common + ["-outform", "DER", "-out", path("locked.der")]).status == 0)
                let locked = try text("locked.pem")
                let der = try bytes("locked.der")
                #expect(locked.contains("BEGIN ENCRYPTED PRIVATE KEY"))
                let word = Array("open sesame".utf8)
                #expect(try PrivateKey(pem: locked, passphrase: word) == key, "\(kind) \(cipher)")
                #expect(try PrivateKey(der: der, passphrase: word) == key, "\(kind) \(cipher)")
                let wrong: [[UInt8]?] = [nil, [], Array("open sesamE".utf8), word + [1], Array(word.dropLast())]
                for passphrase in wrong {
                    let answers = [
                        refusal { () throws(JOSEError) in try PrivateKey(pem: locked, passphrase: passphrase) },
                        refusal { () throws(JOSEError) in try PrivateKey(der: der, passphrase: passphrase) },
                    ]
                    #expect(answers == [.keyInvalid(.passphrase), .keyInvalid(.passphrase)], "\(kind) \(cipher)")
                }
            }
            // A passphrase for an unencrypted key is ignored.
            #expect(try PrivateKey(pem: text("key.pem"), passphrase: [1]) == key)
        }
    }

    @Test("traditional PEM encryption is rejected, because it hashes the passphrase once with MD5")
    func legacyEncryption() throws {
        try generate(Self.kinds[0].arguments)
        try openssl(
            "rsa", "-in", path("key.pem"), "-traditional", "-aes128", "-passout", "pass:x", "-out", path("old.pem"))
        let old = try text("old.pem")
        #expect(old.contains("Proc-Type: 4,ENCRYPTED"))
        for passphrase: [UInt8]? in [nil, Array("x".utf8)] {
            let answer = refusal { () throws(JOSEError) in try PrivateKey(pem: old, passphrase: passphrase) }
            #expect(answer == .malformed(ParseFailure(.key, .pem)))
        }
        // As a positive control, the same key is read in the same form without encryption.
        try openssl("rsa", "-in", path("key.pem"), "-traditional", "-out", path("plain.pem"))
        #expect(try PrivateKey(pem: text("plain.pem")) == PrivateKey(pem: text("key.pem")))
    }

    @Test("openssl's keys of unsupported kinds, and RSA keys that are too small, are rejected (T05, T61)")
    func others() throws {
        let others: [([String], JOSEError?)] = [
            (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], nil),
            (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], nil),
            (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], .keyUnsuitable(.tooSmall)),
            (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp224r1"], .keyInvalid(.unsupportedKind)),
            (["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], .keyInvalid(.unsupportedKind)),
        ]
        for (arguments, expected) in others {
            try generate(arguments)
            try openssl("pkey", "-in", path("key.pem"), "-pubout", "-out", path("public.pem"))
            let secret = try text("key.pem")
            let open = try text("public.pem")
            #expect(refusal(of: { () throws(JOSEError) in try PrivateKey(pem: secret) }) == expected, "\(arguments)")
            #expect(refusal(of: { () throws(JOSEError) in try PublicKey(pem: open) }) == expected, "\(arguments)")
        }
    }
}
