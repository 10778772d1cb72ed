import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Issuing many tokens") struct BatchIssuerTests {
    private struct Fixture {
        let rsa: PrivateKey
        let largeRSA: PrivateKey
        let hugeRSA: PrivateKey
        let p256: PrivateKey
        let ed25519: PrivateKey
        let shared: SecretKey

        init() throws {
            rsa = try .stored(keyID: "r1")
            largeRSA = try .stored(bits: 3072, keyID: "r3")
            hugeRSA = try .stored(bits: 4096, keyID: "r4")
            p256 = try .generate(.p256, keyID: "e1")
            ed25519 = try .generate(.ed25519, keyID: "d1")
            shared = try SecretKey(bytes: Array(0..<32))
        }

        func policy(_ algorithm: SignatureAlgorithm) -> TokenPolicy {
            .signed(SignaturePolicy(algorithms: [algorithm]), claims: BatchFixture.claims())
        }

        func nested(_ keyManagement: KeyManagementAlgorithm) -> TokenPolicy {
            .nested(
                outer: EncryptionPolicy(keyManagement: [keyManagement], contentEncryption: [.a128gcm]),
                inner: SignaturePolicy(algorithms: [.rs256]), claims: BatchFixture.claims())
        }
    }

    private static let fixture = Result { try Fixture() }
    private static let operations: [PrivateKeyOperations] = [.libcrypto, .vectorized]
    private static let counts = [0, 1, 2, 5, 9]

    /// Returns the claims of `count` tokens, of which the third, if there is one, names another issuer.
    private static func claims(_ count: Int) -> [ClaimsBuilder] {
        (0..<count).map { number in
            var claims = ClaimsBuilder()
            claims.subject = "\(number)"
            if number == 2 { claims.issuer = "https://other.example" }
            return claims
        }
    }

    private static func json(_ count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            Array((number == 2 ? "{" : #"{"sub":"\#(number)","name":"\u00e9"}"#).utf8)
        }
    }

    @Test("deterministic signatures and errors are those of issuing one by one, in their order (RFC 7515, 5.1)")
    func sameTokens() async throws {
        let fixture = try Self.fixture.get()
        let faults = PrivateKeyOperations.faultCount
        let signers: [(JWK, SignatureAlgorithm)] = [
            (.privateKey(fixture.rsa), .rs256), (.privateKey(fixture.largeRSA), .rs384),
            (.privateKey(fixture.rsa), .rs512), (.privateKey(fixture.hugeRSA), .rs256),
            (.privateKey(fixture.ed25519), .ed25519),
            (.symmetricKey(fixture.shared), .hs256),
        ]
        for (key, algorithm) in signers {
            let issuer = try TokenIssuer(fixture.policy(algorithm), signingKey: key)
            for operations in Self.operations {
                let batch = BatchIssuer(issuer, privateKeyOperations: operations)
                for count in Self.counts {
                    let claims = Self.claims(count)
                    let expected = claims.map { claims in
                        Result { () throws(TokenError) in try issuer.issue(claims) }
                    }
                    #expect(batch.issueSynchronously(claims) == expected, "\(algorithm) \(operations) \(count)")
                    #expect(try await batch.issue(claims) == expected, "\(algorithm) \(operations) \(count)")
                    let json = Self.json(count)
                    let expectedOfJSON = json.map { json in
                        Result { () throws(TokenError) in try issuer.issue(json: json) }
                    }
                    #expect(batch.issueSynchronously(json: json) == expectedOfJSON)
                    #expect(try await batch.issue(json: json) == expectedOfJSON)
                }
            }
        }
        #expect(PrivateKeyOperations.faultCount == faults)
    }

    @Test("random signatures are valid, each for the claims in its position (RFC 7518, 3.4 and 3.5)")
    func randomSignatures() async throws {
        let fixture = try Self.fixture.get()
        let signers: [(PrivateKey, SignatureAlgorithm)] = [
            (fixture.rsa, .ps256), (fixture.largeRSA, .ps384), (fixture.rsa, .ps512), (fixture.hugeRSA, .ps256),
            (fixture.p256, .es256),
        ]
        for (key, algorithm) in signers {
            let policy = fixture.policy(algorithm)
            let issuer = try TokenIssuer(policy, signingKey: .privateKey(key))
            let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
            for operations in Self.operations {
                let batch = BatchIssuer(issuer, privateKeyOperations: operations)
                for count in Self.counts {
                    expectValid(batch.issueSynchronously(Self.claims(count)), verifier, count)
                }
                expectValid(try await batch.issue(Self.claims(140)), verifier, 140)
            }
        }
    }

    @Test(
        "nested tokens are decrypted and verified, each with the claims in its position (RFC 7519, 5.2)",
        arguments: [KeyManagementAlgorithm.rsaOAEP256, .ecdhES])
    func nested(_ keyManagement: KeyManagementAlgorithm) async throws {
        let fixture = try Self.fixture.get()
        let recipient = keyManagement == .ecdhES ? fixture.p256 : fixture.largeRSA
        let policy = fixture.nested(keyManagement)
        let issuer = try TokenIssuer(
            policy, signingKey: .privateKey(fixture.rsa), encryptionKey: .publicKey(recipient.publicKey),
            encryptionHeader: HeaderParameters(contentType: "JWT"))
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(fixture.rsa.publicKey), decryptionKeys: KeySet([.privateKey(recipient)]))
        for operations in Self.operations {
            let batch = BatchIssuer(issuer, privateKeyOperations: operations)
            expectValid(batch.issueSynchronously(Self.claims(9)), verifier, 9)
            expectValid(try await batch.issue(Self.claims(40)), verifier, 40)
        }
    }

    @Test("options apply to each token, and the key of a source is the one at that time") func optionsAndSources()
        throws
    {
        let fixture = try Self.fixture.get()
        let policy = fixture.policy(.rs256)
        let source = FixedSource(key: fixture.rsa)
        let options = TokenOptions(signatureHeader: HeaderParameters(type: "at+jwt"), lifetime: .seconds(60))
        for issuer in [
            try TokenIssuer(policy, signingKey: .privateKey(fixture.rsa)), try TokenIssuer(policy, signingKeys: source),
        ] {
            let batch = BatchIssuer(issuer, privateKeyOperations: .vectorized)
            let claims = Self.claims(6)
            let expected = claims.map { claims in
                Result { () throws(TokenError) in try issuer.issue(claims, options: options) }
            }
            #expect(batch.issueSynchronously(claims, options: options) == expected)
            #expect(batch.issueSynchronously(claims) != expected)
        }
        // A batch that kept its first key would go on to sign with it.
        let changing = ChangingSource(fixture.rsa)
        let batch = BatchIssuer(try TokenIssuer(policy, signingKeys: changing), privateKeyOperations: .vectorized)
        let next = try PrivateKey.stored(keyID: "next")
        for key in [fixture.rsa, next] {
            changing.key.withLock { $0 = key }
            let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
            for token in batch.issueSynchronously(Self.claims(2)) {
                #expect(throws: Never.self) { try verifier.verify(token.get()) }
            }
        }
    }

    @Test("a cancelled task throws CancellationError, and another one gets its tokens") func cancellation() async throws
    {
        let fixture = try Self.fixture.get()
        let issuer = try TokenIssuer(fixture.policy(.rs256), signingKey: .privateKey(fixture.rsa))
        let batch = BatchIssuer(issuer, privateKeyOperations: .vectorized)
        let claims = Self.claims(20)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await batch.issue(claims).count
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await batch.issue(claims).count == 20)
    }

    /// Gives elements, then an error if there is one, and counts what it gave.
    private struct Source<Element: Sendable>: AsyncSequence, Sendable {
        let elements: [Element]
        var failure: BatchFault?
        var given = Count()
        final class Count: Sendable { let value = Atomic<Int>(0) }
        struct Iterator: AsyncIteratorProtocol {
            let source: Source
            var next = 0
            mutating func next() async throws -> Element? {
                guard next < source.elements.count else {
                    if let failure = source.failure { throw failure }
                    return nil
                }
                defer { next += 1 }
                source.given.value.add(1, ordering: .relaxed)
                return source.elements[next]
            }
        }
        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
    }
    private struct BatchFault: Error {}

    @Test("a sequence gives the tokens and errors of issuing one by one, in its order, and then its own error")
    func sequence() async throws {
        let fixture = try Self.fixture.get()
        let issuer = try TokenIssuer(fixture.policy(.rs256), signingKey: .privateKey(fixture.rsa))
        for operations in Self.operations {
            let batch = BatchIssuer(issuer, privateKeyOperations: operations, workers: 2)
            for failure in [nil, BatchFault()] {
                let claims = Self.claims(300)
                var ofClaims: [Result<String, TokenError>] = []
                var ofJSON: [Result<String, TokenError>] = []
                func read() async throws {
                    for try await token in batch.results(of: Source(elements: claims, failure: failure)) {
                        ofClaims.append(token)
                    }
                }
                func readJSON() async throws {
                    for try await token in batch.results(
                        ofJSON: Source(elements: Self.json(300), failure: failure))
                    {
                        ofJSON.append(token)
                    }
                }
                if failure == nil {
                    try await read()
                    try await readJSON()
                } else {
                    await #expect(throws: BatchFault.self) { try await read() }
                    await #expect(throws: BatchFault.self) { try await readJSON() }
                }
                #expect(ofClaims == batch.issueSynchronously(claims))
                #expect(ofJSON == batch.issueSynchronously(json: Self.json(300)))
            }
        }
    }

    @Test("a sequence is read at most two chunks a thread and 4 MiB ahead of its tokens")
    func boundedMemory() async throws {
        let fixture = try Self.fixture.get()
        let batch = BatchIssuer(
            try TokenIssuer(fixture.policy(.hs256), signingKey: .symmetricKey(fixture.shared)), workers: 2)
        var large = ClaimsBuilder()
        large["text"] = .string(String(repeating: "a", count: 100_000))
        let bound = BatchSizes.bytes / 100_000 + 1
        for (claims, most) in [(Self.claims(1)[0], 2 * 2 * BatchSizes.tokens), (large, bound)] {
            let source = Source(elements: Array(repeating: claims, count: 3_000))
            var tokens = batch.results(of: source).makeAsyncIterator()
            var ahead = 0
            for taken in 0..<3_000 {
                _ = try #require(try await tokens.next()).get()
                ahead = max(ahead, source.given.value.load(ordering: .relaxed) - taken)
            }
            #expect(try await tokens.next() == nil)
            // The window, as much again in the reader's hands, and an element in the feeder's.
            #expect(ahead <= 2 * most + 1, "\(ahead) of \(most)")
        }
    }

    @Test("a cancelled task that reads a sequence throws CancellationError, and the sequence is read no further")
    func cancelledSequence() async throws {
        let fixture = try Self.fixture.get()
        let batch = BatchIssuer(
            try TokenIssuer(fixture.policy(.hs256), signingKey: .symmetricKey(fixture.shared)), workers: 1)
        let source = Source(elements: Self.claims(20_000))
        let reader = Task {
            var tokens = batch.results(of: source).makeAsyncIterator()
            _ = try await tokens.next()
            while !Task.isCancelled { await Task.yield() }
            while try await tokens.next() != nil {}
        }
        try await until { source.given.value.load(ordering: .relaxed) > 0 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(try await settled { source.given.value.load(ordering: .relaxed) } < 20_000)
        var count = 0
        for try await token in batch.results(of: Source(elements: Self.claims(300))) {
            _ = token
            count += 1
        }
        #expect(count == 300)
    }

    private final class ChangingSource: SigningKeySource {
        let key: Mutex<PrivateKey>
        init(_ key: PrivateKey) { self.key = Mutex(key) }
        var longestTokenLifetime: Duration? { nil }
        func signingKey() throws(JOSEError) -> PrivateKey { key.withLock { $0 } }
    }

    private struct FixedSource: SigningKeySource {
        let key: PrivateKey
        var longestTokenLifetime: Duration? { nil }
        func signingKey() throws(JOSEError) -> PrivateKey { key }
    }

    private func expectValid(_ results: [Result<String, TokenError>], _ verifier: TokenVerifier, _ count: Int) {
        #expect(results.count == count)
        for (number, result) in results.enumerated() {
            switch result {
            case .success(let token):
                let subject = try? verifier.verify(token).claims.subject
                #expect(number != 2 && subject == "\(number)", "\(number)")
            case .failure(let error):
                #expect(number == 2, "\(number) \(error)")
            }
        }
    }
}
