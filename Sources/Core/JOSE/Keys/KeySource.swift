/// A source of keys for verifiers and decrypters. A `KeySet` is a source that never changes. The keys of other sources,
/// such as a remote JWKS, may change while the verifier exists.
public protocol KeySource: Sendable {
    /// Returns the current keys. It is called for each token, and must neither wait nor fetch. As long as the keys do
    /// not change, it must return copies of one `KeySet` rather than a new set with equal keys, because verifiers
    /// prepare the keys of each set once.
    ///
    /// - Throws: `keysUnavailable` if there are no keys that may be used.
    func current() throws(JOSEError) -> KeySet

    /// Reports that a token names a key that the set lacks (RFC 7515, 4.1.4).
    ///
    /// The call returns at once; the source decides whether to fetch.
    ///
    /// - Parameter keyID: The token's `kid`. It is untrusted, and may be any bytes of any length. It is nil if the
    ///   token has no `kid` and no key of the set fits.
    func reportMissing(keyID: [UInt8]?)

    /// Returns the reason why a key that was just reported missing may still become available. A verifier then throws
    /// `JOSEError.keysUnavailable` with that reason instead of `keyNotFound`.
    ///
    /// The call must not wait. The default implementation returns nil. A source that wraps another one must forward the
    /// call.
    ///
    /// - Parameter keyID: The `kid` that was given to `reportMissing(keyID:)`.
    /// - Returns: The reason, or nil if an up-to-date set lacks the key. A fetched set is up to date if its last fetch
    ///   succeeded and is so recent that the source does not yet allow another one, or if it was fetched for this very
    ///   `kid` a short while ago.
    func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason?

    /// Reports that no key that a token selects verified its signature, although the set has keys for it: the issuer
    /// may have replaced a key under its `kid` (RFC 7517, 4.5), or the token is forged.
    ///
    /// The call returns at once; the source decides whether to fetch. Anybody can send such tokens, so that the fetches
    /// for them need a bound of their own. The default implementation does nothing. A source that wraps another one
    /// must forward the call.
    ///
    /// - Parameter keyID: The token's `kid`, which a key of the set has, or nil if the token has none.
    func reportFailedSignature(keyID: [UInt8]?)

    /// Reports that a key of the set verified or decrypted a token.
    func reportUse(of key: JWK)

    /// Waits for a refresh that is in progress, and returns at once if there is none.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether a refresh has finished, so that verifying the token again may succeed.
    /// - Throws: `CancellationError` if the task was cancelled. The refresh continues.
    func awaitRefresh(timeout limit: Duration) async throws -> Bool

    /// Waits until a key that was reported missing may have arrived: until the end of the refresh in progress, or of
    /// the next one if the source may begin it within the time.
    ///
    /// The default implementation calls `awaitRefresh(timeout:)`. A source that wraps another one must forward the
    /// call.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether a refresh has finished, so that verifying the token again may succeed.
    /// - Throws: `CancellationError` if the task was cancelled. The refresh is completed nevertheless.
    func awaitMissingKey(timeout limit: Duration) async throws -> Bool

    /// Waits until a key under which a signature failed may have been replaced: until the end of the refresh in
    /// progress, or of the next one that a failed signature may cause, if that may begin within the time.
    ///
    /// The default implementation calls `awaitRefresh(timeout:)`. A source that wraps another one must forward the
    /// call.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether a refresh has finished, so that verifying the token again may succeed.
    /// - Throws: `CancellationError` if the task was cancelled. The refresh is completed nevertheless.
    func awaitReplacedKey(timeout limit: Duration) async throws -> Bool
}

extension KeySource {
    /// Does nothing: the report is ignored by default.
    public func reportMissing(keyID: [UInt8]?) {}
    /// Returns nil, because the keys are taken to be up to date.
    public func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { nil }
    /// Does nothing: the report is ignored by default.
    public func reportFailedSignature(keyID: [UInt8]?) {}
    /// Does nothing: the report is ignored by default.
    public func reportUse(of key: JWK) {}
    /// Returns false at once, because no refresh is in progress.
    public func awaitRefresh(timeout limit: Duration) async throws -> Bool { false }
    /// Waits for the refresh in progress only, because the source begins none by itself.
    public func awaitMissingKey(timeout limit: Duration) async throws -> Bool { try await awaitRefresh(timeout: limit) }
    /// Waits for the refresh in progress only, because the source begins none by itself.
    public func awaitReplacedKey(timeout limit: Duration) async throws -> Bool {
        try await awaitRefresh(timeout: limit)
    }
}

extension KeySet: KeySource {
    /// Returns this set, which never changes.
    public func current() throws(JOSEError) -> KeySet { self }
}

/// The reason why a key source has no keys, or lacks the key that a token names.
@nonexhaustive public enum KeysUnavailableReason: Equatable, Sendable {
    /// No set has been fetched yet.
    case notFetched
    /// The set is older than the source allows, and no newer one could be fetched.
    case expired
    /// The source was shut down.
    case closed
    /// There is no current signing key.
    case noSigningKey
    /// The current set lacks the token's key, and the refresh that may add it is in progress or has failed.
    case refreshIncomplete
    /// The token's signature failed, and no refresh has shown yet that its key was not replaced. Batches and queues of
    /// the command, where a rejection is final, have this reason; a verifier throws `signatureInvalid`.
    case replacementUnknown
}
