import JOSE
import JOSECrypto
import JOSETesting
import Testing

@Suite("Threats: keys wrapped by AES-GCM") struct GCMWrapThreats {
    private struct Wrapped {
        let algorithm: KeyManagementAlgorithm
        let key: JWK
        let content: ContentEncryption
        let cek: [UInt8]
        let iv: [UInt8]
        let encryptedKey: [UInt8]
        let tag: [UInt8]

        init(_ algorithm: KeyManagementAlgorithm, _ key: JWK, _ content: ContentEncryption) throws {
            (self.algorithm, self.key, self.content) = (algorithm, key, content)
            cek = (0..<UInt8(content.keyBytes)).map { $0 &+ 1 }
            (iv, encryptedKey, tag) = try Forge.gcmWrapped(cek, with: key)
        }

        func result(_ members: String, encryptedKey other: [UInt8]? = nil) throws -> Refusal? {
            let token = try Forge.sealed(
                header: Array(#"{"alg":"\#(algorithm)","enc":"\#(content)"\#(members)}"#.utf8),
                encryptedKey: other ?? encryptedKey, cek: cek, content, [1])
            return outcome(of: token, [key], [algorithm])
        }

        func result(iv other: [UInt8]? = nil, tag: [UInt8]? = nil, encryptedKey: [UInt8]? = nil) throws -> Refusal? {
            let (iv, tag) = (Forge.encoded(other ?? iv), Forge.encoded(tag ?? self.tag))
            return try result(#","iv":"\#(iv)","tag":"\#(tag)""#, encryptedKey: encryptedKey)
        }
    }

    private static let rows: [(KeyManagementAlgorithm, JWK)] = [
        (.a128gcmkw, Keys.symmetric(16)), (.a192gcmkw, Keys.symmetric(24)), (.a256gcmkw, Keys.secret),
    ]
    private static let contents = [ContentEncryption.a128gcm, .a128cbcHS256, .a256cbcHS512]

    @Test(
        "T25 a wrapped key's tag must have 16 bytes, and a wrong one fails like a wrong content tag (RFC 7518, 4.7.1.2)"
    )
    func tags() throws {
        for (algorithm, key) in Self.rows {
            for content in Self.contents {
                let token = try Wrapped(algorithm, key, content)
                for count in [0, 1, 4, 8, 12, 13, 14, 15] {
                    #expect(
                        try token.result(tag: Array(token.tag[..<count])) == .decryptionFailed,
                        "\(algorithm), \(content), \(count)")
                }
                for other in [token.tag + [0], token.tag + token.tag, [token.tag[0] ^ 1] + token.tag.dropFirst()] {
                    #expect(try token.result(tag: other) == .decryptionFailed, "\(algorithm), \(content)")
                }
                #expect(try token.result() == accepted, "\(algorithm), \(content)")
            }
        }
    }

    @Test("T26 a wrapped key's IV without exactly 12 bytes is rejected (RFC 7518, 4.7.1.1)")
    func vectors() throws {
        for (algorithm, key) in Self.rows {
            let token = try Wrapped(algorithm, key, .a128gcm)
            for count in [0, 1, 8, 11, 13, 16, 128] {
                let iv = (0..<count).map { token.iv[$0 % 12] }
                #expect(try token.result(iv: iv) == .headerInvalid, "\(algorithm), \(count)")
            }
            #expect(try token.result(iv: [token.iv[0] ^ 1] + token.iv.dropFirst()) == .decryptionFailed)
            #expect(try token.result() == accepted, "\(algorithm)")
        }
    }

    @Test("T26 iv and tag are required and must be base64url (RFC 7518, 4.7.1)")
    func members() throws {
        let token = try Wrapped(.a256gcmkw, Keys.secret, .a256gcm)
        let (iv, tag) = (Forge.encoded(token.iv), Forge.encoded(token.tag))
        for members in [
            "", #","iv":"\#(iv)""#, #","tag":"\#(tag)""#, #","iv":1,"tag":"\#(tag)""#, #","iv":"\#(iv)","tag":null"#,
            #","iv":["\#(iv)"],"tag":"\#(tag)""#, #","iv":"\#(iv)=","tag":"\#(tag)""#,
            #","iv":"\#(iv)","tag":"\#(tag)==""#,
            #","iv":"\#(iv) ","tag":"\#(tag)""#, #","iv":"\#(iv.dropLast())+","tag":"\#(tag)""#,
            #","IV":"\#(iv)","tag":"\#(tag)""#,
        ] { #expect(try token.result(members) == .headerInvalid, "\(members)") }
        #expect(try token.result(#","iv":"\#(iv)","iv":"\#(iv)","tag":"\#(tag)""#) == .malformed)
        #expect(try token.result(#","tag":"\#(tag)","iv":"\#(iv)""#) == accepted)
    }

    @Test("T27 a failed unwrap leaves no key to decrypt with (RFC 7516, 5.2, step 11)")
    func failedUnwrap() throws {
        for (algorithm, key) in Self.rows {
            for content in Self.contents {
                let token = try Wrapped(algorithm, key, content)
                for count in [0, 1, 8, 15, 16, 17, 24, 32, 40, 64, 1000, 8000] {
                    for byte in [UInt8(0), 0xFF] {
                        let junk = [UInt8](repeating: byte, count: count)
                        #expect(
                            try token.result(encryptedKey: junk) == .decryptionFailed,
                            "\(algorithm), \(content), \(count)")
                    }
                }
                // A key of another size fails, and so does one that is wrapped by another key.
                for count in [0, 16, 24, 32, 64] where count != content.keyBytes {
                    let other = try Forge.gcmWrapped([UInt8](repeating: 9, count: count), with: key)
                    #expect(
                        try token.result(iv: other.iv, tag: other.tag, encryptedKey: other.encryptedKey)
                            == .decryptionFailed, "\(algorithm), \(content), \(count)")
                }
                let foreign = try Forge.gcmWrapped(token.cek, with: Keys.symmetric(32))
                #expect(
                    try token.result(iv: foreign.iv, tag: foreign.tag, encryptedKey: foreign.encryptedKey)
                        == .decryptionFailed)
                #expect(try token.result() == accepted)
            }
        }
    }

    @Test("each token has its own IV for the wrapped key (RFC 7518, 8.1)")
    func freshVectors() throws {
        let key = try SecretKey.generate(bits: 256)
        let encrypter = try JWEEncrypter(key: key, keyManagement: .a256gcmkw, contentEncryption: .a256gcm)
        let decrypter = try JWEDecrypter(
            keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.a256gcmkw], contentEncryption: [.a256gcm]))
        var seen: Set<String> = []
        for _ in 0..<100 {
            let header = try decrypter.decrypt(encrypter.encrypt("x")).header
            #expect(header.string("iv")?.utf8.count == 16 && header.string("tag")?.utf8.count == 22)
            seen.insert(header.string("iv") ?? "")
        }
        #expect(seen.count == 100)
    }
}
