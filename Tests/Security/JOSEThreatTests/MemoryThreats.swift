#if os(Linux)
    import Glibc
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

        @Test(
            "T69 no part of an external content key remains in memory after success, failure, cancellation or timeout")
        func externalContentKeys() async throws {
            let hidden = Keys.data.hidden
            let policy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
            let service = RemoteService()
            let decrypter = try JWEDecrypter(
                externalKeys: [.unwrapper(RemoteUnwrapper(Keys.rsa, service))], policy: policy)
            for (token, _) in hidden {
                await service.set(.well)
                #expect(try await decrypter.decrypt(token, timeout: .ample).plaintext == Array("fifteen octets.".utf8))
                let broken = String(token.dropLast(22) + "AAAAAAAAAAAAAAAAAAAAAA")
                await #expect(throws: JOSEError.decryptionFailed) {
                    try await decrypter.decrypt(broken, timeout: .ample)
                }
                await service.set(.slow(.ample))
                let waiting = Task { try await decrypter.decrypt(token, timeout: .ample) }
                waiting.cancel()
                await #expect(throws: JOSEError.cancelled) { try await waiting.value }
                // The key comes after the timeout, for nobody.
                await service.set(.deaf)
                await #expect(throws: JOSEError.externalKey(.timedOut)) {
                    try await decrypter.decrypt(token, timeout: .milliseconds(50))
                }
                await service.release()
            }
            let needles = hidden.flatMap { [Array($0.complement[..<16]), Array($0.complement[16...])] }
            try await until { PrivateMemory.count(ofComplements: needles) == 0 }
            #expect(PrivateMemory.count(ofComplements: needles) == 0)
        }

        @Test("the memory search finds a secret that is in memory")
        func control() {
            let complement = (0..<16).map { _ in UInt8.random(in: 0...255) }
            let secret = complement.map { ~$0 }
            withExtendedLifetime(secret) { #expect(PrivateMemory.count(ofComplements: [complement]) > 0) }
        }

        @Test("the memory search finds a secret once, at the ends of a mapping and wherever two of its windows meet")
        func windows() {
            let (length, window, page) = (24, PrivateMemory.window, 4096)
            let count = 3 * window
            // Pages that cannot be read separate the mapping from others, so that the first window begins at its start.
            let mapped = unsafe mmap(nil, count + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let whole = unsafe mapped, unsafe whole != MAP_FAILED else {
                fatalError("No memory could be mapped.")
            }
            defer { unsafe munmap(whole, count + 2 * page) }
            let mapping = unsafe whole + page
            #expect(unsafe mprotect(mapping, count, PROT_READ | PROT_WRITE) == 0)
            let needle = SharedMemory(count: length)
            for index in 0..<length { unsafe needle.bytes[index] = .random(in: 0...255) }
            let second = window - (length - 1)
            for place in [
                0, window - length, window - length + 1, second - 1, second, second + 1, window - 1, window,
                2 * second - 1, 2 * second, 2 * second + 1, count - length,
            ] {
                let secret = unsafe UnsafeMutableRawBufferPointer(start: mapping + place, count: length)
                unsafe secret.copyMemory(from: UnsafeRawBufferPointer(needle.bytes))
                #expect(PrivateMemory.counts(of: [0..<length], in: needle) == [1], "\(place)")
                unsafe memset(mapping + place, 0, length)
                #expect(PrivateMemory.counts(of: [0..<length], in: needle) == [0], "\(place)")
            }
        }
    }

    extension PrivateMemory {
        /// Returns how often needles are found that are given with all bits inverted, so that the search does not find the arguments.
        fileprivate static func count(ofComplements needles: [[UInt8]]) -> Int {
            let length = needles.first?.count ?? 0
            precondition(length > 0 && needles.allSatisfy { $0.count == length })
            let restored = SharedMemory(count: needles.count * length)
            for (index, byte) in needles.joined().enumerated() {
                unsafe restored.bytes.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
            }
            let places = needles.indices.map { $0 * length..<($0 + 1) * length }
            return counts(of: places, in: restored).reduce(0, +)
        }
    }
#endif
