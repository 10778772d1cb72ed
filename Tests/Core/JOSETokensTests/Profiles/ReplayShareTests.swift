import JOSE
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Shares of a replay store") struct ReplayShareTests {
    private func mark(_ id: Int, _ issuer: String, until end: NumericDate = 100, share: String? = nil) -> ReplayMark {
        ReplayMark(issuer: issuer, tokenID: "\(id)", expiration: end, share: share)
    }

    @Test("T78 n clients that use all they can each get one part in n + 1, and another client still finds room")
    func shares() {
        for clients in 1...9 {
            let store = InMemoryReplayStore(capacity: 100 * (clients + 1))
            var kept: [Int] = Array(repeating: 0, count: clients)
            for id in 0..<(200 * (clients + 1)) {
                for client in 0..<clients where store.insert(mark(id, "\(client)"), now: 0) == .fresh {
                    kept[client] += 1
                }
            }
            #expect(kept.allSatisfy { (99...101).contains($0) }, "\(clients): \(kept)")
            #expect(store.insert(mark(-1, "0"), now: 0) == .shareFull)
            #expect(store.insert(mark(0, "0"), now: 0) == .seen)
            for id in 0..<49 { #expect(store.insert(mark(id, "another"), now: 0) == .fresh) }
        }
    }

    @Test("T78 a client can use the slots of its expired tokens, and full is reported only if every slot is used")
    func places() {
        let store = InMemoryReplayStore(capacity: 4)
        #expect(store.insert(mark(0, "a", until: 10), now: 0) == .fresh)
        #expect(store.insert(mark(1, "a", until: 20), now: 0) == .fresh)
        #expect(store.insert(mark(2, "a"), now: 9) == .shareFull)
        #expect(store.insert(mark(2, "a"), now: 10) == .fresh)
        #expect(store.insert(mark(3, "a"), now: 10) == .shareFull)
        #expect(store.insert(mark(0, "b"), now: 10) == .fresh)
        #expect(store.insert(mark(1, "b"), now: 10) == .shareFull)
        #expect(store.insert(mark(0, "c"), now: 10) == .fresh)
        #expect(store.insert(mark(0, "d"), now: 10) == .full)
        #expect(store.insert(mark(0, "d"), now: 20) == .fresh)
        #expect(store.count == 4)
    }

    @Test("T78 the shares need no more entries than the marks, are removed with them, and cost O(log n) for each mark")
    func bookkeeping() {
        let count = 1 << 14
        let store = InMemoryReplayStore(capacity: 4 * count)
        for id in 0..<count {
            let end = NumericDate(secondsSince1970: Double((id * 7919) % count + 1))
            #expect(store.insert(mark(id, id % 2 == 0 ? "one" : "\(id)", until: end), now: 0) == .fresh)
        }
        #expect(store.count == count && store.shareCount == count / 2 + 1)
        let later = NumericDate(secondsSince1970: Double(count) + 1)
        #expect(store.insert(mark(-1, "last", until: 1e6), now: later) == .fresh)
        #expect(store.count == 1 && store.shareCount == 1)
        // Each mark goes up the heap once and down once.
        #expect(store.stepCount <= 2 * 15 * (count + 1))
        for id in 0..<100 { #expect(store.insert(mark(id, "\(id)", until: 5), now: 1e5) == .expired) }
        #expect(store.shareCount == 1)
    }

    @Test("T78 DPoP proofs of unknown keys share one part of the store, and a known client has its own")
    func proofs() throws {
        let store = InMemoryReplayStore(capacity: 12)
        let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: store) {
            $0.claims.clock = .fixed(1_700_000_000)
        }
        func error(client: String? = nil) throws -> TokenError? {
            let prover = try DPoPProver(
                key: PrivateKey.generate(.p256), algorithm: .es256, clock: .fixed(1_700_000_000))
            var request = DPoPRequest(method: "POST", url: "https://as.example/token")
            request.client = client
            let proof = try prover.proof(method: "POST", url: request.url)
            do throws(TokenError) { _ = try verifier.verify(proof, for: request) } catch { return error }
            return nil
        }
        for number in 0..<20 { #expect(try error() == (number < 6 ? nil : .replay(.shareFull)), "\(number)") }
        for number in 0..<3 { #expect(try error(client: "client") == nil, "\(number)") }
        #expect(try error(client: "client") == .replay(.shareFull))
        #expect(store.insert(mark(0, "client", until: 1_700_000_100), now: 1_700_000_000) == .fresh)
        #expect(store.shareCount == 3)
    }
}
