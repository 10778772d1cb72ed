import JOSESupport
import Testing

@testable import JOSEMitID
@testable import JOSERelyingParty
@testable import JOSEZenKey

@Suite("ZenKey: shared requests to discovery") struct CarrierRegistryTests {
    private static func waiter() -> CarrierRegistry.Waiter {
        CarrierRegistry.Waiter(cancelled: .failure(RelyingPartyError(.interrupted, in: .discovery)))
    }

    private static func outcome(_ address: String) -> CarrierRegistry.Outcome {
        .success(.ask(ZenKeyDiscoveryPage(address: address, clientID: "ccid-SP0001")))
    }

    /// Returns the number of the request that a caller must send.
    private func request(_ step: CarrierRegistry.Step) throws -> Int {
        guard case .ask(let request) = step else {
            Issue.record("no request of its own")
            throw RelyingPartyError(.internalFault, in: .discovery)
        }
        return request
    }

    private func isWaiting(_ step: CarrierRegistry.Step) -> Bool {
        if case .wait = step { true } else { false }
    }

    /// Returns the URL of a cached answer; nil if none is cached.
    private func cached(_ step: CarrierRegistry.Step) -> String? {
        if case .take(.ask(let page)) = step { page.address } else { nil }
    }

    private func same(_ waiters: [CarrierRegistry.Waiter], _ expected: [CarrierRegistry.Waiter]) -> Bool {
        waiters.map { ObjectIdentifier($0) } == expected.map { ObjectIdentifier($0) }
    }

    @Test("callers share the discovery request in progress, and its response is cached")
    func shared() throws {
        let network = try #require(MobileNetwork("310010"))
        let (first, second) = (Self.waiter(), Self.waiter())
        var book = CarrierRegistry()
        let number = try request(book.join(network, first, at: 0))
        let isJoined = isWaiting(book.join(network, second, at: 0))
        #expect(isJoined)
        let ended = book.end(number, of: network, Self.outcome("a"), at: 1)
        #expect(same(ended, [first, second]))
        let answer = cached(book.join(network, Self.waiter(), at: 2))
        #expect(answer == "a")
    }

    @Test("a caller after forget starts a new request, and the earlier response is not cached")
    func forgotten() throws {
        let network = try #require(MobileNetwork("310010"))
        for isEarlierFirst in [true, false] {
            let (early, late, last) = (Self.waiter(), Self.waiter(), Self.waiter())
            var book = CarrierRegistry()
            let stale = try request(book.join(network, early, at: 0))
            book.forget(network)
            let fresh = try request(book.join(network, late, at: 0))
            #expect(fresh != stale)
            if isEarlierFirst {
                let ended = book.end(stale, of: network, Self.outcome("stale"), at: 1)
                #expect(same(ended, [early]))
                // A new caller still shares the later request.
                let isJoined = isWaiting(book.join(network, last, at: 1))
                #expect(isJoined)
                let others = book.end(fresh, of: network, Self.outcome("fresh"), at: 2)
                #expect(same(others, [late, last]))
            } else {
                let ended = book.end(fresh, of: network, Self.outcome("fresh"), at: 1)
                #expect(same(ended, [late]))
                let others = book.end(stale, of: network, Self.outcome("stale"), at: 2)
                #expect(same(others, [early]))
            }
            let answer = cached(book.join(network, Self.waiter(), at: 3))
            #expect(answer == "fresh")
        }
    }
}
