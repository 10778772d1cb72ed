import Foundation
import JOSE
import JOSEKeySets
import TestSupport
import Testing

/// Tests of the features of a remote key set. Redirects, schemes, addresses and proxies are features of the transport;
/// discovery, snapshots and several issuers have suites of their own.
@Suite("Features of a remote key set") struct TableTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")

    @Test("the article on remote keys lists every option") func article() throws {
        let path = "Sources/KeySets/JOSEKeySets/JOSEKeySets.docc/VerifyingWithRemoteKeys.md"
        let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let listed = rows.compactMap { $0.split(separator: "|").first }.flatMap { cell in
            cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
        // The command alone sets `sharesSnapshots`.
        let options = Mirror(reflecting: KeySetOptions()).children.compactMap(\.label)
        #expect(Set(listed + ["sharesSnapshots"]) == Set(options) && listed.count == options.count - 1)
    }

    @Test("a fetch sends Accept, has the limits of the options, and follows no redirect")
    func fetchByURL() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a]) {
            $0.deadline = .seconds(2)
            $0.connectDeadline = .seconds(4)
            $0.bodyLimit = 9_999
        }
        let request = try #require(issuer.server.requests.first)
        #expect(request.method == .get && request.url == Issuer.url && request.body.isEmpty)
        #expect(request.headers == [TransportHeaderField("Accept", "application/jwk-set+json, application/json")])
        #expect(request.deadline == .seconds(2) && request.connectDeadline == .seconds(2))
        #expect(request.bodyLimit == 9_999 && request.redirectLimit == 0)
        #expect(source.names == ["a"])
        // The defaults are five seconds, three seconds to connect, and 512 KiB.
        let other = Issuer()
        _ = try await other.source(holding: [a])
        let usual = try #require(other.server.requests.first)
        #expect(usual.deadline == .seconds(5) && usual.connectDeadline == .seconds(3) && usual.bodyLimit == 524_288)
    }

    @Test("a key set is cached for its lifetime, however often it is read")
    func timeToLive() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        for _ in 0..<49 {
            for _ in 0..<20 { #expect(source.names == ["a"]) }
            await issuer.clock.advance(by: 10)
        }
        #expect(issuer.server.requests.count == 1)
    }

    @Test("Cache-Control determines the time of the next fetch")
    func cacheControl() async throws {
        for (control, due) in [("max-age=300", 247_500), ("max-age=7200", 5_940_000), ("no-store", 60_000)] {
            let issuer = Issuer()
            let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", control))
            #expect(source.health.nextFetchIn == .milliseconds(due))
        }
    }

    @Test("ETag and Last-Modified are sent back, and a 304 keeps the set")
    func conditional() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(
            holding: [a], TransportHeaderField("ETag", "W/\"x\""),
            TransportHeaderField("Last-Modified", "Sat, 21 Nov 2026 03:00:00 GMT"))
        issuer.server.answer(TransportResponse(status: 304, headers: [TransportHeaderField("ETag", "W/\"y\"")]))
        try await source.refresh()
        try await source.refresh()
        let sent = issuer.server.requests.map { $0.headers.filter { $0.name != "Accept" }.map(\.value) }
        #expect(
            sent == [
                [], ["W/\"x\"", "Sat, 21 Nov 2026 03:00:00 GMT"], ["W/\"y\"", "Sat, 21 Nov 2026 03:00:00 GMT"],
            ])
        #expect(source.names == ["a"] && source.counters.notModified == 2)
    }

    @Test("only one fetch is in progress at a time, whatever requests it")
    func singleFlight() async throws {
        let issuer = Issuer()
        let latch = Latch()
        issuer.server.answer { [a] _ in await latch.wait() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        let source = try issuer.source()
        let tasks = (0..<20).map { _ in Task { try await source.refresh() } }
        #expect(await eventually { source.waiting == 20 })
        for _ in 0..<100 {
            source.miss("x")
            #expect(source.names == nil)
        }
        latch.open()
        for task in tasks { try await task.value }
        #expect(issuer.server.requests.count == 1 && source.counters.fetches == 1)
    }

    @Test("the set is refreshed in the background before it expires, while readers use the old set")
    func refreshAhead() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let latch = Latch()
        issuer.server.answer { [a, b] _ in await latch.wait() ? .success(Issuer.answer([a, b])) : .failure(.cancelled) }
        await issuer.clock.advance(by: 500)
        #expect(await eventually { source.health.isFetching })
        #expect(source.names == ["a"] && source.health.status == .fresh)
        latch.open()
        #expect(await eventually { source.names == ["a", "b"] })
    }

    @Test("refreshes continue for a day without tokens")
    func scheduled() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=7200"))
        for round in 1...12 {
            await issuer.clock.advance(by: 5940.5)
            #expect(await eventually { source.counters.accepted == 1 + round })
        }
        #expect(issuer.server.requests.count == 13 && source.health.status == .fresh)
    }

    @Test("jitter spreads the fetches of sources that were started together")
    func jitter() async throws {
        var due: Set<Duration> = []
        for chance in [0.0, 0.25, 0.5, 0.75] {
            let issuer = Issuer()
            issuer.clock.chance = chance
            due.insert(try #require(await issuer.source(holding: [a]).health.nextFetchIn))
        }
        #expect(due.sorted() == [450_000, 472_500, 495_000, 517_500].map { Duration.milliseconds($0) })
    }

    @Test("an unknown kid causes a fetch, once the cooldown after success is over")
    func unknownKid() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        issuer.server.answer(Issuer.answer([a, b]))
        source.miss("b")
        await issuer.clock.advance(by: 29)
        source.miss("b")
        await issuer.clock.settle()
        #expect(source.counters.fetches == 1 && source.counters.throttled == 2)
        await issuer.clock.advance(by: 1.1)
        source.miss("b")
        #expect(await eventually { source.names == ["a", "b"] })
        #expect(source.counters.fetches == 2)
    }

    @Test("the cooldown applies after a failure as well")
    func cooldownAfterFailure() async throws {
        let issuer = Issuer()
        issuer.server.fail(.tls(.expired))
        let source = try issuer.source()
        #expect(await source.refreshError() != nil)
        // Tokens alone do not begin a fetch; a missing kid does after a pause, as a test of unknown kids shows.
        for _ in 0..<29 {
            #expect(source.names == nil)
            await issuer.clock.advance(by: 1)
        }
        #expect(source.counters.fetches == 1)
        await issuer.clock.advance(by: 9)
        #expect(await eventually { source.counters.fetches == 2 })
    }

    @Test("sources are independent: they share no keys, cooldowns, budgets or outages")
    func apart() async throws {
        let (one, two) = (Issuer(), Issuer())
        let other = Issuer.key("a")
        let first = try await one.source(holding: [a]) { $0.outageLimit = .seconds(600) }
        let second = try await two.source(holding: [other])
        let policy = SignaturePolicy(algorithms: [.es256])
        let verifiers = try [first, second].map { try JWSVerifier(keys: $0, policy: policy) }
        let tokens = try [a, other].map { try JWSSigner(key: $0, algorithm: .es256).sign("x") }
        for (v, verifier) in verifiers.enumerated() {
            for (t, token) in tokens.enumerated() { #expect(((try? verifier.verify(token)) != nil) == (v == t)) }
        }
        one.server.fail(.connectFailed)
        for number in 0..<2_000 { first.miss("flood-\(number % 100)") }
        await one.clock.advance(by: 1_300)
        #expect(first.names == nil && second.names == ["a"])
        two.server.answer(Issuer.answer([other, b]))
        await two.clock.advance(by: 31)
        second.miss("b")
        #expect(await eventually { second.names == ["a", "b"] })
        #expect(second.counters.misses == 1 && second.counters.failed == 0)
    }

    @Test("keys are prepared once for each fetched set, not for each token")
    func preparedOnce() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let sets = try (0..<100).map { _ in try source.current() }
        #expect(sets.allSatisfy { $0.isSame(as: sets[0]) })
    }
}
