import JOSE
import JOSETesting
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Observers of verifications") struct VerificationObserverTests {
    private final class Recorder: VerificationObserver {
        let measuresDuration: Bool
        private let state = Mutex<[Verification]>([])

        init(measuresDuration: Bool = false) { self.measuresDuration = measuresDuration }

        func didVerify(_ verification: Verification) { state.withLock { $0.append(verification) } }

        /// Returns what was recorded since the last call.
        func take() -> [Verification] {
            state.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    @Test("an observer is told once of each token, in every way to verify")
    func everyWay() async throws {
        let issuer = try TestIssuer(.nested, signature: .rs256)
        let good = try issuer.issue(["sub": "u"])
        var parts = good.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[4] = String(repeating: "A", count: parts[4].utf8.count)
        let bad = parts.joined(separator: ".")
        let recorder = Recorder()
        let verifier = try TokenVerifier(
            issuer.policy, verificationKeys: issuer.verificationKeys, decryptionKeys: issuer.decryptionKeys,
            observer: recorder)
        func check(_ batchCount: Int?, _ comment: Comment) {
            let seen = recorder.take()
            #expect(seen.map(\.isAccepted) == [true, false], comment)
            #expect(seen.map(\.algorithm) == [.rs256, nil], comment)
            #expect(seen.last?.error?.code == "decryption_failed", comment)
            #expect(seen.allSatisfy { $0.issuer == issuer.issuer && !$0.isFromCache }, comment)
            #expect(seen.allSatisfy { $0.batchCount == batchCount && $0.duration == nil }, comment)
        }
        _ = try verifier.verify(good)
        _ = try? verifier.verify(bad)
        check(nil, "plain")
        _ = try await verifier.verify(good, timeout: .seconds(1))
        _ = try? await verifier.verify(bad, timeout: .seconds(1))
        check(nil, "waiting")
        let batch = BatchVerifier(verifier)
        _ = batch.verifySynchronously([good, bad])
        check(2, "batch")
        _ = try await batch.verify([good, bad])
        check(2, "batch on threads")
        for isMeasured in [false, true] {
            let coalescing = CoalescingVerifier(verifier, isMeasured: isMeasured)
            _ = try await coalescing.verify(good)
            _ = try? await coalescing.verify(bad)
            check(nil, "coalescing")
            _ = try await coalescing.verify(good, timeout: .seconds(1))
            _ = try? await coalescing.verify(bad, timeout: .seconds(1))
            check(nil, "coalescing, waiting")
        }
    }

    /// A source of keys that were not fetched yet.
    private struct Unfetched: KeySource {
        func current() throws(JOSEError) -> KeySet { throw .keysUnavailable(.notFetched) }
    }

    @Test("T81 an observer distinguishes a token that was rejected from one whose keys were not available")
    func rejected() throws {
        let issuer = try TestIssuer(.signed)
        let token = try issuer.issue()
        let recorder = Recorder()
        let verifier = try TokenVerifier(
            issuer.policy, verificationKeys: issuer.verificationKeys, observer: recorder)
        _ = try verifier.verify(token)
        _ = try? verifier.verify(String(token.dropLast(4)) + "AAAA")
        let waiting = try TokenVerifier(issuer.policy, verificationKeys: Unfetched(), observer: recorder)
        _ = try? waiting.verify(token)
        let seen = recorder.take()
        #expect(seen.map { $0.error?.code } == [nil, "signature_invalid", "keys_unavailable"])
        #expect(seen.map(\.isAccepted) == [true, false, false])
        #expect(seen.map(\.isRejected) == [false, true, false])
    }

    @Test("an observer learns of cache hits and, where it asks for it, of durations")
    func cacheAndDuration() throws {
        let issuer = try TestIssuer(.signed)
        let token = try issuer.issue()
        let recorder = Recorder(measuresDuration: true)
        let verifier = try TokenVerifier(
            issuer.policy, verificationKeys: issuer.verificationKeys, cache: TokenCache(), observer: recorder)
        for _ in 0..<2 { _ = try verifier.verify(token) }
        let seen = recorder.take()
        #expect(seen.map(\.isFromCache) == [false, true])
        #expect(seen.allSatisfy { $0.duration.map { $0 > .zero } ?? false })
    }

    @Test("of several issuers the observer is told the one that the token names, and none for an unknown one")
    func issuers() throws {
        let (first, second) = (try TestIssuer(issuer: "https://a.test"), try TestIssuer(issuer: "https://b.test"))
        let stranger = try TestIssuer(issuer: "https://c.test")
        let recorder = Recorder()
        let verifier = try TokenVerifier(
            issuers: [first, second].map { TrustedIssuer($0.policy, keys: $0.verificationKeys) }, observer: recorder)
        for issuer in [second, first] { _ = try verifier.verify(issuer.issue()) }
        #expect(throws: TokenError.issuerUnknown) { try verifier.verify(stranger.issue()) }
        let seen = recorder.take()
        #expect(seen.map(\.issuer) == ["https://b.test", "https://a.test", nil])
        #expect(seen.map(\.error) == [nil, nil, .issuerUnknown])
    }

    @Test("an observer is told of SD-JWTs and of DPoP proofs too")
    func otherVerifiers() async throws {
        let key = try PrivateKey.generate(.p256)
        let recorder = Recorder()
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("example+sd-jwt")
        let issuer = "https://id.example"
        let verifier = try SDJWTVerifier(
            signature, claims: ClaimPolicy(issuer: .exactly(issuer), audience: .anyAudienceUnchecked),
            verificationKeys: KeySet(key.publicKey), cache: TokenCache(), observer: recorder)
        let token = try SDJWTIssuer(key: key, algorithm: .es256, type: "example+sd-jwt")
            .issue(["iss": "https://id.example", "exp": 4_000_000_000], hiding: []).text
        _ = try verifier.verify(token)
        _ = try? verifier.verify("x" + token)
        _ = try await verifier.verify(token, timeout: .seconds(1))
        let disclosed = recorder.take()
        #expect(disclosed.map(\.isAccepted) == [true, false, true])
        #expect(disclosed.map(\.algorithm) == [.es256, nil, .es256])
        #expect(disclosed.map(\.isFromCache) == [false, false, true])
        #expect(disclosed.allSatisfy { $0.issuer == issuer && $0.batchCount == nil })
        let proofs = try DPoPVerifier(algorithms: [.es256], replayStore: nil, observer: recorder)
        let url = "https://rs.example/"
        let proof = try DPoPProver(key: key, algorithm: .es256).proof(method: "GET", url: url)
        _ = try proofs.verify(proof, for: DPoPRequest(method: "GET", url: url))
        _ = try? proofs.verify(proof, for: DPoPRequest(method: "PUT", url: url))
        _ = try await proofs.verifyAwaitingStore(proof, for: DPoPRequest(method: "GET", url: url))
        let seen = recorder.take()
        #expect(seen.map(\.isAccepted) == [true, false, true])
        #expect(seen.map(\.error) == [nil, .claim(.invalid("htm")), nil])
        #expect(seen.allSatisfy { $0.issuer == nil })
    }
}
