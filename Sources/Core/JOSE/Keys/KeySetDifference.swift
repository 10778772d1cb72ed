/// What became of the keys of a set between two readings of it. Keys that could not be used are in neither.
public struct KeySetDifference: Sendable {
    /// What of a key is not as it was under the same `kid`.
    public struct Aspects: OptionSet, Hashable, Sendable {
        /// The bits; of no meaning outside this value.
        public let rawValue: UInt8
        /// Of bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Another key, by its thumbprint (RFC 7638) or its octets: an alarm. Whoever publishes a set gives a new key a new
        /// name (RFC 7517, 4.5).
        public static let material = Self(rawValue: 1)
        /// Another kind of key, curve or size; then `material` too.
        public static let kind = Self(rawValue: 2)
        /// A private key where the public one was, or the reverse.
        public static let half = Self(rawValue: 4)
        /// `alg`.
        public static let algorithm = Self(rawValue: 8)
        /// `use`.
        public static let use = Self(rawValue: 16)
        /// `key_ops`.
        public static let operations = Self(rawValue: 32)
        /// `x5c`, `x5t` or `x5t#S256`.
        public static let certificates = Self(rawValue: 64)
    }

    /// One key that is not as it was under its name.
    public struct Change: Sendable {
        /// The name, in both sets; nil: neither has one.
        public let keyID: String?
        /// Nil: the keys that had the name are all still there, and `new` has joined them.
        public let old: JWK?
        /// What stands under the name now.
        public let new: JWK
        /// What is not as it was.
        public let aspects: Aspects
    }

    /// Under names that the old set did not have, in the new set's order.
    public let added: [JWK]
    /// That nothing replaced, in the old set's order.
    public let removed: [JWK]
    /// Under a name that both sets have, in the new set's order.
    public let changed: [Change]

    /// Whether nothing differs that a key says; the order of the keys says nothing.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
    /// Changes after which a name stands for another key. They are nobody's rotation: refuse the new set, or ask.
    public var replaced: [Change] { changed.filter { $0.aspects.contains(.material) } }
}

extension KeySet {
    /// What is new here, gone or changed since `old`. Keys are told apart by `kid`, byte by byte, and several under one name by
    /// what they are; keys without a name by what they are alone.
    public func difference(from old: KeySet) -> KeySetDifference {
        let before = Dictionary(grouping: old.keys.indices) { old.keys[$0].keyIDBytes }
        let after = Dictionary(grouping: keys.indices) { keys[$0].keyIDBytes }
        var added: [Int] = []
        var removed = before.filter { after[$0.key] == nil }.flatMap(\.value)
        var changed: [(place: Int, change: KeySetDifference.Change)] = []
        for (name, places) in after {
            guard var left = before[name] else {
                added += places
                continue
            }
            func note(_ place: Int, _ was: JWK?) {
                let aspects = was.map { keys[place].aspects(since: $0) } ?? .material
                guard !aspects.isEmpty else { return }
                let (keyID, key) = (keys[place].keyID, keys[place])
                changed.append((place, KeySetDifference.Change(keyID: keyID, old: was, new: key, aspects: aspects)))
            }
            var fresh = places
            // A key that stayed is never taken for the change of another.
            for degree in KeyLikeness.Degree.allCases where !left.isEmpty && !fresh.isEmpty {
                // Reversed, so that the first of several alike keys is taken from the end of its list.
                var alike = Dictionary(grouping: left.reversed()) { KeyLikeness(old.keys[$0], degree) }
                fresh.removeAll { place in
                    let likeness = KeyLikeness(keys[place], degree)
                    let found = alike[likeness]?.lastIndex { degree.isMet(by: old.keys[$0], keys[place]) }
                    guard let found, let was = alike[likeness]?.remove(at: found) else { return false }
                    note(place, old.keys[was])
                    return true
                }
                left = alike.values.joined().sorted()
            }
            if name == nil {
                added += fresh
                removed += left
            } else {
                for (index, place) in fresh.enumerated() {
                    note(place, index < left.count ? old.keys[left[index]] : nil)
                }
                removed += left.dropFirst(fresh.count)
            }
        }
        return KeySetDifference(
            added: added.sorted().map { keys[$0] }, removed: removed.sorted().map { old.keys[$0] },
            changed: changed.sorted { $0.place < $1.place }.map(\.change))
    }
}

extension JWK {
    /// Whether both are of one key pair.
    private func isHalf(of other: JWK) -> Bool {
        guard let half = publicKey, let otherHalf = other.publicKey else { return false }
        return half == otherHalf
    }

    fileprivate func aspects(since old: JWK) -> KeySetDifference.Aspects {
        var aspects: KeySetDifference.Aspects = []
        if self != old { aspects.insert(isHalf(of: old) ? .half : .material) }
        if kind != old.kind { aspects.insert(.kind) }
        let (mine, theirs) = (binding, old.binding)
        if !Self.same(mine.algorithm, theirs.algorithm) { aspects.insert(.algorithm) }
        if mine.use != theirs.use { aspects.insert(.use) }
        if mine.operations != theirs.operations || Set(mine.otherOperations) != Set(theirs.otherOperations) {
            aspects.insert(.operations)
        }
        let (certificates, others) = (mine.certificates, theirs.certificates)
        if certificates?.chain != others?.chain || !Self.same(certificates?.x5t, others?.x5t)
            || !Self.same(certificates?.x5tS256, others?.x5tS256)
        {
            aspects.insert(.certificates)
        }
        return aspects
    }

    private static func same(_ a: String?, _ b: String?) -> Bool {
        a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
    }
}

extension KeySetDifference: CustomStringConvertible {
    public var description: String {
        "KeySetDifference(added: \(added), removed: \(removed), changed: \(changed.count), replaced: \(replaced.count))"
    }
}
