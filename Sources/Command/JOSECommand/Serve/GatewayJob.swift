import JOSEBytes
import JOSETokens

/// A token to verify, and the request that waits for the result.
final class GatewayJob: Sendable {
    let policy: GatewayPolicy
    let credentials: GatewayCredentials
    let began: Double
    /// The hash of the client, where the gateway gives it.
    let client: Int?
    /// The hash of the token, where it may wait in the queue of the limiter; otherwise 0. Nobody else knows the seed of this process.
    let number: Int
    /// Answers the request. It is called once.
    let finish: @Sendable (Result<VerifiedToken, TokenError>) -> Void

    init(
        policy: GatewayPolicy, credentials: GatewayCredentials, client: [UInt8]?, began: Double,
        finish: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        self.policy = policy
        self.credentials = credentials
        self.began = began
        self.finish = finish
        switch policy.cost {
        case .inLoop, .batched: (self.client, number) = (nil, 0)
        case .decryption, .proof: (self.client, number) = (client?.hashValue, credentials.token.hashValue)
        }
    }

    func isOlder(than limit: Duration) -> Bool { SystemClock.elapsed() - began > limit.inSeconds }

    /// Verifies tokens of one policy together, and returns their results in the same order.
    static func results(_ jobs: [GatewayJob]) -> [Result<VerifiedToken, TokenError>] {
        guard let batch = jobs.first?.policy.batch else { return [] }
        return batch.verifySynchronously(jobs.map(\.credentials.token))
    }

    /// Verifies tokens of one policy together, and answers their requests.
    static func verify(_ jobs: [GatewayJob]) {
        for (job, result) in zip(jobs, results(jobs)) { job.finish(result) }
    }
}
