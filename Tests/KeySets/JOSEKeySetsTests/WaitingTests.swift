import JOSE
import JOSEKeySets
import JOSETokens
import Testing

@Suite("Waiting for a fetch of keys") struct WaitingTests {
    private let a = Issuer.key("a")

    /// Returns a source whose first response waits for the latch.
    private func blocked(_ issuer: Issuer, _ latch: Latch) throws -> RemoteKeySet {
        issuer.server.answer { [a] _ in await latch.wait() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        return try issuer.source()
    }

    @Test(
        "K14: 10 000 first verifications cause one fetch, and each waits up to its own timeout"
    )
    func herd() async throws {
        let issuer = Issuer()
        let latch = Latch()
        let source = try blocked(issuer, latch)
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: a, algorithm: .es256).sign("payload")
        let outcomes = Tally()
        let tasks = (0..<10_000).map { number in
            Task {
                do {
                    #expect((try? source.current()) == nil)
                    // One task in ten has a short timeout.
                    let limit = Duration.seconds(number % 10 == 0 ? 1 : 60)
                    guard try await source.awaitRefresh(timeout: limit) else {
                        return outcomes.note("timed out")
                    }
                    if number % 100 == 1 { _ = try verifier.verify(token) }
                    outcomes.note("served")
                } catch is CancellationError {
                    outcomes.note("cancelled")
                }
            }
        }
        #expect(await eventually { source.waiting == 10_000 })
        #expect(await eventually { issuer.server.requests.count == 1 })
        #expect(source.counters.fetches == 1)
        for (number, task) in tasks.enumerated() where number % 10 == 5 { task.cancel() }
        #expect(await eventually { outcomes.counts["cancelled"] == 1_000 })
        await issuer.clock.advance(by: 1.5)
        #expect(await eventually { outcomes.counts["timed out"] == 1_000 })
        #expect(issuer.server.cancelled == 0 && source.names == nil)
        latch.open()
        for task in tasks { try await task.value }
        #expect(outcomes.counts == ["cancelled": 1_000, "timed out": 1_000, "served": 8_000])
        #expect(source.counters.fetches == 1 && issuer.server.requests.count == 1)
        #expect(source.counters.waitsEnded == 2_000 && source.waiting == 0)
    }

    @Test("a token under a new key within the cooldown waits for the next fetch, which begins as soon as it may")
    func newKeyWithinCooldown() async throws {
        let b = Issuer.key("b")
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"))
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        let verifier = try TokenVerifier(policy, verificationKeys: source)
        func token(_ key: PrivateKey) throws -> String { try TokenIssuer(policy, signingKey: key).issue(["sub": "u"]) }
        await issuer.clock.advance(by: 20)
        issuer.server.answer(Issuer.answer([a, b]))
        // The next fetch may begin in ten seconds. A call with less time does not wait.
        let new = try token(b)
        await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) {
            try await verifier.verify(new, timeout: .seconds(5))
        }
        #expect(source.waiting == 0 && source.counters.fetches == 1)
        let waiting = Task { try await verifier.verify(new, timeout: .seconds(60)).claims.subject }
        #expect(await eventually { source.waiting == 1 })
        await issuer.clock.advance(by: 9)
        #expect(source.counters.fetches == 1)
        await issuer.clock.advance(by: 1.5)
        #expect(try await waiting.value == "u")
        #expect(source.counters.fetches == 2 && source.waiting == 0)

        // A key that a fetch did not bring is not waited for again.
        let absent = try token(Issuer.key("c"))
        await issuer.clock.advance(by: 31)
        await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) {
            try await verifier.verify(absent, timeout: .seconds(60))
        }
        let fetches = source.counters.fetches
        await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) {
            try await verifier.verify(absent, timeout: .seconds(60))
        }
        #expect(source.counters.fetches == fetches)
    }

    @Test(
        "K41 an expected fetch begins once for each cooldown, whatever names are missing and however often it is expected"
    )
    func expectedFetches() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"))
        let first = source.confirmedFrom
        #expect(first <= issuer.clock.now && first > 0)
        await issuer.clock.advance(by: 1)
        // Names that a fetch has shown to be missing cause no fetch by themselves, and an expected fetch begins
        // nevertheless.
        for second in 0..<95 {
            for name in 0..<20 {
                source.miss("invented \(second) \(name)")
                source.expectFetch()
            }
            await issuer.clock.advance(by: 1)
        }
        // One fetch in each of three cooldowns of 30 seconds, and the two that names may cause at once in five minutes.
        #expect(source.counters.fetches <= 1 + 3 + 2 && source.counters.fetches >= 1 + 3, "\(source.counters.fetches)")
        #expect(source.confirmedFrom > first && source.confirmedFrom <= issuer.clock.now)
        #expect(issuer.clock.now - source.confirmedFrom <= 31)
        // Without an expectation, nothing more is fetched.
        await issuer.clock.advance(by: 31)
        let fetches = source.counters.fetches
        await issuer.clock.advance(by: 120)
        #expect(source.counters.fetches == fetches)
    }

    @Test("a wait for a later fetch ends with it, also after one that has just ended and for any number of callers")
    func laterFetch() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(
            holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"), options: { $0.missLimit = 3 })
        let before = source.confirmedFrom
        // A fetch has just ended, and the next one may begin in thirty seconds.
        #expect(try await !source.awaitLaterFetch(timeout: .zero))
        let tasks = (0..<10).map { _ in Task { try await source.awaitLaterFetch(timeout: .seconds(60)) } }
        #expect(await eventually { source.waiting == 10 })
        #expect(source.counters.fetches == 1)
        await issuer.clock.advance(by: 31)
        for task in tasks { #expect(try await task.value) }
        #expect(source.counters.fetches == 2 && source.confirmedFrom >= before + 30)
        // A fetch that fails ends the wait as well, and confirms nothing.
        let confirmed = source.confirmedFrom
        issuer.server.answer { _ in .failure(.connectFailed) }
        let failing = Task { try await source.awaitLaterFetch(timeout: .seconds(120)) }
        #expect(await eventually { source.waiting == 1 })
        await issuer.clock.advance(by: 60)
        #expect(try await failing.value)
        #expect(source.confirmedFrom == confirmed && source.health.failures == 1)
    }

    @Test("at most missLimit calls wait for a fetch that has not begun")
    func waitsForNextFetchAreBounded() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(
            holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"), options: { $0.missLimit = 3 })
        await issuer.clock.advance(by: 20)
        source.miss("b")
        let tasks = (0..<3).map { _ in Task { try await source.awaitMissingKey(timeout: .seconds(60)) } }
        #expect(await eventually { source.waiting == 3 })
        #expect(try await !source.awaitMissingKey(timeout: .seconds(60)))
        await issuer.clock.advance(by: 11)
        for task in tasks { #expect(try await task.value) }
    }

    @Test("waiting for a refresh reports one that has just ended, and returns at once if none runs")
    func nothing() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        // The refresh may have ended between the lookup of the key and the wait.
        #expect(try await source.awaitRefresh(timeout: .seconds(60)))
        await issuer.clock.advance(by: 2)
        #expect(try await !source.awaitRefresh(timeout: .seconds(60)))
        let latch = Latch()
        issuer.server.answer { [a] _ in await latch.wait() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        let refresh = Task { try await source.refresh() }
        #expect(await eventually { source.health.isFetching })
        #expect(try await !source.awaitRefresh(timeout: .zero))
        // A task that is cancelled before it waits does not wait.
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await source.awaitRefresh(timeout: .seconds(60))
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        latch.open()
        try await refresh.value
    }

    @Test("a requested refresh joins the one in progress and throws its error; a warm-up has its own timeout")
    func joined() async throws {
        let issuer = Issuer()
        let latch = Latch()
        issuer.server.answer { _ in await latch.wait() ? .failure(.tls(.untrusted)) : .failure(.cancelled) }
        let source = try issuer.source()
        let first = Task { await source.refreshError() }
        let second = Task { await source.refreshError() }
        #expect(await eventually { source.waiting == 2 })
        let warmUp = Task { try await source.warmUp(timeout: .seconds(2)) }
        #expect(await eventually { source.waiting == 3 })
        await issuer.clock.advance(by: 2.5)
        await #expect(throws: KeySetError.deadlineExceeded) { try await warmUp.value }
        latch.open()
        #expect(await first.value == .transport(.tls(.untrusted)))
        #expect(await second.value == .transport(.tls(.untrusted)))
        #expect(issuer.server.requests.count == 1 && source.counters.fetches == 1)
    }

    @Test(
        "during a fetch no lock is held, so that the transport can call the source and tokens are verified"
    )
    func lockFree() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: a, algorithm: .es256).sign("payload")
        let inside = Tally()
        issuer.server.answer { [a] _ in
            // If a lock were held, each of these calls would deadlock.
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        #expect((try? source.current()) != nil)
                        #expect(source.health.isFetching)
                        #expect(source.counters.fetches == 2)
                        source.miss("made-up-\(number)")
                        #expect((try? verifier.verify(token)) != nil)
                        #expect((try? await source.awaitRefresh(timeout: .zero)) == false)
                        inside.note("asked")
                    }
                }
            }
            return .success(Issuer.answer([a]))
        }
        try await source.refresh()
        #expect(inside.counts == ["asked": 32])
        #expect(source.counters.fetches == 2 && issuer.server.requests.count == 2)
    }

    @Test("shutdown ends within a second, resumes all waiters, cancels the fetch, and may be repeated")
    func shutdown() async throws {
        for obeys in [true, false] {
            let issuer = Issuer()
            let latch = Latch()
            issuer.server.answer { _ in
                if obeys { return await latch.wait() ? .failure(.backend) : .failure(.cancelled) }
                // The transport ignores cancellation.
                await latch.waitIgnoringCancellation()
                return .failure(.backend)
            }
            let source = try issuer.source()
            let waiting = Task { try await source.warmUp(timeout: .seconds(3600)) }
            let other = Task { try await source.awaitRefresh(timeout: .seconds(3600)) }
            #expect(await eventually { source.waiting >= 1 && issuer.server.requests.count == 1 })
            let start = ContinuousClock.now
            await source.shutdown()
            // The limit is a second plus the delay of a busy machine; without an end the waits would last for an hour.
            #expect(ContinuousClock.now - start < .seconds(60))
            if obeys { #expect(issuer.server.cancelled == 1) }
            await #expect(throws: KeySetError.closed) { try await waiting.value }
            _ = try await other.value
            #expect(source.outage == .keysUnavailable(.closed) && source.health.status == .closed)
            await source.shutdown()
            #expect(await source.refreshError() == .closed)
            source.miss("a")
            source.purge()
            latch.open()
            await issuer.clock.advance(by: 7200)
            #expect(issuer.server.requests.count == 1)
            #expect(await issuer.observer.hears { $0 == .closed })
            #expect(issuer.observer.events.last == .closed)
        }
    }

    @Test("a deallocated source stops its timer and its fetch")
    func letGo() async throws {
        let issuer = Issuer()
        var source: RemoteKeySet? = try await issuer.source(holding: [a])
        weak let remembered = source
        #expect(await eventually { issuer.clock.sleeperCount == 1 })
        source = nil
        #expect(remembered == nil)
        #expect(await eventually { issuer.clock.sleeperCount == 0 })

        let latch = Latch()
        source = try blocked(issuer, latch)
        #expect(source?.outage == .keysUnavailable(.notFetched))
        #expect(await eventually { issuer.server.requests.count == 2 })
        source = nil
        #expect(await eventually { issuer.server.cancelled == 1 })
        #expect(await eventually { issuer.clock.sleeperCount == 0 })
    }

    @Test(
        "a fetch whose transport ignores the deadline is abandoned, and the next fetch succeeds"
    )
    func hanging() async throws {
        let issuer = Issuer()
        let latch = Latch()
        issuer.server.answer { _ in
            await latch.waitIgnoringCancellation()
            return .failure(.backend)
        }
        let source = try issuer.source()
        let first = Task { await source.refreshError() }
        #expect(await eventually { issuer.server.requests.count == 1 })
        await issuer.clock.advance(by: 23)
        #expect(await first.value == .transport(.deadlineExceeded))
        issuer.server.answer(Issuer.answer([a]))
        await issuer.clock.advance(by: 40)
        #expect(await eventually { source.names == ["a"] })
        latch.open()
    }
}
