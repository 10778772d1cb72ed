import JOSE
import TestSupport
import Testing

@Suite("JWE in JSON") struct JSONJWETests {
    private func key(_ fill: UInt8, _ id: String?, _ count: Int = 16) throws -> SecretKey {
        var key = try SecretKey(bytes: [UInt8](repeating: fill, count: count))
        key.keyID = id
        return key
    }

    private func encrypter(
        _ key: SecretKey, _ algorithm: KeyManagementAlgorithm = .a128kw, _ header: HeaderParameters = .init()
    ) throws -> JWEEncrypter {
        try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: .a128gcm, header: header)
    }

    private func decrypter(_ keys: [JWK], _ adjust: (inout EncryptionPolicy) -> Void = { _ in }) -> JWEDecrypter {
        var policy = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all, contentEncryption: ContentEncryption.all)
        adjust(&policy)
        return JWEDecrypter(unexaminedKeys: KeySet(keys), policy: policy)
    }

    private func object(_ text: String) throws -> [String: JSON] {
        guard case .object(let members) = try JSON(text.utf8) else { throw JOSEError.backend }
        return members
    }

    @Test(
        "each algorithm decrypts what it encrypted in both JSON forms, with and without aad (RFC 7516, 7.2)",
        arguments: KeyManagementAlgorithm.all)
    func forms(_ algorithm: KeyManagementAlgorithm) throws {
        let rsa = try PrivateKey.stored()
        for content in [ContentEncryption.a128gcm, .a256cbcHS512] {
            for (ours, theirs) in try JWETests.keys(algorithm, content, rsa: rsa) {
                let encrypter = try JWETests.encrypter(theirs, algorithm, content)
                for form in [JSONForm.flattened, .general] {
                    for aad in [nil, [], Array("more".utf8)] as [[UInt8]?] {
                        let json = try JSONEncrypter([encrypter], form: form).encrypt("secret", additionalData: aad)
                        let opened = try decrypter([ours]).decrypt(json: json)
                        #expect(opened.plaintext == Array("secret".utf8) && opened.additionalData == aad)
                        #expect(opened.keyManagement == algorithm && opened.contentEncryption == content)
                        #expect(opened.key == ours && opened.index == 0)
                        #expect(opened.header.algorithmName == algorithm.name && opened.unprotected == nil)
                        var members = try object(json)
                        members["aad"] = .string(base64URL("else".utf8))
                        #expect(throws: JOSEError.decryptionFailed) {
                            try decrypter([ours]).decrypt(json: JSON.object(members).text)
                        }
                    }
                }
                // Without `aad` the parts are those of a compact token.
                let members = try object(JSONEncrypter([encrypter], form: .flattened).encrypt("secret"))
                let parts = ["protected", "encrypted_key", "iv", "ciphertext", "tag"].map { members[$0]?.string ?? "" }
                #expect(
                    try decrypter([ours]).decrypt(parts.joined(separator: ".")).plaintext == Array("secret".utf8))
            }
        }
    }

    @Test("each of several recipients decrypts with its own key (RFC 7516, 7.2.1)") func several() throws {
        let ec = try PrivateKey.generate(.p256)
        let ed = try PrivateKey.generate(.x25519)
        let rsa = try PrivateKey.stored()
        let content = ContentEncryption.a256gcm
        var password = HeaderParameters()
        password.passwordIterations = 1_000
        let wrapping = try key(2, "b", 32)
        let word = try key(3, "c", 20)
        let json = try JSONEncrypter(
            [
                JWEEncrypter(key: ec.publicKey, keyManagement: .ecdhESA256KW, contentEncryption: content),
                JWEEncrypter(key: rsa.publicKey, keyManagement: .rsaOAEP256, contentEncryption: content),
                JWEEncrypter(key: wrapping, keyManagement: .a256kw, contentEncryption: content),
                JWEEncrypter(key: wrapping, keyManagement: .a256gcmkw, contentEncryption: content),
                JWEEncrypter(key: word, keyManagement: .pbes2HS256A128KW, contentEncryption: content, header: password),
                JWEEncrypter(key: ed.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: content),
            ], protected: HeaderParameters(type: "note"), shared: HeaderParameters(contentType: "text")
        ).encrypt("secret", additionalData: [1, 2])
        let keys: [(JWK, Int)] = [
            (.privateKey(ec), 0), (.privateKey(rsa), 1), (.symmetricKey(wrapping), 2), (.symmetricKey(word), 4),
            (.privateKey(ed), 5),
        ]
        for (key, index) in keys {
            let opened = try decrypter([key]).decrypt(json: json)
            #expect(opened.plaintext == Array("secret".utf8) && opened.index == index && opened.key == key)
            #expect(opened.header.type == "note" && opened.unprotected?.contentType == "text")
            #expect(opened.recipientHeader?.algorithmName == opened.keyManagement.name)
            #expect(opened.header.algorithmName == nil && opened.header.contentEncryptionName == "A256GCM")
        }
        #expect(try decrypter(keys.map(\.0).reversed()).decrypt(json: json).index == 0)
        let allowed = decrypter(keys.map(\.0)) { $0.keyManagement = [.a256gcmkw] }
        #expect(try allowed.decrypt(json: json).index == 3)
        let other = JWK.privateKey(try .generate(.p384))
        #expect(throws: JOSEError.self) { try decrypter([other]).decrypt(json: json) }
        let wrong = JWK.symmetricKey(try key(9, "b", 32))
        #expect(throws: JOSEError.decryptionFailed) { try decrypter([wrong]).decrypt(json: json) }
        #expect(try decrypter([wrong, .privateKey(ed)]).decrypt(json: json).index == 5)
    }

    @Test("an error of the content is thrown at once, whatever the other recipients have (RFC 7516, 5.2, step 16)")
    func content() throws {
        var compressed = HeaderParameters()
        compressed.compresses = true
        let json = try JSONEncrypter(
            [encrypter(key(1, "a")), encrypter(key(2, "b"))], protected: compressed
        ).encrypt(String(repeating: "x", count: 2_000))
        // The second recipient's key decrypts nothing, which is reported if the first one has no error of the content.
        let wrong = JWK.symmetricKey(try key(9, "b"))
        func error(_ first: SecretKey, _ limit: Int) -> JOSEError? {
            let decrypter = decrypter([.symmetricKey(first), wrong]) {
                $0.allowsCompression = true
                $0.limits.plaintextBytes = limit
            }
            return refusal { () throws(JOSEError) in try decrypter.decrypt(json: json) }
        }
        #expect(try error(key(1, "a"), 2_000) == nil)
        #expect(try error(key(1, "a"), 1_999) == .limitExceeded(.plaintextBytes))
        #expect(try error(key(3, "a"), 2_000) == .decryptionFailed)
    }

    @Test("CEK and initialization vector are fresh in each token") func fresh() throws {
        let json = try JSONEncrypter([encrypter(key(1, "a")), encrypter(key(2, "b"))])
        // Long enough that two ciphertexts are not equal by chance.
        let text = String(repeating: "x", count: 32)
        let both = try (object(json.encrypt(text)), object(json.encrypt(text)))
        for name in ["iv", "ciphertext", "tag", "recipients"] { #expect(both.0[name] != both.1[name], "\(name)") }
    }

    @Test("a header that must not be sent is rejected when the encrypter is created (RFC 7516, 5.1 and 7.2.1)")
    func refused() throws {
        let a = try encrypter(key(1, "a"))
        let direct = try encrypter(key(2, "b"), .dir)
        let agreed = try JWEEncrypter(
            key: PrivateKey.generate(.p256).publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm)
        let other = try JWEEncrypter(key: key(1, "a"), keyManagement: .a128kw, contentEncryption: .a256gcm)
        #expect(throws: Never.self) { try JSONEncrypter([direct]) }
        #expect(throws: Never.self) { try JSONEncrypter([agreed], form: .flattened) }
        for recipients in [[], [a, direct], [direct, a], [a, agreed], [direct, direct], [a, other]] {
            #expect(throws: JOSEError.self) { try JSONEncrypter(recipients) }
        }
        #expect(throws: JOSEError.headerInvalid(.contentEncryptionDiffers)) { try JSONEncrypter([a, other]) }
        #expect(throws: JOSEError.self) { try JSONEncrypter([a, a], form: .flattened) }
        #expect(throws: JOSEError.limitExceeded(.recipients)) { try JSONEncrypter(Array(repeating: a, count: 17)) }
        var critical = HeaderParameters()
        critical.set("x", 1)
        critical.critical = ["x"]
        let extending = try encrypter(key(1, "a"), .a128kw, critical)
        #expect(throws: Never.self) { try JSONEncrypter([extending]) }
        #expect(throws: JOSEError.headerInvalid(.critical)) { try JSONEncrypter([extending, a]) }
        let faults: [(inout HeaderParameters) -> Void] = [
            { $0.keyID = "a" }, { $0.set("alg", "dir") }, { $0.set("enc", "A128GCM") },
            { $0.payloadIsUnencoded = true },
            { $0.agreementPartyU = [1] }, { $0.passwordIterations = 1_000 }, { $0.set("x", json: [1]) },
        ]
        for fault in faults {
            var header = HeaderParameters()
            fault(&header)
            #expect(throws: JOSEError.self) { try JSONEncrypter([a], protected: header) }
            #expect(throws: JOSEError.self) { try JSONEncrypter([a], shared: header) }
        }
        #expect(throws: Never.self) { try JSONEncrypter([a, a], protected: critical) }
    }

    @Test("a token for several recipients is rejected unless its critical extension is understood")
    func critical() throws {
        var header = HeaderParameters()
        header.set("x", 1)
        header.critical = ["x"]
        let json = try JSONEncrypter([encrypter(key(1, "a")), encrypter(key(2, "b"))], protected: header).encrypt("s")
        let ours = JWK.symmetricKey(try key(2, "b"))
        #expect(throws: JOSEError.criticalHeaderUnknown) { try decrypter([ours]).decrypt(json: json) }
        #expect(try decrypter([ours]) { $0.understoodCritical = ["x"] }.decrypt(json: json).index == 1)
    }

    @Test("the published token is decrypted for its second recipient, whichever key the first has (RFC 7516, A.4)")
    func second() throws {
        let file = try VectorFile("rfc7516/jwe")
        let vector = try #require(file.vectors.first { $0.id == "7516-A.4" })
        let opened = try decrypter(KeySet(parsing: file.keySet(of: vector)).keys).decrypt(json: vector.tokenText)
        #expect(opened.plaintext == vector.payloadBytes && opened.index == 1 && opened.key?.keyID == nil)
        #expect(opened.recipientHeader?.keyID == "7" && opened.unprotected?.string("jku") != nil)
    }
}
