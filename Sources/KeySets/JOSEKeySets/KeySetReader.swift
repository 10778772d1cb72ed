package import JOSE
internal import JOSESupport

/// A reader of published key sets, which merges each with the previous one.
package struct KeySetReader: DocumentReader {
    /// The state that is kept from one key set to the next.
    package struct Memory: Sendable {
        /// A key that the newest key set lacks, and the time at which it is dropped.
        struct Kept: Sendable {
            let key: JWK
            let until: Double

            func isOf(_ other: JWK) -> Bool { key == other && key.keyIDBytes == other.keyIDBytes }
        }
        /// The time at which the server last sent or confirmed the key set.
        var confirmedAt = -Double.infinity
        /// The time at which a key set without a usable key was received that has not been contradicted since.
        var emptyAt: Double?
        var kept: [Kept] = []
        /// The unusable keys of the last response, if it was a key set that was rejected as a whole: private and
        /// symmetric ones first.
        var rejected: [UnusableKey] = []
        /// The number of keys after the limit, which are ignored.
        var ignored = 0
    }

    private let options: KeySetOptions
    private let limits: ParsingLimits

    package init(_ options: KeySetOptions) {
        self.options = options
        var limits = ParsingLimits.standard
        limits.keysInSet = options.keyLimit
        self.limits = limits
    }

    package var mediaTypes: [String] { ["application/jwk-set+json", "application/json"] }
    package var blank: Memory { Memory() }
    package func count(_ value: KeySet) -> Int { value.keys.count }
    package func contains(_ keyID: [UInt8], in value: KeySet) -> Bool {
        value.keys.contains { $0.keyIDBytes == keyID }
            || value.unusable.contains { $0.keyID.map { bytesEqual($0.utf8.span, keyID) } ?? false }
    }

    package func take(
        _ body: [UInt8], over current: KeySet?, _ memory: inout Memory, at now: Double
    ) throws(KeySetError) -> Taken<KeySet> {
        memory.rejected = []
        let (set, total, secret) = try parsed(body)
        memory.rejected = secret + set.unusable
        guard secret.isEmpty else { throw .refused(.privateKey) }
        if options.rejectsDuplicateKeyIDs, set.hasDuplicateKeyID { throw .refused(.duplicateKeyID) }
        try checkEmpty(set, over: current, &memory, at: now)
        let difference = set.difference(from: current ?? .empty)
        let replaced = difference.replaced.filter { $0.old != nil }
        if options.rejectsReplacedKeys, !replaced.isEmpty { throw .refused(.replacedKey) }
        let kept = kept(difference.removed, memory, at: now)
        memory.kept = kept
        memory.ignored = max(0, total - options.keyLimit)
        memory.confirmedAt = now
        memory.emptyAt = nil
        memory.rejected = []

        var events: [KeySetEvent] = []
        if total > options.keyLimit { events.append(.tooManyKeys(total: total, used: options.keyLimit)) }
        events += Self.skipped(set.unusable)
        if !kept.isEmpty {
            let last = kept.map(\.until).max() ?? now
            events.append(.kept(kept.map { KeyName($0.key.keyID) }, upTo: Duration(saturatingSeconds: last - now)))
        }
        let skipped = set.unusable.count
        guard let current else {
            events.append(.added(set.keys.map { KeyName($0.keyID) }))
            return Taken(set, isNew: true, events: events, skipped: skipped)
        }
        let gone = difference.removed.filter { key in !kept.contains { $0.isOf(key) } }
        let isChange = !difference.added.isEmpty || !difference.changed.isEmpty || !gone.isEmpty
        // Decrypters and verifiers that have prepared the keys need not do so again.
        guard isChange || current.unusable != set.unusable else {
            return Taken(current, isNew: false, events: events, skipped: skipped)
        }
        let value = kept.isEmpty ? set : KeySet(set.keys + kept.map(\.key), unusable: set.unusable)
        if isChange {
            let joined = difference.changed.filter { $0.old == nil }.map(\.new)
            let changes = Changes(added: difference.added + joined, replaced: replaced.map(\.new), removed: gone)
            events += changes.events(in: value)
        }
        return Taken(value, isNew: true, events: events, skipped: skipped)
    }

    package func confirm(_ memory: inout Memory, at now: Double) {
        memory.confirmedAt = now
        memory.emptyAt = nil
        memory.rejected = []
    }

    package func rejectionEvents(_ memory: Memory) -> [KeySetEvent] { Self.skipped(memory.rejected) }

    package func nextChange(_ memory: Memory) -> Double? { memory.kept.map(\.until).min() }

    package func change(_ value: KeySet, _ memory: inout Memory, at now: Double) -> Taken<KeySet>? {
        let over = memory.kept.filter { $0.until <= now }
        guard !over.isEmpty else { return nil }
        memory.kept.removeAll { $0.until <= now }
        let keys = value.keys.filter { key in !over.contains { $0.isOf(key) } }
        let next = KeySet(keys, unusable: value.unusable)
        let changes = Changes(added: [], replaced: [], removed: over.map(\.key))
        return Taken(next, isNew: true, events: changes.events(in: next))
    }

    private static let reportedSkips = 10

    private static func skipped(_ keys: [UnusableKey]) -> [KeySetEvent] {
        keys.prefix(reportedSkips).map { .keySkipped(KeyName($0.keyID), index: $0.index, $0.reason) }
    }

    private struct Changes {
        let added: [JWK]
        let replaced: [JWK]
        let removed: [JWK]

        func events(in value: KeySet) -> [KeySetEvent] {
            let rotation = KeySetRotation(
                added: added.count, removed: removed.count, replaced: replaced.count, keys: value.keys.count)
            var events: [KeySetEvent] = [.rotated(rotation)]
            func names(_ keys: [JWK]) -> [KeyName] { keys.map { KeyName($0.keyID) } }
            if !replaced.isEmpty { events.append(.replaced(names(replaced))) }
            if !added.isEmpty { events.append(.added(names(added))) }
            if !removed.isEmpty { events.append(.removed(names(removed))) }
            return events
        }
    }

    private func parsed(
        _ body: [UInt8]
    ) throws(KeySetError) -> (set: KeySet, total: Int, secret: [UnusableKey]) {
        guard !body.isEmpty else { throw .refused(.empty) }
        do throws(JOSEError) {
            return try KeySet.published(body, checks: options.checks, limits: limits)
        } catch {
            throw .refused(KeySetRejection(error))
        }
    }

    /// Accepts an empty key set if nothing is lost by it, or if a second fetch confirms it.
    private func checkEmpty(
        _ set: KeySet, over current: KeySet?, _ memory: inout Memory, at now: Double
    ) throws(KeySetError) {
        guard set.keys.isEmpty else { return }
        guard let current else { throw .refused(.noUsableKeys) }
        guard !current.keys.isEmpty else { return }
        if let first = memory.emptyAt, now - first >= options.cooldown.inSeconds { return }
        if memory.emptyAt == nil { memory.emptyAt = now }
        throw .refused(.noUsableKeys)
    }

    /// Returns the keys that were seen so recently that a cache with an older key set may have responded.
    private func kept(_ removed: [JWK], _ memory: Memory, at now: Double) -> [Memory.Kept] {
        removed.compactMap { key in
            let known = memory.kept.first { $0.isOf(key) }
            let until = known?.until ?? memory.confirmedAt + options.grace.inSeconds
            return until > now ? Memory.Kept(key: key, until: until) : nil
        }
    }
}

extension KeySet {
    /// Whether two keys with the same name fit the same algorithm.
    fileprivate var hasDuplicateKeyID: Bool {
        let named = Dictionary(grouping: keys.filter { $0.keyIDBytes != nil }) { $0.keyIDBytes ?? [] }
        return named.values.contains { same in Set(same.map(\.kind.family)).count < same.count }
    }
}

extension KeyKind {
    /// The type of the key, as `kty` names it.
    fileprivate var family: Int {
        switch self {
        case .rsa: 0
        case .p256, .p384, .p521, .secp256k1: 1
        case .ed25519, .x25519, .ed448, .x448: 2
        case .mlDSA44, .mlDSA65, .mlDSA87: 3
        case .octets: 4
        }
    }
}

extension KeySetRejection {
    init(_ error: JOSEError) {
        switch error {
        case .keyInvalid: self = .notKeySet
        case .malformed(let fault): self = .malformed(fault)
        default: self = .tooLarge
        }
    }
}
