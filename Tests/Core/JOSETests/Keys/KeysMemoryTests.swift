#if os(Linux)
    import Glibc
    import JOSE
    import JOSEBytes
    import Testing

    /// Searches the memory that a core dump would contain: the process reads its own memory, except the stack that it runs on,
    /// where compilers and the dynamic linker leave copies of registers.
    @Suite("Secrets in memory", .serialized) struct KeysMemoryTests {
        @Test(
            "no part of a key that was read, used and exported remains in memory once it is freed (T69)")
        func gone() throws {
            let probe = Probe()
            for kind in [.p256, .p384, .p521, .secp256k1, .ed25519, .x25519, .ed448, .x448, .rsa(bits: 2048)]
                as [GeneratedKind]
            {
                try probe.load(kind)
                try probe.useKey()
                #expect(probe.found() == [], "\(kind)")
            }
            try probe.loadOctets()
            try probe.useKey()
            #expect(probe.found() == [], "octets")
        }

        @Test("a key in use has one copy of its secret in memory, besides exports that the caller still has")
        func alive() throws {
            let probe = Probe()
            try probe.loadOctets()
            let key = try probe.withText { (text) throws(JOSEError) in try SecretKey(jwk: text) }
            #expect(probe.found() == ["octets"])
            var copy = key.exportSecretJWK()
            #expect(probe.found().sorted() == ["octets", "text"])
            wipe(&copy)
            withExtendedLifetime(key) { #expect(probe.found() == ["octets"]) }
        }
    }

    /// A key's text and the needles in one mapping, which is the only one that is not searched.
    @safe private final class Probe {
        private static let size = 1 << 20
        private static let chunk = 1 << 18
        private nonisolated(unsafe) let base: UnsafeMutableRawPointer
        private var textCount = 0
        private var needles: [(name: String, place: Range<Int>)] = []

        init() {
            // The mapping is shared, so that the kernel does not merge it with a neighbour.
            unsafe base = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        }

        deinit { unsafe munmap(base, Self.size) }

        func load(_ kind: GeneratedKind) throws {
            var text = try PrivateKey.generate(kind).exportPrivateJWK()
            try take(&text)
        }

        func loadOctets() throws {
            var text = try SecretKey.generate(bits: 512).exportSecretJWK()
            try take(&text)
        }

        func withText<R>(_ body: (Span<UInt8>) throws(JOSEError) -> R) throws(JOSEError) -> R {
            let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: textCount)
            return try body(unsafe buffer.span)
        }

        /// Each secret as octets, as libcrypto's integers store it (the lowest first), and as text.
        private func take(_ text: inout [UInt8]) throws {
            textCount = text.count
            unsafe text.withUnsafeBytes { from in
                if let start = from.baseAddress { unsafe base.copyMemory(from: start, byteCount: from.count) }
            }
            wipe(&text)
            needles = []
            var end = (textCount + 63) / 64 * 64
            try withText { (text) throws(JOSEError) in
                let members = try? JSONObject(parsing: text)
                for name in ["d", "p", "q", "dp", "dq", "qi", "k"] as [StaticString] {
                    guard let value = members?.first(name, in: text) else { continue }
                    let inner = Int(value.start) + 1..<Int(value.end) - 1
                    needles.append(("text", inner.lowerBound + 8..<inner.lowerBound + 32))
                    var octets = SecretBytes(capacity: inner.count)
                    guard Base64URL.decode(text.extracting(inner), into: &octets) else { continue }
                    octets.withBytes { octets in
                        for index in 4..<28 {
                            unsafe base.storeBytes(of: octets[index], toByteOffset: end + index - 4, as: UInt8.self)
                            unsafe base.storeBytes(
                                of: octets[index], toByteOffset: end + 64 + 27 - index, as: UInt8.self)
                        }
                    }
                    needles.append(("octets", end..<end + 24))
                    needles.append(("number", end + 64..<end + 88))
                    end += 128
                }
            }
        }

        func useKey() throws {
            switch try withText({ (text) throws(JOSEError) in try JWK(parsing: text) }) {
            case .privateKey(let key):
                // PEM and DER are left out, because OpenSSL frees their buffers without wiping them.
                var text = try key.exportPrivateJWK()
                wipe(&text)
                let algorithms: [SignatureAlgorithm] = [
                    .es256, .es384, .es512, .es256k, .edDSA, .ed448, .rs256, .ps256,
                ]
                for algorithm in algorithms {
                    guard let signer = try? JWSSigner(key: key, algorithm: algorithm) else { continue }
                    _ = try signer.sign("payload")
                }
                _ = try key.thumbprint()
            case .symmetricKey(let key):
                _ = try JWSSigner(key: key, algorithm: .hs512).sign("payload")
                _ = try key.thumbprint()
            case .publicKey: break
            }
        }

        /// The needles in other memory, each as often as it was found.
        func found() -> [String] {
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            var found: [String] = []
            let stack = Self.stackAddress()
            for region in Self.regions() where !region.contains(stack) {
                var start = region.lowerBound
                while start < region.upperBound {
                    // Chunks overlap by a needle's length minus one.
                    let wanted = min(Self.chunk, region.upperBound - start)
                    let window = unsafe base + Self.size / 2
                    let count = unsafe pread(memory, window, wanted, start)
                    if count > 0 { unsafe search(UnsafeRawBufferPointer(start: window, count: count), &found) }
                    start += wanted == Self.chunk ? Self.chunk - 23 : wanted
                }
            }
            unsafe memset(base + Self.size / 2, 0, Self.chunk)
            return found
        }

        private func search(_ window: UnsafeRawBufferPointer, _ found: inout [String]) {
            guard let start = window.baseAddress else { return }
            for (name, place) in needles {
                let needle = unsafe base + place.lowerBound
                let first = Int32(unsafe needle.load(as: UInt8.self))
                var at = 0
                while at + place.count <= window.count {
                    guard let hit = unsafe memchr(start + at, first, window.count - at - place.count + 1) else { break }
                    at = unsafe start.distance(to: UnsafeRawPointer(hit)) + 1
                    if unsafe memcmp(hit, needle, place.count) == 0 { found.append(name) }
                }
            }
        }

        private static func stackAddress() -> Int {
            var local = 0
            return unsafe withUnsafePointer(to: &local) { Int(bitPattern: $0) }
        }

        /// Returns the readable private regions, without the shadow memory of a sanitizer, which takes terabytes of addresses.
        private static func regions() -> [Range<Int>] {
            var text: [UInt8] = []
            let maps = unsafe open("/proc/self/maps", O_RDONLY)
            defer { close(maps) }
            var part = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe part.withUnsafeMutableBytes { unsafe read(maps, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                text += part.prefix(count)
            }
            return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
                let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                guard fields.count >= 5, fields[1].hasPrefix("r"), fields[1].hasSuffix("p"),
                    fields.last?.hasPrefix("[v") != true
                else { return nil }
                let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                guard ends.count == 2, ends[1] - ends[0] < 1 << 32 else { return nil }
                return ends[0]..<ends[1]
            }
        }
    }
#endif
