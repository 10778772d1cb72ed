public import JOSE
internal import JOSEBytes
internal import Synchronization

/// Our decryption keys over time: others are told of one, the ones before it go on opening what was encrypted to them, and each
/// goes by a call, once nobody can or does use it any more.
///
/// A decrypter or verifier made with this as its key source counts which key opened each token. ``report`` shows the counts;
/// ``remove(keyID:force:)`` takes a key away when its bound has passed (`documentLifetime`, `slack`, `tokenLifetime` and `leeway`
/// of the rules after it left the document) and it has opened nothing for their `quietTime`. Thread-safe.
///
/// More than four keys that fit one token without `kid` are refused as ambiguous: take away what has gone quiet.
public final class DecryptionKeyRotation: KeySource, PublishedKeySource, Sendable {
    private struct State {
        var schedule: DecryptionSchedule
        /// Made once for each change: decrypters know it again.
        var keys = KeySet.empty
    }
    private let state: Mutex<State>
    private let clock: RotationClock
    /// As they were given when this was made.
    public let rules: RotationRules

    /// Without keys. Throws `rulesInvalid`.
    public init(_ rules: RotationRules = RotationRules(), clock: RotationClock = .system) throws(KeyRotationError) {
        try rules.check()
        self.rules = rules
        self.clock = clock
        state = Mutex(State(schedule: DecryptionSchedule(rules)))
    }

    /// Takes in a key that has a `kid` of its own. It opens tokens from now on, and is published from `publishedFrom` on (in whole
    /// seconds since 1970; now unless told): where several machines decrypt, give all of them the key before it is published.
    /// From that moment those named by `replacing` are published no more; nil: none but this one is.
    public func add(
        _ key: PrivateKey, publishedFrom: Double? = nil, replacing: [String]? = nil
    ) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        try change { schedule throws(KeyRotationError) in
            try schedule.add(key, publishedFrom: publishedFrom, replacing: replacing, now: now)
        }
    }

    /// Takes a key out of the document, with none in its place; it goes on opening tokens.
    public func withdraw(keyID: String) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        try change { schedule throws(KeyRotationError) in try schedule.withdraw(keyID, now: now) }
    }

    /// Drops a key: tokens that were encrypted to it cannot be opened any more. Throws `isPublished`, `tooEarly` or `inUse` where
    /// somebody may still need it, unless `force`.
    public func remove(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        try change { schedule throws(KeyRotationError) in try schedule.remove(keyID, force: force, now: now) }
    }

    /// Adds what was counted elsewhere, by another machine that holds the same key.
    public func addUses(of keyID: String, count: UInt64, lastUsed: Double) throws(KeyRotationError) {
        guard RotationTime.isOne(lastUsed) else { throw .timeInvalid }
        let schedule = state.withLock { $0.schedule }
        let entry = schedule.entries[try schedule.place(keyID)]
        entry.counter.add(count, late: lastUsed >= entry.withdraws, at: lastUsed)
    }

    /// What is published now.
    public func published() -> PublishedKeySnapshot {
        let now = clock.now
        let (keys, until) = state.withLock { $0.schedule.published(now) }
        return PublishedKeySnapshot(keys: keys, now: now, until: until, lifetime: rules.documentLifetime)
    }

    private func change(
        _ step: (inout DecryptionSchedule) throws(KeyRotationError) -> Void
    ) throws(KeyRotationError) {
        let failure = state.withLock { state -> KeyRotationError? in
            var schedule = state.schedule
            do throws(KeyRotationError) { try step(&schedule) } catch { return error }
            state.schedule = schedule
            state.keys = KeySet(schedule.entries.map { .privateKey($0.key) })
            return nil
        }
        if let failure { throw failure }
    }
}

extension DecryptionKeyRotation {
    /// All keys that are here, published or not.
    public func current() throws(JOSEError) -> KeySet { state.withLock { $0.keys } }

    /// Counts for the key, if it is here.
    public func reportUse(of key: JWK) {
        guard case .privateKey(let used) = key else { return }
        let entries = state.withLock { $0.schedule.entries }
        guard let entry = entries.first(where: { $0.key.isSame(as: used) }) else { return }
        let now = clock.now
        entry.counter.add(1, late: now >= entry.withdraws, at: now)
    }
}

/// A decryption key, where it is in its life, and what it was used for. Counts begin when the key was added or restored.
public struct DecryptionKeyReport: Sendable, Equatable {
    /// Its `kid`.
    public let keyID: String
    /// At the time of the report.
    public let stage: DecryptionKeyStage
    /// From when on it is in the document, in seconds since 1970.
    public let publishedFrom: Double
    /// From when on it is there no more; nil: by no plan.
    public let withdrawnFrom: Double?
    /// When, by the rules, nobody can have anything that is encrypted to it; nil while it has no end in the document.
    public let bound: Double?
    /// Tokens that it opened.
    public let uses: UInt64
    /// Of these, since it left the document.
    public let usesSinceWithdrawn: UInt64
    /// When it opened the last one, in whole seconds; nil: none.
    public let lastUsed: Double?
    /// Whether `remove` would take it away now.
    public let canRemove: Bool
}

extension DecryptionKeyRotation {
    /// All keys, the one published last first.
    public var report: [DecryptionKeyReport] {
        let now = clock.now
        let schedule = state.withLock { $0.schedule }
        return schedule.entries.map { entry in
            let isFinite = entry.withdraws.isFinite
            return DecryptionKeyReport(
                keyID: entry.keyID, stage: entry.stage(now), publishedFrom: entry.publishes,
                withdrawnFrom: isFinite ? entry.withdraws : nil, bound: isFinite ? schedule.bound(entry) : nil,
                uses: entry.counter.uses, usesSinceWithdrawn: entry.counter.lateUses,
                lastUsed: entry.counter.lastUsed, canRemove: schedule.objection(entry, now) == nil)
        }
    }

    /// Public halves, times and the time of each key's last use, as JSON; counts stay with the machine that counted.
    public func exportState() -> [UInt8] {
        RotationState.write("enc", state.withLock { $0.schedule.entries }) { entry, writer in
            writer.member("publishes", Int64(entry.publishes))
            if entry.withdraws.isFinite { writer.member("withdraws", Int64(entry.withdraws)) }
            if let last = entry.counter.lastUsed { writer.member("used", Int64(last)) }
            return entry.publicKey
        }
    }

    /// Puts the keys of an exported state in place of those that are here. `privateKeys`: those of its keys, by `kid`; others are
    /// left out. A key that stays keeps its counts. Where it throws, nothing changed.
    public func restore(_ exported: [UInt8], privateKeys: [PrivateKey]) throws(KeyRotationError) {
        let records = try RotationState.read("enc", exported, times: ["publishes", "withdraws", "used"])
        let rules = rules
        try change { schedule throws(KeyRotationError) in
            var restored = DecryptionSchedule(rules)
            // The last first, so that keys published at one time keep their order.
            for record in records.reversed() {
                guard let publishes = record.times[0] else { throw .stateInvalid }
                let key = try record.privateKey(privateKeys)
                let kept = schedule.entries.first { $0.key == key && $0.keyID == record.keyID }?.counter
                let counter = kept ?? KeyUseCounter()
                if let used = record.times[2] { counter.add(0, late: false, at: used) }
                try restored.insert(
                    key, publishes: publishes, withdraws: record.times[1] ?? .infinity, counter: counter)
            }
            schedule = restored
        }
    }
}
