internal import JOSEBytes
internal import Synchronization

/// The prepared keys of a source: of a set that never changes they are prepared once, of any other source whenever it
/// returns another set. A class, so that passing a verifier on counts one reference.
final class ReadyKeys<Key: ReadyKey>: Sendable {
    /// One set and its prepared keys.
    final class Held: Sendable {
        let set: KeySet
        let keys: CandidateKeys<Key>
        let generation: KeyGeneration
        /// The cache of a verifier's headers, under these keys.
        let headers = KnownHeaders<Key.Allowed>()

        init(_ set: KeySet, _ keys: CandidateKeys<Key>) {
            self.set = set
            self.keys = keys
            generation = KeyGeneration(of: set)
        }
    }

    /// The keys of a set that never changes; empty where there is a source.
    let fixed: CandidateKeys<Key>
    /// Whether the set never changes. It is read before `source`, because reading that copies it.
    let isFixed: Bool
    /// The source of the keys, where they may change.
    let source: (any KeySource)?
    /// The cache of a verifier's headers under the keys in `fixed`, or of a decrypter's under any keys.
    let headers = KnownHeaders<Key.Allowed>()
    private let fixedGeneration: KeyGeneration
    private let ready: @Sendable (JWK, Bool) -> Key
    private let held: Mutex<Held?> = Mutex(nil)

    /// Prepares the keys. `ready` prepares one key; its second parameter is whether the key is used for more than one
    /// token.
    init(_ keys: any KeySource, _ ready: @escaping @Sendable (JWK, _ isLasting: Bool) -> Key) {
        let set = keys as? KeySet
        fixed = CandidateKeys(set ?? .empty) { ready($0, set?.isLasting ?? true) }
        isFixed = set != nil
        fixedGeneration = KeyGeneration(fixed: set ?? .empty)
        source = set == nil ? keys : nil
        self.ready = ready
    }

    /// Returns the current set. Threads that meet a new set at the same time each prepare it, and one result is kept:
    /// none waits for another.
    func current(_ source: any KeySource) throws(JOSEError) -> Held {
        let set = try source.current()
        if let held = held.withLock({ $0 }), held.set.isSame(as: set) { return held }
        let made = Held(set, CandidateKeys(set) { ready($0, set.isLasting) })
        held.withLock { $0 = made }
        return made
    }

    /// The set that was prepared last.
    var latest: Held? { held.withLock { $0 } }

    /// Returns the generation of the current keys, or nil where the source has none that may be used.
    func generation() -> KeyGeneration? {
        guard !isFixed, let source else { return fixedGeneration }
        return (try? current(source))?.generation
    }

    /// Returns the error to throw in place of `failure`, and reports a missing key to the source.
    ///
    /// For a token that names a key which the set lacks, the error is `keyNotFound`, whatever the keys without a `kid`
    /// resulted in. A token without a `kid` for which no key fits is reported as well. While the source cannot tell
    /// whether the key exists, the error is `keysUnavailable` in place of `keyNotFound`.
    func miss(_ source: any KeySource, _ header: JOSEHeader, _ held: Held, _ failure: JOSEError) -> JOSEError {
        switch failure {
        case .keyNotFound, .keyUnsuitable, .signatureInvalid, .keyInvalid: break
        // `decryptionFailed` stays as it is too: it must not depend on the keys that the header names.
        default: return failure
        }
        guard let wanted = header.value(.kid)?.stringBytes(in: header.bytes.span) else {
            source.reportMissing(keyID: nil)
            return failure == .keyNotFound ? Self.absence(of: nil, in: source) : failure
        }
        guard !held.set.knows(wanted) else { return failure }
        source.reportMissing(keyID: wanted)
        return Self.absence(of: wanted, in: source)
    }

    private static func absence(of keyID: [UInt8]?, in source: any KeySource) -> JOSEError {
        source.outage(ofMissing: keyID).map { .keysUnavailable($0) } ?? .keyNotFound
    }
}

extension KeySet {
    /// Returns whether a key has this `kid`, usable or not.
    fileprivate func knows(_ keyID: [UInt8]) -> Bool {
        keys.contains { $0.keyIDBytes == keyID }
            || unusable.contains { $0.keyID.map { $0.utf8.elementsEqual(keyID) } ?? false }
    }
}
