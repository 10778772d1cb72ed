internal import JOSEBytes
internal import Synchronization

/// The keys of a source made ready: of a set that never changes once, of any other source anew whenever it gives another set. A
/// class, so that to pass a verifier on is to count one reference.
final class ReadyKeys<Key: ReadyKey>: Sendable {
    /// One set and its keys.
    final class Held: Sendable {
        let set: KeySet
        let keys: CandidateKeys<Key>
        let generation: KeyGeneration
        /// A verifier's, under these keys.
        let headers = KnownHeaders<Key.Allowed>()

        init(_ set: KeySet, _ keys: CandidateKeys<Key>) {
            self.set = set
            self.keys = keys
            generation = KeyGeneration(of: set)
        }
    }

    /// Those of a set that never changes; empty where there is a source.
    let fixed: CandidateKeys<Key>
    /// Asked before `source` is: to take that out is to copy it.
    let isFixed: Bool
    /// Where the keys come from, when they may change.
    let source: (any KeySource)?
    /// A verifier's, of the keys in `fixed`; a decrypter's, whichever keys it has.
    let headers = KnownHeaders<Key.Allowed>()
    private let fixedGeneration: KeyGeneration
    private let ready: @Sendable (JWK, Bool) -> Key
    private let held: Mutex<Held?> = Mutex(nil)

    /// `ready`: of a key, and whether it will see more tokens than one.
    init(_ keys: any KeySource, _ ready: @escaping @Sendable (JWK, _ isLasting: Bool) -> Key) {
        let set = keys as? KeySet
        fixed = CandidateKeys(set ?? .empty) { ready($0, set?.isLasting ?? true) }
        isFixed = set != nil
        fixedGeneration = KeyGeneration(fixed: set ?? .empty)
        source = set == nil ? keys : nil
        self.ready = ready
    }

    /// Threads that meet a new set together each make it ready, and one of them is kept: none waits for another.
    func current(_ source: any KeySource) throws(JOSEError) -> Held {
        let set = try source.current()
        if let held = held.withLock({ $0 }), held.set.isSame(as: set) { return held }
        let made = Held(set, CandidateKeys(set) { ready($0, set.isLasting) })
        held.withLock { $0 = made }
        return made
    }

    /// Those that were made ready last.
    var latest: Held? { held.withLock { $0 } }

    /// Which keys these are, at this moment; nil where the source has none that may be used.
    func generation() -> KeyGeneration? {
        guard !isFixed, let source else { return fixedGeneration }
        return (try? current(source))?.generation
    }

    /// After `failure`: what is thrown in its place. A token that names a key that the set has not is told so, whatever came of the
    /// keys without a name, and the source hears of it; so it does of a token that names none and for which no key would do. While
    /// the source cannot tell whether the key exists, the error is `keysUnavailable` and not `keyNotFound`.
    func miss(_ source: any KeySource, _ header: JOSEHeader, _ held: Held, _ failure: JOSEError) -> JOSEError {
        switch failure {
        case .keyNotFound, .keyUnsuitable, .signatureInvalid, .keyInvalid: break
        // Also `decryptionFailed`: one answer, whatever the header names.
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
    /// Whether a key goes by this name, usable or not.
    fileprivate func knows(_ keyID: [UInt8]) -> Bool {
        keys.contains { $0.keyIDBytes == keyID }
            || unusable.contains { $0.keyID.map { $0.utf8.elementsEqual(keyID) } ?? false }
    }
}
