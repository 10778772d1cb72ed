import JOSE
import JOSEKeySets
import Testing

@Suite("Fetching of a remote key set") struct FetchingTests {
    let issuer = Issuer()

    @Test("the first use starts the first fetch and does not wait for it")
    func firstUse() async throws {
        issuer.server.answer(Issuer.answer([Issuer.key("a")]))
        let source = try issuer.source()
        await issuer.clock.advance(by: 3600)
        #expect(issuer.server.requests.isEmpty)
        #expect(source.outage == .keysUnavailable(.notFetched))
        #expect(await eventually { source.names == ["a"] })
        #expect(issuer.server.requests.count == 1)
        #expect(issuer.server.requests.first?.url == Issuer.url)
        #expect(source.health.status == .fresh && source.health.keys == 1)
    }

    @Test("warm-up returns once keys are fetched, or throws the error of the fetch")
    func warmUp() async throws {
        let source = try await issuer.source(holding: [Issuer.key("a"), Issuer.key("b")])
        #expect(source.names == ["a", "b"])
        try await source.warmUp(timeout: .seconds(1))
        #expect(issuer.server.requests.count == 1)

        let other = Issuer()
        other.server.fail(.nameNotResolved)
        let failing = try other.source { $0.retries = 0 }
        await #expect(throws: KeySetError.transport(.nameNotResolved)) {
            try await failing.warmUp(timeout: .milliseconds(100))
        }
    }
}
