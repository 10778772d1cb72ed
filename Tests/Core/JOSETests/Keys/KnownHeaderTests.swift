import JOSECrypto
import TestSupport
import Testing

@testable import JOSE

@Suite("Header cache of a verifier") struct KnownHeaderTests {
    private let key: PrivateKey
    private let other: PrivateKey
    private let policy = SignaturePolicy(algorithms: [.es256])

    init() throws {
        key = try PrivateKey.generate(.p256, keyID: "one")
        other = try PrivateKey.generate(.p256, keyID: "one")
    }

    private func token(_ key: PrivateKey, type: String? = nil, _ payload: String = "{}") throws -> String {
        try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(type: type)).sign(payload)
    }

    private func segment(_ token: String) -> [UInt8] { Array(token.utf8.prefix { $0 != UInt8(ascii: ".") }) }

    private func knows(_ verifier: JWSVerifier, _ token: String) -> Bool {
        let bytes = segment(token)
        return verifier.keys.fixed?.headers.find(bytes.span) != nil
    }

    @Test("a verifier caches a header after some valid tokens, and the results stay the same")
    func learned() throws {
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: policy)
        let good = try token(key)
        let forged = try token(other)
        #expect(segment(good) == segment(forged))
        for number in 0...KnownHeaders<AllowedHeader>.storingThreshold {
            #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(forged) }
            let isKnown = knows(verifier, good)
            #expect(!isKnown, "\(number)")
            #expect(try verifier.verify(good).key.keyID == "one")
        }
        let isKnown = knows(verifier, good)
        #expect(isKnown)
        let verified = try verifier.verify(try token(key, "other"))
        #expect(verified.payload == Array("other".utf8) && verified.header.keyID == "one")
        #expect(verified.algorithm == .es256 && verified.key.keyID == "one")
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(forged) }
    }

    @Test("a verifier caches no header of a rejected token, and at most four headers")
    func bounded() throws {
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: policy)
        for _ in 0..<10 {
            #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(try token(other, type: "forged")) }
        }
        let tokens = try (0..<10).map { try token(key, type: "type-\($0)") }
        for token in tokens { #expect(throws: Never.self) { try verifier.verify(token) } }
        let known = tokens.map { knows(verifier, $0) }
        #expect(known.map { $0 ? 1 : 0 }.reduce(0, +) == KnownHeaders<AllowedHeader>.maximumCount)
        let knowsForged = knows(verifier, try token(other, type: "forged"))
        #expect(!knowsForged)
        for token in tokens { #expect(throws: Never.self) { try verifier.verify(token) } }
    }

    @Test("a header of at most 1024 bytes is cached") func size() throws {
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: policy)
        let rest = try #require(bytes(base64URL: String(decoding: segment(token(key, type: "")), as: UTF8.self))).count
        // 768 bytes of JSON are 1024 bytes of base64url, and one more is two more of these.
        for (count, isKept) in [(768, true), (769, false)] {
            let long = try token(key, type: String(repeating: "t", count: count - rest))
            #expect(segment(long).count == (isKept ? 1_024 : 1_026))
            for _ in 0...KnownHeaders<AllowedHeader>.storingThreshold { _ = try verifier.verify(long) }
            #expect(knows(verifier, long) == isKept)
        }
    }

    @Test("a cached header is not read again, whether or not the keys are from a source") func selected() throws {
        for keys in [KeySet(key.publicKey), ChangingKeys(KeySet(key.publicKey))] as [any KeySource] {
            let verifier = try JWSVerifier(keys: keys, policy: policy)
            let token = try token(key)
            let bytes = Array(token.utf8)
            func isRead() throws -> Bool {
                var compact = try verifier.read(bytes.span)
                if case .known = try verifier.select(bytes.span, &compact, nil) { return false }
                return true
            }
            #expect(try isRead())
            for _ in 0...KnownHeaders<AllowedHeader>.storingThreshold { _ = try verifier.verify(token) }
            #expect(try !isRead())
        }
    }

    /// Returns a signature that waits for others.
    private func waiting(_ token: String, _ verifier: JWSVerifier) throws -> SignatureJob {
        var job: SignatureJob?
        let verified = try verifier.begin(token.utf8.span, &job)
        #expect(verified == nil)
        return try #require(job)
    }

    /// Verifies tokens as a batch does: all are read before the first signature is verified. Returns which are valid.
    private func gathered(_ tokens: [String], _ verifier: JWSVerifier) throws -> [Bool] {
        var gathering = SignatureGathering()
        var answers = tokens.map { _ in false }
        for token in tokens {
            gathering.add(try waiting(token, verifier))
        }
        gathering.finish()
        while let ticket = gathering.next() {
            answers[ticket] = (try? gathering[ticket].finish()) != nil
        }
        return answers
    }

    @Test("a batch caches the headers of its valid tokens, each once, for single tokens as well")
    func batches() throws {
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: policy)
        let forged = try token(other, type: "forged")
        #expect(try gathered([String](repeating: forged, count: 10), verifier).allSatisfy { !$0 })
        let good = try token(key)
        #expect(try gathered([String](repeating: good, count: 10), verifier).allSatisfy { $0 })
        #expect(knows(verifier, good) && !knows(verifier, forged))
        // The ten tokens with one header have left the other places free.
        let tokens = try (1..<KnownHeaders<AllowedHeader>.maximumCount).map { try token(key, type: "type-\($0)") }
        #expect(try gathered(tokens, verifier).allSatisfy { $0 })
        for token in tokens + [good] { #expect(knows(verifier, token)) }
        #expect(try verifier.verify(good).key.keyID == "one")
        let stranger = try token(other)
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(stranger) }
        #expect(try gathered([stranger, good], verifier) == [false, true])
    }

    @Test("after a source has changed its keys, a cached header verifies with the new keys only")
    func rotated() throws {
        let source = ChangingKeys(KeySet(key.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let (old, new) = (try token(key), try token(other))
        for _ in 0..<5 { #expect(throws: Never.self) { try verifier.verify(old) } }
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(new) }
        source.set(KeySet(other.publicKey))
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(old) }
        for _ in 0..<5 { #expect(throws: Never.self) { try verifier.verify(new) } }
        source.set(.failure(.keysUnavailable(.closed)))
        #expect(throws: JOSEError.keysUnavailable(.closed)) { try verifier.verify(new) }
        #expect(source.used.count == 10)
    }

    @Test("threads that cache headers while keys change get no wrong result")
    func threads() async throws {
        let (ours, both) = (KeySet(key.publicKey), KeySet([.publicKey(key.publicKey), .publicKey(other.publicKey)]))
        let good = try (0..<6).map { try token(key, type: "type-\($0)") }
        let forged = try (0..<6).map { try token(PrivateKey.generate(.p256, keyID: "one"), type: "type-\($0)") }
        for round in 0..<4 {
            let source = ChangingKeys(ours)
            let verifier = try JWSVerifier(keys: round < 2 ? ours : source, policy: policy)
            let wrong = await withTaskGroup(of: Int.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var wrong = 0
                        for step in 0..<30 {
                            let place = (step + task) % 6
                            if (try? verifier.verify(good[place]))?.header.type != "type-\(place)" { wrong += 1 }
                            if (try? verifier.verify(forged[place])) != nil { wrong += 1 }
                            if task == 0 { source.set(step % 2 == 0 ? both : ours) }
                        }
                        return wrong
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
        }
    }

    @Test("a token waits for others of its key only if the kernels verify several signatures faster than one")
    func gains() throws {
        let rsa = try PrivateKey.stored()
        for (key, algorithm) in [(rsa, SignatureAlgorithm.rs256), (key, .es256)] {
            let verifier = try JWSVerifier(
                keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [algorithm]))
            let token = try JWSSigner(key: key, algorithm: algorithm).sign("{}")
            let job = try waiting(token, verifier)
            guard case .asymmetric(let engine) = key.publicKey.material else { throw JOSEError.backend }
            let hasKernel = KernelKey(engine) != nil
            #expect(job.gains == (algorithm != .es256 && hasKernel), "\(algorithm)")
        }
    }

    @Test("a key that is given for one token has the checks of other keys, and b64 must not be false (RFC 7797, 7)")
    func oneTokenChecks() throws {
        let leaf = try CertificateFixture.made.get().leaf
        let other = try CertificateFixture.made.get().intermediate
        var given = try leaf.publicKey
        try given.setCertificates(CertificateFixture.made.get().chain(leaf))
        let verifier = JWSVerifier(unexaminedKeys: KeySet.empty, policy: policy)
        func error(_ change: (inout HeaderParameters) -> Void) throws -> JOSEError? {
            var header = HeaderParameters()
            change(&header)
            let token = try JWSSigner(key: leaf.privateKey, algorithm: .es256, header: header).sign("e30")
            return refusal { () throws(JOSEError) in try verifier.verify(token.utf8.span) { _ in given } }
        }
        func thumbprint(_ certificate: CertificateMaker.Issued) throws -> [UInt8] {
            Array("\"\(base64URL(try Certificate(pem: certificate.pem).sha256Thumbprint))\"".utf8)
        }
        let (own, foreign) = try (thumbprint(leaf), thumbprint(other))
        #expect(try error { _ in } == nil)
        #expect(try error { $0.set("x5t#S256", json: own) } == nil)
        #expect(try error { $0.set("x5t#S256", json: foreign) } == .keyUnsuitable(.certificate))
        // The payload would be valid base64url too.
        #expect(try error { $0.payloadIsUnencoded = true } == .headerInvalid(.b64))
    }

    @Test("a key that is given for one token verifies that token, and nothing is kept of it (RFC 9449, 4.3)")
    func oneToken() throws {
        let verifier = JWSVerifier(unexaminedKeys: KeySet.empty, policy: policy)
        let given = key.publicKey
        func keyOf(_ token: String) throws -> JWK {
            try verifier.verify(Array(token.utf8).span) { _ in given }.key
        }
        #expect(try keyOf(try token(key)) == .publicKey(given))
        #expect(throws: JOSEError.signatureInvalid) { try keyOf(try token(other)) }
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(try token(key)) }
        func hasBatchKey(isLasting: Bool) -> Bool {
            VerificationKey(.publicKey(given), for: [.es256], isLasting: isLasting).batchKey != nil
        }
        #expect(hasBatchKey(isLasting: true) && !hasBatchKey(isLasting: false))
    }
}
