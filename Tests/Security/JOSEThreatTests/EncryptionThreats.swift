import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: encryption") struct EncryptionThreats {
    private static let contents = ContentEncryption.all

    private func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    }

    private func replacing(_ token: String, _ place: Int, _ bytes: [UInt8]) -> String {
        var parts = parts(token)
        parts[place] = Forge.encoded(bytes)
        return parts.joined(separator: ".")
    }

    private func direct(_ content: ContentEncryption, _ key: JWK, plaintext: [UInt8] = [1, 2, 3]) throws -> String {
        try Forge.encrypted(
            header: #"{"alg":"dir","enc":"\#(content)"}"#, plaintext: plaintext, with: key, .dir, content)
    }

    @Test("T21 RSA1_5 is in no default list, and a failure inside OAEP looks like a wrong tag (RFC 7516, 11.5)")
    func paddingOracle() throws {
        #expect(KeyManagementAlgorithm(name: "RSA1_5") == nil)
        let key = Keys.rsa
        let old = try Forge.encrypted(
            header: #"{"alg":"RSA1_5","enc":"A128CBC-HS256"}"#, plaintext: [1], with: key, .rsaOAEP, .a128cbcHS256)
        #expect(outcome(of: old, [key], KeyManagementAlgorithm.all) == .algorithmNotAllowed)

        for (algorithm, other) in [
            (KeyManagementAlgorithm.rsaOAEP, KeyManagementAlgorithm.rsaOAEP256), (.rsaOAEP256, .rsaOAEP),
        ] {
            let header = Array(#"{"alg":"\#(algorithm)","enc":"A128CBC-HS256"}"#.utf8)
            let cek = [UInt8](1...32)
            let wrapped = try Forge.wrapped(cek, with: key, algorithm)
            let good = try Forge.sealed(header: header, encryptedKey: wrapped, cek: cek, .a128cbcHS256, [1])
            var hostile = [replacing(good, 4, [UInt8](repeating: 0, count: 16))]
            for count in [0, 1, 16, 31, 33, 64] {
                let wrong = try Forge.wrapped([UInt8](repeating: 1, count: count), with: key, algorithm)
                hostile.append(replacing(good, 1, wrong))
            }
            var changed = wrapped
            changed[100] ^= 1
            let size = wrapped.count
            hostile += [
                replacing(good, 1, changed), replacing(good, 1, try Forge.wrapped(cek, with: key, other)),
                replacing(good, 1, [UInt8](repeating: 0, count: size)),
                replacing(good, 1, [UInt8](repeating: 255, count: size)),
                replacing(good, 1, [UInt8](repeating: 0, count: size - 1) + [1]), replacing(good, 1, [0] + wrapped),
                replacing(good, 1, wrapped.dropLast()), replacing(good, 1, []),
            ]
            let policy = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [.a128cbcHS256])
            let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
            for (index, token) in hostile.enumerated() {
                #expect(throws: JOSEError.decryptionFailed, "\(algorithm), \(index)") { try decrypter.decrypt(token) }
            }
            #expect(outcome(of: good, [key], [algorithm]) == accepted)
        }
    }

    @Test("T22 the MAC is verified before the padding, and both fail with one error (RFC 7518, 5.2.2.2)")
    func cbcPadding() throws {
        let rows = Keys.data.rows("T22")
        #expect(rows.count == 11)
        let key = JWK.symmetricKey(try SecretKey(bytes: Keys.data.cek))
        let decrypter = try JWEDecrypter(
            keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a128cbcHS256]))
        var texts: Set<String> = []
        for row in rows {
            do throws(JOSEError) {
                _ = try decrypter.decrypt(row.token)
                #expect(row.name.hasPrefix("good"), "accepted: \(row.name)")
            } catch {
                #expect(!row.name.hasPrefix("good") && error == .decryptionFailed, "\(row.name): \(error)")
                texts.insert("\(error)")
            }
        }
        #expect(texts.count == 1)
    }

    /// Returns the parts of a CBC token whose MAC is computed with `length`.
    private func withLength(_ length: (Int) -> [UInt8], aad: String, cek: [UInt8], _ token: String) throws -> String {
        let parts = parts(token)
        let body = try #require(Forge.decoded(parts[2])) + #require(Forge.decoded(parts[3]))
        let input = Array(aad.utf8) + body + length(aad.utf8.count)
        return replacing(token, 4, Array(try Forge.mac(.sha256, key: Array(cek[..<16]), input)[..<16]))
    }

    @Test("T23 a tag is rejected unless its AAD length is a 64-bit number of bits (RFC 7518, 5.2.2.1)")
    func lengthOfAAD() throws {
        let cek = [UInt8](1...32)
        let key = JWK.symmetricKey(try SecretKey(bytes: cek))
        let good = try direct(.a128cbcHS256, key)
        let header = parts(good)[0]
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let hostile: [(String, (Int) -> [UInt8])] = [
            ("32 bits", { number($0 * 8, 4) }), ("bytes", { number($0, 8) }), ("none", { _ in [] }),
            ("little-endian", { number($0 * 8, 8).reversed() }),
            ("zero", { _ in number(0, 8) }), ("one more", { number($0 * 8 + 8, 8) }),
        ]
        for (name, length) in hostile {
            let token = try withLength(length, aad: header, cek: cek, good)
            #expect(outcome(of: token, [key], [.dir]) == .decryptionFailed, "\(name)")
        }
        let control = try withLength({ number($0 * 8, 8) }, aad: header, cek: cek, good)
        #expect(outcome(of: control, [key], [.dir]) == accepted)
        // A part of the header that is moved into the IV leaves the bytes of the MAC's input unchanged, and changes the length.
        let moved = try withLength({ number($0 * 8, 8) }, aad: String(header.dropLast()), cek: cek, good)
        #expect(outcome(of: moved, [key], [.dir]) == .decryptionFailed)
    }

    @Test("T24 a CBC-HMAC tag without exactly half the length of its hash is rejected (RFC 7518, 5.2.2.1)")
    func truncatedMAC() throws {
        for (content, hash, bytes) in [
            (ContentEncryption.a128cbcHS256, Hash.sha256, 32), (.a192cbcHS384, .sha384, 48),
            (.a256cbcHS512, .sha512, 64),
        ] {
            let cek = (0..<UInt8(bytes)).map { $0 &* 3 }
            let key = JWK.symmetricKey(try SecretKey(bytes: cek))
            let good = try direct(content, key)
            let parts = parts(good)
            let al = (0..<8).reversed().map { UInt8(truncatingIfNeeded: (parts[0].utf8.count * 8) >> (8 * $0)) }
            let body = try #require(Forge.decoded(parts[2])) + #require(Forge.decoded(parts[3]))
            let whole = try Forge.mac(hash, key: Array(cek[..<(bytes / 2)]), Array(parts[0].utf8) + body + al)
            for count in [0, 1, bytes / 4, bytes / 2 - 1, bytes / 2 + 1, bytes] where count <= whole.count {
                #expect(
                    outcome(of: replacing(good, 4, Array(whole[..<count])), [key], [.dir]) == .decryptionFailed,
                    "\(content), \(count)")
            }
            #expect(
                outcome(of: replacing(good, 4, Array(whole[..<(bytes / 2)])), [key], [.dir]) == accepted, "\(content)")
        }
    }

    @Test("T25 a GCM tag without exactly 16 bytes is rejected (RFC 7518, 5.3)")
    func shortTag() throws {
        for (content, key) in [
            (ContentEncryption.a128gcm, Keys.symmetric(16)), (.a192gcm, Keys.symmetric(24)), (.a256gcm, Keys.secret),
        ] {
            let good = try direct(content, key)
            let tag = try #require(Forge.decoded(parts(good)[4]))
            for count in [0, 1, 4, 8, 12, 13, 14, 15] {
                #expect(
                    outcome(of: replacing(good, 4, Array(tag[..<count])), [key], [.dir]) == .decryptionFailed,
                    "\(content), \(count)")
            }
            #expect(outcome(of: replacing(good, 4, tag + [0]), [key], [.dir]) == .decryptionFailed)
            #expect(outcome(of: good, [key], [.dir]) == accepted)
        }
    }

    @Test("T26 an IV whose length is not that of the cipher is rejected (RFC 7518, 5.2.2.1 and 5.3)")
    func vectors() throws {
        for content in Self.contents {
            let key = Keys.symmetric(content.keyBytes)
            let good = try direct(content, key)
            let iv = try #require(Forge.decoded(parts(good)[2]))
            for count in [0, 1, 8, 11, 12, 13, 15, 16, 17, 128] where count != iv.count {
                let other = (0..<count).map { iv[$0 % iv.count] }
                #expect(outcome(of: replacing(good, 2, other), [key], [.dir]) == .malformed, "\(content), \(count)")
            }
            #expect(outcome(of: good, [key], [.dir]) == accepted, "\(content)")
        }
    }

    @Test("T27 a failed unwrap leaves no key to decrypt with (RFC 7516, 5.2, step 11)")
    func failedUnwrap() throws {
        let keys: [(KeyManagementAlgorithm, JWK)] = [
            (.a128kw, Keys.symmetric(16)), (.a192kw, Keys.symmetric(24)), (.a256kw, Keys.secret), (.rsaOAEP, Keys.rsa),
        ]
        for (algorithm, key) in keys {
            for content in [ContentEncryption.a128gcm, .a128cbcHS256] {
                let header = Array(#"{"alg":"\#(algorithm)","enc":"\#(content)"}"#.utf8)
                for byte in [UInt8(0), 0xFF, 0xA6] {
                    let cek = [UInt8](repeating: byte, count: content.keyBytes)
                    for count in [0, 1, 7, 8, 15, 16, 23, 24, 25, 40, 48, 256, 1000, 8000] {
                        let junk = [UInt8](repeating: byte, count: count)
                        let token = try Forge.sealed(header: header, encryptedKey: junk, cek: cek, content, [1])
                        #expect(
                            outcome(of: token, [key], [algorithm]) == .decryptionFailed,
                            "\(algorithm), \(content), \(byte), \(count)")
                    }
                }
                // The wrapped key is valid, and has the size for another content encryption.
                for count in [16, 24, 32, 40, 64] where count != content.keyBytes {
                    let cek = [UInt8](repeating: 9, count: content.keyBytes)
                    let other = try Forge.wrapped([UInt8](repeating: 9, count: count), with: key, algorithm)
                    let token = try Forge.sealed(header: header, encryptedKey: other, cek: cek, content, [1])
                    #expect(
                        outcome(of: token, [key], [algorithm]) == .decryptionFailed,
                        "\(algorithm), \(content), \(count)")
                }
                let cek = [UInt8](repeating: 9, count: content.keyBytes)
                let wrapped = try Forge.wrapped(cek, with: key, algorithm)
                let control = try Forge.sealed(header: header, encryptedKey: wrapped, cek: cek, content, [1])
                #expect(outcome(of: control, [key], [algorithm]) == accepted, "\(algorithm), \(content)")
            }
        }
    }

    @Test("T28 a token with dir or ECDH-ES and a non-empty encrypted key is rejected (RFC 7516, 5.2, step 10)")
    func superfluousKey() throws {
        let good = try direct(.a256gcm, Keys.secret)
        let agreed = try Forge.encrypted(
            header: #"{"alg":"ECDH-ES","enc":"A256GCM","epk":{}}"#, plaintext: [1], with: Keys.p256, .ecdhES, .a256gcm)
        for count in [1, 24, 40, 256] {
            let junk = [UInt8](repeating: 1, count: count)
            #expect(outcome(of: replacing(good, 1, junk), [Keys.secret], [.dir]) == .malformed)
            #expect(outcome(of: replacing(agreed, 1, junk), [Keys.p256], [.ecdhES]) == .malformed)
        }
        #expect(outcome(of: good, [Keys.secret], [.dir]) == accepted)
        #expect(outcome(of: agreed, [Keys.p256], [.ecdhES]) == accepted)
    }
}
