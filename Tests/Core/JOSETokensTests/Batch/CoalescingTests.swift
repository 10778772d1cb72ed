import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Coalescing verifier", .serialized) struct CoalescingTests {
    private static let fixture = Result { try BatchFixture() }

    @Test("64 concurrent callers get the results of single verification", arguments: [1, 2, 8, 64])
    func answers(
        callers: Int
    ) async throws {
        let fixture = try Self.fixture.get()
        let good = try (0..<3).flatMap {
            try fixture.good($0) + [fixture.sign(BatchFixture.payload($0), fixture.rsa, .rs256)]
        }
        let tokens = BatchFixture.shuffled(try good + good.prefix(8).flatMap(BatchFixture.broken) + fixture.odd())
        let one = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named)
        let expected = tokens.map { token in Seen { () throws(TokenError) in try one.verify(token) } }
        #expect(expected.count { $0.error == nil } == good.count)
        for isMeasured in [false, true] {
            await expectSame(CoalescingVerifier(one, isMeasured: isMeasured), tokens, expected, callers)
        }
    }

    private func expectSame(
        _ gathered: CoalescingVerifier, _ tokens: [[UInt8]], _ expected: [Seen], _ callers: Int
    ) async {
        let wrong = await withTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var wrong = 0
                    for place in tokens.indices {
                        let number = (place + caller * 7) % tokens.count
                        if await seen(gathered, tokens[number]) != expected[number] { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    private func seen(_ gathered: CoalescingVerifier, _ token: [UInt8]) async -> Seen {
        do throws(TokenError) {
            return Seen(.success(try await gathered.verify(token)))
        } catch {
            return Seen(.failure(error))
        }
    }

    @Test("nested tokens and tokens of several issuers are coalesced after decryption (RFC 7519, 11.2)")
    func nested() async throws {
        let fixture = try Self.fixture.get()
        let other = "https://other.example"
        let encrypter = try JWEEncrypter(
            key: fixture.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        func sealed(_ token: String) throws -> [UInt8] { Array(try encrypter.encrypt(token).utf8) }
        let rsa = [fixture.rsa, fixture.otherRSA, fixture.largeRSA]
        func signed(_ number: Int, _ issuer: String) throws -> String {
            try fixture.sign(
                BatchFixture.payload(number, issuer: issuer), rsa[number % 3], number % 2 == 0 ? .rs256 : .ps256)
        }
        let inner = try (0..<9).map { try signed($0, other) }
        let bad = try BatchFixture.broken(inner[0]).map(sealed) + [sealed(inner[1]) + [65], Array(inner[2].utf8)]
        let nested = try TokenVerifier(
            BatchFixture.nested(other), verificationKeys: fixture.named, decryptionKeys: KeySet(fixture.mine))
        let several = try TokenVerifier(
            issuers: [
                TrustedIssuer(BatchFixture.signed(), keys: fixture.named),
                TrustedIssuer(BatchFixture.nested(other), keys: ChangingKeys(fixture.named)),
            ], decryptionKeys: KeySet(fixture.mine))
        let tokens = try inner.map(sealed) + bad
        let expected = tokens.map { token in Seen { () throws(TokenError) in try nested.verify(token) } }
        #expect(expected.count { $0.error == nil } == 9)
        await expectSame(CoalescingVerifier(nested, isMeasured: false), tokens, expected, 16)
        let open = try (0..<9).map { Array(try signed($0, BatchFixture.issuer).utf8) }
        let mixed = tokens + open + [open[0] + [65]]
        let all = mixed.map { token in Seen { () throws(TokenError) in try several.verify(token) } }
        #expect(all.count { $0.error == nil } == 18)
        await expectSame(CoalescingVerifier(several, isMeasured: false), mixed, all, 16)
    }

    @Test(
        "T67 of many concurrent callers with one token, the profile of its issuer accepts one, in groups and alone",
        arguments: [false, true])
    func replay(isMeasured: Bool) async throws {
        let fixture = try Self.fixture.get()
        let store = InMemoryReplayStore()
        var claims = BatchFixture.claims()
        claims.maximumLifetime = .seconds(600)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: BatchFixture.algorithms), claims: claims)
        let gathered = CoalescingVerifier(
            try TokenVerifier(issuers: [
                TrustedIssuer(OnceOnly(policy: policy, replayStore: store), keys: fixture.named)
            ]), isMeasured: isMeasured)
        let tokens = try (0..<20).map { number in
            let text = #"{"iss":"\#(BatchFixture.issuer)","aud":"shop","jti":"j\#(number)","exp":1700000600}"#
            return Array(try fixture.sign(text, fixture.rsa, .rs256).utf8)
        }
        let answers = await withTaskGroup(of: [Seen].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var answers: [Seen] = []
                    for token in tokens { answers.append(await seen(gathered, token)) }
                    return answers
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(answers.count { $0.error == nil } == 20)
        #expect(answers.count { $0.error == .replay(.seen) } == 140)
    }

    /// Tokens that count once.
    private struct OnceOnly: TokenProfile {
        let policy: TokenPolicy
        let replayStore: (any ReplayStore)?
        func check(_ token: VerifiedToken) throws(TokenError) {}
    }

    /// A clock that never calls.
    private final class StoppedClock: CoalescingClock {
        private let count = Atomic(0)
        let now = ContinuousClock.now
        var calls: Int { count.load(ordering: .relaxed) }
        func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> Bool {
            count.add(1, ordering: .relaxed)
            return true
        }
    }

    @Test("a single token does not wait for others, and starts no timer") func lone() async throws {
        let fixture = try Self.fixture.get()
        let token = Array(try fixture.sign(BatchFixture.payload(1), fixture.rsa, .rs256).utf8)
        let clock = StoppedClock()
        let gathered = CoalescingVerifier(
            try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named), isMeasured: false, clock: clock)
        for _ in 0..<2000 { #expect(try await gathered.verify(token).claims.subject == "1") }
        #expect(clock.calls == 0)
    }

    @Test("every caller gets a result, also if the timer never fires")
    func nobodyIsLeft() async throws {
        let fixture = try Self.fixture.get()
        let token = Array(try fixture.sign(BatchFixture.payload(1), fixture.rsa, .rs256).utf8)
        let verifier = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named)
        for gathered in [
            CoalescingVerifier(verifier, isMeasured: false),
            CoalescingVerifier(verifier, isMeasured: false, clock: StoppedClock()),
        ] {
            for callers in [2, 3, 7, 8, 9, 30] {
                let answered = await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            var answered = 0
                            for _ in 0..<40 {
                                if (try? await gathered.verify(token)) != nil { answered += 1 }
                            }
                            return answered
                        }
                    }
                    return await group.reduce(0, +)
                }
                #expect(answered == 40 * callers)
            }
        }
    }
}
