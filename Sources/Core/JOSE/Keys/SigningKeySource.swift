/// A source of an issuer's signing key, which may change while the issuer exists.
public protocol SigningKeySource: Sendable {
    /// Returns the current signing key. It never waits, and is called for each token. As long as nothing has changed it must
    /// return the identical value, because issuers prepare it once.
    ///
    /// - Throws: `keysUnavailable` where there is no current signing key.
    func signingKey() throws(JOSEError) -> PrivateKey

    /// The longest time from issue to `exp` for which the source guarantees that the signature can be verified. Nil stands for
    /// no guarantee: the issuer alone decides how long its tokens are valid.
    var longestTokenLifetime: Duration? { get }
}

extension PrivateKey {
    /// Returns whether both values share one storage. Equal keys that were created separately do not.
    package func isSame(as other: PrivateKey) -> Bool { record === other.record }
}
