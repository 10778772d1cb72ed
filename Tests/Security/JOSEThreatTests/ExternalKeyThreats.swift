import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

/// The rows on oracles, curves and lengths, for external keys.
@Suite("Threats: external keys") struct ExternalKeyThreats {
    private func verdict(_ decrypter: JWEDecrypter, _ token: String) async -> (refusal: Refusal?, text: String) {
        do {
            _ = try await decrypter.decrypt(token, timeout: .ample)
            return (nil, "")
        } catch {
            return (Refusal(error), "\(error)")
        }
    }

    private func policy(_ algorithm: KeyManagementAlgorithm) -> EncryptionPolicy {
        EncryptionPolicy(keyManagement: [algorithm], contentEncryption: ContentEncryption.all)
    }

    private static let wrapping: [(KeyManagementAlgorithm, JWK)] = [
        (.rsaOAEP, Keys.rsa), (.rsaOAEP256, Keys.rsa), (.a128kw, Keys.symmetric(16)), (.a256kw, Keys.secret),
        (.a128gcmkw, Keys.symmetric(16)), (.a256gcmkw, Keys.secret),
    ]

    private func token(_ algorithm: KeyManagementAlgorithm, _ key: JWK, _ content: ContentEncryption) throws -> String {
        switch key {
        case .symmetricKey(let key):
            try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content).encrypt("x")
        default:
            try JWEEncrypter(key: #require(key.publicKey), keyManagement: algorithm, contentEncryption: content)
                .encrypt(
                    "x")
        }
    }

    @Test("T21 every failure of an external unwrapper is one error, the same as that of a wrong tag")
    func oneError() async throws {
        for (algorithm, key) in Self.wrapping {
            let service = RemoteService()
            let decrypter = try JWEDecrypter(
                externalKeys: [.unwrapper(RemoteUnwrapper(key, service))], policy: policy(algorithm))
            for content in [ContentEncryption.a128gcm, .a128cbcHS256, .a256cbcHS512] {
                let good = try token(algorithm, key, content)
                await service.set(.well)
                #expect(await verdict(decrypter, good).refusal == nil)
                var texts: Set<String> = []
                func refused(_ token: String, _ what: String) async {
                    let (refusal, text) = await verdict(decrypter, token)
                    #expect(refusal == .decryptionFailed, "\(algorithm), \(content), \(what)")
                    texts.insert(text)
                }
                let count = part(4, of: good).count
                let cut = good.lastIndex(of: ".") ?? good.startIndex
                await refused(good[...cut] + base64URL([UInt8](repeating: 0, count: count)), "tag")
                await service.set(.refusing)
                await refused(good, "refused")
                await service.set(.lying { [UInt8](repeating: 0, count: $0.count) })
                await refused(good, "zeros")
                // The first half of a CBC-HMAC key is that of the MAC (RFC 7518, 5.2.2.1). A wrong bit in the other half yields a
                // padding
                // that is valid once in 256 times.
                await service.set(.lying { [$0[0] ^ 1] + $0.dropFirst() })
                await refused(good, "one bit")
                #expect(texts == ["decryption failed"])
            }
        }
    }

    @Test(
        "T27 an unwrapped key of another length fails as a wrong one does, and impossible lengths are not sent to the unwrapper"
    )
    func lengths() async throws {
        for (algorithm, key) in Self.wrapping {
            let service = RemoteService()
            let decrypter = try JWEDecrypter(
                externalKeys: [.unwrapper(RemoteUnwrapper(key, service))], policy: policy(algorithm))
            let good = try token(algorithm, key, .a128cbcHS256)
            for count in [0, 1, 15, 16, 24, 31, 33, 48, 64, 72, 73, 1000] {
                await service.set(.lying { Array(($0 + [UInt8](repeating: 0, count: 1000)).prefix(count)) })
                #expect(await verdict(decrypter, good).refusal == .decryptionFailed, "\(algorithm), \(count)")
            }
            await service.set(.well)
            let calls = await service.calls
            let parts = good.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let encrypted = part(1, of: good)
            for count in [0, 1, 7, 8, 15, 16, 23, 25, 41, 255, 257, 1000, 8000] where count != encrypted.count {
                let other = (encrypted + [UInt8](repeating: 0, count: 8000)).prefix(count)
                let token = ([parts[0], base64URL(other)] + parts[2...]).joined(separator: ".")
                #expect(await verdict(decrypter, token).refusal == .decryptionFailed, "\(algorithm), \(count)")
            }
            #expect(await service.calls == calls)
            #expect(await verdict(decrypter, good).refusal == nil)
        }
    }

    @Test("T27 a content key that was not unwrapped is replaced by random bytes, and no guess decrypts the token")
    func guessedKeys() async throws {
        let service = RemoteService(.refusing)
        let decrypter = try JWEDecrypter(
            externalKeys: [.unwrapper(RemoteUnwrapper(Keys.rsa, service))], policy: policy(.rsaOAEP))
        let header = Array(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8)
        for byte in [UInt8(0), 0xff, 0xa6] {
            let cek = [UInt8](repeating: byte, count: 32)
            let token = try Forge.sealed(
                header: header, encryptedKey: [UInt8](repeating: 1, count: 256), cek: cek, .a256gcm, [1])
            await service.set(.refusing)
            #expect(await verdict(decrypter, token).refusal == .decryptionFailed)
            await service.set(.lying { _ in [] })
            #expect(await verdict(decrypter, token).refusal == .decryptionFailed)
        }
        await service.set(.well)
        #expect(try await verdict(decrypter, token(.rsaOAEP, Keys.rsa, .a256gcm)).refusal == nil)
    }

    @Test("T19 a point off the curve is not sent to an external key (RFC 7518, 6.2.2; RFC 8725, 3.4)")
    func offCurve() async throws {
        for (key, curve) in [(Keys.p256, "P-256"), (Keys.p384, "P-384"), (Keys.p521, "P-521")] {
            guard case .privateKey(let ours) = key else { continue }
            let service = RemoteService()
            let decrypter = try JWEDecrypter(
                externalKeys: [.agreement(RemoteAgreement(ours, service))], policy: policy(.ecdhES))
            let size = curve == "P-256" ? 32 : curve == "P-384" ? 48 : 66
            let zero = [UInt8](repeating: 0, count: size)
            let one = [UInt8](zero.dropLast()) + [1]
            let points: [(x: [UInt8], y: [UInt8])] = [
                (zero, zero), (one, one), ([UInt8](repeating: 255, count: size), one), (one.dropLast(), one),
            ]
            for (x, y) in points {
                let epk = Forge.epk(curve, x, y)
                let header = Array(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":\#(epk)}"#.utf8)
                let token = try Forge.sealed(
                    header: header, encryptedKey: [], cek: [UInt8](repeating: 0, count: 16), .a128gcm, [1])
                #expect(await verdict(decrypter, token).refusal == .headerInvalid, "\(curve)")
            }
            #expect(await service.calls == 0)
            #expect(try await verdict(decrypter, token(.ecdhES, key, .a128gcm)).refusal == nil)
        }
    }

    @Test(
        "T20 an external agreement that returns zeros, another length or nothing is a failed decryption (RFC 7748, 6.1 and 6.2)"
    )
    func smallOrder() async throws {
        for key in [Keys.x25519, Keys.x448, Keys.p256] {
            guard case .privateKey(let ours) = key else { continue }
            let service = RemoteService()
            let decrypter = try JWEDecrypter(
                externalKeys: [.agreement(RemoteAgreement(ours, service))], policy: policy(.ecdhESA128KW))
            let good = try token(.ecdhESA128KW, key, .a128gcm)
            let moods: [RemoteService.Mood] = [
                .refusing, .lying { [UInt8](repeating: 0, count: $0.count) }, .lying { Array($0.dropLast()) },
                .lying { Array($0.dropFirst()) }, .lying { $0 + [0] }, .lying { _ in [] },
            ]
            for mood in moods {
                await service.set(mood)
                #expect(await verdict(decrypter, good).refusal == .decryptionFailed)
            }
            await service.set(.well)
            #expect(await verdict(decrypter, good).refusal == nil)
        }
    }
}
