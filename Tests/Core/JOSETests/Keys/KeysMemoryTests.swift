#if os(Linux)
    import JOSE
    import JOSESupport
    import TestSupport
    import Testing

    /// Searches the private memory of the process.
    @Suite("Secrets in memory", .serialized) struct KeysMemoryTests {
        @Test(
            "no part of a key that was read, used and exported remains in memory once it is freed (T69)")
        func gone() throws {
            let probe = Probe()
            for kind in [.p256, .p384, .p521, .secp256k1, .ed25519, .x25519, .ed448, .x448, .rsa(bits: 2048)]
                as [KeyKind]
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

    /// A key's text and the needles, in memory that is not searched.
    private final class Probe {
        private let memory = SharedMemory(count: 1 << 16)
        private var textCount = 0
        private var needles: [(name: String, place: Range<Int>)] = []

        func load(_ kind: KeyKind) throws {
            var text = try PrivateKey.generate(kind).exportPrivateJWK()
            try take(&text)
        }

        func loadOctets() throws {
            var text = try SecretKey.generate(bits: 512).exportSecretJWK()
            try take(&text)
        }

        func withText<R>(_ body: (Span<UInt8>) throws(JOSEError) -> R) throws(JOSEError) -> R {
            let buffer = unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[..<textCount]).bindMemory(to: UInt8.self)
            return try body(unsafe buffer.span)
        }

        /// Each secret as octets, as libcrypto's integers store it (the lowest first), and as text.
        private func take(_ text: inout [UInt8]) throws {
            textCount = text.count
            unsafe text.withUnsafeBytes { unsafe memory.bytes.copyMemory(from: $0) }
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
                            unsafe memory.bytes.storeBytes(
                                of: octets[index], toByteOffset: end + index - 4, as: UInt8.self)
                            unsafe memory.bytes.storeBytes(
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

        /// The names of the needles in other memory, each as often as it was found.
        func found() -> [String] {
            zip(needles, PrivateMemory.counts(of: needles.map(\.place), in: memory)).flatMap { needle, count in
                Array(repeating: needle.name, count: count)
            }
        }
    }
#endif
