import JOSE
import TestSupport
import Testing

@Suite("Streamed payloads") struct StreamTests {
    private static let whole = Array(
        SignatureAlgorithm.all.filter { $0.name.hasPrefix("Ed") || $0.name.hasPrefix("ML-DSA") })

    private func signed(_ signer: JWSSigner, _ payload: [UInt8], by size: Int) throws -> String {
        var stream = try signer.stream()
        var at = 0
        while at < payload.count {
            let next = min(at + size, payload.count)
            try stream.update(Array(payload[at..<next]))
            at = next
        }
        return try stream.finish()
    }

    private func verified(_ verifier: JWSVerifier, _ token: String, _ payload: [UInt8], by size: Int) throws
        -> VerifiedStream
    {
        var stream = try verifier.stream(token)
        var at = 0
        while at < payload.count {
            let next = min(at + size, payload.count)
            try stream.update(payload.span.extracting(at..<next))
            at = next
        }
        return try stream.finish()
    }

    @Test(
        "a payload in pieces of any size signs and verifies as a whole one does (RFC 7515, appendix F)",
        arguments: [false, true])
    func pieces(unencoded: Bool) throws {
        let payload = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var header = HeaderParameters(type: "data")
        header.payloadIsUnencoded = unencoded
        for (algorithm, key) in try JWSTests.pairs() where !Self.whole.contains(algorithm) {
            let signer = try JWSTests.signer(key, algorithm, header)
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            for count in [0, 1, 2, 3, 4, 100, 30_000] {
                let part = Array(payload[..<count])
                for size in count > 100 ? [1_000, 12_288, 12_289, 30_000] : [1, 2, 3, 7, 100] {
                    let token = try signed(signer, part, by: size)
                    #expect(try verifier.verify(token, detachedPayload: part).algorithm == algorithm)
                    let held = try verified(verifier, signer.sign(detached: part), part, by: size)
                    #expect(held.algorithm == algorithm && held.key == key && held.header.type == "data")
                    #expect(throws: JOSEError.signatureInvalid, "\(algorithm) \(count)") {
                        try verified(verifier, token, part + [0], by: size)
                    }
                    if count > 0 {
                        #expect(throws: JOSEError.signatureInvalid, "\(algorithm) \(count)") {
                            try verified(verifier, token, Array(part.dropLast()), by: size)
                        }
                    }
                }
            }
        }
    }

    @Test("a streamed signature of another length or another message is rejected") func forged() throws {
        for (algorithm, key) in try JWSTests.pairs() where !Self.whole.contains(algorithm) {
            let token = try JWSTests.signer(key, algorithm).sign(detached: "payload")
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            let head = token[...token.lastIndex(of: ".")!]
            let good = part(2, of: token)
            var flipped = good
            flipped[good.count / 2] ^= 1
            #expect(throws: Never.self, "\(algorithm)") { try verified(verifier, token, Array("payload".utf8), by: 3) }
            #expect(throws: JOSEError.signatureInvalid, "\(algorithm)") {
                try verified(verifier, token, Array("payloae".utf8), by: 3)
            }
            for bad in [[], [0], Array(good.dropLast()), good + [0], flipped] {
                #expect(throws: JOSEError.signatureInvalid, "\(algorithm)") {
                    try verified(verifier, head + base64URL(bad), Array("payload".utf8), by: 3)
                }
            }
        }
    }

    @Test("EdDSA and ML-DSA cannot be streamed, because they sign the whole message (RFC 8032, 8.5; FIPS 204, 5.2)")
    func wholeMessages() throws {
        for (algorithm, key) in try JWSTests.pairs() where Self.whole.contains(algorithm) {
            let signer = try JWSTests.signer(key, algorithm)
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            let token = try signer.sign(detached: "x")
            #expect(throws: JOSEError.algorithmNotAllowed(.streamedSignature)) { _ = try signer.stream() }
            #expect(throws: JOSEError.algorithmNotAllowed(.streamedSignature)) { _ = try verifier.stream(token) }
            #expect(throws: Never.self) { try verifier.verify(token, detachedPayload: Array("x".utf8)) }
        }
        #expect("\(JOSEError.algorithmNotAllowed(.streamedSignature))".contains("whole"))
    }

    @Test("streaming finds the key that verifies among several, for MAC and signature keys") func severalKeys() throws {
        let secrets = try (0..<4).map { _ in JWK.symmetricKey(try SecretKey.generate(bits: 256)) }
        let curves = try (0..<3).map { _ in JWK.privateKey(try PrivateKey.generate(.p256)) }
        for (keys, algorithm) in [(secrets, SignatureAlgorithm.hs256), (curves, .es256)] {
            let verifier = try JWSVerifier(keys: KeySet(keys), policy: SignaturePolicy(algorithms: [algorithm]))
            for key in keys {
                let token = try JWSTests.signer(key, algorithm).sign(detached: "payload")
                #expect(try verified(verifier, token, Array("payload".utf8), by: 2).key == key)
            }
        }
    }

    @Test("an invalid token is rejected before the first piece of its payload") func refused() throws {
        let key = try SecretKey.generate(bits: 256)
        let token = try JWSSigner(key: key, algorithm: .hs256).sign(detached: "x")
        func open(_ text: String, _ keys: KeySet, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) throws {
            var policy = SignaturePolicy(algorithms: [.hs256])
            adjust(&policy)
            _ = try JWSVerifier(unexaminedKeys: keys, policy: policy).stream(text)
        }
        #expect(throws: Never.self) { try open(token, KeySet(key)) }
        #expect(throws: JOSEError.keyNotFound) { try open(token, .empty) }
        #expect(throws: JOSEError.algorithmNotAllowed(.signature)) {
            try open(token, KeySet(key)) { $0.algorithms = [.hs512] }
        }
        #expect(throws: JOSEError.limitExceeded(.tokenBytes)) {
            try open(token, KeySet(key)) { $0.limits.tokenBytes = 10 }
        }
        for text in ["", "..", "a", token.replacing("..", with: ".eA."), "{}"] {
            #expect(throws: JOSEError.self, "\(text)") { try open(text, KeySet(key)) }
        }
    }

    @Test("a stream reports to the key source which key verified it, and which kid is missing (RFC 7515, 4.1.4)")
    func reports() throws {
        let (known, other) = (
            try PrivateKey.generate(.p256, keyID: "known"), try PrivateKey.generate(.p256, keyID: "other")
        )
        let nameless = try PrivateKey.generate(.p256)
        let source = ChangingKeys(KeySet([.publicKey(known.publicKey), .publicKey(nameless.publicKey)]))
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let payload = Array("payload".utf8)
        let (good, unknown) = (
            try JWSSigner(key: known, algorithm: .es256).sign(detached: payload),
            try JWSSigner(key: other, algorithm: .es256).sign(detached: payload)
        )
        #expect(try verified(verifier, good, payload, by: 2).key.keyID == "known")
        #expect(source.used == ["known"] && source.missing.isEmpty && source.asked == 1)
        // The source has this key, so that none is missing.
        #expect(throws: JOSEError.signatureInvalid) { try verified(verifier, good, payload + [0], by: 2) }
        #expect(source.used == ["known"] && source.missing.isEmpty)
        // The key without a `kid` is tried, and fails.
        #expect(throws: JOSEError.keyNotFound) { try verified(verifier, unknown, payload, by: 2) }
        #expect(source.missing == [Array("other".utf8)])
        source.onMissing(.expired)
        #expect(throws: JOSEError.keysUnavailable(.expired)) { try verified(verifier, unknown, payload, by: 2) }
        // A stream keeps the keys with which it began.
        source.set(KeySet([.publicKey(known.publicKey), .publicKey(other.publicKey)]))
        var stream = try verifier.stream(unknown)
        source.set(KeySet(known.publicKey))
        try stream.update(payload)
        #expect(try stream.finish().key.keyID == "other")
        #expect(source.used == ["known", "other"] && source.missing.count == 2)
    }

    @Test("the plaintext limit does not apply to a streamed payload") func large() throws {
        let key = try SecretKey.generate(bits: 256)
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        var signing = try JWSSigner(key: key, algorithm: .hs256).stream()
        for _ in 0..<4 { try signing.update(piece) }
        let token = try signing.finish()
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.limits.plaintextBytes = 1_000
        var verifying = try JWSVerifier(keys: KeySet(key), policy: policy).stream(token)
        for _ in 0..<4 { try verifying.update(piece) }
        #expect(try verifying.finish().algorithm == .hs256)
    }
}
