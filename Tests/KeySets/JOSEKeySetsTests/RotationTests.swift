import JOSE
import JOSEKeySets
import Testing

@Suite("Rotation of a remote key set") struct RotationTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")
    private static let long = TransportHeaderField("Cache-Control", "max-age=86400")

    @Test("K15: a new kid causes one fetch, the old key still verifies, and under load no token is rejected")
    func rotation() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], Self.long)
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
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
        #expect(source.counters.fetches == 2 && issuer.server.maximumAtOnce == 1)
        #expect(source.names == ["a", "b"])
        #expect(await issuer.observer.hears { $0 == .added([KeyName("b")]) })
        #expect(
            await issuer.observer.hears {
                if case .rotated(let r) = $0 { r.added == 1 && r.removed == 0 && r.keys == 2 } else { false }
            })
    }

    @Test(
        "K16: an older set from a cache removes no key of the last five minutes, and is refetched after a cooldown"
    )
    func staleEdge() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b], Self.long)
        let first = try source.current()
        await issuer.clock.advance(by: 40)
        issuer.server.answer(Issuer.answer([a], Self.long))
        try await source.refresh()
        // The served set is the identical value, so that nobody prepares the keys again.
        #expect(try source.current().isSame(as: first))
        #expect(await issuer.observer.hears { $0 == .kept([KeyName("b")], upTo: .seconds(260)) })
        // The cache lacks the key: it is requested once, and known to be missing for a cooldown.
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

        // If the key stays away, it is dropped after five minutes, with or without a fetch.
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

    @Test("K17: the next scheduled fetch removes a withdrawn key, and purge does at once")
    func revocation() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b])
        issuer.server.answer(Issuer.answer([a]))
        await issuer.clock.advance(by: 496)
        #expect(await eventually { source.names == ["a"] })
        #expect(source.counters.fetches == 2)

        let latch = Latch()
        issuer.server.answer { [b] _ in
            _ = await latch.wait()
            return .success(Issuer.answer([b]))
        }
        source.purge()
        #expect(source.outage == .keysUnavailable(.notFetched) && source.health.status == .empty)
        #expect(source.health.isFetching && source.counters.fetches == 3)
        latch.open()
        #expect(try await source.awaitRefresh(timeout: .seconds(5)) || source.names != nil)
        // Keys within their grace period are dropped as well.
        #expect(await eventually { source.names == ["b"] })
        #expect(await issuer.observer.hears { $0 == .purged })
    }

    @Test("a fetch that was in progress during a purge does not restore the purged keys")
    func purgeInFlight() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let latch = Latch()
        issuer.server.answer { [a] _ in
            // The transport ignores cancellation.
            await latch.waitIgnoringCancellation()
            return .success(Issuer.answer([a]))
        }
        async let refreshed: Void = source.refresh()
        #expect(await eventually { issuer.server.requests.count == 2 })
        issuer.server.answer(Issuer.answer([b]))
        source.purge()
        // Tasks that waited for the first fetch wait for the second one.
        try await refreshed
        #expect(source.names == ["b"])
        latch.open()
        #expect(await eventually { issuer.server.answered == 3 })
        await issuer.clock.settle()
        #expect(source.names == ["b"] && source.counters.accepted == 2)
    }

    @Test("K18: a different key under a known kid replaces the known key at once and raises an alarm")
    func replaced() async throws {
        let other = Issuer.key("a")
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a, b])
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        let old = try JWSSigner(key: a, algorithm: .es256).sign("old")
        let new = try JWSSigner(key: other, algorithm: .es256).sign("new")
        #expect(throws: Never.self) { try verifier.verify(old) }
        // The failed signature causes a fetch, which ends before the key is replaced.
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(new) }
        #expect(await eventually { source.counters.accepted == 2 && !source.health.isFetching })
        issuer.server.answer(Issuer.answer([other, b]))
        try await source.refresh()
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(old) }
        #expect(throws: Never.self) { try verifier.verify(new) }
        #expect(source.names == ["a", "b"])
        #expect(await issuer.observer.hears { $0 == .replaced([KeyName("a")]) && $0.isAlarm })

        let strict = Issuer()
        let refusing = try await strict.source(holding: [a, b]) { $0.rejectsReplacedKeys = true }
        strict.server.answer(Issuer.answer([other, b]))
        #expect(await refusing.refreshError() == .refused(.replacedKey))
        let current = try refusing.current().keys.first?.publicKey
        #expect(current == a.publicKey)
        strict.server.answer(Issuer.answer([a, b, Issuer.key("c")]))
        #expect(await refusing.refreshError() == nil)
    }

    @Test("an unchanged key set stays the identical value after a 304, equal bytes or equal keys")
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

    @Test("a key whose other members changed is accepted without an alarm")
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
