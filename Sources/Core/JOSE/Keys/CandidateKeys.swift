internal import JOSESupport

/// A key that a header may select.
protocol SelectableKey: Sendable {
    /// The `kid` as bytes.
    var keyID: [UInt8]? { get }
    /// The algorithms that the key fits, one bit each.
    var fits: UInt32 { get }
    /// The certificates of the key.
    var certificates: KeyCertificates? { get }
}

/// A key prepared for one policy.
protocol ReadyKey: SelectableKey {
    /// The type of the cache entry of a header under which the key verified or decrypted a token.
    associatedtype Allowed: ReadHeader
}

/// Keys, and the rule that selects those to try for a header: the keys with the header's `kid`, byte by byte;
/// where there is none, the keys without a `kid`; for a header without `kid`, all keys (RFC 7515, 4.1.4). Where a key
/// has certificates and the header a thumbprint, the keys of that certificate are selected, or else those without a
/// certificate (RFC 7515, 4.1.7 and 4.1.8).
///
/// The values that the rule compares are stored as plain numbers: accessing a key would count a reference to it, and
/// threads that share the keys would contend for that count. A class, so that its use counts one reference.
final class CandidateKeys<Key: SelectableKey>: Sendable {
    /// The largest number of fitting keys. More are rejected as ambiguous, because each costs an attempt.
    private let limit: Int

    private struct Row: Sendable {
        /// The range of the `kid` in `names`; -1 where the key has none.
        let start: Int
        let end: Int
        let fits: UInt32
    }
    private let rows: [Row]
    private let names: [UInt8]
    private let keys: [Key]
    let unusable: [UnusableKey]
    /// The certificates of each key; empty where no key has any.
    private let certificates: [KeyCertificates?]

    init(_ set: KeySet, limit: Int, _ ready: (JWK) -> Key, additional: [Key] = []) {
        self.limit = limit
        var names: [UInt8] = []
        let keys = set.keys.map(ready) + additional
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

    subscript(_ index: Int) -> Key { keys[index] }

    /// Indices in `keys`, in the order in which the keys are tried.
    struct Found {
        /// The first indices, of which there are seldom more.
        private var first = InlineArray<4, Int>(repeating: 0)
        private var others: [Int] = []
        private(set) var count = 0

        subscript(_ number: Int) -> Int {
            @inline(__always) get { number < 4 ? first[number] : others[number - 4] }
        }

        mutating func append(_ index: Int) {
            if count < 4 { first[count] = index } else { others.append(index) }
            count += 1
        }
    }

    /// Returns the keys to try. `fit` is the bit of the algorithm; `takes` is called for the keys that have it.
    func candidates(
        for header: JOSEHeader, fit: UInt32, _ takes: (Key) -> Bool = { _ in true },
        otherwise reason: (Key) -> KeyMismatch
    ) throws(JOSEError) -> Found {
        let bytes = header.bytes.span
        let wanted = header.value(.kid)
        var found = Found()
        var firstReason: KeyMismatch?
        let isNamed = try forEachSelected(
            hasName: wanted != nil, { wanted?.equals($0, in: bytes) ?? false }, header
        ) { index, isExcluded throws(JOSEError) in
            if isExcluded {
                if firstReason == nil { firstReason = .certificate }
            } else if rows[index].fits & fit != 0, takes(keys[index]) {
                guard found.count < limit else { throw .keyUnsuitable(.ambiguous) }
                found.append(index)
            } else if firstReason == nil {
                firstReason = reason(keys[index])
            }
        }
        if found.count > 0 { return found }
        throw missing(wanted, in: bytes, isNamed: isNamed, firstReason)
    }

    /// Calls `body` with the index of each key that a name and the header's thumbprints select or exclude, whatever its
    /// algorithms.
    ///
    /// - Parameters:
    ///   - hasName: Whether a `kid` is wanted.
    ///   - isName: Returns whether a `kid` is the wanted one.
    ///   - header: The header with the thumbprints, or nil if there is none.
    ///   - body: Also gets whether a thumbprint excludes the key.
    /// - Returns: Whether a key has the wanted `kid`.
    @inline(__always)
    func forEachSelected<Failure: Error>(
        hasName: Bool, _ isName: (Span<UInt8>) -> Bool, _ header: JOSEHeader?,
        _ body: (_ index: Int, _ isExcluded: Bool) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let names = names
        let isNamed = hasName && rows.contains { Self.hasName($0, in: names, isName) }
        let excluded = certificates.isEmpty ? [] : excluded(by: header)
        for index in rows.indices {
            if hasName {
                guard isNamed ? Self.hasName(rows[index], in: names, isName) : rows[index].start < 0 else { continue }
            }
            try body(index, !excluded.isEmpty && excluded[index])
        }
        return isNamed
    }

    /// Returns whether a key has this `kid`.
    @inline(__always)
    func knows(_ keyID: [UInt8]) -> Bool {
        rows.contains { row in Self.hasName(row, in: names) { bytesEqual($0, keyID) } }
    }

    private static func hasName(_ row: Row, in names: [UInt8], _ isName: (Span<UInt8>) -> Bool) -> Bool {
        row.start >= 0 && isName(names.span.extracting(row.start..<row.end))
    }

    /// Returns for each key whether the header's thumbprints exclude it; empty where the header has none.
    private func excluded(by header: JOSEHeader?) -> [Bool] {
        guard let header else { return [] }
        let x5t = header.value(.x5t)
        let x5tS256 = header.value(.x5tS256)
        guard x5t != nil || x5tS256 != nil else { return [] }
        let answers = certificates.map { $0?.agrees(x5t: x5t, x5tS256: x5tS256, in: header.bytes.span) }
        return answers.contains(true) ? answers.map { $0 != true } : answers.map { $0 == false }
    }

    /// Returns the error where no key fits. A key with the wanted name that is unusable gives its own reason, which is
    /// more informative than `keyNotFound`.
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
