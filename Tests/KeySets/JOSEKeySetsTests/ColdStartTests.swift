import JOSE
import JOSEKeySets
import Testing

/// The start of a service at a time at which its issuer does not respond.
@Suite("Cold start") struct ColdStartTests {
    @Test("K03 warm-up repeats a fetch that fails with a retryable error within its time, and the first pause is short")
    func retries() async throws {
        let issuer = Issuer()
        issuer.server.answerNext(.failure(.connectFailed), .success(TransportResponse(status: 503)))
        issuer.server.answer(Issuer.answer([Issuer.key("a")]))
        let source = try issuer.source { $0.retries = 0 }
        let warmUp = Task { try await source.warmUp(timeout: .seconds(10)) }
        // The timer of the key set sleeps, and the warm-up.
        #expect(await eventually { issuer.server.answered == 1 && issuer.clock.sleeperCount == 2 })
        await issuer.clock.advance(by: 0.5)
        #expect(await eventually { issuer.server.answered == 2 && issuer.clock.sleeperCount == 2 })
        await issuer.clock.advance(by: 1)
        try await warmUp.value
        #expect(source.names == ["a"] && issuer.server.requests.count == 3)
    }

    @Test("K03 warm-up throws the last error when its time is over, and does not repeat an error that is not retryable")
    func ends() async throws {
        let issuer = Issuer()
        issuer.server.fail(.nameNotResolved)
        let source = try issuer.source { $0.retries = 0 }
        let warmUp = Task { try await source.warmUp(timeout: .seconds(2.5)) }
        // The fetches begin at 0, 0.28, 0.84 and 1.97 seconds, and a fifth one would begin after the limit.
        for (round, pause) in [0.6, 1.2, 0.3].enumerated() {
            #expect(await eventually { issuer.server.answered == round + 1 && issuer.clock.sleeperCount == 2 })
            await issuer.clock.advance(by: pause)
        }
        await #expect(throws: KeySetError.transport(.nameNotResolved)) { try await warmUp.value }
        #expect(issuer.server.requests.count == 4)

        let rejecting = Issuer()
        rejecting.server.answer(Issuer.answer(text: "[]"))
        let other = try rejecting.source { $0.retries = 0 }
        await #expect(throws: KeySetError.self) { try await other.warmUp(timeout: .seconds(60)) }
        #expect(rejecting.server.requests.count == 1)
    }

    @Test("a warm-up reports its first failure once, and at its end one failure with the time of the next fetch")
    func events() async throws {
        @Sendable func failures(_ issuer: Issuer) -> Int {
            issuer.observer.count { if case .failed = $0 { true } else { false } }
        }
        let issuer = Issuer()
        issuer.server.fail(.connectFailed)
        let source = try issuer.source { $0.retries = 0 }
        let warmUp = Task { try await source.warmUp(timeout: .seconds(2.5)) }
        #expect(await issuer.observer.hears { $0 == .unreached(.transport(.connectFailed)) })
        for (round, pause) in [0.6, 1.2, 0.3].enumerated() {
            #expect(await eventually { issuer.server.answered == round + 1 && issuer.clock.sleeperCount == 2 })
            #expect(failures(issuer) == 0)
            await issuer.clock.advance(by: pause)
        }
        await #expect(throws: KeySetError.self) { try await warmUp.value }
        #expect(await issuer.observer.hears { if case .failed = $0 { true } else { false } })
        #expect(issuer.server.requests.count == 4 && failures(issuer) == 1 && source.counters.failed == 4)
        let due = try #require(
            issuer.observer.events.compactMap { if case .failed(_, let due) = $0 { due } else { nil } }.first)
        // The time is kept: no fetch begins before it, and one begins at it.
        issuer.server.answer(Issuer.answer([Issuer.key("a")]))
        await issuer.clock.advance(by: due / .seconds(1) - 0.5)
        #expect(issuer.server.requests.count == 4)
        await issuer.clock.advance(by: 1)
        #expect(await eventually { source.names == ["a"] })
        #expect(issuer.server.requests.count == 5)

        // Without a warm-up each failure is reported.
        issuer.server.fail(.connectFailed)
        for _ in 0..<2 { _ = await source.refreshError() }
        #expect(await eventually { failures(issuer) == 3 })
    }

    @Test("K05 warm-up waits as long as the server asks, and ends at once if that is longer than its time")
    func asked() async throws {
        let issuer = Issuer()
        let busy = TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "30")])
        issuer.server.answerNext(.success(busy))
        issuer.server.answer(Issuer.answer([Issuer.key("a")]))
        let source = try issuer.source { $0.retries = 0 }
        await #expect(throws: KeySetError.status(503)) { try await source.warmUp(timeout: .seconds(10)) }
        #expect(issuer.server.requests.count == 1)
        let patient = Issuer()
        patient.server.answerNext(.success(busy))
        patient.server.answer(Issuer.answer([Issuer.key("a")]))
        let second = try patient.source { $0.retries = 0 }
        let warmUp = Task { try await second.warmUp(timeout: .seconds(60)) }
        #expect(await eventually { patient.server.answered == 1 && patient.clock.sleeperCount == 2 })
        await patient.clock.advance(by: 20)
        #expect(patient.server.requests.count == 1)
        await patient.clock.advance(by: 15)
        try await warmUp.value
        #expect(second.names == ["a"])
    }

    @Test("K03 warm-up repeats the fetch of an issuer's metadata too")
    func discovery() async throws {
        let provider = Provider()
        provider.set(Provider.metadataURL, .failure(.connectFailed))
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source()
        provider.clock.watch(source)
        let warmUp = Task { try await source.warmUp(timeout: .seconds(600)) }
        // The timers of the key set and of the metadata sleep, and the warm-up.
        #expect(await eventually { source.health.lastFailure != nil && provider.clock.sleeperCount == 3 })
        provider.setMetadata()
        let begun = provider.clock.now
        await provider.clock.advance(by: 1)
        #expect(await eventually { source.names == ["a"] })
        try await warmUp.value
        // The schedule of the key set alone would fetch no sooner than its cooldown allows.
        #expect(provider.clock.now - begun < 2)
        #expect(source.names == ["a"])
    }

    @Test("a cancelled warm-up ends, and the key set continues to fetch")
    func cancelled() async throws {
        let issuer = Issuer()
        let source = try issuer.source { $0.retries = 0 }
        let warmUp = Task { try await source.warmUp(timeout: .seconds(600)) }
        #expect(await eventually { issuer.server.answered == 1 && issuer.clock.sleeperCount > 0 })
        warmUp.cancel()
        await #expect(throws: CancellationError.self) { try await warmUp.value }
        issuer.server.answer(Issuer.answer([Issuer.key("a")]))
        await issuer.clock.advance(by: 60)
        #expect(await eventually { source.names == ["a"] })
    }

    @Test("K19 an issuer that was never reached is one alarm, and an outage after a fetch is none of this kind")
    func unreached() async throws {
        let issuer = Issuer()
        let source = try issuer.source { $0.retries = 0 }
        let unreached = KeySetEvent.unreached(.transport(.connectFailed))
        _ = source.names
        #expect(await issuer.observer.hears { $0 == unreached })
        #expect(unreached.isAlarm && unreached.name == "unreached")
        await issuer.clock.advance(by: 200)
        #expect(issuer.server.requests.count > 1)
        #expect(issuer.observer.count { $0 == unreached } == 1)

        let reached = Issuer()
        let other = try await reached.source(holding: [Issuer.key("a")]) { $0.retries = 0 }
        reached.server.fail(.connectFailed)
        _ = await other.refreshError()
        #expect(await reached.observer.hears { if case .failed = $0 { true } else { false } })
        #expect(reached.observer.count { if case .unreached = $0 { true } else { false } } == 0)
    }
}

@Suite("Events as text") struct EventTextTests {
    @Test("K26 an event is one line of key=value whose name is that of the event")
    func lines() {
        let name = KeyName("a b=\"c\"\nd")
        for (event, line) in [
            (.notModified(freshFor: .seconds(3600)), "event=not_modified fresh_for=3600"),
            (.stale(servedFor: .milliseconds(1500)), "event=stale served_for=1.5 alarm=true"),
            (.added([KeyName("k1"), KeyName(nil)]), #"event=added kids="k1",none"#),
            (.bypassed(name), #"event=bypassed kids="a b=\u{22}c\u{22}\u{a}d""#),
            (.tooManyKeys(total: 200, used: 100), "event=too_many_keys total=200 used=100 alarm=true"),
            (
                .failed(.transport(.connectFailed), retryIn: .seconds(35)),
                #"event=failed error=connect_failed reason="\#(KeySetError.transport(.connectFailed))" retry_in=35"#
            ),
            (.metadata(.metadata(.closed)), "event=metadata metadata=metadata metadata=closed"),
            (.metadata(.stale(servedFor: .zero)), "event=metadata metadata=stale served_for=0 alarm=true"),
        ] as [(KeySetEvent, String)] {
            #expect("\(event)" == line)
            #expect(line.hasPrefix("event=\(event.name)"))
            #expect(!line.contains("\n"))
        }
    }
}
