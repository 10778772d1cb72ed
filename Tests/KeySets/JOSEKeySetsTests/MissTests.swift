import JOSEKeySets
import Testing

@Suite("Unknown kids") struct MissTests {
    private func name(_ number: Int) -> [UInt8] { Array("made-up-\(number)".utf8) }

    @Test("an unknown kid is remembered for 30 seconds, then twice as long each time, up to five minutes")
    func absent() {
        var tracker = MissTracker(KeySetOptions())
        var now = 0.0
        for wait in [30.0, 60, 120, 240, 300, 300] {
            #expect(tracker.note(name(1), at: now, isCooling: false, mayBypass: true) == .fetch)
            tracker.fetchEnded(at: now, hasSet: true) { _ in false }
            #expect(tracker.note(name(1), at: now + wait - 0.1, isCooling: false, mayBypass: true) == .known)
            now += wait
        }
        // A failed fetch changes nothing; a fetch that brought the key removes the name.
        var other = MissTracker(KeySetOptions())
        #expect(other.note(name(1), at: 0, isCooling: false, mayBypass: true) == .fetch)
        other.fetchEnded(at: 0, hasSet: false) { _ in false }
        #expect(other.note(name(1), at: 1, isCooling: false, mayBypass: true) == .fetch)
        other.fetchEnded(at: 1, hasSet: true) { $0 == self.name(1) }
        #expect(other.count == 0)
    }

    @Test(
        "during the cooldown the third request for one kid causes a fetch, at most twice in five minutes"
    )
    func bypass() {
        var tracker = MissTracker(KeySetOptions())
        func ask(_ number: Int, at now: Double, times: Int = 3) -> [MissTracker.Verdict] {
            (0..<times).map { _ in tracker.note(name(number), at: now, isCooling: true, mayBypass: true) }
        }
        #expect(ask(1, at: 0) == [.wait, .wait, .bypass])
        #expect(ask(1, at: 0) == [.wait, .wait, .wait])
        #expect(ask(2, at: 0) == [.wait, .wait, .wait])
        tracker.fetchEnded(at: 1, hasSet: true) { _ in false }
        #expect(ask(1, at: 2) == [.known, .known, .known])
        #expect(ask(2, at: 2) == [.known, .known, .known])
        #expect(ask(3, at: 2) == [.wait, .wait, .bypass])
        tracker.fetchEnded(at: 3, hasSet: true) { _ in false }
        #expect(ask(4, at: 4) == [.wait, .wait, .wait])
        #expect(ask(4, at: 299.9, times: 1) == [.wait])
        #expect(ask(4, at: 300, times: 1) == [.bypass])
        // A wait that the server asked for is never bypassed.
        tracker.fetchEnded(at: 700, hasSet: false) { _ in false }
        let asked = (0..<9).map { _ in tracker.note(name(5), at: 700, isCooling: true, mayBypass: false) }
        #expect(asked.allSatisfy { $0 == .wait })
    }

    @Test("the memory for unknown kids is bounded, and kids that repeat survive a flood of others")
    func bounded() {
        var tracker = MissTracker(KeySetOptions())
        var real = 0
        for number in 0..<50_000 {
            #expect(tracker.note(name(number), at: 0, isCooling: true, mayBypass: true) == .wait)
            if number % 400 == 0, tracker.note(Array("real".utf8), at: 0, isCooling: true, mayBypass: true) == .bypass {
                real += 1
            }
        }
        #expect(real == 1 && tracker.count == 1_000)
        tracker.fetchEnded(at: 0, hasSet: true) { _ in false }
        #expect(tracker.count == 1_000)
        for number in 0..<5_000 { _ = tracker.note(name(number), at: 400, isCooling: true, mayBypass: true) }
        #expect(tracker.count == 2_000)
        // Names longer than any issuer's are not stored: all of them count as one without a name.
        var other = MissTracker(KeySetOptions())
        for number in 0..<100 {
            let long = name(number) + [UInt8](repeating: 0x61, count: 256)
            #expect(other.note(long, at: 0, isCooling: true, mayBypass: true) == .wait)
        }
        #expect(other.note(nil, at: 0, isCooling: false, mayBypass: true) == .fetch)
        #expect(other.count == 1)
        #expect(other.note([UInt8](repeating: 0x61, count: 256), at: 0, isCooling: true, mayBypass: true) == .wait)
        #expect(other.count == 2)
    }

    @Test("kids that are added to and removed from tables of any size do not affect each other")
    func tables() {
        var options = KeySetOptions()
        options.missLimit = 1
        var tracker = MissTracker(options)
        for number in 0..<10 { _ = tracker.note(name(number), at: 0, isCooling: true, mayBypass: true) }
        tracker.fetchEnded(at: 0, hasSet: true) { _ in false }
        #expect(tracker.note(name(9), at: 1, isCooling: true, mayBypass: true) == .known)
        #expect(tracker.note(name(8), at: 1, isCooling: true, mayBypass: true) == .wait)
        var many = MissTracker(KeySetOptions())
        for number in 0..<10 { _ = many.note(name(number), at: 0, isCooling: true, mayBypass: true) }
        many.fetchEnded(at: 0, hasSet: true) { _ in false }
        for number in stride(from: 0, to: 10, by: 2) {
            _ = many.note(name(number), at: 31, isCooling: true, mayBypass: true)
        }
        // The even keys are present now and no longer known as missing; the odd ones are missing.
        many.fetchEnded(at: 31, hasSet: true) { self.name(0) == $0 || self.name(4) == $0 || self.name(8) == $0 }
        #expect(many.note(name(4), at: 32, isCooling: true, mayBypass: true) == .wait)
        #expect(many.note(name(2), at: 32, isCooling: true, mayBypass: true) == .known)
        #expect(many.count == 8)
    }

    @Test("K13: a flood of unknown kids causes one fetch per cooldown, and does not delay a real rotation")
    func flood() async throws {
        let issuer = Issuer()
        let a = Issuer.key("a")
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"))
        // Two hundred distinct names arrive every six seconds for ten minutes.
        for round in 0..<100 {
            for number in 0..<200 { source.miss("flood-\(round)-\(number)") }
            #expect(source.names == ["a"])
            // A fetch must not take longer than its deadline by this clock.
            #expect(await eventually { !source.health.isFetching })
            await issuer.clock.advance(by: 6)
        }
        let fetches = source.counters.fetches
        #expect(fetches >= 15 && fetches <= 1 + 600 / 30, "\(fetches)")
        #expect(source.counters.misses == 20_000 && source.counters.bypasses == 0)
        // During the flood the issuer rotates: the third token with the new key causes a fetch.
        await issuer.clock.advance(by: 31)
        source.miss("one more")
        #expect(await eventually { source.counters.accepted == fetches + 1 && !source.health.isFetching })
        issuer.server.answer(Issuer.answer([a, Issuer.key("b")]))
        for number in 0..<500 {
            source.miss("late-\(number)")
            if number % 100 == 0 { source.miss("b") }
        }
        #expect(await eventually { source.names == ["a", "b"] })
        #expect(source.counters.bypasses == 1 && source.counters.fetches == fetches + 2)
        #expect(await issuer.observer.hears { $0 == .bypassed(KeyName("b")) })
        #expect(await issuer.observer.hears { $0 == .throttled })
    }

    @Test("G14 after a failed fetch a new kid is fetched within seconds, and invented ones cause few fetches")
    func afterFailure() async throws {
        let issuer = Issuer()
        let a = Issuer.key("a")
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=86400"))
        await issuer.clock.advance(by: 31)
        // A fetch for a made-up name fails, and the server is well again.
        issuer.server.answer(TransportResponse(status: 404))
        source.miss("made-up")
        #expect(await eventually { source.counters.failed == 1 && !source.health.isFetching })
        issuer.server.answer(Issuer.answer([a, Issuer.key("b")]))
        // Within the pause there is no fetch, and the first token after it causes one.
        source.miss("b")
        await issuer.clock.advance(by: 3)
        source.miss("c")
        #expect(source.counters.fetches == 2)
        await issuer.clock.advance(by: 3)
        source.miss("b")
        #expect(await eventually { source.names == ["a", "b"] && !source.health.isFetching })
        #expect(source.counters.fetches == 3 && source.counters.bypasses == 0)
        // While the server fails, names that are made up for two hours cause a fetch each five minutes, and few at first.
        issuer.server.answer(TransportResponse(status: 404))
        await issuer.clock.advance(by: 31)
        let before = source.counters.fetches
        for round in 0..<1_200 {
            for number in 0..<10 { source.miss("flood-\(round)-\(number)") }
            #expect(await eventually { !source.health.isFetching })
            await issuer.clock.advance(by: 6)
        }
        let fetches = source.counters.fetches - before
        #expect(fetches >= 20 && fetches <= 7_200 / 300 + 8, "\(fetches)")
    }

    @Test("tokens without kid for which no key exists count as one unknown kid")
    func unnamed() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(
            holding: [Issuer.key("a")], TransportHeaderField("Cache-Control", "max-age=86400"))
        await issuer.clock.advance(by: 31)
        for _ in 0..<50 { source.miss(nil) }
        #expect(await eventually { source.counters.accepted == 2 })
        for _ in 0..<50 { source.miss(nil) }
        await issuer.clock.advance(by: 29)
        for _ in 0..<50 { source.miss(nil) }
        await issuer.clock.settle()
        #expect(source.counters.fetches == 2 && source.counters.knownMisses >= 100)
        // A key that is present, or arrived meanwhile, is not missing.
        await issuer.clock.advance(by: 300)
        source.miss("a")
        await issuer.clock.settle()
        #expect(source.counters.fetches == 2)
        source.miss("b")
        #expect(await eventually { source.counters.fetches == 3 })
    }
}
