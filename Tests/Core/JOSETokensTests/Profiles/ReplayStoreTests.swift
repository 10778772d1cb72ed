import JOSE
import JOSETokens
import Testing

@Suite("Replay store") struct ReplayStoreTests {
    private func mark(_ id: String, _ issuer: String = "i", until end: NumericDate = 100) -> ReplayMark {
        ReplayMark(issuer: issuer, tokenID: id, expiration: end)
    }

    @Test("T67: a mark is new once for its issuer and jti, until it expires") func once() {
        let store = InMemoryReplayStore(capacity: 10)
        #expect(store.insert(mark("a"), now: 0) == .fresh)
        #expect(store.insert(mark("a"), now: 0) == .seen)
        #expect(store.insert(mark("a", until: 500), now: 99.9) == .seen)
        #expect(store.insert(mark("A"), now: 0) == .fresh)
        #expect(store.insert(mark("a", "j"), now: 0) == .fresh)
        #expect(store.insert(mark("a", until: 200), now: 100) == .fresh)
    }

    private struct OnceProfile: TokenProfile {
        let policy: TokenPolicy
        let replayStore: (any ReplayStore)?
        func check(_ token: VerifiedToken) throws(TokenError) {}
    }

    @Test("T67: with a replay store, a token without jti is rejected, even if the policy does not require one")
    func withoutID() throws {
        let fixture = try ProfileFixture()
        var claims = ClaimPolicy(issuer: .exactly(ProfileFixture.issuer), audience: .anyAudienceUnchecked)
        claims.clock = .fixed(ProfileFixture.now)
        claims.maximumLifetime = .seconds(600)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        let store = InMemoryReplayStore()
        let verifier = try TokenVerifier(
            OnceProfile(policy: policy, replayStore: store), verificationKeys: fixture.keys)
        let good = ["iss": #""https://id.example""#, "exp": "1700000060", "jti": #""x""#]
        let without = try fixture.sign(ProfileFixture.text(good, ["jti": nil]), type: nil)
        #expect(throws: TokenError.claim(.missing("jti"))) { try verifier.verify(without) }
        #expect(store.count == 0)
        let token = try fixture.sign(ProfileFixture.text(good), type: nil)
        #expect(throws: Never.self) { try verifier.verify(token) }
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
    }

    @Test("T76 inserting an expired mark reports that it has expired, because it is not stored") func expired() {
        let store = InMemoryReplayStore(capacity: 10)
        for now in [100, 100.001, 1e9] as [NumericDate] { #expect(store.insert(mark("a"), now: now) == .expired) }
        #expect(store.count == 0)
        #expect(store.insert(mark("a"), now: 99.999) == .fresh)
        #expect(store.insert(mark("a"), now: 99.999) == .seen)
        #expect(store.insert(mark("a"), now: 100) == .expired)
    }

    @Test("T76 a removed mark is not new for a caller whose clock reading is earlier than the removal")
    func outOfOrder() {
        let store = InMemoryReplayStore(capacity: 10)
        #expect(store.insert(mark("a", until: 50), now: 0) == .fresh)
        #expect(store.insert(mark("b"), now: 60) == .fresh)
        // The mark of "a" is gone; whoever read the clock before that may not use it again.
        #expect(store.insert(mark("a", until: 50), now: 49) == .expired)
        // No mark with this end was removed, so that this one was never in the store.
        #expect(store.insert(mark("c", until: 40), now: 39) == .fresh)
        #expect(store.insert(mark("c", until: 40), now: 39) == .seen)
        #expect(store.insert(mark("b"), now: 49) == .seen)
        // Marks that end later were not removed.
        #expect(store.insert(mark("d", until: 50.001), now: 49) == .fresh)
        #expect(store.insert(mark("d", until: 50.001), now: 49) == .seen)
    }

    @Test("K42 a clock that jumps ahead and back rejects no new token for long, and accepts no used one again")
    func clockJump() {
        let jump = 86_400_000.0
        let store = InMemoryReplayStore()
        func insert(_ id: String, at now: Double) -> ReplayAnswer {
            let end = NumericDate(secondsSince1970: now + 60)
            return store.insert(mark(id, until: end), now: NumericDate(secondsSince1970: now))
        }
        #expect(insert("a", at: 1_000) == .fresh)
        // The clock is ahead for ten minutes, in which tokens are used and their marks removed.
        for second in 0..<600 { #expect(insert("b\(second)", at: jump + Double(second)) == .fresh) }
        // It is right again: new tokens are accepted at once, and none a second time.
        for second in 0..<600 {
            #expect(insert("c\(second)", at: 1_601 + Double(second)) == .fresh)
            #expect(insert("c\(second)", at: 1_601 + Double(second)) == .seen)
        }
        #expect(store.clockRejections == 0)
        // A token of the time that the clock has shown may have been used. Its end is still to come.
        for second in [0.0, 1, 300, 530] {
            let mark = mark("b\(Int(second))", until: NumericDate(secondsSince1970: jump + second + 60))
            #expect(store.insert(mark, now: 2_300) == .unavailable)
        }
        #expect(store.clockRejections == 4)
        // Once the clock shows that time again, new tokens are rejected for as long as it was ahead, and not longer.
        #expect(insert("d", at: jump + 10) == .unavailable)
        #expect(store.clockRejections == 5)
        #expect(insert("e", at: jump + 601) == .fresh && insert("e", at: jump + 601) == .seen)
    }

    @Test("a clock that is set back rejects tokens until it shows the later time again, and raises an alarm")
    func clockSetBack() {
        let store = InMemoryReplayStore()
        func insert(_ id: Int, at now: Double) -> ReplayAnswer {
            store.insert(
                mark("\(id)", until: NumericDate(secondsSince1970: now + 60)), now: NumericDate(secondsSince1970: now))
        }
        for second in 0..<1_000 { #expect(insert(second, at: Double(second)) == .fresh) }
        // The last mark that was removed had the end 999.
        #expect(insert(2_000, at: 700) == .unavailable && insert(2_001, at: 938) == .unavailable)
        #expect(store.clockRejections == 2)
        #expect(insert(2_002, at: 940) == .fresh)
        #expect(store.clockRejections == 2)
    }

    @Test("issuer and jti are compared byte by byte and separately, not as one concatenated text") func keys() {
        let store = InMemoryReplayStore()
        #expect(store.insert(mark("bc", "a"), now: 0) == .fresh)
        #expect(store.insert(mark("c", "ab"), now: 0) == .fresh)
        #expect(store.insert(mark("1:c", "a"), now: 0) == .fresh)
        #expect(store.insert(mark("\u{e9}"), now: 0) == .fresh)
        #expect(store.insert(mark("e\u{301}"), now: 0) == .fresh)
        #expect(store.insert(mark("x\u{0}y"), now: 0) == .fresh)
        #expect(store.insert(mark("x"), now: 0) == .fresh)
        #expect(store.count == 7)
    }

    @Test("a full store rejects new marks and removes none before it expires") func full() {
        let store = InMemoryReplayStore(capacity: 3)
        for (id, end) in [("a", 30), ("b", 10), ("c", 20)] as [(String, NumericDate)] {
            #expect(store.insert(mark(id, id, until: end), now: 0) == .fresh)
        }
        #expect(store.insert(mark("d", until: 1000), now: 9) == .full)
        #expect(["a", "b", "c"].allSatisfy { store.insert(mark($0, $0), now: 9) == .seen })
        #expect(store.insert(mark("d", until: 1000), now: 10) == .fresh)
        #expect(store.insert(mark("e"), now: 10) == .full)
        #expect(store.insert(mark("c", "c"), now: 19) == .seen)
        #expect(store.insert(mark("e", "e", until: 25), now: 20) == .fresh)
        #expect(store.count == 3)
    }

    @Test("a mark that has expired, or whose expiration is not a number, is not stored") func edges() {
        let store = InMemoryReplayStore(capacity: 1)
        #expect(store.insert(mark("a", until: 5), now: 5) == .expired)
        #expect(store.count == 0)
        for seconds in [Double.infinity, .nan, -.infinity] {
            let end = NumericDate(secondsSince1970: seconds)
            #expect(store.insert(mark("a", until: end), now: 0) == .unavailable)
        }
        #expect(store.insert(mark("a"), now: NumericDate(secondsSince1970: .nan)) == .unavailable)
        #expect(InMemoryReplayStore(capacity: -1).insert(mark("a"), now: 0) == .fresh)
    }

    @Test("marks are removed in the order of their expiration, whatever the order of insertion") func order() {
        let store = InMemoryReplayStore(capacity: 2000)
        for step in 0..<1000 {
            let end = NumericDate(secondsSince1970: Double((step * 617) % 1000 + 1))
            #expect(store.insert(mark("\(step)", until: end), now: 0) == .fresh)
        }
        for seconds in stride(from: 0, through: 999, by: 37) {
            let now = NumericDate(secondsSince1970: Double(seconds))
            #expect(store.insert(mark("probe", until: now), now: now) != .seen)
            #expect(store.count == 1000 - seconds)
        }
    }

    @Test("of many concurrent uses of a token exactly one is accepted as new") func atomic() async {
        let store = InMemoryReplayStore()
        let fresh = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<200).count { store.insert(mark("\($0)"), now: 0) == .fresh }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(fresh == 200)
    }
}
