internal import JOSESupport

/// One set of keys, prepared for a policy. A token is verified or decrypted with the keys of one snapshot, to whose
/// source the outcome is reported.
final class KeySnapshot<Key: ReadyKey>: Sendable {
    let set: KeySet
    let keys: CandidateKeys<Key>
    let generation: KeyGeneration
    /// The cache of a verifier's headers, under these keys.
    let headers = KnownHeaders<Key.Allowed>()
    /// Whether the set never changes. It is read before `source`, because reading that copies it.
    let isFixed: Bool
    private let source: (any KeySource)?

    /// Creates a snapshot of a source, or of a set that never changes, where `source` is nil.
    init(_ set: KeySet, _ keys: CandidateKeys<Key>, of source: (any KeySource)?) {
        self.set = set
        self.keys = keys
        self.source = source
        isFixed = source == nil
        generation = source == nil ? KeyGeneration(fixed: set) : KeyGeneration(of: set)
    }

    @inline(never)
    fileprivate func known(_ segment: Span<UInt8>) -> (Key.Allowed, KeySnapshot<Key>)? {
        headers.find(segment).map { ($0, self) }
    }

    /// Reports to the source that a key verified or decrypted a token.
    @inline(__always)
    func reportUse(of key: @autoclosure () -> JWK) {
        if !isFixed { source?.reportUse(of: key()) }
    }

    /// Returns the error to throw in place of `failure`, and reports a missing key, or a signature that failed under
    /// keys of the set, to the source.
    ///
    /// For a token that names a key which the set lacks, the error is `keyNotFound`, whatever the keys without a `kid`
    /// resulted in. A token without a `kid` for which no key fits is reported as well. While the source cannot tell
    /// whether the key exists, the error is `keysUnavailable` in place of `keyNotFound`.
    @inline(never)
    func missed(_ header: JOSEHeader, _ failure: JOSEError) -> JOSEError {
        guard !isFixed, let source else { return failure }
        switch failure {
        case .keyNotFound, .keyUnsuitable, .signatureInvalid, .keyInvalid: break
        // `decryptionFailed` stays as it is too: it must not depend on the keys that the header names.
        default: return failure
        }
        guard let wanted = header.value(.kid)?.stringBytes(in: header.bytes.span) else {
            if failure == .signatureInvalid {
                source.reportFailedSignature(keyID: nil)
                return failure
            }
            source.reportMissing(keyID: nil)
            return failure == .keyNotFound ? Self.absence(of: nil, in: source) : failure
        }
        guard !keys.knows(wanted), !set.hasUnusable(wanted) else {
            if failure == .signatureInvalid { source.reportFailedSignature(keyID: wanted) }
            return failure
        }
        source.reportMissing(keyID: wanted)
        return Self.absence(of: wanted, in: source)
    }

    private static func absence(of keyID: [UInt8]?, in source: any KeySource) -> JOSEError {
        source.outage(ofMissing: keyID).map { .keysUnavailable($0) } ?? .keyNotFound
    }
}

/// The keys for one token. The source is asked once, by the first step that needs keys, and not at all for a header
/// that the policy rejects; each later step uses the same snapshot.
struct TokenKeys<Key: ReadyKey> {
    /// The snapshot that was prepared last; the token's own once `isTaken`. It is nil for a set that never changes, so
    /// that no reference to it is counted.
    private var snapshot: KeySnapshot<Key>?
    private var isTaken = false

    @inline(__always)
    init(_ ready: ReadyKeys<Key>) { snapshot = ready.isFixed ? nil : ready.prepared }

    /// Returns the snapshot for the token.
    @inline(__always)
    mutating func take(from ready: ReadyKeys<Key>) throws(JOSEError) -> KeySnapshot<Key> {
        if let fixed = ready.fixed { return fixed }
        if isTaken, let snapshot { return snapshot }
        let current = try ready.current(after: snapshot)
        snapshot = current
        isTaken = true
        return current
    }

    /// Returns the cached header with the same bytes, and the snapshot under whose keys it is cached. If the source has
    /// other keys by now, only their cache counts.
    @inline(__always)
    mutating func known(
        _ segment: Span<UInt8>, from ready: ReadyKeys<Key>
    ) throws(JOSEError) -> (Key.Allowed, KeySnapshot<Key>)? {
        guard let snapshot, let known = snapshot.headers.find(segment) else { return nil }
        let current = try take(from: ready)
        return current === snapshot ? (known, current) : current.known(segment)
    }
}

extension KeySet {
    /// Returns whether a key that cannot be used has this `kid`.
    fileprivate func hasUnusable(_ keyID: [UInt8]) -> Bool {
        unusable.contains { $0.keyID.map { bytesEqual($0.utf8.span, keyID) } ?? false }
    }
}
