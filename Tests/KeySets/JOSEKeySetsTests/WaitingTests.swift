import JOSE
import JOSEKeySets
import Testing

@Suite("Those who wait for a fetch") struct WaitingTests {
    private let a = Issuer.key("a")

    /// A source whose first answer waits for the gate.
    private func held(_ issuer: Issuer, _ gate: Gate) throws -> RemoteKeySet {
        issuer.server.answer { [a] _ in await gate.pass() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        return try issuer.source()
    }

    @Test(
        "K14: ten thousand first verifications cause one fetch, each waits as long as it wants, and none that gives up ends it"
    )
    func herd() async throws {
        let issuer = Issuer()
        let gate = Gate()
        let source = try held(issuer, gate)
        let verifier = JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: a, algorithm: .es256).sign("payload")
        let outcomes = Tally()
        let tasks = (0..<10_000).map { number in
            Task {
                do {
                    #expect((try? source.current()) == nil)
                    // One in ten has no patience.
                    let limit = Duration.seconds(number % 10 == 0 ? 1 : 60)
                    guard try await source.awaitRefresh(timeout: limit) else {
                        return outcomes.note("out of patience")
                    }
                    if number % 100 == 1 { _ = try verifier.verify(token) }
                    outcomes.note("served")
                } catch is CancellationError {
                    outcomes.note("cancelled")
                }
            }
        }
        #expect(await eventually(within: .seconds(30)) { source.waiting == 10_000 })
        #expect(await eventually { issuer.server.requests.count == 1 })
        #expect(source.counters.fetches == 1)
        for (number, task) in tasks.enumerated() where number % 10 == 5 { task.cancel() }
        #expect(await eventually { outcomes.counts["cancelled"] == 1_000 })
        await issuer.clock.advance(by: 1.5)
        #expect(await eventually { outcomes.counts["out of patience"] == 1_000 })
        #expect(issuer.server.cancelled == 0 && source.names == nil)
        gate.open()
        for task in tasks { try await task.value }
        #expect(outcomes.counts == ["cancelled": 1_000, "out of patience": 1_000, "served": 8_000])
        #expect(source.counters.fetches == 1 && issuer.server.requests.count == 1)
        #expect(source.counters.waitsEnded == 2_000 && source.waiting == 0)
    }

    @Test("who asks when a refresh has just ended may try again, and where none is or was it is told so at once")
    func nothing() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        // It may have ended between the look at the keys and the wait.
        #expect(try await source.awaitRefresh(timeout: .seconds(60)))
        await issuer.clock.advance(by: 2)
        #expect(try await !source.awaitRefresh(timeout: .seconds(60)))
        let gate = Gate()
        issuer.server.answer { [a] _ in await gate.pass() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        let refresh = Task { try await source.refresh() }
        #expect(await eventually { source.health.isFetching })
        #expect(try await !source.awaitRefresh(timeout: .zero))
        // Who is cancelled before it waits does not wait.
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await source.awaitRefresh(timeout: .seconds(60))
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.open()
        try await refresh.value
    }

    @Test("a refresh joins the one that is under way and fails as that does; a warm-up has its own time")
    func joined() async throws {
        let issuer = Issuer()
        let gate = Gate()
        issuer.server.answer { _ in await gate.pass() ? .failure(.tls(.untrusted)) : .failure(.cancelled) }
        let source = try issuer.source()
        let first = Task { await source.refreshError() }
        let second = Task { await source.refreshError() }
        #expect(await eventually { source.waiting == 2 })
        let warmUp = Task { try await source.warmUp(timeout: .seconds(2)) }
        #expect(await eventually { source.waiting == 3 })
        await issuer.clock.advance(by: 2.5)
        await #expect(throws: KeySetError.deadlineExceeded) { try await warmUp.value }
        gate.open()
        #expect(await first.value == .transport(.tls(.untrusted)))
        #expect(await second.value == .transport(.tls(.untrusted)))
        #expect(issuer.server.requests.count == 1 && source.counters.fetches == 1)
    }

    @Test(
        "no lock is held while a fetch is under way: from inside the transport everything can be asked, and verifications go on"
    )
    func lockFree() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let verifier = JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: a, algorithm: .es256).sign("payload")
        let inside = Tally()
        issuer.server.answer { [a] _ in
            // Were a lock held, each of these would wait for this very function.
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

    @Test("shutting down ends within a second, wakes all who wait, cancels the fetch, and may be said twice")
    func shutdown() async throws {
        for obeys in [true, false] {
            let issuer = Issuer()
            let gate = Gate()
            issuer.server.answer { _ in
                if obeys { return await gate.pass() ? .failure(.backend) : .failure(.cancelled) }
                // A transport that does not hear that it was cancelled.
                await gate.passDeaf()
                return .failure(.backend)
            }
            let source = try issuer.source()
            let waiting = Task { try await source.warmUp(timeout: .seconds(3600)) }
            let other = Task { try await source.awaitRefresh(timeout: .seconds(3600)) }
            #expect(await eventually { source.waiting >= 1 && issuer.server.requests.count == 1 })
            let start = ContinuousClock.now
            await source.shutdown()
            // A second, and what a machine adds that does much else; without an end it would be for ever.
            #expect(ContinuousClock.now - start < .seconds(6))
            if obeys { #expect(issuer.server.cancelled == 1) }
            await #expect(throws: KeySetError.closed) { try await waiting.value }
            _ = try await other.value
            #expect(source.outage == .keysUnavailable(.closed) && source.health.status == .closed)
            await source.shutdown()
            #expect(await source.refreshError() == .closed)
            source.miss("a")
            source.purge()
            gate.open()
            await issuer.clock.advance(by: 7200)
            #expect(issuer.server.requests.count == 1)
            #expect(await issuer.observer.hears { $0 == .closed })
            #expect(issuer.observer.events.last == .closed)
        }
    }

    @Test("a source that is let go stops its timer and its fetch")
    func letGo() async throws {
        let issuer = Issuer()
        var source: RemoteKeySet? = try await issuer.source(holding: [a])
        weak let remembered = source
        #expect(await eventually { issuer.clock.sleeperCount == 1 })
        source = nil
        #expect(remembered == nil)
        #expect(await eventually { issuer.clock.sleeperCount == 0 })

        let gate = Gate()
        source = try held(issuer, gate)
        #expect(source?.outage == .keysUnavailable(.notFetched))
        #expect(await eventually { issuer.server.requests.count == 2 })
        source = nil
        #expect(await eventually { issuer.server.cancelled == 1 })
        #expect(await eventually { issuer.clock.sleeperCount == 0 })
    }

    @Test("a transport that keeps no deadline does not end a source: the fetch is given up, and the next one works")
    func hanging() async throws {
        let issuer = Issuer()
        let gate = Gate()
        issuer.server.answer { _ in
            await gate.passDeaf()
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
        gate.open()
    }
}
