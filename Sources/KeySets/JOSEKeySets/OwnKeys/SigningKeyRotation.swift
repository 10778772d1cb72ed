public import JOSE
internal import JOSESupport
internal import Synchronization

/// The rotation of a service's own signing keys: each key is published, then signs, then stays published until the last
/// token that it signed has expired.
///
/// A new key does not sign until no one can still have a cached document without it (`documentLifetime` and `slack` of
/// the rules). Then it signs, without a further call, and its predecessor stays in the document for `tokenLifetime` and
/// `leeway` more. Which key signs and which keys are published follows from the keys, the rules and the time alone:
/// machines with the same state switch to the next key at the same moment. The class is thread-safe.
///
/// A `TokenIssuer(_:signingKeys:)` signs with the current key, and ``KeySetDocument`` is the document that others
/// fetch.
public final class SigningKeyRotation: SigningKeySource, PublishedKeySource, Sendable {
    private struct State {
        var schedule: SigningSchedule
        /// The key that signs, and the times between which it does. It is determined anew beyond them.
        var active: (key: PrivateKey?, from: Double, until: Double)?
    }
    private let state: Mutex<State>
    private let clock: WallClock
    /// The rules with which the rotation was created.
    package let rules: RotationRules

    /// Creates a rotation without keys.
    ///
    /// - Parameters:
    ///   - rules: The durations that determine when a key signs and how long it stays published.
    ///   - clock: The clock. It is read for each token.
    /// - Throws: `rulesInvalid` if the rules contradict each other or exceed their bounds.
    public init(_ rules: RotationRules = RotationRules(), clock: WallClock = .system) throws(KeyRotationError) {
        try rules.check()
        self.rules = rules
        self.clock = clock
        state = Mutex(State(schedule: SigningSchedule(rules)))
    }

    /// Adds a key, which signs as soon as no one can still have a cached document without it. The first key signs at
    /// once.
    ///
    /// Times are whole seconds: a fraction of `publishedFrom` or `signsFrom` is rounded up, and one of now is rounded
    /// down.
    ///
    /// - Parameters:
    ///   - key: A private key with a `kid` of its own.
    ///   - publishedFrom: The time from which the key is published; the default is now. A time in the past means that
    ///     the key has been published elsewhere since then.
    ///   - signsFrom: The time from which the key signs; the default is the first safe moment.
    /// - Returns: The time from which the key signs.
    /// - Throws: `tooEarly` if `signsFrom` is before the first safe moment, and `keyIDMissing`, `keyIDTaken`,
    ///   `keyTaken` or `keyUnsuitable` for a key that cannot be added, and `timeInvalid` if the clock shows no valid
    ///   time.
    @discardableResult
    public func add(
        _ key: PrivateKey, publishedFrom: NumericDate? = nil, signsFrom: NumericDate? = nil
    ) throws(KeyRotationError) -> NumericDate {
        let now = try clock.checkedRotationSeconds()
        let signs: Double = try change { schedule throws(KeyRotationError) in
            _ = schedule.removeGone(now)
            return try schedule.add(
                key, publishedFrom: publishedFrom?.secondsSince1970, signsFrom: signsFrom?.secondsSince1970, now: now)
        }
        return NumericDate(secondsSince1970: signs)
    }

    /// Makes a key that was to sign later the signing key from now on, and publishes it if it was not published.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of the key.
    ///   - force: Whether the key signs even if others may still have a cached document without it. Use it for the
    ///     successor of a compromised key.
    /// - Throws: `tooEarly` if others may still have a cached document without the key, unless `force` is true;
    ///   `alreadyDone` if the key signs or has signed; `keyUnknown`.
    public func startSigning(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        try change { schedule throws(KeyRotationError) in
            try schedule.startSigning(keyID, force: force, now: now)
        }
    }

    /// Removes a key that has not signed yet or is no longer published or, with `force`, any key.
    ///
    /// Verifiers reject the tokens that a removed key signed as soon as they have fetched the document again, which all
    /// have done by ``retainedUntil()``. If the removed key was the signing key, its predecessor signs again if it is
    /// still published; otherwise call ``startSigning(keyID:force:)`` for another key first.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of the key.
    ///   - force: Whether the key is removed at once, whatever its stage.
    /// - Throws: `isSigning` for the signing key and `tooEarly` for a key whose tokens may still be valid, unless
    ///   `force` is true; `keyUnknown`.
    public func remove(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        try change { schedule throws(KeyRotationError) in try schedule.remove(keyID, force: force, now: now) }
    }

    /// Removes all keys that are no longer published because their tokens have expired, and returns their `kid` values.
    /// Adding a key removes them too.
    @discardableResult
    public func removeGone() -> [String] {
        let now = clock.rotationSeconds
        return state.withLock { $0.schedule.removeGone(now) }
    }

    /// Returns the time until which others may use a cached copy of the document as it is now, even if it changes
    /// immediately.
    public func retainedUntil() -> NumericDate { NumericDate(secondsSince1970: clock.rotationSeconds + rules.lead) }

    /// Returns the key that signs at this moment.
    ///
    /// - Throws: `keysUnavailable(.noSigningKey)` if no key signs.
    public func signingKey() throws(JOSEError) -> PrivateKey {
        let now = clock.rotationSeconds
        let key = state.withLock { state -> PrivateKey? in
            if let active = state.active, active.from <= now, now < active.until { return active.key }
            let active = state.schedule.active(now)
            let entries = state.schedule.entries
            let key = active.map { entries[$0.index].key }
            let next = entries.first { $0.signs > now }?.signs ?? .infinity
            state.active = (key, active.map { entries[$0.index].signs } ?? -.infinity, active?.until ?? next)
            return key
        }
        guard let key else { throw .keysUnavailable(.noSigningKey) }
        return key
    }

    /// The longest lifetime of a token that is signed with the rotation: `tokenLifetime` of the rules.
    public var longestTokenLifetime: Duration? { rules.tokenLifetime }

    /// Returns the keys that are published at this moment.
    public func published() -> PublishedKeySnapshot {
        let now = clock.rotationSeconds
        let (keys, until) = state.withLock { $0.schedule.published(now) }
        return PublishedKeySnapshot(
            keys: keys, now: NumericDate(secondsSince1970: now), until: NumericDate(finiteSeconds: until),
            lifetime: rules.documentLifetime)
    }

    private func change<Value: Sendable>(
        _ step: (inout SigningSchedule) throws(KeyRotationError) -> Value
    ) throws(KeyRotationError) -> Value {
        let result = state.withLock { state -> Result<Value, KeyRotationError> in
            var schedule = state.schedule
            do throws(KeyRotationError) {
                let value = try step(&schedule)
                state.schedule = schedule
                state.active = nil
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// The stage of a signing key, and the times at which its stages begin.
public struct SigningKeyReport: Sendable, Equatable {
    /// The `kid` of the key.
    public let keyID: String
    /// The stage at the time of the report.
    public let stage: SigningKeyStage
    /// The time from which the key is in the document.
    public let publishedFrom: NumericDate
    /// The time from which the key signs.
    public let signsFrom: NumericDate
    /// The time from which its successor signs, or nil if it has none.
    public let signsUntil: NumericDate?
    /// The time from which the key is no longer in the document, or nil if it has no successor.
    public let goneFrom: NumericDate?
}

extension SigningKeyRotation {
    /// The reports on all keys, in the order in which they sign.
    public var report: [SigningKeyReport] {
        let now = clock.rotationSeconds
        let schedule = state.withLock { $0.schedule }
        return schedule.entries.indices.map { index in
            let entry = schedule.entries[index]
            let until = schedule.superseded(index)
            return SigningKeyReport(
                keyID: entry.keyID, stage: schedule.stage(index, now),
                publishedFrom: NumericDate(secondsSince1970: entry.publishes),
                signsFrom: NumericDate(secondsSince1970: entry.signs), signsUntil: NumericDate(finiteSeconds: until),
                goneFrom: NumericDate(finiteSeconds: schedule.goes(index)))
        }
    }

    /// Returns the state as JSON: the public keys and the times of their stages. With it and the private keys, another
    /// machine or a restarted process continues the rotation.
    public func exportState() -> [UInt8] {
        RotationState.write("sig", state.withLock { $0.schedule.entries }) { entry, writer in
            writer.member("publishes", Int64(entry.publishes))
            writer.member("signs", Int64(entry.signs))
            return entry.publicKey
        }
    }

    /// Replaces the keys with those of an exported state.
    ///
    /// - Parameters:
    ///   - exported: The state.
    ///   - privateKeys: The private keys, matched by `kid`. Keys that are not in the state are ignored, and a key that
    ///     is no longer published needs none.
    /// - Throws: `stateInvalid`, `privateKeyMissing` or `privateKeyOther`. If an error is thrown, nothing has changed.
    public func restore(_ exported: [UInt8], privateKeys: [PrivateKey]) throws(KeyRotationError) {
        let now = try clock.checkedRotationSeconds()
        let records = try RotationState.read("sig", exported, times: ["publishes", "signs"])
        let rules = rules
        try change { schedule throws(KeyRotationError) in
            var restored = SigningSchedule(rules)
            for (index, record) in records.enumerated() {
                guard let publishes = record.times[0], let signs = record.times[1] else { throw .stateInvalid }
                let next = records.dropFirst(index + 1).compactMap { $0.times[1] }.first { $0 >= signs }
                if let next, next + rules.trail <= now { continue }
                try restored.insert(try record.privateKey(privateKeys), publishes: publishes, signs: signs)
            }
            schedule = restored
        }
    }
}
