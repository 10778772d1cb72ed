#if os(Linux)
    import JOSE
    import JOSETesting
    import TestSupport
    import Testing

    /// Searches the memory of the process for content keys. Long-lived keys have tests of their own.
    @Suite("Threats: secrets left in memory", .serialized) struct MemoryThreats {
        @Test("T69 no part of a content key remains in memory after decryption (RFC 7516, 11.5)")
        func contentKeys() throws {
            let hidden = Keys.data.hidden
            #expect(hidden.count == 4)
            let policy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
            let decrypter = try JWEDecrypter(keys: KeySet(Keys.rsa), policy: policy)
            for (token, _) in hidden {
                #expect(try decrypter.decrypt(token).plaintext == Array("fifteen octets.".utf8))
                // The decryption fails after the key was unwrapped.
                let broken = token.dropLast(22) + "AAAAAAAAAAAAAAAAAAAAAA"
                #expect(verdict { () throws(JOSEError) in try decrypter.decrypt(String(broken)) } == .decryptionFailed)
            }
            let needles = hidden.flatMap { [Array($0.complement[..<16]), Array($0.complement[16...])] }
            #expect(PrivateMemory.count(ofComplements: needles) == 0)
        }

        @Test("T69 no part of an external content key remains in memory after success, failure or cancellation")
        func externalContentKeys() async throws {
            let hidden = Keys.data.hidden
            let policy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
            let service = RemoteService()
            let decrypter = try ExternalKeyDecrypter(
                external: [.unwrapper(RemoteUnwrapper(Keys.rsa, service))], policy: policy)
            for (token, _) in hidden {
                await service.set(.well)
                #expect(try await decrypter.decrypt(token).plaintext == Array("fifteen octets.".utf8))
                let broken = String(token.dropLast(22) + "AAAAAAAAAAAAAAAAAAAAAA")
                await #expect(throws: JOSEError.decryptionFailed) { try await decrypter.decrypt(broken) }
                await service.set(.slow(.milliseconds(20)))
                let waiting = Task { try await decrypter.decrypt(token) }
                waiting.cancel()
                await #expect(throws: JOSEError.cancelled) { try await waiting.value }
            }
            let needles = hidden.flatMap { [Array($0.complement[..<16]), Array($0.complement[16...])] }
            #expect(PrivateMemory.count(ofComplements: needles) == 0)
        }

        @Test("the memory search finds a secret that is in memory")
        func control() {
            let complement = (0..<16).map { _ in UInt8.random(in: 0...255) }
            let secret = complement.map { ~$0 }
            withExtendedLifetime(secret) { #expect(PrivateMemory.count(ofComplements: [complement]) > 0) }
        }
    }

    extension PrivateMemory {
        /// Returns how often needles are found that are given with all bits inverted, so that the search does not find the arguments.
        fileprivate static func count(ofComplements needles: [[UInt8]]) -> Int {
            let length = needles.first?.count ?? 0
            let restored = SharedMemory(count: max(1, needles.count * length))
            for (index, byte) in needles.joined().enumerated() {
                unsafe restored.bytes.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
            }
            let places = needles.indices.map { $0 * length..<($0 + 1) * length }
            return counts(of: places, in: restored).reduce(0, +)
        }
    }
#endif
