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

    /// The private memory of this process, except the stack of this thread, on which the compiler saves registers.
    private enum PrivateMemory {
        static let window = 1 << 20

        /// Returns how often the needles are found. They are given with all bits inverted, so that the search does not find the
        /// arguments, and are restored in a shared mapping, which is not searched.
        static func count(ofComplements needles: [[UInt8]]) -> Int {
            let size = window + 4096
            guard let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) else {
                return -1
            }
            defer { unsafe munmap(base, size) }
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            var found = 0
            for needle in needles {
                let place = unsafe base + window
                for (index, byte) in needle.enumerated() {
                    unsafe place.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
                }
                for region in regions() {
                    var start = region.lowerBound
                    while start < region.upperBound {
                        let count = unsafe pread(memory, base, min(window, region.upperBound - start), start)
                        guard count > needle.count else { break }
                        unsafe found += hits(UnsafeRawBufferPointer(start: base, count: count), place, needle.count)
                        guard count == window else { break }
                        start += count - needle.count
                    }
                }
            }
            return found
        }

        private static func hits(
            _ window: UnsafeRawBufferPointer, _ needle: UnsafeRawPointer, _ count: Int
        ) -> Int {
            guard let start = window.baseAddress else { return 0 }
            let first = Int32(unsafe needle.load(as: UInt8.self))
            var (at, found) = (0, 0)
            while at + count <= window.count {
                guard let hit = unsafe memchr(start + at, first, window.count - at - count + 1) else { break }
                at = unsafe start.distance(to: UnsafeRawPointer(hit)) + 1
                if unsafe memcmp(hit, needle, count) == 0 { found += 1 }
            }
            return found
        }

        /// Returns the mappings that are readable, private, and neither this thread's stack nor the shadow memory of a sanitizer.
        private static func regions() -> [Range<Int>] {
            var local = 0
            let stack = unsafe withUnsafePointer(to: &local) { Int(bitPattern: $0) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 65_536)
            let maps = unsafe open("/proc/self/maps", O_RDONLY)
            defer { close(maps) }
            while case let count = unsafe part.withUnsafeMutableBytes({ unsafe read(maps, $0.baseAddress, $0.count) }),
                count > 0
            {
                text += part.prefix(count)
            }
            return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
                let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                guard fields.count >= 5, fields[1].hasPrefix("rw"), fields[1].hasSuffix("p") else { return nil }
                let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                guard ends.count == 2, ends[1] - ends[0] < 1 << 32, !(ends[0]..<ends[1]).contains(stack) else {
                    return nil
                }
                return ends[0]..<ends[1]
            }
        }
    }
#endif
