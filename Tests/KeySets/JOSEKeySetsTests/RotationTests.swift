import JOSE
import JOSEKeySets
import Testing

@Suite("Keys that change") struct RotationTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")
    private static let long = TransportHeaderField("Cache-Control", "max-age=86400")

    @Test("K15: a new kid is fetched once, the old one still verifies, and under load no token is lost")
    func rotation() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], Self.long)
        let verifier = JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let old = try JWSSigner(key: a, algorithm: .es256).sign("old")
        let new = try JWSSigner(key: b, algorithm: .es256).sign("new")
        await issuer.clock.advance(by: 31)
        issuer.server.answer(Issuer.answer([a, b], Self.long))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    for _ in 0..<20 {
                        _ = try verifier.verify(old)
                        guard number % 4 == 0, (try? verifier.verify(new)) == nil else { continue }
                        _ = try await source.awaitRefresh(timeout: .seconds(5))
                        _ = try verifier.verify(new)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(source.counters.fetches == 2 && issuer.server.mostAtOnce == 1)
        #expect(source.names == ["a", "b"])
        #expect(await issuer.observer.hears { $0 == .added([KeyName("b")]) })
        #expect(
            await issuer.observer.hears {
                if case .rotated(let r) = $0 { r.added == 1 && r.removed == 0 && r.keys == 2 } else { false }
            })
    }

    @Test(
        "K16: an edge that still has the older set evicts no key of the last five minutes, and is asked again after a cooldown"
    )
    func staleEdge() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b], Self.long)
        let first = try source.current()
        await issuer.clock.advance(by: 40)
        issuer.server.answer(Issuer.answer([a], Self.long))
        try await source.refresh()
        // What is served is the same, so that nobody makes keys ready anew.
        #expect(try source.current().isSame(as: first))
        #expect(await issuer.observer.hears { $0 == .kept([KeyName("b")], upTo: 260) })
        // A key that this edge has not: it is asked for, and known to be missing until a cooldown has passed.
        await issuer.clock.advance(by: 31)
        source.miss("c")
        #expect(await eventually { source.counters.accepted == 3 })
        source.miss("c")
        await issuer.clock.advance(by: 29)
        source.miss("c")
        await issuer.clock.settle()
        #expect(source.counters.fetches == 3)
        issuer.server.answer(Issuer.answer([a, b, Issuer.key("c")], Self.long))
        await issuer.clock.advance(by: 1.5)
        source.miss("c")
        #expect(await eventually { source.names == ["a", "b", "c"] })
        #expect(source.counters.fetches == 4)

        // Where it stays away it goes when the five minutes are over, fetch or no fetch.
        issuer.server.answer(Issuer.answer([a], Self.long))
        try await source.refresh()
        #expect(source.names == ["a", "b", "c"])
        await issuer.clock.advance(by: 298)
        #expect(source.names?.count == 3)
        await issuer.clock.advance(by: 3)
        #expect(await eventually { source.names == ["a"] })
        #expect(await issuer.observer.hears { $0 == .removed([KeyName("b"), KeyName("c")]) })
        #expect(source.counters.fetches == 5)
    }

    @Test("K17: a withdrawn key is gone with the fetch that its lifetime brings, and purge drops it at once")
    func revocation() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b])
        issuer.server.answer(Issuer.answer([a]))
        await issuer.clock.advance(by: 496)
        #expect(await eventually { source.names == ["a"] })
        #expect(source.counters.fetches == 2)

        let gate = Gate()
        issuer.server.answer { [b] _ in
            _ = await gate.pass()
            return .success(Issuer.answer([b]))
        }
        source.purge()
        #expect(source.outage == .keysUnavailable(.notFetched) && source.health.status == .empty)
        #expect(source.health.isFetching && source.counters.fetches == 3)
        gate.open()
        #expect(try await source.awaitRefresh(timeout: .seconds(5)) || source.names != nil)
        // Not even those within their grace are left.
        #expect(await eventually { source.names == ["b"] })
        #expect(await issuer.observer.hears { $0 == .purged })
    }

    @Test("a fetch that was under way when keys were purged brings nothing back")
    func purgeInFlight() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let gate = Gate()
        issuer.server.answer { [a] _ in
            // A transport that does not hear that it was cancelled.
            await gate.passDeaf()
            return .success(Issuer.answer([a]))
        }
        async let refreshed: Void = source.refresh()
        #expect(await eventually { issuer.server.requests.count == 2 })
        issuer.server.answer(Issuer.answer([b]))
        source.purge()
        // Who waited for the one waits for the other.
        try await refreshed
        #expect(source.names == ["b"])
        gate.open()
        #expect(await eventually { issuer.server.answered == 3 })
        await issuer.clock.settle()
        #expect(source.names == ["b"] && source.counters.accepted == 2)
    }

    @Test("K18: another key under a known kid takes its place at once, never beside it, and raises an alarm")
    func replaced() async throws {
        let other = Issuer.key("a")
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b])
        let verifier = JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let old = try JWSSigner(key: a, algorithm: .es256).sign("old")
        let new = try JWSSigner(key: other, algorithm: .es256).sign("new")
        #expect(throws: Never.self) { try verifier.verify(old) }
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(new) }
        issuer.server.answer(Issuer.answer([other, b]))
        try await source.refresh()
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(old) }
        #expect(throws: Never.self) { try verifier.verify(new) }
        #expect(source.names == ["a", "b"])
        #expect(await issuer.observer.hears { $0 == .replaced([KeyName("a")]) && $0.isAlarm })

        let strict = Issuer()
        let refusing = try await strict.source(holding: [a, b]) { $0.replacedKeys = .refuse }
        strict.server.answer(Issuer.answer([other, b]))
        #expect(await refusing.refreshError() == .refused(.replacedKey))
        let held = try refusing.current().keys.first?.publicKey
        #expect(held == a.publicKey)
        strict.server.answer(Issuer.answer([a, b, Issuer.key("c")]))
        #expect(await refusing.refreshError() == nil)
    }

    @Test("as long as nothing changes the very same set is served: for 304, for the same bytes, and for the same keys")
    func identity() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b], TransportHeaderField("ETag", "\"1\""))
        let first = try source.current()
        issuer.server.answer(TransportResponse(status: 304))
        try await source.refresh()
        #expect(try source.current().isSame(as: first))
        issuer.server.answer(Issuer.answer([a, b]))
        try await source.refresh()
        #expect(try source.current().isSame(as: first))
        issuer.server.answer(Issuer.answer(text: " " + Issuer.document([b, a])))
        try await source.refresh()
        #expect(try source.current().isSame(as: first))
        #expect(source.counters.rotations == 0 && source.counters.accepted == 3 && source.counters.notModified == 1)
        issuer.server.answer(Issuer.answer([b, a, Issuer.key("c")]))
        try await source.refresh()
        #expect(try !source.current().isSame(as: first))
        #expect(source.counters.rotations == 1)
    }

    @Test("a key that says something else of itself is taken without an alarm")
    func changed() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let text = Issuer.document([a]).replacing("\"kty\"", with: "\"use\":\"sig\",\"kty\"")
        issuer.server.answer(Issuer.answer(text: text))
        try await source.refresh()
        #expect(try source.current().keys.first?.use == .signature)
        #expect(await issuer.observer.hears { if case .rotated(let r) = $0 { r.replaced == 0 } else { false } })
        #expect(issuer.observer.count(\.isAlarm) == 0)
    }
}
