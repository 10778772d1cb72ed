import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Tokens that expire between their check and the replay store") struct ReplayAtExpirationTests {
    /// A clock that shows one time for its first readings, and a later one from then on.
    private final class SteppingClock: Sendable {
        private let left: Mutex<Int>
        private let later: NumericDate

        init(readings: Int, later: NumericDate) {
            left = Mutex(readings)
            self.later = later
        }

        var wallClock: WallClock {
            .custom { [self] in
                left.withLock { left in
                    left -= 1
                    return left >= 0 ? ProfileFixture.now : later
                }
            }
        }

        /// Readings that are still to come before the later time; negative once it is shown.
        var readingsLeft: Int { left.withLock { $0 } }
    }

    /// The answers of a store of its own to each mark, whatever its expiration: what a store may not do.
    private struct CarelessStore: SynchronousReplayStore {
        func insert(_ mark: ReplayMark, now: NumericDate) -> ReplayAnswer { .fresh }
    }

    private static let expiration = ProfileFixture.now + .seconds(60)

    /// Tokens of exactly one use, checked against a clock that a test steps over their `exp`.
    private static func verifier(
        _ fixture: ProfileFixture, _ clock: SteppingClock, _ store: any ReplayStore
    ) throws -> TokenVerifier {
        var profile = ClientAssertionProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = clock.wallClock
        profile.claims.leeway = .zero
        return try TokenVerifier(profile, verificationKeys: fixture.keys)
    }

    private static func token(_ fixture: ProfileFixture) throws -> [UInt8] {
        let text = ProfileFixture.text([
            "iss": #""client""#, "sub": #""client""#, "aud": #""https://id.example""#, "exp": "1700000060",
            "jti": #""x""#,
        ])
        return Array(try fixture.sign(text, type: "JWT").utf8)
    }

    private typealias Errors = [TokenError?]
    private typealias Way = @Sendable (BatchVerifier, [[UInt8]], SteppingClock) async throws -> Errors
    private static let ways: [(String, Way)] = [
        ("in place", { batch, tokens, _ in batch.verifySynchronously(tokens).map { Seen($0).error } }),
        ("of an array", { batch, tokens, _ in try await batch.verify(tokens).map { Seen($0).error } }),
        (
            "of a sequence with a slow consumer",
            { batch, tokens, clock in
                var results = batch.results(of: Listed(tokens)).makeAsyncIterator()
                while clock.readingsLeft > 0 { try await Task.sleep(for: .milliseconds(1)) }
                var errors: Errors = []
                while let result = try await results.next() { errors.append(Seen(result).error) }
                return errors
            }
        ),
    ]

    @Test(
        "T76 of equal tokens in a batch one is accepted before exp, and none after it",
        arguments: [0, 1, 2])
    func batch(way: Int) async throws {
        let fixture = try ProfileFixture()
        let tokens = Array(repeating: try Self.token(fixture), count: 3)
        let (name, verify) = Self.ways[way]
        let store = InMemoryReplayStore()
        // The three checks of the claims, and no reading more.
        let late = SteppingClock(readings: 3, later: Self.expiration)
        let errors = try await verify(BatchVerifier(Self.verifier(fixture, late, store), workers: 1), tokens, late)
        #expect(errors == Array(repeating: .claim(.expired), count: 3), "\(name)")
        #expect(store.count == 0)
        let inTime = SteppingClock(readings: 3, later: Self.expiration - .milliseconds(1))
        let good = try await verify(BatchVerifier(Self.verifier(fixture, inTime, store), workers: 1), tokens, inTime)
        #expect(good == [nil, .replay(.seen), .replay(.seen)], "\(name)")
        #expect(store.count == 1)
    }

    @Test(
        "T76 a token that expires between its check and the store's answer is rejected, whatever that answer is"
    )
    func single() async throws {
        let fixture = try ProfileFixture()
        let token = try Self.token(fixture)
        for store in [InMemoryReplayStore(), CarelessStore()] as [any ReplayStore] {
            let late = try Self.verifier(fixture, SteppingClock(readings: 1, later: Self.expiration), store)
            #expect(throws: TokenError.claim(.expired)) { try late.verify(token) }
            let waiting = try Self.verifier(fixture, SteppingClock(readings: 1, later: Self.expiration), store)
            await #expect(throws: TokenError.claim(.expired)) {
                try await waiting.verify(token, timeout: .milliseconds(1))
            }
            let inTime = try Self.verifier(
                fixture, SteppingClock(readings: 1, later: Self.expiration - .milliseconds(1)), store)
            #expect(throws: Never.self) { try inTime.verify(token) }
        }
        let lost = try Self.verifier(
            fixture, SteppingClock(readings: 1, later: NumericDate(secondsSince1970: .nan)), InMemoryReplayStore())
        #expect(throws: TokenError.policyInvalid(.clock)) { try lost.verify(token) }
    }

    @Test("T76 a coalescing verifier accepts no token that expires before its replay store is called")
    func coalescing()
        async throws
    {
        let fixture = try ProfileFixture()
        let token = try Self.token(fixture)
        func verifier(_ later: NumericDate) throws -> CoalescingVerifier {
            var profile = ClientAssertionProfile(
                clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256],
                replayStore: InMemoryReplayStore())
            profile.claims.clock = SteppingClock(readings: 1, later: later).wallClock
            profile.claims.leeway = .zero
            return CoalescingVerifier(
                try TokenVerifier(issuers: [TrustedIssuer(profile, keys: fixture.keys)]), isMeasured: false)
        }
        await #expect(throws: TokenError.claim(.expired)) { try await verifier(Self.expiration).verify(token) }
        await #expect(throws: Never.self) { try await verifier(Self.expiration - .milliseconds(1)).verify(token) }
    }

    @Test("T76 a DPoP proof that becomes too old between its check and the store is rejected") func proof() throws {
        let prover = try DPoPProver(
            key: PrivateKey.generate(.p256), algorithm: .es256, clock: .fixed(ProfileFixture.now))
        let request = DPoPRequest(method: "POST", url: "https://as.example/token")
        let proof = try prover.proof(method: "POST", url: request.url)
        for (seconds, error) in [(71.0, .claim(.expired)), (70.999, nil)] as [(Double, TokenError?)] {
            let clock = SteppingClock(readings: 1, later: ProfileFixture.now + .seconds(seconds))
            let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: CarelessStore()) {
                $0.claims.clock = clock.wallClock
            }
            var found: TokenError?
            do throws(TokenError) { _ = try verifier.verify(proof, for: request) } catch { found = error }
            #expect(found == error, "\(seconds)")
        }
    }
}
