internal import JOSEBytes

/// A key made ready for one policy.
protocol ReadyKey: Sendable {
    /// Its `kid`, as bytes.
    var keyID: [UInt8]? { get }
}

/// Keys made ready, and the rule that picks those to try for a header: the ones whose `kid` is the header's, byte by byte;
/// where there is none, the ones that have no `kid`; for a header without `kid`, all (RFC 7515, 4.1.4).
struct CandidateKeys<Key: ReadyKey>: Sendable {
    /// More than this many fitting keys are refused as ambiguous: each costs an attempt.
    static var most: Int { 4 }

    private let keys: [Key]
    private let unusable: [UnusableKey]

    init(_ set: KeySet, _ ready: (JWK) -> Key) {
        keys = set.keys.map(ready)
        unusable = set.unusable
    }

    subscript(_ place: Int) -> Key { keys[place] }

    /// Places in `keys`, `count` of them.
    struct Found {
        var places = InlineArray<4, Int>(repeating: 0)
        var count = 0
    }

    func candidates(
        for header: Header, _ fits: (Key) -> Bool, otherwise reason: (Key) -> Unsuitability
    ) throws(JOSEError) -> Found {
        let bytes = header.bytes.span
        let wanted = header.value(.kid)
        var isNamed = false
        if let wanted {
            for key in keys {
                if let id = key.keyID, wanted.equals(id.span, in: bytes) {
                    isNamed = true
                    break
                }
            }
        }
        var found = Found()
        var firstReason: Unsuitability?
        for (place, key) in keys.enumerated() {
            if let wanted {
                let id = key.keyID
                if isNamed {
                    guard let id, wanted.equals(id.span, in: bytes) else { continue }
                } else if id != nil {
                    continue
                }
            }
            if fits(key) {
                guard found.count < Self.most else { throw .keyUnsuitable(.ambiguous) }
                found.places[found.count] = place
                found.count += 1
            } else if firstReason == nil {
                firstReason = reason(key)
            }
        }
        if found.count > 0 { return found }
        throw missing(wanted, in: bytes, isNamed: isNamed, firstReason)
    }

    /// A key set aside under the wanted name says why it cannot serve; that is of more use than "not found".
    private func missing(
        _ wanted: JSONValue?, in bytes: Span<UInt8>, isNamed: Bool, _ reason: Unsuitability?
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
