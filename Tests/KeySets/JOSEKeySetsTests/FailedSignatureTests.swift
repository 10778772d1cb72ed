import JOSE
import JOSEKeySets
import JOSETokens
import Testing

/// A provider may replace a key under its `kid`, which only a failed signature shows. Anybody can send tokens whose signature fails.
@Suite("Fetches after a failed signature") struct FailedSignatureTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")
    private static let policy = TokenPolicy.signed(
        SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
    private let invalid = TokenError.jose(.signatureInvalid, layer: .signature)

    private func token(_ key: PrivateKey) throws -> String {
        try TokenIssuer(Self.policy, signingKey: key).issue(["sub": "u"])
    }

    private func verifier(_ source: RemoteKeySet) throws -> TokenVerifier {
        try TokenVerifier(Self.policy, verificationKeys: source)
    }

    /// Returns a source that has both keys, and whose cooldown after the first fetch is over.
    private func source(
        _ issuer: Issuer, options change: (inout KeySetOptions) -> Void = { _ in }
    ) async throws -> RemoteKeySet {
        let source = try await issuer.source(
            holding: [a, b], TransportHeaderField("Cache-Control", "max-age=86400"), options: change)
        await issuer.clock.advance(by: 31)
        return source
    }

    @Test("a key that is replaced under its kid is fetched after the first signature that fails (RFC 7517, 4.5)")
    func replaced() async throws {
        let issuer = Issuer()
        let source = try await source(issuer)
        let verifier = try verifier(source)
        let next = Issuer.key("a")
        let (old, new, other) = (try token(a), try token(next), try token(b))
        for token in [old, other] { #expect(verifier.error(token) == nil) }
        issuer.server.answer(Issuer.answer([next, b], TransportHeaderField("Cache-Control", "max-age=86400")))
        // A call that does not wait rejects the token, and begins the fetch.
        #expect(verifier.error(new) == invalid)
        #expect(await eventually { source.counters.accepted == 2 && !source.health.isFetching })
        #expect(verifier.error(new) == nil && verifier.error(other) == nil && verifier.error(old) == invalid)
        #expect(source.counters.fetches == 2 && source.counters.signatureFetches == 1)
        #expect(source.counters.failedSignatures == 2 && source.counters.misses == 0)
        #expect(await issuer.observer.hears { $0 == .signatureFailed(KeyName("a")) })
        #expect(KeySetEvent.signatureFailed(KeyName("a")).description == #"event=signature_failed kids="a""#)

        // A call that may wait does so for this fetch, and judges the token again; so does a batch.
        await issuer.clock.advance(by: 31)
        let last = Issuer.key("a")
        let newest = try token(last)
        issuer.server.answer(Issuer.answer([last, b], TransportHeaderField("Cache-Control", "max-age=86400")))
        #expect(try await verifier.verify(newest, timeout: .seconds(5)).claims.subject == "u")
        #expect(source.counters.fetches == 3 && source.counters.signatureFetches == 2 && source.waiting == 0)
        await issuer.clock.advance(by: 31)
        issuer.server.answer(Issuer.answer([next, b], TransportHeaderField("Cache-Control", "max-age=86400")))
        let forged = try token(Issuer.key("a"))
        let results = try await BatchVerifier(verifier).verify([new, other, forged], timeout: .seconds(5))
        let failures = (0..<3).map { place -> TokenError? in
            if case .failure(let error) = results[place] { error } else { nil }
        }
        #expect(failures == [nil, nil, invalid] && source.counters.signatureFetches == 3)
    }

    @Test("K45 forged tokens cause one fetch in 30 seconds, and use up none of those for missing names")
    func forged() async throws {
        let issuer = Issuer()
        let source = try await source(issuer) { $0.bypasses = 0 }
        let verifier = try verifier(source)
        let forged = try (0..<10).map { _ in try token(Issuer.key("a")) } + [token(Issuer.key("b"))]
        for _ in 0..<95 {
            for token in forged { #expect(verifier.error(token) == invalid) }
            #expect(await eventually { !source.health.isFetching })
            await issuer.clock.advance(by: 1)
        }
        // At the beginning, and after 30, 60 and 90 seconds.
        #expect(source.counters.signatureFetches == 4 && source.counters.fetches == 1 + 4)
        #expect(source.counters.failedSignatures == 95 * 11 && source.names == ["a", "b"])
        // The last of them began five seconds ago, and a token that names a key which the set lacks causes a fetch at once.
        source.miss("c")
        #expect(source.counters.fetches == 6)
        #expect(await eventually { !source.health.isFetching })
        // In reverse, a fetch for a missing name postpones none for a failed signature.
        await issuer.clock.advance(by: 31)
        source.miss("d")
        #expect(await eventually { source.counters.fetches == 7 && !source.health.isFetching })
        #expect(verifier.error(forged[0]) == invalid)
        #expect(source.counters.signatureFetches == 5 && source.counters.fetches == 8)
        #expect(await eventually { !source.health.isFetching })
        // Other tokens are not affected.
        let good = try token(a)
        #expect(verifier.error(good) == nil && source.counters.fetches == 8)
    }

    @Test("while the fetch is under way, only tokens whose signature failed wait, and only for it")
    func others() async throws {
        let issuer = Issuer()
        let source = try await source(issuer)
        let verifier = try verifier(source)
        let next = Issuer.key("a")
        let (new, other, forged) = (try token(next), try token(b), try token(Issuer.key("b")))
        let latch = Latch()
        issuer.server.answer { [b] _ in
            await latch.wait() ? .success(Issuer.answer([next, b])) : .failure(.cancelled)
        }
        let waiting = Task { try await verifier.verify(new, timeout: .seconds(3600)).claims.subject }
        let rejected = Task { () -> TokenError? in
            do throws(TokenError) {
                _ = try await verifier.verify(forged, timeout: .seconds(3600))
                return nil
            } catch {
                return error
            }
        }
        #expect(await eventually { source.waiting == 2 && issuer.server.requests.count == 2 })
        for _ in 0..<100 {
            #expect(try await verifier.verify(other, timeout: .seconds(3600)).claims.subject == "u")
            #expect(verifier.error(forged) == invalid)
        }
        #expect(source.waiting == 2 && issuer.server.requests.count == 2)
        latch.open()
        #expect(try await waiting.value == "u")
        #expect(await rejected.value == invalid)
        #expect(source.counters.fetches == 2 && source.waiting == 0)
    }

    @Test("a call with enough time waits for the next fetch that a failed signature may cause")
    func notDue() async throws {
        let issuer = Issuer()
        let source = try await source(issuer)
        let verifier = try verifier(source)
        let forged = try token(Issuer.key("a"))
        #expect(verifier.error(forged) == invalid)
        #expect(await eventually { source.counters.accepted == 2 && !source.health.isFetching })
        // Ten seconds later the key is replaced. The next fetch may begin in twenty seconds.
        await issuer.clock.advance(by: 10)
        let next = Issuer.key("a")
        let new = try token(next)
        issuer.server.answer(Issuer.answer([next, b]))
        await #expect(throws: invalid) { try await verifier.verify(new, timeout: .seconds(15)) }
        #expect(source.waiting == 0 && source.counters.fetches == 2)
        let waiting = Task { try await verifier.verify(new, timeout: .seconds(60)).claims.subject }
        #expect(await eventually { source.waiting == 1 })
        await issuer.clock.advance(by: 19)
        #expect(source.counters.fetches == 2 && source.waiting == 1)
        await issuer.clock.advance(by: 1.5)
        #expect(try await waiting.value == "u")
        #expect(source.counters.fetches == 3 && source.counters.signatureFetches == 2)
        // Without a failed signature nothing is awaited.
        await issuer.clock.advance(by: 40)
        #expect(try await !source.awaitReplacedKey(timeout: .seconds(60)))
        #expect(source.counters.fetches == 3)
    }

    @Test("callers that wait after a failed signature are limited in number, apart from those with a missing key")
    func room() async throws {
        let issuer = Issuer()
        let source = try await source(issuer) { ($0.missLimit, $0.bypasses) = (3, 0) }
        let verifier = try verifier(source)
        let forged = try token(Issuer.key("a"))
        // Both kinds of fetches have just taken place, and may take place again in thirty seconds.
        #expect(verifier.error(forged) == invalid)
        #expect(await eventually { source.counters.accepted == 2 && !source.health.isFetching })
        source.miss("x")
        #expect(await eventually { source.counters.accepted == 3 && !source.health.isFetching })
        await issuer.clock.advance(by: 10)
        let rejected = (0..<5).map { _ in
            Task { () -> TokenError? in
                do throws(TokenError) {
                    _ = try await verifier.verify(forged, timeout: .seconds(60))
                    return nil
                } catch {
                    return error
                }
            }
        }
        // The other two were rejected: one that begins after the fetch would wait for the next one.
        #expect(await eventually { source.waiting == 3 && source.counters.failedSignatures == 6 })
        let c = Issuer.key("c")
        let new = try token(c)
        issuer.server.answer(Issuer.answer([a, b, c]))
        let waiting = Task { try await verifier.verify(new, timeout: .seconds(60)).claims.subject }
        #expect(await eventually { source.waiting == 4 })
        #expect(source.counters.fetches == 3)
        await issuer.clock.advance(by: 21)
        #expect(try await waiting.value == "u")
        for task in rejected { #expect(await task.value == invalid) }
        #expect(source.waiting == 0)
    }

    @Test("a fetch for a failed signature that fails postpones no other fetch, unless the server asks to wait")
    func failing() async throws {
        let issuer = Issuer()
        let source = try await source(issuer) { ($0.retries, $0.bypasses) = (0, 0) }
        let verifier = try verifier(source)
        let (good, forged) = (try token(a), try token(Issuer.key("a")))
        issuer.server.fail(.connectFailed)
        await #expect(throws: invalid) { try await verifier.verify(forged, timeout: .seconds(5)) }
        #expect(source.health.failures == 1 && verifier.error(good) == nil)
        // Within the next 30 seconds no failed signature causes another one, and a missing name does at once.
        for _ in 0..<10 { #expect(verifier.error(forged) == invalid) }
        #expect(source.counters.fetches == 2)
        issuer.server.answer(Issuer.answer([a, b]))
        source.miss("c")
        #expect(await eventually { source.counters.accepted == 2 && source.health.failures == 0 })
        #expect(source.counters.fetches == 3)
        // A server that asks to wait is asked neither for a signature nor for a name.
        await issuer.clock.advance(by: 31)
        issuer.server.answer(
            TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "120")]))
        await #expect(throws: invalid) { try await verifier.verify(forged, timeout: .seconds(5)) }
        await issuer.clock.advance(by: 60)
        #expect(verifier.error(forged) == invalid)
        source.miss("d")
        #expect(source.counters.fetches == 4 && verifier.error(good) == nil)
        // After a shutdown nothing is fetched.
        await source.shutdown()
        source.reportFailedSignature(keyID: Array("a".utf8))
        #expect(source.counters.fetches == 4 && source.counters.failedSignatures > 0)
    }
}
