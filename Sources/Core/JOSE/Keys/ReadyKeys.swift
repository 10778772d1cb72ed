internal import Synchronization

/// The prepared keys of a source: of a set that never changes they are prepared once, of any other source whenever it
/// returns another set. A class, so that passing a verifier on counts one reference.
final class ReadyKeys<Key: ReadyKey>: Sendable {
    /// The keys of a set that never changes; nil where there is a source.
    let fixed: KeySnapshot<Key>?
    /// Whether the set never changes.
    var isFixed: Bool { fixed != nil }
    /// The source of the keys, where they may change.
    let source: (any KeySource)?
    /// The cache of a decrypter's headers, which does not depend on keys.
    let headers = KnownHeaders<Key.Allowed>()
    private let ready: @Sendable (JWK) -> Key
    /// The keys that are tried after those of the set, whatever the set is.
    let additional: [Key]
    private let limit: Int
    private let latest: Mutex<KeySnapshot<Key>?> = Mutex(nil)

    /// Prepares the keys. `ready` prepares one key, and `limit` is the largest number of keys that are tried for a
    /// token.
    init(_ keys: any KeySource, additional: [Key] = [], limit: Int, _ ready: @escaping @Sendable (JWK) -> Key) {
        self.ready = ready
        self.additional = additional
        self.limit = limit
        let keys = keys.settled
        if let set = keys as? KeySet {
            fixed = KeySnapshot(set, CandidateKeys(set, limit: limit, ready, additional: additional), of: nil)
            source = nil
        } else {
            fixed = nil
            source = keys
        }
    }

    /// The snapshot that was prepared last, which the source may have replaced; nil before the first one.
    @inline(__always)
    var prepared: KeySnapshot<Key>? { fixed ?? latest.withLock { $0 } }

    /// Returns the keys that the source has now, prepared. `prepared` is returned where they are its keys, so that no
    /// further lock is taken. Threads that meet a new set at the same time each prepare it, and one result is kept:
    /// none waits for another.
    @inline(never)
    func current(after prepared: KeySnapshot<Key>?) throws(JOSEError) -> KeySnapshot<Key> {
        guard let source else { throw .keyNotFound }
        let set = try source.current()
        if let prepared, prepared.set.isSame(as: set) { return prepared }
        if let latest = latest.withLock({ $0 }), latest.set.isSame(as: set) { return latest }
        let made = KeySnapshot(set, CandidateKeys(set, limit: limit, ready, additional: additional), of: source)
        return latest.withLock { latest in
            if let latest, latest.set.isSame(as: set) { return latest }
            latest = made
            return made
        }
    }

    /// The set that the source has now; nil where it has none that may be used.
    var currentSet: KeySet? { fixed?.set ?? (try? source?.current()) }

    /// Returns the current keys for one token, and their generation; nil where the source has none that may be used.
    func taken() -> (token: TokenKeys<Key>, generation: KeyGeneration)? {
        var token = TokenKeys(self)
        guard let snapshot = try? token.take(from: self) else { return nil }
        return (token, snapshot.generation)
    }
}
