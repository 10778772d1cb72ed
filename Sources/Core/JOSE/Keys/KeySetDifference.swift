/// The difference between two versions of a key set, unusable keys excluded.
public struct KeySetDifference: Sendable {
    /// The aspects in which a key differs from the previous key with the same `kid`.
    package struct Aspects: OptionSet, Hashable, Sendable {
        /// The bits of the set, which have no meaning outside this type.
        package let rawValue: UInt8
        /// Creates a set of aspects from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The key itself differs, compared by thumbprint (RFC 7638) or, if it is symmetric, by its bytes. This is
        /// suspicious, because a new key is normally published under a new `kid` (RFC 7517, 4.5).
        package static let material = Self(rawValue: 1)
        /// The kind, curve or size of the key differs. The set then contains `material` too.
        package static let kind = Self(rawValue: 2)
        /// A private key replaces its public key, or the reverse.
        package static let half = Self(rawValue: 4)
        /// The `alg` differs.
        package static let algorithm = Self(rawValue: 8)
        /// The `use` differs.
        package static let use = Self(rawValue: 16)
        /// The `key_ops` differ.
        package static let operations = Self(rawValue: 32)
        /// The `x5c`, `x5t` or `x5t#S256` differs.
        package static let certificates = Self(rawValue: 64)
        /// The member `issuer` differs.
        package static let issuer = Self(rawValue: 128)
    }

    /// A key that differs from the previous key with the same `kid`.
    public struct Change: Sendable {
        /// The `kid` in both sets, or nil if neither key has one.
        public let keyID: String?
        /// The key in the old set. It is nil if `new` was added under a `kid` whose previous keys are all still in the
        /// set.
        public let old: JWK?
        /// The key in the new set.
        public let new: JWK
        /// The aspects in which the keys differ.
        package let aspects: Aspects
    }

    /// The keys whose `kid` is not in the old set, and new keys without a `kid`, in the new set's order.
    public let added: [JWK]
    /// The keys that were removed and not replaced, in the old set's order.
    public let removed: [JWK]
    /// The keys that differ from those with the same `kid` in the old set, in the new set's order.
    public let changed: [Change]

    /// A Boolean value that indicates whether both sets contain the same keys. Their order does not matter.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
    /// The changes after which a `kid` identifies another key. They are not a regular key rotation: reject the new set,
    /// or have an administrator confirm it.
    public var replaced: [Change] { changed.filter { $0.aspects.contains(.material) } }
}

extension KeySet {
    /// Returns the keys that were added, removed or changed since `old`.
    ///
    /// Keys are matched by `kid`, byte by byte. Keys that share a `kid`, and keys without one, are matched by their
    /// parameters and members.
    public func difference(from old: KeySet) -> KeySetDifference {
        let before = Dictionary(grouping: old.keys.indices) { old.keys[$0].keyIDBytes }
        let after = Dictionary(grouping: keys.indices) { keys[$0].keyIDBytes }
        var added: [Int] = []
        var removed = before.filter { after[$0.key] == nil }.flatMap(\.value)
        var changed: [(index: Int, change: KeySetDifference.Change)] = []
        for (name, indices) in after {
            guard var left = before[name] else {
                added += indices
                continue
            }
            func note(_ index: Int, _ was: JWK?) {
                let aspects = was.map { keys[index].aspects(since: $0) } ?? .material
                guard !aspects.isEmpty else { return }
                let (keyID, key) = (keys[index].keyID, keys[index])
                changed.append((index, KeySetDifference.Change(keyID: keyID, old: was, new: key, aspects: aspects)))
            }
            var fresh = indices
            // A key that stayed is never taken for the change of another.
            for degree in KeyLikeness.Degree.allCases where !left.isEmpty && !fresh.isEmpty {
                // Reversed, so that the first of several alike keys is taken from the end of its list.
                var alike = Dictionary(grouping: left.reversed()) { KeyLikeness(old.keys[$0], degree) }
                fresh.removeAll { index in
                    let likeness = KeyLikeness(keys[index], degree)
                    let found = alike[likeness]?.lastIndex { degree.isMet(by: old.keys[$0], keys[index]) }
                    guard let found, let was = alike[likeness]?.remove(at: found) else { return false }
                    note(index, old.keys[was])
                    return true
                }
                left = alike.values.joined().sorted()
            }
            if name == nil {
                added += fresh
                removed += left
            } else {
                for (offset, index) in fresh.enumerated() {
                    note(index, offset < left.count ? old.keys[left[offset]] : nil)
                }
                removed += left.dropFirst(fresh.count)
            }
        }
        return KeySetDifference(
            added: added.sorted().map { keys[$0] }, removed: removed.sorted().map { old.keys[$0] },
            changed: changed.sorted { $0.index < $1.index }.map(\.change))
    }
}

extension JWK {
    /// Returns whether both are of one key pair.
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
        if !Self.same(mine.issuer, theirs.issuer) { aspects.insert(.issuer) }
        return aspects
    }

    private static func same(_ a: String?, _ b: String?) -> Bool {
        a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
    }
}

extension KeySetDifference: Described {
    package var summary: String {
        "KeySetDifference(added: \(added), removed: \(removed), changed: \(changed.count), replaced: \(replaced.count))"
    }
}
