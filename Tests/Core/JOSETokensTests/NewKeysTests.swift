import JOSE
import JOSESupport
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("The rule for new keys") struct NewKeysTests {
    /// A source that records what is awaited. Each wait ends with the same answer.
    private final class Source: KeySource {
        private let awaited = Mutex<[String]>([])
        private let answer: Bool
        init(_ answer: Bool) { self.answer = answer }

        var waits: [String] { awaited.withLock { $0 } }
        func current() throws(JOSEError) -> KeySet { .empty }
        private func wait(_ name: String) -> Bool {
            awaited.withLock { $0.append(name) }
            return answer
        }
        func awaitRefresh(timeout limit: Duration) async throws -> Bool { wait("refresh") }
        func awaitMissingKey(timeout limit: Duration) async throws -> Bool { wait("missing") }
        func awaitReplacedKey(timeout limit: Duration) async throws -> Bool { wait("replaced") }
    }

    private static func error(_ error: JOSEError, _ layer: TokenLayer = .signature) -> TokenError {
        .jose(error, layer: layer)
    }

    private static let cases: [(error: TokenError, wait: String?)] = [
        (error(.keyNotFound), "missing"), (error(.keysUnavailable(.refreshIncomplete)), "missing"),
        (error(.signatureInvalid), "replaced"), (error(.keyUnsuitable(.kind)), "refresh"),
        (error(.decryptionFailed), nil), (.claim(.expired), nil),
    ]

    @Test("a missing key, a failed signature and other errors of keys are awaited, and no other errors")
    func kinds() async throws {
        for (error, wait) in Self.cases {
            for answer in [true, false] {
                let source = Source(answer)
                let end = ContinuousClock.now + .seconds(1)
                #expect(try await source.awaitNewKeys(after: error, until: end) == (wait != nil && answer), "\(error)")
                #expect(source.waits == [wait].compactMap { $0 }, "\(error)")
                // Without the next refresh, only the one in progress is awaited.
                let other = Source(answer)
                let isRenewed = try await other.awaitNewKeys(after: error, until: end, awaitsNext: false)
                #expect(isRenewed == (wait != nil && answer), "\(error)")
                #expect(other.waits == (wait == nil ? [] : ["refresh"]), "\(error)")
            }
        }
    }

    /// Runs what blocks on a thread of its own: the few threads of the tasks run what it waits for.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isRunning = DetachedThread.start {
                body()
                continuation.resume()
            }
            precondition(isRunning, "The system has no thread.")
        }
    }

    @Test("a blocked thread has the same rule for each of several tokens, and for one layer alone")
    func blocking() async {
        await Self.onThread {
            let source = Source(true)
            let errors = Self.cases.map(\.error) + [Self.error(.keyNotFound, .encryption)]
            let answers = source.blockForNewKeys(after: errors, of: .signature, timeout: .seconds(1))
            #expect(answers == [true, true, true, true, false, false, false])
            #expect(source.waits == ["missing", "missing", "replaced", "refresh"])
            #expect(source.blockForNewKeys(after: [], of: .signature, timeout: .seconds(1)).isEmpty)
            let idle = Source(false)
            #expect(idle.blockForNewKeys(after: errors, of: .encryption, timeout: .seconds(1)).allSatisfy { !$0 })
            #expect(idle.waits == ["missing"])
        }
    }

    @Test(
        "a call is repeated once if there are new keys, and otherwise fails with its first error",
        arguments: [true, false])
    func repeated(answer: Bool) async {
        await Self.onThread {
            let source = Source(answer)
            var calls = 0
            func call() throws(TokenError) -> Int {
                calls += 1
                if calls == 1 { throw Self.error(.keyNotFound) }
                return calls
            }
            func result() throws(TokenError) -> Int {
                try source.withNewKeys(of: .signature, timeout: .seconds(1)) { () throws(TokenError) in try call() }
            }
            if answer {
                #expect((try? result()) == 2)
            } else {
                #expect(throws: Self.error(.keyNotFound)) { try result() }
                #expect(calls == 1)
            }
        }
    }

    @Test(
        "after a first attempt elsewhere a token awaits the keys of its issuer, and no more tokens do than are allowed")
    func afterFirstAttempt() async throws {
        let policies = ["https://a.example", "https://b.example"].map { issuer in
            TokenPolicy.signed(
                SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: .exactly(issuer), audience: "shop"))
        }
        let key = try PrivateKey.generate(.p256, keyID: "k")
        let token = Array(try TokenIssuer(policies[1], signingKey: .privateKey(key)).issue(["sub": "u"]).utf8)
        let source = ChangingKeys(.empty)
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(policies[0], keys: ChangingKeys(.empty)), TrustedIssuer(policies[1], keys: source),
            ])
        let missing = Self.error(.keyNotFound)
        #expect(throws: missing) { try verifier.verify(token) }
        #expect(verifier.mayWait(after: missing))
        source.onRefresh { [weak source] in
            source?.set(KeySet(key.publicKey))
            return true
        }
        let waits = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let wait = TokenWait(forKeys: .ample, client: nil, keyWaits: waits)
        try waits.enter()
        await #expect(throws: missing) { try await verifier.verify(token, after: missing, wait) }
        waits.leave()
        #expect(try await verifier.verify(token, after: missing, wait).claims.subject == "u")
        #expect(waits.running == 0)
    }
}
