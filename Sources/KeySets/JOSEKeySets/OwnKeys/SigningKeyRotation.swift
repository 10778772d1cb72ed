public import JOSE
internal import JOSEBytes
internal import Synchronization

/// Our signing keys over time: each is published, then signs, then stays published until the last token that it signed has
/// expired, and then is gone.
///
/// A key that is added waits until nobody can hold a document without it (`documentLifetime` and `slack` of the rules); then it
/// signs, without a further call, and the one before it stays in the document for `tokenLifetime` and `leeway` more. Which key
/// signs and which are published follows from the keys, the rules and the time alone: machines that have the same state do the
/// same at the same moment. Thread-safe.
///
/// A `TokenIssuer(_:signingKeys:)` follows it; ``KeySetDocument`` is what others fetch.
public final class SigningKeyRotation: SigningKeySource, PublishedKeySource, Sendable {
    private struct State {
        var schedule: SigningSchedule
        /// The key that signs from one time to another; asked again beyond.
        var active: (key: PrivateKey?, from: Double, until: Double)?
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
        state = Mutex(State(schedule: SigningSchedule(rules)))
    }

    /// Plans the life of a key that has a `kid` of its own, and gives the time from which it signs: unless told, as soon as
    /// everyone must have it; the first key of all signs at once. `publishedFrom`: now unless told; a time in the past says that
    /// others have been shown the key since. Throws `tooEarly` for `signsFrom` before the first safe moment. Times are in seconds
    /// since 1970, and whole: a fraction is rounded up.
    @discardableResult
    public func add(
        _ key: PrivateKey, publishedFrom: Double? = nil, signsFrom: Double? = nil
    ) throws(KeyRotationError) -> Double {
        let now = try clock.checkedNow()
        return try change { schedule throws(KeyRotationError) in
            _ = schedule.removeGone(now)
            return try schedule.add(key, publishedFrom: publishedFrom, signsFrom: signsFrom, now: now)
        }
    }

    /// Lets a key sign from now on that would do so later. Throws `tooEarly` where others may hold a document without it, unless
    /// `force`: for a key that replaces one that was lost. It is published, if it was not.
    public func startSigning(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        try change { schedule throws(KeyRotationError) in
            try schedule.startSigning(keyID, force: force, now: now)
        }
    }

    /// Takes a key away: one that never signed, or one that is gone. `force`: any, at once; tokens signed by it are then refused by
    /// whoever fetches the document anew, and ``heldUntil()`` says when everyone has. Where that one signed, the one before it
    /// signs again if it is still published; else let another one sign first.
    public func remove(keyID: String, force: Bool = false) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        try change { schedule throws(KeyRotationError) in try schedule.remove(keyID, force: force, now: now) }
    }

    /// Drops the private keys of all that are gone, which adding a key does too, and gives their names.
    @discardableResult
    public func removeGone() -> [String] {
        let now = clock.now
        return state.withLock { $0.schedule.removeGone(now) }
    }

    /// Until when others may go on with a document that they fetched a moment ago, whatever happens to it now.
    public func heldUntil() -> Double { clock.now + rules.lead }

    /// The key that signs at this moment. Throws `keysUnavailable(.noSigningKey)` where none does.
    public func signingKey() throws(JOSEError) -> PrivateKey {
        let now = clock.now
        let key = state.withLock { state -> PrivateKey? in
            if let active = state.active, active.from <= now, now < active.until { return active.key }
            let active = state.schedule.active(now)
            let entries = state.schedule.entries
            let key = active.map { entries[$0.place].key }
            let next = entries.first { $0.signs > now }?.signs ?? .infinity
            state.active = (key, active.map { entries[$0.place].signs } ?? -.infinity, active?.until ?? next)
            return key
        }
        guard let key else { throw .keysUnavailable(.noSigningKey) }
        return key
    }

    /// That of the rules.
    public var longestTokenLifetime: Double? { rules.tokenLifetime.inSeconds }

    /// What is published now.
    public func published() -> PublishedKeySnapshot {
        let now = clock.now
        let (keys, until) = state.withLock { $0.schedule.published(now) }
        return PublishedKeySnapshot(keys: keys, now: now, until: until, lifetime: rules.documentLifetime)
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

/// A signing key, and where it is in its life.
public struct SigningKeyReport: Sendable, Equatable {
    /// Its `kid`.
    public let keyID: String
    /// At the time of the report.
    public let stage: SigningKeyStage
    /// From when on it is in the document, in seconds since 1970.
    public let publishedFrom: Double
    /// From when on it signs.
    public let signsFrom: Double
    /// When its successor takes over; nil: it has none.
    public let signsUntil: Double?
    /// When it leaves the document; nil: it has no successor.
    public let goneFrom: Double?
}

extension SigningKeyRotation {
    /// All keys, in the order in which they sign.
    public var report: [SigningKeyReport] {
        let now = clock.now
        let schedule = state.withLock { $0.schedule }
        return schedule.entries.indices.map { place in
            let entry = schedule.entries[place]
            let until = schedule.superseded(place)
            return SigningKeyReport(
                keyID: entry.keyID, stage: schedule.stage(place, now), publishedFrom: entry.publishes,
                signsFrom: entry.signs, signsUntil: until.isFinite ? until : nil,
                goneFrom: until.isFinite ? schedule.goes(place) : nil)
        }
    }

    /// Public halves and times, as JSON: with the private keys, all that another machine or the next start of this one needs.
    public func exportState() -> [UInt8] {
        RotationState.write("sig", state.withLock { $0.schedule.entries }) { entry, writer in
            writer.member("publishes", Int64(entry.publishes))
            writer.member("signs", Int64(entry.signs))
            return entry.publicKey
        }
    }

    /// Puts the keys of an exported state in place of those that are here. `privateKeys`: those of its keys, by `kid`; others are
    /// left out. A key that is gone by now needs none. Where it throws, nothing changed.
    public func restore(_ exported: [UInt8], privateKeys: [PrivateKey]) throws(KeyRotationError) {
        let now = try clock.checkedNow()
        let records = try RotationState.read("sig", exported, times: ["publishes", "signs"])
        let rules = rules
        try change { schedule throws(KeyRotationError) in
            var restored = SigningSchedule(rules)
            for (place, record) in records.enumerated() {
                guard let publishes = record.times[0], let signs = record.times[1] else { throw .stateInvalid }
                let next = records.dropFirst(place + 1).compactMap { $0.times[1] }.first { $0 >= signs }
                if let next, next + rules.trail <= now { continue }
                try restored.insert(try record.privateKey(privateKeys), publishes: publishes, signs: signs)
            }
            schedule = restored
        }
    }
}
