public import JOSE
internal import JOSESupport
internal import Synchronization

/// The rotation of a service's own decryption keys: the newest is published, its predecessors continue to decrypt
/// tokens that were encrypted to them, and the application removes each when it is no longer needed.
///
/// A decrypter or verifier that uses the rotation as its key source counts the tokens that each key decrypted;
/// ``report`` shows the counts. ``remove(keyID:force:)`` removes a key when no valid token that is encrypted to it can
/// remain (`documentLifetime`, `slack`, `tokenLifetime` and `leeway` of the rules after it was withdrawn) and when it
/// has decrypted nothing for `quietTime`. The class is thread-safe.
///
/// A token without `kid` that more keys match than `ParsingLimits.candidateKeys` allows is rejected as ambiguous:
/// remove the keys that are no longer used.
public final class DecryptionKeyRotation: KeySource, PublishedKeySource, Sendable {
    private struct State {
        var schedule: DecryptionSchedule
        /// The key set of the keys. It is created once for each change, so that decrypters recognize it.
        var keys = KeySet.empty
    }
    private let state: Mutex<State>
    private let clock: WallClock
    /// The rules with which the rotation was created.
    package let rules: RotationRules

    /// Creates a rotation without keys.
    ///
    /// - Parameters:
    ///   - rules: The durations that determine when a key can be removed.
    ///   - clock: The clock. It is read for each use of a key.
    /// - Throws: `rulesInvalid` if the rules contradict each other or exceed their bounds.
    public init(_ rules: RotationRules = RotationRules(), clock: WallClock = .system) throws(KeyRotationError) {
        try rules.check()
        self.rules = rules
        self.clock = clock
        state = Mutex(State(schedule: DecryptionSchedule(rules)))
    }

    /// Adds a key, which decrypts tokens from now on.
    ///
    /// If several machines decrypt, add the key on all of them before it is published.
    ///
    /// - Parameters:
    ///   - key: A private key with a `kid` of its own.
    ///   - publishedFrom: The time from which the key is published, rounded up to whole seconds; the default is now.
    ///   - replacing: The `kid` values of the keys that are no longer published from then on; the default is all other
    ///     keys.
    /// - Throws: `keyUnknown` or `alreadyDone` for a key to replace, and `keyIDMissing`, `keyIDTaken`, `keyTaken` or
    ///   `keyUnsuitable` for a key that cannot be added.
    public func add(
        _ key: PrivateKey, publishedFrom: NumericDate? = nil, replacing: [String]? = nil
    ) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        try change { schedule throws(KeyRotationError) in
            try schedule.add(
                key, publishedFrom: publishedFrom?.secondsSince1970, replacing: replacing, now: now)
        }
    }

    /// Removes a key from the published document without a replacement. The key continues to decrypt tokens.
    ///
    /// - Throws: `keyUnknown`, or `alreadyDone` if the key is no longer published.
    public func withdraw(keyID: String) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        try change { schedule throws(KeyRotationError) in try schedule.withdraw(keyID, now: now) }
    }

    /// Removes a key, so that tokens encrypted to it can no longer be decrypted.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of the key.
    ///   - force: Whether the key is removed even if tokens that are encrypted to it may remain.
    /// - Throws: `isPublished`, `tooEarly` or `inUse` if tokens that are encrypted to the key may remain, unless
    ///   `force` is true; `keyUnknown`.
    public func remove(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        try change { schedule throws(KeyRotationError) in try schedule.remove(keyID, force: force, now: now) }
    }

    /// Adds the uses of a key that another machine with the same key has counted.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of the key.
    ///   - count: The number of tokens that the key decrypted.
    ///   - lastUsed: The time at which the key was last used.
    /// - Throws: `keyUnknown`, or `timeInvalid` for a time that is out of bounds.
    public func addUses(of keyID: String, count: UInt64, lastUsed: NumericDate) throws(KeyRotationError) {
        let last = lastUsed.secondsSince1970
        guard RotationTime.isOne(last) else { throw .timeInvalid }
        let schedule = state.withLock { $0.schedule }
        let entry = schedule.entries[try schedule.index(of: keyID)]
        entry.counter.add(count, late: last >= entry.withdraws, at: last)
    }

    /// Returns the keys that are published at this moment.
    public func published() -> PublishedKeySnapshot {
        let now = clock.rotationSeconds
        let (keys, until) = state.withLock { $0.schedule.published(now) }
        return PublishedKeySnapshot(
            keys: keys, now: NumericDate(secondsSince1970: now), until: NumericDate(finiteSeconds: until),
            lifetime: rules.documentLifetime)
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
    /// Returns all keys of the rotation, published or not.
    public func current() throws(JOSEError) -> KeySet { state.withLock { $0.keys } }

    /// Counts a use of the key, if the rotation has it.
    public func reportUse(of key: JWK) {
        guard case .privateKey(let used) = key else { return }
        let entries = state.withLock { $0.schedule.entries }
        guard let entry = entries.first(where: { $0.key.isSame(as: used) }) else { return }
        let now = clock.rotationSeconds
        entry.counter.add(1, late: now >= entry.withdraws, at: now)
    }
}

/// The stage and the use of a decryption key. Uses are counted since the key was added or restored.
public struct DecryptionKeyReport: Sendable, Equatable {
    /// The `kid` of the key.
    public let keyID: String
    /// The stage at the time of the report.
    public let stage: DecryptionKeyStage
    /// The time from which the key is in the document.
    public let publishedFrom: NumericDate
    /// The time from which the key is no longer in the document, or nil if none is planned.
    public let withdrawnFrom: NumericDate?
    /// The time from which, by the rules, no valid token that is encrypted to the key remains, or nil if its withdrawal
    /// is not planned.
    public let bound: NumericDate?
    /// The number of tokens that the key decrypted.
    public let uses: UInt64
    /// The number of tokens that the key decrypted since it was withdrawn from the document.
    public let usesSinceWithdrawn: UInt64
    /// The time of the last use in whole seconds, or nil if there was none.
    public let lastUsed: NumericDate?
    /// Whether `remove` would now remove the key without `force`.
    public let canRemove: Bool
}

extension DecryptionKeyRotation {
    /// The reports on all keys, with the key that was published last first.
    public var report: [DecryptionKeyReport] {
        let now = clock.rotationSeconds
        let schedule = state.withLock { $0.schedule }
        return schedule.entries.map { entry in
            DecryptionKeyReport(
                keyID: entry.keyID, stage: entry.stage(now),
                publishedFrom: NumericDate(secondsSince1970: entry.publishes),
                withdrawnFrom: NumericDate(finiteSeconds: entry.withdraws),
                bound: NumericDate(finiteSeconds: schedule.bound(entry)), uses: entry.counter.uses,
                usesSinceWithdrawn: entry.counter.lateUses,
                lastUsed: entry.counter.lastUsed.map { NumericDate(secondsSince1970: $0) },
                canRemove: schedule.objection(entry, now) == nil)
        }
    }

    /// Returns the state as JSON: the public keys, the times of their stages, and the time at which each was last used.
    /// Private keys and counts are not exported.
    public func exportState() -> [UInt8] {
        RotationState.write("enc", state.withLock { $0.schedule.entries }) { entry, writer in
            writer.member("publishes", Int64(entry.publishes))
            if entry.withdraws.isFinite { writer.member("withdraws", Int64(entry.withdraws)) }
            if let last = entry.counter.lastUsed { writer.member("used", Int64(last)) }
            return entry.publicKey
        }
    }

    /// Replaces the keys with those of an exported state. A key that was in the rotation before keeps its counts.
    ///
    /// - Parameters:
    ///   - exported: The state.
    ///   - privateKeys: The private keys, matched by `kid`. Keys that are not in the state are ignored.
    /// - Throws: `stateInvalid`, `privateKeyMissing` or `privateKeyOther`. If an error is thrown, nothing has changed.
    public func restore(_ exported: [UInt8], privateKeys: [PrivateKey]) throws(KeyRotationError) {
        let records = try RotationState.read("enc", exported, times: ["publishes", "withdraws", "used"])
        let rules = rules
        try change { schedule throws(KeyRotationError) in
            var restored = DecryptionSchedule(rules)
            // Records are inserted from the last to the first, so that keys published at the same time keep their
            // order.
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
