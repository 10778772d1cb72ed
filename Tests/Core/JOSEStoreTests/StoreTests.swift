import Foundation
import JOSE
import JOSEStore
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Keys from URIs") struct StoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.url.appending(path: name)
        try Data(bytes).write(to: url)
        return "file:" + url.path
    }

    private func thrown(_ uri: String, passphrase: PassphraseSource? = nil) -> JOSEError? {
        do throws(JOSEError) {
            _ = try JWK(uri: uri, passphrase: passphrase)
            return nil
        } catch {
            return error
        }
    }

    @Test("file: URIs give keys of each kind from PEM and DER, public and private")
    func files() throws {
        for kind in [KeyKind.rsa(bits: 2048), .p256, .p384, .p521, .secp256k1, .ed25519, .x25519, .ed448, .x448] {
            let key = try PrivateKey.generate(kind)
            let name = "\(kind)"
            let privates = [
                try file("\(name).pem", key.exportPrivatePEM()), try file("\(name).der", key.exportPrivateDER()),
            ]
            for uri in privates {
                let read = try PrivateKey(uri: uri)
                #expect(read == key && read.isExportable, "\(uri)")
                #expect(try read.exportPrivateJWK() == key.exportPrivateJWK(), "\(uri)")
                #expect(throws: JOSEError.keyInvalid(.publicKeyRequired)) { try PublicKey(uri: uri) }
            }
            let half = key.publicKey
            for uri in [
                try file("\(name).pub.pem", Array(half.pem().utf8)), try file("\(name).pub.der", half.der()),
            ] {
                #expect(try PublicKey(uri: uri) == half, "\(uri)")
                #expect(throws: JOSEError.keyInvalid(.privateKeyRequired)) { try PrivateKey(uri: uri) }
            }
        }
        let rsa = try PrivateKey.stored()
        #expect(try PrivateKey(uri: file("pkcs1.pem", rsa.exportPrivatePEM(.pkcs1))) == rsa)
        let ec = try PrivateKey.generate(.p256)
        #expect(try PrivateKey(uri: file("sec1.der", ec.exportPrivateDER(.sec1))) == ec)
    }

    @Test("the passphrase is requested once, and only for encrypted keys")
    func passphrases() throws {
        let key = try PrivateKey.generate(.p256)
        let plain = try file("plain.pem", key.exportPrivatePEM())
        let locked = folder.url.appending(path: "locked.pem").path
        let made = try run(
            "openssl",
            [
                "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", String(plain.dropFirst(5)), "-out", locked, "-passout",
                "pass:correct horse",
            ])
        #expect(made.status == 0, "\(made.stderr)")
        var asked = 0
        func word(_ text: String?) -> PassphraseSource {
            {
                asked += 1
                return text.map { Array($0.utf8) }
            }
        }
        #expect(try PrivateKey(uri: plain, passphrase: word("x")) == key)
        #expect(asked == 0)
        #expect(try PrivateKey(uri: "file:" + locked, passphrase: word("correct horse")) == key)
        #expect(asked == 1)
        #expect(thrown("file:" + locked, passphrase: word("wrong horse")) == .keyInvalid(.passphrase))
        #expect(thrown("file:" + locked, passphrase: word(nil)) == .keyInvalid(.passphrase))
        #expect(thrown("file:" + locked, passphrase: word("")) == .keyInvalid(.passphrase))
        #expect(
            thrown("file:" + locked, passphrase: word(String(repeating: "x", count: 5000))) == .keyInvalid(.passphrase))
        #expect(thrown("file:" + locked) == .keyInvalid(.passphrase))
    }

    @Test("no key, several keys and a weak key at a URI are rejected with different errors")
    func refusals() throws {
        let key = try PrivateKey.generate(.p256)
        let pem = try key.exportPrivatePEM()
        #expect(thrown("file:" + folder.url.appending(path: "none.pem").path) == .keyInvalid(.absent))
        #expect(try thrown(file("text", Array("no key".utf8))) == .keyInvalid(.absent))
        #expect(try thrown(file("empty", [])) == .keyInvalid(.absent))
        #expect(
            try thrown(file("two.pem", pem + PrivateKey.generate(.p256).exportPrivatePEM())) == .keyInvalid(.several))
        let small = folder.url.appending(path: "small.pem").path
        let made = try run(
            "openssl", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", small])
        #expect(made.status == 0, "\(made.stderr)")
        #expect(thrown("file:" + small) == .keyUnsuitable(.tooSmall))
        #expect(try thrown(file("one.pem", pem)) == nil)
        // Of a pair in one file the private key is read.
        #expect(try PrivateKey(uri: file("pair.pem", pem + Array(key.publicKey.pem().utf8))) == key)
    }

    @Test("a FIFO, a socket, a device or a folder at a file: URI is rejected, and not waited for") func irregular()
        throws
    {
        let (fifo, socket) = (folder.url.appending(path: "fifo").path, folder.url.appending(path: "socket").path)
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        let made = try run(
            "/usr/bin/env", ["python3", "-c", "import socket, sys; socket.socket(1).bind(sys.argv[1])", socket])
        try #require(made.status == 0, "\(made.stderr)")
        for path in [fifo, socket, "/dev/zero", folder.url.path] {
            #expect(thrown("file:" + path) == .keyInvalid(.absent), "\(path)")
        }
        let key = try PrivateKey.generate(.p256)
        let uri = try file("regular.pem", key.exportPrivatePEM())
        let path = uri.dropFirst(5)
        for form in [uri, "FILE:" + path, "file://" + path, "file://localhost" + path] {
            #expect(try PrivateKey(uri: form) == key, "\(form)")
        }
    }

    @Test("a URI whose scheme has no provider, and text without a scheme, are rejected with errors that say so")
    func schemes() throws {
        #expect(thrown(try file("key.der", PrivateKey.generate(.p256).exportPrivateDER())) == nil)
        // Where a provider for pkcs11 is configured, the result is that of its token.
        let answer = thrown("pkcs11:token=none;object=none")
        #expect(answer == .keyInvalid(.noStore(scheme: "pkcs11")) || answer == .keyInvalid(.absent))
        let unknown = thrown("x-nobody:key?pin-value=1234")
        #expect(unknown == .keyInvalid(.noStore(scheme: "x-nobody")))
        #expect(unknown.map { "\($0)" }?.contains("'x-nobody:'") == true)
        #expect(unknown.map { "\($0)" }?.contains("1234") == false)
        for text in ["no colon", "", ":", "1a:b", "a b:c", "é:x", "file:/tmp/a\0b"] {
            guard case .malformed(let fault)? = thrown(text) else {
                Issue.record("\(text)")
                continue
            }
            #expect(fault.part == .key && fault.reason == .uri)
        }
    }
}
