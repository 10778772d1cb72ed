import Foundation
import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: RSA1_5") struct RSA15Threats {
    /// The file Tests/Vectors/own/rsa.json: blocks built by hand, each with a valid CEK of 32 bytes or with one fault.
    private struct Blocks {
        let key: JWK
        let cek: [UInt8]
        let rows: [(what: String, valid: Bool, ciphertext: [UInt8])]

        init() throws {
            let json = try JSON(Data(contentsOf: VectorFile.folder.appending(path: "own/rsa.json")))
            key = try JWK(parsing: #require(json["key"]).text)
            cek = try #require(json["cek"]?.string.flatMap { bytes(base64URL: $0) })
            guard case .array(let blocks)? = json["pkcs1"] else { throw JOSEError.backend }
            rows = try blocks.map { block in
                let text = try #require(block["ciphertext"]?.string.flatMap { bytes(base64URL: $0) })
                return (block["what"]?.string ?? "", block["valid"] == .bool(true), text)
            }
        }
    }
    private static let only = KeyManagementAlgorithm.rsa1_5BrokenDecryptionOnly
    private let header = Array(#"{"alg":"RSA1_5","enc":"A128CBC-HS256"}"#.utf8)

    private func sealed(_ encryptedKey: [UInt8], _ cek: [UInt8]) throws -> String {
        try Forge.sealed(header: header, encryptedKey: encryptedKey, cek: cek, .a128cbcHS256, [1])
    }

    @Test("T21 every fault in an RSA1_5 block takes one code path to the same error (RFC 7516, 11.5; RFC 3218, 2.3.2)")
    func oneError() throws {
        let blocks = try Blocks()
        #expect(blocks.rows.count == 33)
        let policy = EncryptionPolicy(keyManagement: [Self.only], contentEncryption: [.a128cbcHS256])
        let decrypter = try JWEDecrypter(keys: KeySet(blocks.key), policy: policy)
        var texts: Set<String> = []
        func refused(_ token: String, _ what: String) {
            do throws(JOSEError) {
                _ = try decrypter.decrypt(token)
                Issue.record("accepted: \(what)")
            } catch {
                #expect(error == .decryptionFailed, "\(what)")
                texts.insert("\(error)")
            }
        }
        for row in blocks.rows {
            let token = try sealed(row.ciphertext, blocks.cek)
            if row.valid {
                #expect(try decrypter.decrypt(token).plaintext == [1], "\(row.what)")
                refused(Forge.withTag(token, [UInt8](repeating: 0, count: 16)), "wrong tag")
                refused(try sealed(row.ciphertext + [0], blocks.cek), "longer")
                refused(try sealed([0] + row.ciphertext, blocks.cek), "longer in front")
                refused(try sealed(row.ciphertext.dropLast(), blocks.cek), "shorter")
                refused(try sealed([], blocks.cek), "empty")
            } else {
                refused(token, row.what)
            }
            // The key that would be used if a failure were not followed by random bytes (T27).
            for byte in [UInt8(0), 0xFF] where !row.valid {
                refused(try sealed(row.ciphertext, [UInt8](repeating: byte, count: 32)), row.what)
            }
        }
        #expect(texts.count == 1)
    }

    @Test("T21 an RSA1_5 block whose CEK has another length than enc requires is rejected (RFC 7516, 11.5)")
    func lengths() throws {
        let blocks = try Blocks()
        let good = try #require(blocks.rows.first { $0.valid }).ciphertext
        for content in ContentEncryption.all {
            let header = Array(#"{"alg":"RSA1_5","enc":"\#(content)"}"#.utf8)
            let cek = Array((blocks.cek + blocks.cek)[..<content.keyBytes])
            let token = try Forge.sealed(header: header, encryptedKey: good, cek: cek, content, [1])
            let wanted: Refusal? = content.keyBytes == 32 ? accepted : .decryptionFailed
            #expect(outcome(of: token, [blocks.key], [Self.only]) == wanted, "\(content)")
        }
    }

    @Test("T21 RSA1_5 is allowed only by an explicitly named opt-in, and only for decryption (RFC 8725, 3.2)")
    func loud() throws {
        let blocks = try Blocks()
        let good = try sealed(#require(blocks.rows.first { $0.valid }).ciphertext, blocks.cek)
        #expect(outcome(of: good, [blocks.key], KeyManagementAlgorithm.all) == .algorithmNotAllowed)
        #expect(outcome(of: good, [blocks.key], KeyManagementAlgorithm.recommended) == .algorithmNotAllowed)
        #expect(KeyManagementAlgorithm(name: "RSA1_5") == nil)
        #expect(outcome(of: good, [blocks.key], [Self.only]) == accepted)
        #expect(outcome(of: good, [blocks.key.bound(algorithm: "RSA1_5")], [Self.only]) == accepted)
        #expect(outcome(of: good, [blocks.key.bound(algorithm: "RSA-OAEP")], [Self.only]) == .keyMismatch)
        #expect(outcome(of: good, [blocks.key.shown], [Self.only]) == .keyMismatch)
        #expect(outcome(of: good, [Keys.secret], [Self.only]) == .keyMismatch)
        #expect(outcome(of: good, [Keys.rsa], [Self.only]) == .decryptionFailed)
        let key = try #require(blocks.key.publicKey)
        #expect(throws: JOSEError.keyUnsuitable(.algorithm)) {
            try JWEEncrypter(key: key, keyManagement: Self.only, contentEncryption: .a128cbcHS256)
        }
    }
}

extension Forge {
    fileprivate static func withTag(_ token: String, _ tag: [UInt8]) -> String {
        token.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: ".") + "."
            + encoded(tag)
    }
}
