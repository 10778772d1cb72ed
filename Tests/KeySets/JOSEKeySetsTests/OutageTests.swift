import JOSE
import JOSEKeySets
import Testing

@Suite("Outages of the server") struct OutageTests {
    private let a = Issuer.key("a")

    @Test(
        "K19: in an outage the old keys are used up to the limit, with an alarm; then every verification fails"
    )
    func outage() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a]) { $0.outageLimit = .seconds(3600) }
        issuer.server.fail(.connectFailed)
        await issuer.clock.advance(by: 590)
        // The set is not stale yet, and the failure of the server is known.
        #expect(source.health.status == .fresh && source.health.lastFailure?.error == .transport(.connectFailed))
        await issuer.clock.advance(by: 15)
        guard case .stale(let age) = source.health.status else {
            Issue.record("\(source.health)")
            return
        }
        #expect(abs(age / .seconds(1) - 5) < 0.1)
        #expect(
            await issuer.observer.hears {
                if case .stale(let left) = $0 { $0.isAlarm && left > .seconds(3590) } else { false }
            })
        #expect(source.names == ["a"])
        await issuer.clock.advance(by: 3590)
        #expect(source.names == ["a"] && source.health.isServing)
        await issuer.clock.advance(by: 10)
        #expect(source.outage == .keysUnavailable(.expired))
        #expect(source.health.status == .expired && source.health.keys == 0 && !source.health.isServing)
        #expect(await issuer.observer.hears { $0 == .expired && $0.isAlarm })
        #expect(issuer.observer.count { $0 == .expired } == 1)
        #expect(issuer.observer.count { if case .stale = $0 { true } else { false } } == 1)
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: a, algorithm: .es256).sign("payload")
        #expect(throws: JOSEError.keysUnavailable(.expired)) { try verifier.verify(token) }
        // Without keys the next fetch comes soon, and restores the service.
        issuer.server.answer(Issuer.answer([a]))
        await issuer.clock.advance(by: 310)
        #expect(await eventually { source.names == ["a"] })
        #expect(source.health.status == .fresh)
        #expect(throws: Never.self) { try verifier.verify(token) }
        #expect(await issuer.observer.hears { $0 == .recovered })
    }

    @Test("an expired key set is used again once the server confirms it (RFC 9111, 4.3.4)")
    func revalidated() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], TransportHeaderField("ETag", "\"1\"")) {
            $0.outageLimit = .seconds(60)
        }
        issuer.server.fail(.nameNotResolved)
        await issuer.clock.advance(by: 700)
        #expect(source.outage == .keysUnavailable(.expired))
        issuer.server.answer(TransportResponse(status: 304))
        await issuer.clock.advance(by: 310)
        #expect(await eventually { source.names == ["a"] })
    }

    @Test("K21: a change of the system clock has no effect, because ages are measured with a monotonic clock")
    func clockJump() async throws {
        // The dates of a server are compared only with each other: a year off, they mean the same.
        for year in ["2025", "2026", "2027"] {
            let issuer = Issuer()
            let source = try await issuer.source(
                holding: [a], TransportHeaderField("Date", "Sat, 21 Nov \(year) 03:00:00 GMT"),
                TransportHeaderField("Expires", "Sat, 21 Nov \(year) 03:20:00 GMT"))
            #expect(
                await issuer.observer.hears {
                    if case .fetched(let f) = $0 { f.freshFor == .seconds(1200) } else { false }
                })
            // Nothing is fetched before it is due, and then once.
            await issuer.clock.advance(by: 989)
            #expect(source.counters.fetches == 1)
            await issuer.clock.advance(by: 2)
            #expect(await eventually { source.counters.fetches == 2 })
        }
        // The monotonic clock advances by the time that passes.
        let start = FetchEnvironment.system.now()
        try await FetchEnvironment.system.sleep(start + 0.02)
        let passed = FetchEnvironment.system.now() - start
        #expect(passed >= 0.02 && passed < 10)
    }

    @Test("a machine that wakes from sleep fetches due keys once")
    func suspended() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a]) {
            $0.outageLimit = .seconds(3600)
            $0.retries = 0
        }
        issuer.server.fail(.connectFailed)
        issuer.clock.jump(by: 5000)
        // No timer fired, and still nothing too old is served.
        #expect(source.outage == .keysUnavailable(.expired))
        #expect(await eventually { source.counters.failed == 1 })
        #expect(source.counters.fetches == 2)
        for _ in 0..<100 { #expect(source.outage == .keysUnavailable(.expired)) }
        #expect(source.counters.fetches == 2)
    }

    @Test("a transient failure is retried once within the deadline; other failures are not", .timeLimit(.minutes(5)))
    func retry() async throws {
        let transient: [ScriptedTransport.Outcome] = [
            .failure(.connectFailed), .failure(.connectionLost), .failure(.nameNotResolved),
            .success(TransportResponse(status: 500)), .success(TransportResponse(status: 502)),
            .success(TransportResponse(status: 503)), .success(TransportResponse(status: 504)),
        ]
        for failure in transient {
            let issuer = Issuer()
            issuer.server.answer(Issuer.answer([a]))
            issuer.server.answerNext(failure)
            let source = try issuer.source()
            let warmUp = Task { try await source.warmUp(timeout: .seconds(60)) }
            #expect(await eventually { issuer.server.answered == 1 })
            // Two tasks sleep by then: the source's timer and the pause before the retry. A pause that has not begun
            // when time advances would begin after it.
            for _ in 0..<3 where source.counters.requests < 2 {
                _ = await eventually { issuer.clock.sleeperCount == 2 || source.counters.requests == 2 }
                await issuer.clock.advance(by: 0.3)
            }
            try await warmUp.value
            #expect(source.counters.retries == 1 && source.counters.requests == 2 && source.counters.fetches == 1)
            // The retry has the rest of the deadline.
            let second = try #require(issuer.server.requests.last)
            #expect(second.deadline < .seconds(5) && second.deadline > .seconds(4))
        }
        let lasting: [ScriptedTransport.Outcome] = [
            .failure(.deadlineExceeded), .failure(.tls(.untrusted)), .failure(.addressNotAllowed),
            .failure(.bodyTooLarge), .failure(.redirectNotAllowed), .success(TransportResponse(status: 404)),
            .success(TransportResponse(status: 429)), .success(TransportResponse(status: 501)),
            .success(TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "1")])),
            .success(Issuer.answer(text: "[]")),
        ]
        for failure in lasting {
            let issuer = Issuer()
            issuer.server.answer(Issuer.answer([a]))
            issuer.server.answerNext(failure)
            let source = try issuer.source()
            #expect(await source.refreshError() != nil)
            #expect(source.counters.retries == 0 && source.counters.requests == 1)
        }
        // After a request that used up the deadline there is no retry.
        let slow = Issuer()
        slow.server.answer { [clock = slow.clock] _ in
            clock.jump(by: 4.9)
            return .failure(.connectFailed)
        }
        let source = try slow.source()
        #expect(await source.refreshError() == .transport(.connectFailed))
        #expect(source.counters.requests == 1)
    }

    @Test("the second URL is used if the first fails, with its own validators")
    func secondSource() async throws {
        let second = "https://mirror.test/jwks"
        for fails: ScriptedTransport.Outcome in [
            .failure(.tls(.expired)), .success(TransportResponse(status: 404)), .success(Issuer.answer(text: "<html>")),
        ] {
            let issuer = Issuer()
            issuer.server.answer { [a] request in
                request.url == second ? .success(Issuer.answer([a], TransportHeaderField("ETag", "\"mirror\""))) : fails
            }
            let source = try issuer.source { $0.secondURL = second }
            try await source.warmUp(timeout: .seconds(60))
            #expect(source.names == ["a"] && source.counters.secondSource == 1 && source.health.failures == 0)
            #expect(await issuer.observer.hears { if case .secondSource = $0 { true } else { false } })
            try await source.refresh()
            let conditions = issuer.server.requests.map { request in
                request.headers.contains { $0.name == "If-None-Match" }
            }
            #expect(conditions == [false, false, false, true])
        }
        // The first of two failures is reported.
        let issuer = Issuer()
        issuer.server.answer { $0.url == second ? .failure(.tls(.expired)) : .success(TransportResponse(status: 404)) }
        let source = try issuer.source { $0.secondURL = second }
        #expect(await source.refreshError() == .status(404))
        #expect(source.counters.fetches == 1 && source.counters.failed == 1 && source.counters.requests == 2)
    }

    @Test("without keys a fetch is repeated after the cooldown, however many tokens are verified")
    func nothingYet() async throws {
        let issuer = Issuer()
        issuer.server.fail(.tls(.handshake))
        let source = try issuer.source()
        for _ in 0..<200 {
            #expect(source.outage == .keysUnavailable(.notFetched))
            source.miss("a")
            await issuer.clock.advance(by: 3)
        }
        let fetches = source.counters.fetches
        // There is a fetch every 33.75 seconds, two in each five minutes that a repeated name causes during the
        // cooldown, and three that it causes in the first pauses.
        #expect(fetches >= 16 && fetches <= 19 + 4 + 3, "\(fetches)")
        #expect(issuer.server.maximumAtOnce == 1)
    }

    @Test(
        "a saved key set is used at once and revalidated, and one that is too old or invalid is rejected"
    )
    func restored() async throws {
        let kept = KeptDocument(
            body: Array(Issuer.document([a]).utf8),
            header: StoredHeader(Issuer.answer([a], TransportHeaderField("ETag", "\"1\""))),
            lifetime: 600, url: Issuer.url)
        let issuer = Issuer()
        let keepings = Keepings()
        func document(_ options: KeySetOptions = KeySetOptions()) -> RemoteDocument<KeySetReader> {
            RemoteDocument(
                Issuer.url, reader: KeySetReader(options), transport: issuer.server, options: options,
                observer: issuer.observer, environment: issuer.clock.environment, onKept: keepings.note,
                locate: { () async throws(KeySetError) in [Issuer.url] })
        }
        issuer.server.answer(TransportResponse(status: 304))
        let restored = document()
        try restored.restore(kept, age: 1000)
        #expect(try restored.current().keys.count == 1)
        #expect(await eventually { restored.counters.notModified == 1 })
        #expect(issuer.server.requests.first?.headers.contains(TransportHeaderField("If-None-Match", "\"1\"")) == true)
        #expect(restored.health.status == .fresh)
        #expect(await issuer.observer.hears { $0 == .restored(age: .seconds(1000)) })
        #expect(await eventually { keepings.words == ["confirmed"] })
        issuer.server.answer(Issuer.answer([a, Issuer.key("b")]))
        try await restored.refresh()
        // The caller of a refresh is resumed before the body is saved, and a purge in between would leave nothing to
        // save.
        #expect(await eventually { keepings.words == ["confirmed", "taken"] })
        restored.purge()
        #expect(await eventually { keepings.words == ["confirmed", "taken", "dropped", "taken"] })

        issuer.server.fail(.connectFailed)
        for age in [600 + 86_400.0, -1] {
            #expect(throws: KeySetError.refused(.tooOld)) { try document().restore(kept, age: age) }
        }
        try document().restore(kept, age: 86_999)
        var bad = kept
        bad.body = Array("[]".utf8)
        #expect(throws: KeySetError.self) { try document().restore(bad, age: 1) }
        // The body of an earlier process may exceed the limit of this one.
        var options = KeySetOptions()
        options.bodyLimit = kept.body.count
        #expect(throws: Never.self) { try document(options).restore(kept, age: 1) }
        options.bodyLimit -= 1
        #expect(throws: KeySetError.refused(.tooLarge)) { try document(options).restore(kept, age: 1) }
        // After a restart during the outage the keys are served for as long as they would have been.
        let late = document()
        try late.restore(kept, age: 80_000)
        #expect(try late.current().keys.count == 1)
        await issuer.clock.advance(by: 7_001)
        #expect(throws: JOSEError.keysUnavailable(.expired)) { try late.current() }
    }
}
