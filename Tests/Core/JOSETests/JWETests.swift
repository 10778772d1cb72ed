import JOSE
import TestSupport
import Testing

@Suite("JWE, compact") struct JWETests {
    /// The recipient's key for each algorithm and content encryption, and the sender's half of it.
    static func keys(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption, rsa: PrivateKey
    ) throws -> [(ours: JWK, theirs: JWK)] {
        func pair(_ kind: KeyKind) throws -> (JWK, JWK) {
            let key = try PrivateKey.generate(kind)
            return (.privateKey(key), .publicKey(key.publicKey))
        }
        func shared(_ bits: Int) throws -> (JWK, JWK) {
            let key = JWK.symmetricKey(try SecretKey.generate(bits: bits))
            return (key, key)
        }
        switch algorithm {
        case .a128kw, .a128gcmkw: return [try shared(128)]
        case .a192kw, .a192gcmkw: return [try shared(192)]
        case .a256kw, .a256gcmkw: return [try shared(256)]
        case .pbes2HS256A128KW, .pbes2HS384A192KW, .pbes2HS512A256KW: return [try shared(136)]
        case .dir: return [try shared(content.keyBytes * 8)]
        case .ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW:
            return try [pair(.p256), pair(.p384), pair(.p521), pair(.x25519), pair(.x448)]
        default: return [(.privateKey(rsa), .publicKey(rsa.publicKey))]
        }
    }

    static func encrypter(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption,
        _ header: HeaderParameters = HeaderParameters()
    ) throws -> JWEEncrypter {
        var header = header
        if algorithm.name.hasPrefix("PBES2"), header.passwordIterations == nil { header.passwordIterations = 1_000 }
        return try made(key, algorithm, content, header)
    }

    private static func made(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption, _ header: HeaderParameters
    ) throws -> JWEEncrypter {
        switch key {
        case .publicKey(let key):
            try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        case .symmetricKey(let key):
            try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        case .privateKey: throw JOSEError.keyInvalid(.publicKeyRequired)
        }
    }

    @Test(
        "each pair of algorithms decrypts its own tokens, and none that was changed (RFC 7516, 5)",
        arguments: KeyManagementAlgorithm.all)
    func roundTrips(_ algorithm: KeyManagementAlgorithm) throws {
        let rsa = try PrivateKey.stored()
        for content in ContentEncryption.all {
            for (ours, theirs) in try Self.keys(algorithm, content, rsa: rsa) {
                let encrypter = try Self.encrypter(theirs, algorithm, content)
                let decrypter = try JWEDecrypter(
                    keys: KeySet([ours]),
                    policy: EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [content]))
                for count in [0, 1, 15, 16, 17, 100] {
                    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                    let token = try encrypter.encrypt(plaintext)
                    #expect(try decrypter.decrypt(token).plaintext == plaintext, "\(content) \(count)")
                    #expect(try encrypter.encrypt(plaintext) != token)
                }
                try tamper(encrypter.encrypt("text"), decrypter, "\(algorithm) \(content) \(ours.kind)")
            }
        }
    }

    /// Changes the last byte of every part, adds one and removes one. All of it is one error, except faults of the structure.
    private func tamper(_ token: String, _ decrypter: JWEDecrypter, _ comment: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for index in 1...4 where !parts[index].isEmpty {
            let bytes = part(index, of: token)
            for changed in [bytes.dropLast() + [bytes.last! ^ 1], bytes.dropLast(), bytes + [0]] {
                var other = parts
                other[index] = base64URL(changed)
                let token = other.joined(separator: ".")
                let isLength = index == 2 && changed.count != bytes.count
                let error: JOSEError =
                    isLength ? .malformed(ParseFailure(.initializationVector, .length)) : .decryptionFailed
                #expect(throws: error, "\(comment) part \(index)") { try decrypter.decrypt(token) }
            }
        }
    }

    @Test("an encrypter accepts apu and apv for key agreement only (RFC 7518, 4.6.2)") func agreementInfo() throws {
        let key = try PrivateKey.generate(.p256)
        var header = HeaderParameters()
        header.agreementPartyU = Array("Alice".utf8)
        header.agreementPartyV = Array("Bob".utf8)
        let decrypter = try JWEDecrypter(
            keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]))
        let token = try Self.encrypter(.publicKey(key.publicKey), .ecdhES, .a128gcm, header).encrypt("x")
        let opened = try decrypter.decrypt(token)
        #expect(opened.header.string("apu") == base64URL(Array("Alice".utf8)) && opened.plaintext == Array("x".utf8))
        #expect(throws: JOSEError.headerInvalid(.agreementInfo)) {
            try Self.encrypter(.symmetricKey(.generate(bits: 128)), .a128kw, .a128gcm, header)
        }
    }

    @Test("apu and apv of a token are base64url, and strings (RFC 7518, 4.6.1.2 and 4.6.1.3)") func partyInfo() throws {
        let key = try PrivateKey.generate(.p256)
        let decrypter = try JWEDecrypter(
            keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]))
        let whole = try Self.encrypter(.publicKey(key.publicKey), .ecdhES, .a128gcm).encrypt("x")
        #expect(throws: Never.self) { try decrypter.decrypt(whole) }
        let parts = whole.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard case .object(let header) = try JSON(try #require(bytes(base64URL: parts[0]))) else {
            throw JOSEError.backend
        }
        for name in ["apu", "apv"] {
            for (value, error) in [
                // The header is authenticated, so that another valid value fails in the last step.
                (.string("QQ"), .decryptionFailed), (.string(""), .decryptionFailed),
                (.string("*"), .headerInvalid(.agreementInfo)), (.string("QQ=="), .headerInvalid(.agreementInfo)),
                (.number(1), .headerInvalid(.memberType(name))),
            ] as [(JSON, JOSEError)] {
                let changed = base64URL(header.with(name, value).text.utf8)
                let token = ([changed] + parts.dropFirst()).joined(separator: ".")
                #expect(throws: error, "\(name) \(value)") { try decrypter.decrypt(token) }
            }
        }
    }

    @Test("a token that another decrypter opened is admitted if this one's policy allows its header and plaintext")
    func admitted() throws {
        let key = try SecretKey.generate(bits: 128)
        let token = try Self.encrypter(.symmetricKey(key), .dir, .a128gcm).encrypt("text")
        func error(
            _ token: String, plaintext count: Int, _ allowed: KeyManagementAlgorithm = .dir,
            alias: StaticString? = nil
        ) -> JOSEError? {
            var policy = EncryptionPolicy(keyManagement: [allowed], contentEncryption: [.a128gcm])
            policy.limits.plaintextBytes = 100
            policy.alias = alias.map { (name: $0, keyManagement: .dir) }
            let decrypter = JWEDecrypter(unexaminedKeys: KeySet.empty, policy: policy)
            return refusal { () throws(JOSEError) in
                try decrypter.checkedHeader(of: token.utf8.span, plaintextCount: count)
            }
        }
        #expect(error(token, plaintext: 100) == nil)
        #expect(error(token, plaintext: 101) == .limitExceeded(.plaintextBytes))
        #expect(error(token, plaintext: 4, .a128kw) == .algorithmNotAllowed(.keyManagement))
        // An alias is read as an algorithm that is allowed, and only as that.
        let header = base64URL(#"{"alg":"shared","enc":"A128GCM"}"#.utf8)
        let renamed = header + token.drop { $0 != "." }
        #expect(error(renamed, plaintext: 4, alias: "shared") == nil)
        #expect(error(renamed, plaintext: 4, alias: "other") == .algorithmNotAllowed(.keyManagement))
        #expect(error(renamed, plaintext: 4) == .algorithmNotAllowed(.keyManagement))
        #expect(error(renamed, plaintext: 4, .a128kw, alias: "shared") == .algorithmNotAllowed(.keyManagement))
    }

    @Test("dir requires a key with exactly the size of the content encryption (RFC 7518, 4.5)") func direct() throws {
        for content in ContentEncryption.all {
            for bits in [128, 192, 256, 384, 512] {
                let key = try SecretKey.generate(bits: bits)
                if bits == content.keyBytes * 8 {
                    #expect(throws: Never.self) { try Self.encrypter(.symmetricKey(key), .dir, content) }
                } else {
                    #expect(throws: JOSEError.keyUnsuitable(.size), "\(content) \(bits)") {
                        try Self.encrypter(.symmetricKey(key), .dir, content)
                    }
                }
            }
        }
    }

    @Test("for a token without kid up to eight keys are tried, and more are rejected as ambiguous") func keys() throws {
        let keys = try (0..<8).map { _ in try PrivateKey.generate(.p256) }
        let policy = EncryptionPolicy(keyManagement: [.ecdhESA128KW], contentEncryption: [.a128cbcHS256])
        let token = try Self.encrypter(.publicKey(keys[7].publicKey), .ecdhESA128KW, .a128cbcHS256).encrypt("x")
        #expect(throws: Never.self) {
            try JWEDecrypter(keys: KeySet(keys.map(JWK.privateKey)), policy: policy).decrypt(token)
        }
        #expect(throws: JOSEError.decryptionFailed) {
            try JWEDecrypter(keys: KeySet(keys[..<7].map(JWK.privateKey)), policy: policy).decrypt(token)
        }
        let extra = JWK.privateKey(try .generate(.p256))
        #expect(throws: JOSEError.keyUnsuitable(.ambiguous)) {
            try JWEDecrypter(keys: KeySet(keys.map(JWK.privateKey) + [extra]), policy: policy).decrypt(token)
        }
        var more = policy
        more.limits.candidateKeys = 9
        #expect(throws: Never.self) {
            try JWEDecrypter(keys: KeySet(keys.map(JWK.privateKey) + [extra]), policy: more).decrypt(token)
        }
        #expect(throws: JOSEError.keyUnsuitable(.publicKey)) {
            try JWEDecrypter(unexaminedKeys: KeySet(keys[7].publicKey), policy: policy).decrypt(token)
        }
    }

    @Test("a plaintext one byte over the limit is rejected") func plaintextLimit() throws {
        let key = try SecretKey.generate(bits: 128)
        for content in [ContentEncryption.a128cbcHS256, .a128gcm] {
            let token = try Self.encrypter(.symmetricKey(key), .a128kw, content).encrypt(
                [UInt8](repeating: 7, count: 100))
            var policy = EncryptionPolicy(keyManagement: [.a128kw], contentEncryption: [content])
            policy.limits.plaintextBytes = 100
            #expect(throws: Never.self) { try JWEDecrypter(keys: KeySet(key), policy: policy).decrypt(token) }
            policy.limits.plaintextBytes = 99
            #expect(throws: JOSEError.limitExceeded(.plaintextBytes)) {
                try JWEDecrypter(keys: KeySet(key), policy: policy).decrypt(token)
            }
        }
    }
}
