internal import JOSE
internal import JOSESupport
internal import Synchronization

/// The signer for a key source that rotates: it uses the key that signs at the moment of the call, and is created once
/// for each key.
final class FollowingSigner: Sendable {
    final class Ready: Sendable {
        let key: PrivateKey
        let signer: JWSSigner

        init(_ key: PrivateKey, _ signer: JWSSigner) {
            self.key = key
            self.signer = signer
        }
    }
    let first: JWSSigner
    /// The longest lifetime of a token that its source promises to keep verifiable, in seconds.
    let longestLifetime: Double?
    private let source: any SigningKeySource
    private let policy: SignaturePolicy
    private let algorithm: SignatureAlgorithm?
    private let header: HeaderParameters
    private let latest: Mutex<Ready>

    init(
        _ source: any SigningKeySource, _ policy: SignaturePolicy, _ algorithm: SignatureAlgorithm?,
        _ header: HeaderParameters
    ) throws(TokenError) {
        self.source = source
        self.policy = policy
        self.algorithm = algorithm
        self.header = header
        longestLifetime = source.longestTokenLifetime?.inSeconds
        let key = try Self.key(source)
        first = try JWSSigner(policy, .local(.privateKey(key)), algorithm, header)
        latest = Mutex(Ready(key, first))
    }

    func ready() throws(TokenError) -> Ready {
        let key = try Self.key(source)
        let latest = self.latest.withLock { $0 }
        if latest.key.isSame(as: key) { return latest }
        let next = Ready(key, try JWSSigner(policy, .local(.privateKey(key)), algorithm, header))
        self.latest.withLock { $0 = next }
        return next
    }

    private static func key(_ source: any SigningKeySource) throws(TokenError) -> PrivateKey {
        return try inLayer(.signature, source.signingKey())
    }
}
