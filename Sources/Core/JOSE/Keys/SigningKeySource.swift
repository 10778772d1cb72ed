/// A source of the signing key of an issuer. The key may change while the issuer exists.
public protocol SigningKeySource: Sendable {
    /// Returns the current signing key. It is called for each token, and must not wait. As long as the key does not
    /// change, it must return copies of one `PrivateKey` rather than read the key again, because issuers prepare each
    /// value once.
    ///
    /// - Throws: `keysUnavailable` if there is no current signing key.
    func signingKey() throws(JOSEError) -> PrivateKey

    /// The longest lifetime of a token, from its issue to `exp`, for which the source guarantees that verifiers have
    /// the key. If it is nil, there is no guarantee, and the issuer alone decides how long its tokens are valid.
    var longestTokenLifetime: Duration? { get }
}

extension PrivateKey {
    /// Returns whether both values share one storage. Equal keys that were created separately do not.
    package func isSame(as other: PrivateKey) -> Bool { record === other.record }
}
