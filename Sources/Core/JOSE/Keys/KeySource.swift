/// A source of a verifier's or decrypter's keys. A `KeySet` is a source that never changes; a remote JWKS, or keys of one's own
/// that rotate, may change while the verifier exists.
public protocol KeySource: Sendable {
    /// Returns the current keys. It never waits and never fetches, and is called for each token. As long as nothing has changed
    /// it must return the identical set, because verifiers prepare its keys once.
    ///
    /// - Throws: `keysUnavailable` where there are no keys that may be used.
    func current() throws(JOSEError) -> KeySet

    /// Reports that a token names a key that the set lacks (RFC 7515, 4.1.4).
    ///
    /// The call returns at once; the source decides whether to fetch.
    ///
    /// - Parameter keyID: The token's `kid`, which its sender chose: any bytes, of any length. Nil stands for a token without
    ///   `kid` for which no key of the set fits.
    func reportMissing(keyID: [UInt8]?)

    /// Returns the reason why the key that was just reported missing may still come, which a verifier then throws as
    /// `JOSEError.keysUnavailable` in place of `keyNotFound`.
    ///
    /// The call never waits. The default implementation returns nil; a source that wraps another one forwards the call.
    ///
    /// - Parameter keyID: The `kid` that was given to `reportMissing(keyID:)`.
    /// - Returns: Nil where an up-to-date set lacks the key. A fetched set is up to date where its last fetch succeeded and is so
    ///   recent that the source does not yet allow another one, or where it was fetched for this very `kid` a short while ago.
    func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason?

    /// Reports that a key of the set verified or decrypted a token.
    func reportUse(of key: JWK)

    /// Waits for a refresh that is under way, and returns at once where there is none.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether a refresh ended, so that trying again may succeed.
    /// - Throws: `CancellationError` if the task was cancelled. The refresh continues.
    func awaitRefresh(timeout limit: Duration) async throws -> Bool
}

extension KeySource {
    /// Ignores the report.
    public func reportMissing(keyID: [UInt8]?) {}
    /// Returns nil: an up-to-date set is known to lack the key.
    public func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { nil }
    /// Ignores the report.
    public func reportUse(of key: JWK) {}
    /// Returns false at once, because no refresh is under way.
    public func awaitRefresh(timeout limit: Duration) async throws -> Bool { false }
}

extension KeySet: KeySource {
    /// Returns the set itself.
    public func current() throws(JOSEError) -> KeySet { self }
}

/// The reason why a source has no keys, or not the one that a token names.
@nonexhaustive public enum KeysUnavailableReason: Equatable, Sendable {
    /// No set has been fetched yet.
    case notFetched
    /// The set is older than the source allows, and no newer one could be fetched.
    case expired
    /// The source was shut down.
    case closed
    /// There is no current signing key.
    case noSigningKey
    /// The current set lacks the token's key, and the refresh that may bring it has failed or is under way.
    case refreshIncomplete
}
