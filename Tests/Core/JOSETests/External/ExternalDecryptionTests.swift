import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("External decryption keys") struct ExternalDecryptionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let algorithm: KeyManagementAlgorithm
        let kind: KeyKind?
        var testDescription: String { "\(algorithm) \(kind.map { "\($0)" } ?? "AES")" }

        func key(_ keyID: String? = nil) throws -> JWK {
            if let kind { return .privateKey(try .generate(kind, keyID: keyID)) }
            guard let bits = [128, 192, 256].first(where: { algorithm.name.contains("\($0)") }) else {
                throw JOSEError.backend
            }
            var key = try SecretKey.generate(bits: bits)
            key.keyID = keyID
            return .symmetricKey(key)
        }
    }
    private static let rows =
        [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512].map { Row(algorithm: $0, kind: .rsa(bits: 2048)) }
        + [.a128kw, .a192kw, .a256kw, .a128gcmkw, .a192gcmkw, .a256gcmkw].map { Row(algorithm: $0, kind: nil) }
        + [KeyKind.p256, .p384, .p521, .x25519, .x448].flatMap { kind in
            [.ecdhES, .ecdhESA128KW, .ecdhESA256KW].map { Row(algorithm: $0, kind: kind) }
        }
    private static let contents = [ContentEncryption.a128gcm, .a128cbcHS256, .a256cbcHS512]

    private func remote(_ key: JWK, _ service: RemoteService = RemoteService()) -> ExternalDecryptionKey {
        if case .privateKey(let key) = key, key.kind.isAgreement { return .agreement(RemoteAgreement(key, service)) }
        return .unwrapper(RemoteUnwrapper(key, service))
    }

    private func policy(_ algorithms: KeyManagementAlgorithm...) -> EncryptionPolicy {
        EncryptionPolicy(keyManagement: algorithms, contentEncryption: ContentEncryption.all)
    }

    private func encrypter(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption = .a256gcm
    ) throws -> JWEEncrypter {
        switch key {
        case .symmetricKey(let key): try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content)
        case .privateKey(let key):
            try JWEEncrypter(key: key.publicKey, keyManagement: algorithm, contentEncryption: content)
        case .publicKey(let key): try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content)
        }
    }

    private func thrown(_ body: () async throws -> Void) async -> JOSEError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? JOSEError
        }
    }

    @Test("external keys decrypt what was encrypted to them, compact and JSON (RFC 7516, 5.2)", arguments: rows)
    func roundTrip(_ row: Row) async throws {
        let key = try row.key("k")
        let service = RemoteService()
        let decrypter = try JWEDecrypter(externalKeys: [remote(key, service)], policy: policy(row.algorithm))
        for content in Self.contents {
            let token = try encrypter(key, row.algorithm, content).encrypt("secret")
            let opened = try await decrypter.decrypt(token, timeout: .ample)
            #expect(opened.plaintext == Array("secret".utf8) && opened.header.keyID == "k")
        }
        let text = try JSONEncrypter([encrypter(key, row.algorithm)]).encrypt("secret")
        let opened = try await decrypter.decrypt(json: text, timeout: .ample)
        #expect(opened.plaintext == Array("secret".utf8) && opened.keyManagement == row.algorithm)
        #expect(opened.key == key.publicKey.map { .publicKey($0) })
        #expect(await service.calls == 4)
    }

    @Test("an unreachable external key has an error of its own, unless another key decrypts the token")
    func failures() async throws {
        let key = try PrivateKey.stored()
        let token = try encrypter(.privateKey(key), .rsaOAEP256).encrypt("secret")
        let failed = JOSEError.externalKey(.failed(ExternalCause(RemoteService.Fault.offline)))
        let offline = RemoteService(.failing(RemoteService.Fault.offline))
        let policy = policy(.rsaOAEP256)

        let alone = try JWEDecrypter(externalKeys: [remote(.privateKey(key), offline)], policy: policy)
        #expect(await thrown { _ = try await alone.decrypt(token, timeout: .ample) } == failed)
        let both = try JWEDecrypter(
            externalKeys: [remote(.privateKey(key), offline), remote(.privateKey(key))], policy: policy)
        #expect(try await both.decrypt(token, timeout: .ample).plaintext == Array("secret".utf8))
        let other = try PrivateKey.stored()
        for external in [
            [remote(.privateKey(key), offline), remote(.privateKey(other))],
            [remote(.privateKey(other)), remote(.privateKey(key), offline)],
        ] {
            let decrypter = try JWEDecrypter(externalKeys: external, policy: policy)
            #expect(await thrown { _ = try await decrypter.decrypt(token, timeout: .ample) } == failed)
        }
        // Keys in the process come before external ones.
        let calls = await offline.calls
        let moving = try JWEDecrypter(
            keys: KeySet(key), externalKeys: [remote(.privateKey(key), offline)], policy: policy)
        #expect(try await moving.decrypt(token, timeout: .ample).plaintext == Array("secret".utf8))
        #expect(await offline.calls == calls)
        await offline.set(.well)
        #expect(try await alone.decrypt(token, timeout: .ample).plaintext == Array("secret".utf8))
    }

    @Test("if the key of one recipient is unreachable, the other recipients are tried (RFC 7516, 7.2)")
    func recipients() async throws {
        let rsa = try PrivateKey.stored(keyID: "r")
        let aes = try SecretKey.generate(bits: 256)
        let text = try JSONEncrypter([
            encrypter(.privateKey(rsa), .rsaOAEP), encrypter(.symmetricKey(aes), .a256kw),
        ]).encrypt("secret")
        let offline = RemoteService(.failing(RemoteService.Fault.offline))
        let service = RemoteService()
        let policy = policy(.rsaOAEP, .a256kw)
        let both = try JWEDecrypter(
            externalKeys: [remote(.privateKey(rsa), offline), remote(.symmetricKey(aes), service)], policy: policy)
        let opened = try await both.decrypt(json: text, timeout: .ample)
        #expect(opened.plaintext == Array("secret".utf8) && opened.index == 1 && opened.key == nil)
        await service.set(.refusing)
        #expect(
            await thrown { _ = try await both.decrypt(json: text, timeout: .ample) }
                == .externalKey(.failed(ExternalCause(RemoteService.Fault.offline))))
        await offline.set(.well)
        #expect(try await both.decrypt(json: text, timeout: .ample).index == 0)
    }

    @Test("an external key is not called for dir, PBES2 or RSA1_5, or if its use or alg does not match")
    func inside() async throws {
        let rsa = try PrivateKey.stored()
        let service = RemoteService()
        let secret = try SecretKey.generate(bits: 256)
        let dir = try encrypter(.symmetricKey(secret), .dir).encrypt("x")
        let shared = try JWEDecrypter(
            externalKeys: [remote(.symmetricKey(secret), service)], policy: policy(.dir, .a256kw))
        #expect(await thrown { _ = try await shared.decrypt(dir, timeout: .ample) } == .keyUnsuitable(.kind))
        let password = try JWEEncrypter(
            key: secret, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm
        ).encrypt("x")
        let derived = try JWEDecrypter(
            externalKeys: [remote(.symmetricKey(secret), service)], policy: policy(.pbes2HS256A128KW, .a256kw))
        #expect(await thrown { _ = try await derived.decrypt(password, timeout: .ample) } == .keyUnsuitable(.kind))
        let header = base64URL(#"{"alg":"RSA1_5","enc":"A128GCM"}"#.utf8)
        let old = [
            header, base64URL([UInt8](repeating: 1, count: 256)), base64URL([UInt8](repeating: 0, count: 12)), "AA",
            base64URL([UInt8](repeating: 0, count: 16)),
        ].joined(separator: ".")
        let broken = try JWEDecrypter(
            externalKeys: [remote(.privateKey(rsa), service)], policy: policy(.rsa1_5BrokenDecryptionOnly, .rsaOAEP))
        #expect(await thrown { _ = try await broken.decrypt(old, timeout: .ample) } == .keyUnsuitable(.kind))

        var bound = rsa
        bound.algorithm = "RSA-OAEP"
        let token = try encrypter(.privateKey(rsa), .rsaOAEP256).encrypt("x")
        let decrypter = try JWEDecrypter(
            externalKeys: [remote(.privateKey(bound), service)], policy: policy(.rsaOAEP, .rsaOAEP256))
        #expect(await thrown { _ = try await decrypter.decrypt(token, timeout: .ample) } == .keyUnsuitable(.algorithm))
        let named = try JWEDecrypter(
            externalKeys: [
                .unwrapper(RemoteUnwrapper(.symmetricKey(try .generate(bits: 128)), service)),
                remote(.symmetricKey(secret), service),
            ], policy: policy(.a256kw, .dir))
        let wrapped = try encrypter(.symmetricKey(secret), .a256kw).encrypt("x")
        #expect(await service.calls == 0)
        #expect(try await named.decrypt(wrapped, timeout: .ample).plaintext == Array("x".utf8))
        #expect(
            try await decrypter.decrypt(encrypter(.privateKey(rsa), .rsaOAEP).encrypt("x"), timeout: .ample).plaintext
                == [0x78])
        #expect(await service.calls == 2)
    }

    @Test("an external key is selected by kid, or else at most eight are tried (RFC 7516, 5.2, step 8)")
    func selection() async throws {
        var keys: [PrivateKey] = []
        for place in 0..<9 { keys.append(try .generate(.p256, keyID: "k\(place)")) }
        let services = keys.map { _ in RemoteService() }
        let decrypter = try JWEDecrypter(
            externalKeys: zip(keys, services).map { remote(.privateKey($0), $1) }, policy: policy(.ecdhES))
        #expect(
            try await decrypter.decrypt(encrypter(.privateKey(keys[3]), .ecdhES).encrypt("x"), timeout: .ample)
                .plaintext == [0x78])
        for (place, service) in services.enumerated() { #expect(await service.calls == (place == 3 ? 1 : 0)) }
        var nameless = keys[8]
        nameless.keyID = nil
        let token = try encrypter(.privateKey(nameless), .ecdhES).encrypt("x")
        #expect(await thrown { _ = try await decrypter.decrypt(token, timeout: .ample) } == .keyUnsuitable(.ambiguous))
        let fewer = try JWEDecrypter(
            externalKeys: zip(keys, services).dropFirst().map { remote(.privateKey($0), $1) }, policy: policy(.ecdhES))
        #expect(try await fewer.decrypt(token, timeout: .ample).plaintext == [0x78])
    }

    @Test("a cancelled task that waits for an external key ends with cancelled, for each kind of key")
    func cancellation() async throws {
        let rsa = try PrivateKey.stored()
        let ec = try PrivateKey.generate(.p256)
        for (key, algorithm) in [(rsa, KeyManagementAlgorithm.rsaOAEP), (ec, .ecdhESA128KW)] {
            let service = RemoteService(.slow(.ample))
            let decrypter = try JWEDecrypter(
                externalKeys: [remote(.privateKey(key), service)], policy: policy(algorithm))
            let token = try encrypter(.privateKey(key), algorithm).encrypt("x")
            let waiting = Task { try await decrypter.decrypt(token, timeout: .ample) }
            while await service.calls == 0 { await Task.yield() }
            waiting.cancel()
            await #expect(throws: JOSEError.cancelled) { try await waiting.value }
            while await service.cancelled == 0 { await Task.yield() }
            await service.set(.well)
            #expect(try await decrypter.decrypt(token, timeout: .ample).plaintext == [0x78])
        }
    }

    @Test("a decrypter with external keys throws awaitRequired from methods that do not wait, and calls no key")
    func awaitRequired() async throws {
        let key = try PrivateKey.generate(.p256)
        let service = RemoteService()
        // That holds for a token too that a key in the process decrypts.
        let decrypter = try JWEDecrypter(
            keys: KeySet(key), externalKeys: [remote(.privateKey(.stored()), service)],
            policy: policy(.ecdhES, .rsaOAEP))
        let encrypter = try encrypter(.privateKey(key), .ecdhES)
        let (token, json) = (try encrypter.encrypt("x"), try JSONEncrypter([encrypter]).encrypt("x"))
        #expect(throws: JOSEError.externalKey(.awaitRequired)) { try decrypter.decrypt(token) }
        #expect(throws: JOSEError.externalKey(.awaitRequired)) { try decrypter.decrypt(json: json) }
        #expect(try await decrypter.decrypt(token, timeout: .ample).plaintext == [0x78])
        #expect(try await decrypter.decrypt(json: json, timeout: .ample).plaintext == [0x78])
        #expect(await service.calls == 0)
    }

    @Test("a key that does not answer within the timeout is given up, even if it ignores cancellation")
    func timeout() async throws {
        for (key, algorithm) in [
            (JWK.privateKey(try .stored()), KeyManagementAlgorithm.rsaOAEP),
            (.privateKey(try .generate(.p256)), .ecdhES),
        ] {
            let service = RemoteService()
            let decrypter = try JWEDecrypter(externalKeys: [remote(key, service)], policy: policy(algorithm))
            let encrypter = try encrypter(key, algorithm)
            let (token, json) = (try encrypter.encrypt("x"), try JSONEncrypter([encrypter]).encrypt("x"))
            for mood in [RemoteService.Mood.deaf, .slow(.ample)] {
                await service.set(mood)
                for error in [
                    await thrown { _ = try await decrypter.decrypt(token, timeout: .milliseconds(50)) },
                    await thrown { _ = try await decrypter.decrypt(json: json, timeout: .milliseconds(50)) },
                ] {
                    #expect(error == .externalKey(.timedOut))
                }
                await service.release()
            }
            #expect(try await decrypter.decrypt(token, timeout: .ample).plaintext == [0x78])
        }
    }

    @Test("keys in the process decrypt at once with a timeout, whatever it is")
    func localKeys() async throws {
        let key = try PrivateKey.generate(.p256)
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy(.ecdhES))
        let encrypter = try encrypter(.privateKey(key), .ecdhES)
        let (token, json) = (try encrypter.encrypt("x"), try JSONEncrypter([encrypter]).encrypt("x"))
        for timeout in [Duration.zero, .ample] {
            #expect(try await decrypter.decrypt(token, timeout: timeout).plaintext == [0x78])
            let opened = try await decrypter.decrypt(json: json, timeout: timeout)
            #expect(opened.plaintext == [0x78] && opened.key == .privateKey(key))
        }
    }

    /// Returns a token of the plaintext `text` whose key is derived from a secret that is given, not agreed. The member
    /// `x` of the ephemeral key on X25519 is given as JSON text.
    private func token(x: String, _ secret: [UInt8]) throws -> String {
        let header = base64URL(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"OKP","crv":"X25519","x":\#(x)}}"#.utf8)
        // RFC 7518, 4.6.2: the counter, the secret, the name of `enc`, no `apu`, no `apv` and the length in bits.
        let name = [0, 0, 0, 7] + Array("A128GCM".utf8)
        let input = [0, 0, 0, 1] + secret + name + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 128]
        let cek = Array(try Hash.sha256.digest(input.span).prefix(16))
        let (iv, text) = ([UInt8](repeating: 0, count: 12), Array("text".utf8))
        let aad = Array(header.utf8)
        let sealed = try ContentCipher.a128gcm.seal(cek: cek.span, iv: iv.span, aad: aad.span, plaintext: text.span)
        return [header, "", base64URL(iv), base64URL(sealed.ciphertext), base64URL(sealed.tag)].joined(separator: ".")
    }

    /// Returns the coordinate of a key on X25519, in base64url.
    private func coordinate(_ key: PublicKey) throws -> String { try JSON(key.jwk().utf8)["x"]?.string ?? "" }

    @Test(
        "an agreed secret of zeros, which anyone knows, or of another length decrypts nothing (T20; RFC 7748, 6.1)",
        arguments: [(UInt8(1), 32, true), (0, 32, false), (1, 31, false), (1, 33, false), (1, 56, false)])
    func impossibleSecrets(_ byte: UInt8, _ count: Int, _ isOpened: Bool) async throws {
        let key = try PrivateKey.generate(.x25519)
        let secret = [UInt8](repeating: byte, count: count)
        let x = try coordinate(PrivateKey.generate(.x25519).publicKey)
        let token = try token(x: "\"\(x)\"", secret)
        let service = RemoteService(.lying { _ in secret })
        let decrypter = try JWEDecrypter(externalKeys: [remote(.privateKey(key), service)], policy: policy(.ecdhES))
        let error = await thrown {
            let opened = try await decrypter.decrypt(token, timeout: .ample)
            #expect(opened.plaintext == Array("text".utf8))
        }
        #expect(error == (isOpened ? nil : .decryptionFailed))
    }

    @Test("a coordinate of epk that is written with escapes is the same one (RFC 8259, 7; RFC 7518, 4.6.1.1)")
    func escapedCoordinates() async throws {
        /// An agreement that has a secret only with one ephemeral key.
        struct Chosen: ExternalAgreement {
            let publicKey: PublicKey
            let expected: PublicKey
            let secret: [UInt8]
            func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret? {
                ephemeralKey == expected ? ExternalSecret(copying: secret.span) : nil
            }
        }
        let (key, ephemeral) = (try PrivateKey.generate(.x25519), try PrivateKey.generate(.x25519).publicKey)
        let secret = [UInt8](repeating: 1, count: 32)
        let decrypter = try JWEDecrypter(
            externalKeys: [.agreement(Chosen(publicKey: key.publicKey, expected: ephemeral, secret: secret))],
            policy: policy(.ecdhES))
        let plain = try coordinate(ephemeral)
        let escaped = plain.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
        for x in [plain, escaped] {
            let opened = try await decrypter.decrypt(token(x: "\"\(x)\"", secret), timeout: .ample)
            #expect(opened.plaintext == Array("text".utf8), "\(x)")
        }
        // One character more or less is another length, and a number or a list is no coordinate.
        for x in ["\"\(escaped)A\"", "\"\(escaped.dropLast(6))\"", "5", "[]"] {
            let token = try token(x: x, secret)
            #expect(
                await thrown { _ = try await decrypter.decrypt(token, timeout: .ample) }
                    == .headerInvalid(.ephemeralKey), "\(x)")
        }
    }

    @Test("an external secret can be created from an array, from a span or in place")
    func secrets() async throws {
        struct Own: ExternalAgreement {
            let inner: RemoteAgreement
            let count: Int
            var publicKey: PublicKey { inner.publicKey }
            func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret? {
                // The secret is not the agreed one, and has the right length or another.
                ExternalSecret(capacity: 64) { output in
                    for byte in 0..<UInt8(count) { output.append(byte | 1) }
                }
            }
        }
        let key = try PrivateKey.generate(.p256)
        let token = try encrypter(.privateKey(key), .ecdhES).encrypt("x")
        for count in [0, 31, 32, 33, 64] {
            let decrypter = try JWEDecrypter(
                externalKeys: [.agreement(Own(inner: RemoteAgreement(key), count: count))], policy: policy(.ecdhES))
            #expect(
                await thrown { _ = try await decrypter.decrypt(token, timeout: .ample) } == .decryptionFailed,
                "\(count)")
        }
        let bytes: [UInt8] = [1, 2, 3]
        let copied = ExternalSecret(copying: bytes.span)
        let owned = ExternalSecret(bytes)
        #expect(bytes == [1, 2, 3], "an array that someone holds is not wiped under his hands")
        let counts = (copied.count, owned.count)
        #expect(counts == (3, 3))
    }
}

extension KeyKind {
    fileprivate var isAgreement: Bool {
        switch self {
        case .p256, .p384, .p521, .x25519, .x448: true
        default: false
        }
    }
}
