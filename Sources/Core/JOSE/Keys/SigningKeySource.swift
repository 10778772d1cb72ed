/// Where an issuer takes its signing key from, when that changes while the issuer lives.
public protocol SigningKeySource: Sendable {
    /// The key that signs at this moment. Never waits, and is asked for each token. As long as nothing changed the very same
    /// value is to be given: issuers make it ready once. Throws `keysUnavailable` where none signs.
    func signingKey() throws(JOSEError) -> PrivateKey

    /// Seconds from issue to `exp` for which the source promises that the signature can be verified; nil: it promises nothing,
    /// and tokens may live as long as their issuer likes.
    var longestTokenLifetime: Double? { get }
}

extension PrivateKey {
    /// Whether this is the very same value, and not only an equal one.
    package func isSame(as other: PrivateKey) -> Bool { record === other.record }
}
