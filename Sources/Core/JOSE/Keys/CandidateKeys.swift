internal import JOSEBytes

/// A key made ready for one policy.
protocol ReadyKey: Sendable {
    /// What is kept of a header under which it did its work.
    associatedtype Allowed: ReadHeader
    /// Its `kid`, as bytes.
    var keyID: [UInt8]? { get }
    /// The algorithms that it fits, a bit each.
    var fits: UInt32 { get }
    /// What it says of its certificates.
    var certificates: KeyCertificates? { get }
}

/// Keys made ready, and the rule that picks those to try for a header: the ones whose `kid` is the header's, byte by byte;
/// where there is none, the ones that have no `kid`; for a header without `kid`, all (RFC 7515, 4.1.4). The same of certificates, where a key has any and
/// the header a thumbprint (RFC 7515, 4.1.7 and 4.1.8): those that it names, or else those without.
///
/// What the rule looks at is kept as plain numbers: to ask a key itself is to count a reference to it, and the threads
/// that share the keys would wait for that count.
struct CandidateKeys<Key: ReadyKey>: Sendable {
    /// More than this many fitting keys are refused as ambiguous: each costs an attempt.
    static var most: Int { 4 }

    private struct Row: Sendable {
        /// Of its `kid` in `names`; -1 where it has none.
        let start: Int
        let end: Int
        let fits: UInt32
    }
    private let rows: [Row]
    private let names: [UInt8]
    private let keys: [Key]
    private let unusable: [UnusableKey]
    /// Of each key; empty where none has any.
    private let certificates: [KeyCertificates?]

    init(_ set: KeySet, _ ready: (JWK) -> Key, further: [Key] = []) {
        var names: [UInt8] = []
        let keys = set.keys.map(ready) + further
        rows = keys.map { key in
            let start = names.count
            names += key.keyID ?? []
            return Row(start: key.keyID == nil ? -1 : start, end: names.count, fits: key.fits)
        }
        self.names = names
        self.keys = keys
        certificates = keys.contains { $0.certificates != nil } ? keys.map(\.certificates) : []
        unusable = set.unusable
    }

    subscript(_ place: Int) -> Key { keys[place] }

    /// Places in `keys`, `count` of them.
    struct Found {
        var places = InlineArray<4, Int>(repeating: 0)
        var count = 0
    }

    /// `fit` is the bit of the algorithm; `takes` is asked of the keys that have it.
    func candidates(
        for header: JOSEHeader, fit: UInt32, _ takes: (Key) -> Bool = { _ in true },
        otherwise reason: (Key) -> KeyMismatch
    ) throws(JOSEError) -> Found {
        let bytes = header.bytes.span
        let wanted = header.value(.kid)
        var isNamed = false
        if let wanted {
            isNamed = rows.contains { $0.start >= 0 && isName($0, wanted, in: bytes) }
        }
        let excluded = certificates.isEmpty ? [] : excluded(by: header)
        var found = Found()
        var firstReason: KeyMismatch?
        for place in rows.indices {
            let row = rows[place]
            if let wanted {
                guard isNamed ? row.start >= 0 && isName(row, wanted, in: bytes) : row.start < 0 else { continue }
            }
            if !excluded.isEmpty, excluded[place] {
                if firstReason == nil { firstReason = .certificate }
            } else if row.fits & fit != 0, takes(keys[place]) {
                guard found.count < Self.most else { throw .keyUnsuitable(.ambiguous) }
                found.places[found.count] = place
                found.count += 1
            } else if firstReason == nil {
                firstReason = reason(keys[place])
            }
        }
        if found.count > 0 { return found }
        throw missing(wanted, in: bytes, isNamed: isNamed, firstReason)
    }

    /// Which keys the header's thumbprints rule out; empty where it has none.
    private func excluded(by header: JOSEHeader) -> [Bool] {
        let x5t = header.value(.x5t)
        let x5tS256 = header.value(.x5tS256)
        guard x5t != nil || x5tS256 != nil else { return [] }
        let answers = certificates.map { $0?.agrees(x5t: x5t, x5tS256: x5tS256, in: header.bytes.span) }
        return answers.contains(true) ? answers.map { $0 != true } : answers.map { $0 == false }
    }

    private func isName(_ row: Row, _ wanted: JSONValue, in bytes: Span<UInt8>) -> Bool {
        wanted.equals(names.span.extracting(row.start..<row.end), in: bytes)
    }

    /// A key set aside under the wanted name says why it cannot serve; that is of more use than "not found".
    private func missing(
        _ wanted: JSONValue?, in bytes: Span<UInt8>, isNamed: Bool, _ reason: KeyMismatch?
    ) -> JOSEError {
        if isNamed, let reason { return .keyUnsuitable(reason) }
        for key in unusable {
            if let wanted {
                guard let id = key.keyID, wanted.equals(id.utf8.span, in: bytes) else { continue }
            }
            return key.reason
        }
        if let reason { return .keyUnsuitable(reason) }
        if wanted != nil, let bare = unusable.first(where: { $0.keyID == nil }) { return bare.reason }
        return .keyNotFound
    }
}
