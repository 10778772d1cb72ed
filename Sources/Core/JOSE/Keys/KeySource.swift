/// Where a verifier or decrypter takes its keys from. A `KeySet` is a source that never changes; a key set that is fetched, or keys
/// of one's own that rotate, may change while the verifier lives.
public protocol KeySource: Sendable {
    /// The keys as they are held now. Never waits, never fetches, and is asked for each token. As long as nothing changed the
    /// very same set is to be given: verifiers make its keys ready once. Throws `keysUnavailable` where none may be used.
    func current() throws(JOSEError) -> KeySet

    /// A token names a key that the set lacks (RFC 7515, 4.1.4), or, for nil, names none and no key of the set would do. Returns
    /// at once; whether anything is fetched is the source's to decide. What a token names its sender chose: any bytes, any
    /// number of them.
    func reportMissing(keyID: [UInt8]?)

    /// Returns the reason why the key that was just reported missing may still come, which a verifier then throws as
    /// `JOSEError.keysUnavailable` in place of `keyNotFound`. Never waits. By default nil: a
    /// source that wraps another one forwards the call.
    /// - Parameter keyID: The `kid` that was given to `reportMissing(keyID:)`.
    /// - Returns: Nil where an up-to-date set lacks the key. Of a set that is fetched, that is one whose last fetch succeeded and is so
    ///   recent that the source does not yet allow another one, or one that was fetched for this very `kid` a short while ago.
    func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason?

    /// This key of the set verified or opened a token.
    func reportUse(of key: JWK)

    /// Waits for the refresh that is under way, no longer than `limit`; returns at once where none is. Whether one has ended,
    /// so that asking again may help. A caller that is cancelled gets `CancellationError`; the refresh goes on.
    func awaitRefresh(timeout limit: Duration) async throws -> Bool
}

extension KeySource {
    /// Nothing.
    public func reportMissing(keyID: [UInt8]?) {}
    /// Returns nil: the set is known to lack the key.
    public func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { nil }
    /// Nothing.
    public func reportUse(of key: JWK) {}
    /// False, at once.
    public func awaitRefresh(timeout limit: Duration) async throws -> Bool { false }
}

extension KeySet: KeySource {
    /// Itself.
    public func current() throws(JOSEError) -> KeySet { self }
}

/// Why a source has no keys to give, or not the one that a token names.
@nonexhaustive public enum KeysUnavailableReason: Equatable, Sendable {
    /// None were fetched yet.
    case notFetched
    /// Those that were fetched are older than the source's bound, and none newer came.
    case expired
    /// The source was shut down.
    case closed
    /// Of our own signing keys none signs at this time.
    case noSigningKey
    /// The set that is served lacks the token's key, and the refresh that may bring it has failed or is still under way.
    case refreshIncomplete
}
