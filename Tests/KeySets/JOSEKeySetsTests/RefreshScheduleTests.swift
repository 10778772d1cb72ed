import JOSEKeySets
import Testing

@Suite("Refresh schedule") struct RefreshScheduleTests {
    @Test("a refresh is due at a random time before the lifetime ends, and never before the minimum")
    func ahead() {
        for (chance, part) in [(0.0, 0.75), (0.5, 0.825), (0.999_999, 0.9)] {
            var schedule = RefreshSchedule(KeySetOptions())
            schedule.succeeded(at: 100, lifetime: 1000, chance: chance)
            #expect(abs(schedule.due - (100 + 1000 * part)) < 0.01)
            #expect(schedule.notBefore == 130)
        }
        var schedule = RefreshSchedule(KeySetOptions())
        schedule.succeeded(at: 100, lifetime: 60, chance: 0)
        #expect(schedule.due == 160)
    }

    @Test("a cooldown follows each fetch; failures double it up to a limit, and jitter only extends it")
    func backOff() {
        var schedule = RefreshSchedule(KeySetOptions())
        #expect(schedule.allowsMiss(at: 0) && schedule.due < 0)
        schedule.succeeded(at: 1000, lifetime: 600, chance: 0)
        #expect(!schedule.allowsMiss(at: 1029.9) && schedule.allowsMiss(at: 1030))
        #expect(schedule.allowsMiss(at: 1001, bypass: true))
        var now = 1500.0
        for wait in [30.0, 60, 120, 240, 300, 300] {
            for chance in [0.0, 1] {
                var other = schedule
                other.failed(at: now, retryAfter: nil, isServing: true, chance: chance)
                #expect(other.notBefore == now + wait * (1 + 0.25 * chance), "\(wait)")
            }
            schedule.failed(at: now, retryAfter: nil, isServing: true, chance: 0)
            now = schedule.due
        }
        #expect(schedule.failures == 6)
        // Without keys the wait does not grow, so that the source recovers soon.
        schedule.failed(at: now, retryAfter: nil, isServing: false, chance: 1)
        #expect(schedule.notBefore == now + 37.5)
        schedule.succeeded(at: now, lifetime: 600, chance: 0)
        #expect(schedule.failures == 0 && schedule.notBefore == now + 30)
    }

    @Test("after a failed fetch a missing kid waits for four seconds, then twice as long each time")
    func pause() {
        var schedule = RefreshSchedule(KeySetOptions())
        schedule.succeeded(at: 0, lifetime: 600, chance: 0)
        var now = 450.0
        var pauses: [Double] = []
        var next = schedule.due
        for _ in 0..<9 {
            schedule.failed(at: now, retryAfter: nil, isServing: true, chance: 0)
            pauses.append(schedule.missNotBefore - now)
            #expect(!schedule.allowsMiss(at: schedule.missNotBefore - 0.1))
            #expect(schedule.allowsMiss(at: schedule.missNotBefore))
            // The schedule is never ahead of that.
            #expect(schedule.due >= schedule.missNotBefore)
            if pauses.count == 1 { next = schedule.due }
            now = schedule.missNotBefore
        }
        // From the fourth on the pauses are the delays of the schedule.
        #expect(pauses == [4, 8, 16, 30, 60, 120, 240, 300, 300] && next == 480)
        schedule.succeeded(at: now, lifetime: 600, chance: 0)
        #expect(!schedule.allowsMiss(at: now + 29.9) && schedule.allowsMiss(at: now + 30))
        // Early failures do not postpone the schedule.
        schedule.failed(at: 5000, retryAfter: nil, isServing: true, chance: 0)
        schedule.failed(at: 5004, retryAfter: nil, isServing: true, chance: 0)
        schedule.failed(at: 5012, retryAfter: nil, isServing: true, chance: 0)
        #expect(schedule.due == 5030)
        // The pause is extended by jitter, is no longer than the cooldown, and a wait that the server asks for comes first.
        var options = KeySetOptions()
        options.cooldown = .seconds(2)
        var short = RefreshSchedule(options)
        short.failed(at: 0, retryAfter: nil, isServing: true, chance: 1)
        #expect(short.missNotBefore == 2.5)
        short.failed(at: 10, retryAfter: 100, isServing: true, chance: 0)
        #expect(short.missNotBefore == 110 && short.due == 110)
    }

    @Test("fetches for failed signatures have a bound of their own, and move no other time")
    func signatures() {
        var schedule = RefreshSchedule(KeySetOptions())
        #expect(schedule.signatureDue < 0)
        schedule.succeeded(at: 1000, lifetime: 600, chance: 0)
        // It may begin within the cooldown, and makes no missing kid wait longer.
        #expect(schedule.signatureDue < 1000 && schedule.missNotBefore == 1030)
        schedule.beganForSignature(at: 1020)
        schedule.succeeded(at: 1021, lifetime: 600, chance: 0, isForSignature: true)
        #expect(schedule.signatureDue == 1050 && schedule.missNotBefore == 1030 && schedule.notBefore == 1030)
        #expect(schedule.due == 1021 + 450)
        schedule.beganForSignature(at: 1060)
        schedule.failed(at: 1065, retryAfter: nil, isServing: true, chance: 1, isForSignature: true)
        #expect(schedule.failures == 1 && schedule.missNotBefore == 1030 && schedule.due == 1021 + 450)
        #expect(schedule.signatureDue == 1090)
        // After failures of the schedule, a success ends their delay, and no earlier one is moved back.
        for now in [1500.0, 1600, 1700] { schedule.failed(at: now, retryAfter: nil, isServing: true, chance: 0) }
        #expect(schedule.notBefore > 1750)
        schedule.succeeded(at: 1710, lifetime: 600, chance: 0, isForSignature: true)
        #expect(schedule.failures == 0 && schedule.notBefore == 1740 && schedule.missNotBefore <= 1740)
        // What the server asks for is kept by all.
        schedule.failed(at: 1800, retryAfter: 100, isServing: true, chance: 0, isForSignature: true)
        #expect(schedule.signatureDue == 1900 && schedule.missNotBefore == 1900 && schedule.notBefore == 1900)
        #expect(!schedule.allowsMiss(at: 1899, bypass: true))
        // Their failures make no pause for a missing kid longer; other failures do.
        var failing = RefreshSchedule(KeySetOptions())
        failing.succeeded(at: 1000, lifetime: 600, chance: 0)
        for now in [1100.0, 1140, 1180] {
            failing.failed(at: now, retryAfter: nil, isServing: true, chance: 0, isForSignature: true)
        }
        failing.failed(at: 1400, retryAfter: nil, isServing: true, chance: 0)
        #expect(failing.failures == 4 && failing.missNotBefore == 1404)
        failing.failed(at: 1500, retryAfter: nil, isServing: true, chance: 0)
        #expect(failing.missNotBefore == 1508)
    }

    @Test("Retry-After is honoured up to a limit, and no fetch starts before it")
    func retryAfter() {
        for (asked, waited) in [(5.0, 30.0), (120, 120), (86_400, 600)] {
            var schedule = RefreshSchedule(KeySetOptions())
            schedule.failed(at: 0, retryAfter: asked, isServing: true, chance: 0)
            #expect(schedule.notBefore == waited)
            #expect(schedule.allowsMiss(at: min(asked, 600), bypass: true))
            #expect(!schedule.allowsMiss(at: min(asked, 600) - 1, bypass: true))
        }
    }

    @Test(
        "K06: after 500, 429 and 503 the old set stays, and fetches back off as Retry-After asks, up to a limit"
    )
    func failing() async throws {
        let date = TransportHeaderField("Date", "Sat, 21 Nov 2026 03:00:00 GMT")
        let rows: [(TransportResponse, wait: Double, requests: Int)] = [
            (TransportResponse(status: 500), 33.75, 2), (TransportResponse(status: 429), 33.75, 1),
            (TransportResponse(status: 429, headers: [TransportHeaderField("Retry-After", "120")]), 120, 1),
            (
                TransportResponse(
                    status: 503, headers: [TransportHeaderField("Retry-After", "Sat, 21 Nov 2026 03:01:40 GMT"), date]),
                100, 1
            ),
            (TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "999999999")]), 600, 1),
        ]
        for (answer, wait, requests) in rows {
            let issuer = Issuer()
            let source = try await issuer.source(holding: [Issuer.key("a")])
            issuer.server.answer(answer)
            await issuer.clock.advance(by: 496)
            #expect(await eventually { source.counters.failed == 1 })
            #expect(issuer.server.requests.count == 1 + requests, "\(answer.status)")
            #expect(source.names == ["a"])
            #expect(source.health.lastFailure?.error == .status(answer.status))
            let next = try #require(source.health.nextFetchIn) / .seconds(1)
            #expect(abs(next - wait) < 1.5, "\(answer.status): \(next)")
            await issuer.clock.advance(by: next - 2)
            #expect(source.counters.fetches == 2)
            issuer.server.answer(Issuer.answer([Issuer.key("b")]))
            await issuer.clock.advance(by: 3)
            #expect(await eventually { source.counters.accepted == 2 })
            #expect(await issuer.observer.hears { $0 == .recovered })
            #expect(source.health.failures == 0)
        }
    }
}
