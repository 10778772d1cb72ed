import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Sequences of tokens: order, memory, cancellation") struct BatchSequenceTests {
    private static let fixture = Result { try BatchFixture() }

    private func verifier() throws -> TokenVerifier {
        try TokenVerifier(BatchFixture.signed(), verificationKeys: Self.fixture.get().named)
    }

    private func token(_ number: Int) throws -> [UInt8] {
        let fixture = try Self.fixture.get()
        return Array(try JWSSigner(key: fixture.shared, algorithm: .hs256).sign(BatchFixture.payload(number)).utf8)
    }

    /// Gives the same tokens over and over, and tells how many it gave.
    private struct Source: AsyncSequence, Sendable {
        let tokens: [[UInt8]]
        let total: Int
        let given: Given
        var failure: (any Error)?
        /// The pause before each token.
        var pause: Duration?
        /// Whether it waits, before each token, until that is allowed.
        var waits = false

        final class Given: Sendable {
            let count = Atomic<Int>(0)
            let allowed = Atomic<Int>(0)
        }

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
        struct Iterator: AsyncIteratorProtocol {
            let source: Source
            var next = 0
            mutating func next() async throws -> [UInt8]? {
                guard next < source.total else {
                    if let failure = source.failure { throw failure }
                    return nil
                }
                if let pause = source.pause { try await Task.sleep(for: pause) }
                while source.waits, next == source.given.allowed.load(ordering: .relaxed) {
                    try await Task.sleep(for: .milliseconds(1))
                }
                defer { next += 1 }
                source.given.count.add(1, ordering: .relaxed)
                return source.tokens[next % source.tokens.count]
            }
        }
    }

    @Test("results have the order of the tokens, however long each takes") func order() async throws {
        let fixture = try Self.fixture.get()
        // Some take microseconds, some a hundred times as long.
        let tokens = try (0..<64).map { number in
            let payload = BatchFixture.payload(number)
            return number % 4 == 0
                ? Array(try fixture.sign(payload, fixture.p384, .es384).utf8) : try token(number)
        }
        let source = Source(tokens: tokens, total: 3000, given: .init())
        var number = 0
        for try await result in BatchVerifier(try verifier()).results(of: source) {
            let subject = try result.get().claims.subject
            #expect(subject == "\(number % 64)")
            number += 1
        }
        #expect(number == 3000)
    }

    @Test("a sequence is read no further ahead than the window, and its rest as results are consumed")
    func boundedMemory() async throws {
        let source = Source(tokens: [try token(1)], total: 20_000, given: .init())
        var results = BatchVerifier(try verifier(), workers: 2).results(of: source).makeAsyncIterator()
        var most = 0
        for taken in 0..<20_000 {
            _ = try #require(try await results.next()).get()
            if taken % 1000 == 0 { try await Task.sleep(for: .milliseconds(5)) }
            most = max(most, source.given.count.load(ordering: .relaxed) - taken)
        }
        #expect(try await results.next() == nil)
        #expect(source.given.count.load(ordering: .relaxed) == 20_000)
        // Two threads, two chunks of 128 each, one chunk in the reader's hands and a token in the feeder's.
        #expect(most <= 2 * 2 * 128 + 128 + 1, "\(most) tokens ahead")
    }

    @Test("long tokens are read ahead by a few megabytes at most")
    func boundedBytes() async throws {
        let size = 200_000
        let source = Source(tokens: [[UInt8](repeating: 97, count: size)], total: 1_000, given: .init())
        var results = BatchVerifier(try verifier(), workers: 2).results(of: source).makeAsyncIterator()
        var most = 0
        for taken in 0..<1_000 {
            let result = try #require(try await results.next())
            #expect(Seen(result).error != nil)
            if taken % 100 == 0 { try await Task.sleep(for: .milliseconds(20)) }
            most = max(most, source.given.count.load(ordering: .relaxed) - taken)
        }
        #expect(try await results.next() == nil)
        // What is in flight, as much again in the reader's hands, a token in the feeder's.
        #expect(most <= 2 * (BatchSizes.bytes / size + 1) + 1, "\(most) tokens ahead")
    }

    @Test("a token of a slow sequence is verified before the next one arrives") func slow() async throws {
        let source = Source(tokens: [try token(1)], total: 3, given: .init(), waits: true)
        var results = BatchVerifier(try verifier()).results(of: source).makeAsyncIterator()
        for number in 1...3 {
            source.given.allowed.store(number, ordering: .relaxed)
            _ = try #require(try await results.next()).get()
            #expect(source.given.count.load(ordering: .relaxed) == number)
        }
        #expect(try await results.next() == nil)
    }

    private struct Broken: Error {}

    @Test("a sequence that throws yields the results before its error, and one that ends just ends") func failure()
        async throws
    {
        for failure in [Broken(), nil] as [(any Error)?] {
            let source = Source(tokens: [try token(1)], total: 300, given: .init(), failure: failure)
            var count = 0
            var thrown: (any Error)?
            do {
                for try await result in BatchVerifier(try verifier()).results(of: source) {
                    _ = try result.get()
                    count += 1
                }
            } catch {
                thrown = error
            }
            #expect(count == 300 && (thrown is Broken) == (failure != nil))
        }
    }

    @Test("a cancelled task gets CancellationError and the sequence is read no further; others get all results")
    func cancellation() async throws {
        let token = try token(1)
        let batch = BatchVerifier(try verifier())
        let source = Source(tokens: [token], total: 1_000_000, given: .init(), pause: .microseconds(10))
        let reader = Task {
            var count = 0
            for try await _ in batch.results(of: source) { count += 1 }
            return count
        }
        try await until { source.given.count.load(ordering: .relaxed) > 0 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(try await settled { source.given.count.load(ordering: .relaxed) } < 1_000_000)

        let many = Task { try await batch.verify(Array(repeating: token, count: 50_000)) }
        many.cancel()
        await #expect(throws: CancellationError.self) { try await many.value }
        let whole = try await batch.verify(Array(repeating: token, count: 500))
        #expect(whole.count == 500)
    }

    @Test("a batch or sequence that is cancelled while tokens wait for keys throws CancellationError")
    func cancelledWhileWaiting() async throws {
        let keys = ChangingKeys(.empty)
        let waits = Source.Given()
        let batch = BatchVerifier(try TokenVerifier(BatchFixture.signed(), verificationKeys: keys))
        let token = try token(1)
        let ways: [@Sendable () async throws -> BatchResults<VerifiedToken>.Element?] = [
            { try await batch.verify([token], timeout: .ample).first },
            {
                var results = batch.results(
                    of: Source(tokens: [token], total: 1, given: .init()), timeout: .ample
                ).makeAsyncIterator()
                return try await results.next()
            },
        ]
        for (number, way) in ways.enumerated() {
            keys.onRefresh {
                waits.count.add(1, ordering: .relaxed)
                try await Task.sleep(for: .seconds(600))
                return true
            }
            let reader = Task { try await way() }
            try await until { waits.count.load(ordering: .relaxed) == number + 1 }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            // A batch that is not cancelled has the result of the refresh.
            let named = try Self.fixture.get().named
            keys.onRefresh { [weak keys] in
                keys?.set(named)
                return true
            }
            #expect(try await way()?.get().claims.subject == "1")
            keys.set(KeySet.empty)
        }
    }

    @Test("after its end or its error a sequence of results returns nil") func over() async throws {
        for failure in [Broken(), nil] as [(any Error)?] {
            let source = Source(tokens: [try token(1)], total: 3, given: .init(), failure: failure)
            var results = BatchVerifier(try verifier()).results(of: source).makeAsyncIterator()
            for _ in 0..<3 { _ = try #require(try await results.next()).get() }
            var thrown: (any Error)?
            do {
                let more = try await results.next()
                #expect(more == nil)
            } catch {
                thrown = error
            }
            #expect((thrown is Broken) == (failure != nil))
            for _ in 0..<2 {
                let more = try await results.next()
                #expect(more == nil)
            }
        }
    }

    @Test("a full window whose consumer has cancelled accepts no token, and nobody waits for room in it")
    func cancelledWindow() async throws {
        let window = SequenceWindow(
            VerifyingWork(evaluator: BatchEvaluator(try verifier()), timeout: nil), workers: 1)
        let large = [UInt8](repeating: 97, count: BatchSizes.bytes)
        #expect(await window.push(large))
        // The window is full, so that the next token waits until the end.
        let waiting = Task { await window.push([97]) }
        for _ in 0..<1_000 { await Task.yield() }
        window.end(.cancelled)
        #expect(await !waiting.value)
        let refused = Source.Given()
        // The task is not awaited, so that the test fails and does not hang if there is no answer.
        Task { if await !window.push(large) { refused.count.add(1, ordering: .relaxed) } }
        try await until { refused.count.load(ordering: .relaxed) == 1 }
        #expect(refused.count.load(ordering: .relaxed) == 1)
    }

    @Test("a window holds as many bytes as it may, and no more") func boundedWindow() async throws {
        let window = SequenceWindow(
            VerifyingWork(evaluator: BatchEvaluator(try verifier()), timeout: nil), workers: 1)
        let half = [UInt8](repeating: 97, count: BatchSizes.bytes / 2)
        let pushed = Source.Given()
        // The task is not awaited before the end, so that the test fails and does not hang if there is no room.
        let feeder = Task {
            for token in [half, half, [97]] where await window.push(token) { pushed.count.add(1, ordering: .relaxed) }
        }
        try await until { pushed.count.load(ordering: .relaxed) == 2 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(pushed.count.load(ordering: .relaxed) == 2)
        window.end(.cancelled)
        await feeder.value
        #expect(pushed.count.load(ordering: .relaxed) == 2)
    }

    @Test("a batch that is cancelled once its signatures are verified marks no token as used (RFC 7523, 3)")
    func cancelledBeforeMarks() async throws {
        let key = try PrivateKey.generate(.p256, keyID: "c1")
        let store = AwaitedReplayStore()
        var profile = ClientAssertionProfile(
            clientID: "client", server: "https://as.example", algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(BatchFixture.now)
        let evaluator = BatchEvaluator(try TokenVerifier(profile, verificationKeys: KeySet(key.publicKey)))
        let text = """
            {"iss":"client","sub":"client","aud":"https://as.example","jti":"j","exp":1700000060,"iat":1700000000}
            """
        let token = Array(try JWSSigner(key: key, algorithm: .es256).sign(text).utf8)
        for isCancelled in [true, false] {
            let marking = Task {
                if isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                var run = BatchRun(evaluator, count: 1)
                run.add(token.span)
                var parts = [run.end()]
                try await evaluator.acceptAwaiting(&parts)
                return try parts[0].tokens[0].get().claims.tokenID
            }
            if isCancelled {
                await #expect(throws: CancellationError.self) { try await marking.value }
            } else {
                #expect(try await marking.value == "j")
            }
            #expect(store.marks.count == (isCancelled ? 0 : 1))
        }
    }

    @Test("dropping the results ends reading of the sequence") func letGo() async throws {
        let source = Source(tokens: [try token(1)], total: 1_000_000, given: .init())
        for try await result in BatchVerifier(try verifier()).results(of: source) {
            _ = try result.get()
            break
        }
        #expect(try await settled { source.given.count.load(ordering: .relaxed) } < 5000)
    }

    @Test("a replay store sees tokens in their order: of two equal tokens the later one is rejected")
    func replay() async throws {
        let key = try PrivateKey.generate(.p256, keyID: "c1")
        func profile() -> ClientAssertionProfile {
            var profile = ClientAssertionProfile(
                clientID: "client", server: "https://as.example", algorithms: [.es256],
                replayStore: InMemoryReplayStore())
            profile.claims.clock = .fixed(BatchFixture.now)
            return profile
        }
        let signer = try JWSSigner(key: key, algorithm: .es256)
        let tokens = try (0..<300).map { number in
            let text = """
                {"iss":"client","sub":"client","aud":"https://as.example","jti":"j\(number % 290)","exp":1700000060,\
                "iat":1700000000}
                """
            return Array(try signer.sign(text).utf8)
        }
        let answers = try await BatchVerifier(TokenVerifier(profile(), verificationKeys: KeySet(key.publicKey)))
            .verify(tokens).map { Seen($0).error }
        let alone = try TokenVerifier(profile(), verificationKeys: KeySet(key.publicKey))
        let expected = tokens.map { token in Seen { () throws(TokenError) in try alone.verify(token) }.error }
        #expect(answers == expected)
        #expect(expected.count { $0 == nil } == 290 && expected.last == .replay(.seen))
    }
}
