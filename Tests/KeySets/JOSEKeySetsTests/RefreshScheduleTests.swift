import JOSEKeySets
import Testing

@Suite("When a fetch is due and when it is allowed") struct RefreshScheduleTests {
    @Test("ahead of the end of the lifetime, where in the range chance decides, and never before the floor")
    func ahead() {
        for (chance, part) in [(0.0, 0.75), (0.5, 0.825), (0.999_999, 0.9)] {
            var pace = RefreshSchedule(KeySetOptions())
            pace.succeeded(at: 100, lifetime: 1000, chance: chance)
            #expect(abs(pace.due - (100 + 1000 * part)) < 0.01)
            #expect(pace.notBefore == 130)
        }
        var pace = RefreshSchedule(KeySetOptions())
        pace.succeeded(at: 100, lifetime: 60, chance: 0)
        #expect(pace.due == 160)
    }

    @Test("a cooldown after success and after failure; failures double it up to a bound, with jitter that only adds")
    func backOff() {
        var pace = RefreshSchedule(KeySetOptions())
        #expect(pace.allowsMiss(at: 0) && pace.due < 0)
        pace.succeeded(at: 1000, lifetime: 600, chance: 0)
        #expect(!pace.allowsMiss(at: 1029.9) && pace.allowsMiss(at: 1030))
        #expect(pace.allowsMiss(at: 1001, letThrough: true))
        var now = 1500.0
        for wait in [30.0, 60, 120, 240, 300, 300] {
            for chance in [0.0, 1] {
                var other = pace
                other.failed(at: now, retryAfter: nil, isServing: true, chance: chance)
                #expect(other.notBefore == now + wait * (1 + 0.25 * chance), "\(wait)")
            }
            pace.failed(at: now, retryAfter: nil, isServing: true, chance: 0)
            now = pace.due
        }
        #expect(pace.failures == 6)
        // With nothing to serve recovery comes before politeness: the wait stays near the cooldown.
        pace.failed(at: now, retryAfter: nil, isServing: false, chance: 1)
        #expect(pace.notBefore == now + 37.5)
        pace.succeeded(at: now, lifetime: 600, chance: 0)
        #expect(pace.failures == 0 && pace.notBefore == now + 30)
    }

    @Test("Retry-After is honoured up to a bound, and nothing is let through before")
    func retryAfter() {
        for (asked, waited) in [(5.0, 30.0), (120, 120), (86_400, 600)] {
            var pace = RefreshSchedule(KeySetOptions())
            pace.failed(at: 0, retryAfter: asked, isServing: true, chance: 0)
            #expect(pace.notBefore == waited)
            #expect(pace.allowsMiss(at: min(asked, 600), letThrough: true))
            #expect(!pace.allowsMiss(at: min(asked, 600) - 1, letThrough: true))
        }
    }

    @Test(
        "K06: after 500, 429 and 503 the old set stays, and the source backs off as long as the server asks within a bound"
    )
    func failing() async throws {
        let date = TransportHeaderField("Date", "Sat, 21 Nov 2026 03:00:00 GMT")
        let rows: [(TransportResponse, wait: Double, requests: Int)] = [
            (TransportResponse(status: 500), 33.75, 2), (TransportResponse(status: 429), 33.75, 1),
            (TransportResponse(status: 429, headers: [TransportHeaderField("Retry-After", "120")]), 120, 1),
            (
                TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "Sat, 21 Nov 2026 03:01:40 GMT"), date]),
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
            let next = try #require(source.health.nextFetch)
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
