internal import Dispatch
internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// A server in the process that answers at once.
struct ServerAtHand: HTTPTransport {
    let body: [UInt8]

    init(_ set: String) { body = Array(set.utf8) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        TransportResponse(
            status: 200,
            headers: [
                TransportHeaderField("Content-Type", "application/jwk-set+json"),
                TransportHeaderField("Cache-Control", "max-age=86400"),
            ],
            body: body)
    }
}

extension RemoteKeySet {
    /// Returns a source that has fetched this set.
    static func warm(_ set: String, url: String = "https://op.example.com/jwks") throws -> RemoteKeySet {
        let source = try RemoteKeySet(url: url, transport: ServerAtHand(set))
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            // Without keys the row itself fails.
            try? await source.warmUp(timeout: .seconds(10))
            ended.signal()
        }
        ended.wait()
        return source
    }
}

extension Fixtures {
    /// Returns rows of a remote key set, compared with a verification with the same keys, fixed.
    func sourceRows() throws -> [Row] {
        let source = try RemoteKeySet.warm(KeySet(p256.publicKey).jwks())
        let read = Row(
            "source", "snapshot",
            { count in
                let source = source
                var good = 0
                for _ in 0..<count where (try? source.current()) != nil { good += 1 }
                return good
            }, goals: [.nanoseconds(60), .allocations(0)])
        return [read]
            + (try [SignatureAlgorithm.rs256, .es256, .ed25519].map { algorithm in
                let signed = try SignedCase(self, algorithm)
                let source = try RemoteKeySet.warm(signed.fixture.verificationKeys.jwks())
                let verifier = try TokenVerifier(
                    .signed(SignaturePolicy(algorithms: [algorithm]), claims: claimPolicy), verificationKeys: source)
                // A source takes 0.4 to 0.6 microseconds of each token, which are more of a short verification.
                let most = algorithm == .rs256 ? 1.1 : 1.02
                return Row(
                    "source", "verify \(algorithm.name)", verifying(verifier, signed.token),
                    raw: { Raw(verifying(signed.verifier, signed.token)) }, goals: [.ratio(1 / most), .allocations(6)])
            })
    }
}
