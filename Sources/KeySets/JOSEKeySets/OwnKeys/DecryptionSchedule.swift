internal import JOSE
internal import JOSESupport
internal import Synchronization

/// The stage of a decryption key. It follows from the time alone.
@nonexhaustive public enum DecryptionKeyStage: Sendable {
    /// The key decrypts tokens, and is not published yet.
    case unpublished
    /// The key is published, so that others encrypt to it.
    case published
    /// The key is no longer in the document, and decrypts tokens that were encrypted to it before.
    case withdrawn
}

/// The number of tokens that a key decrypted, and the time of the last one. It is written from any thread without a
/// lock.
final class KeyUseCounter: Sendable {
    private let all = Atomic<UInt64>(0)
    private let late = Atomic<UInt64>(0)
    /// The time in whole seconds since 1970, or `never` if the key was not used yet.
    private let last = Atomic<Int64>(KeyUseCounter.never)
    private static let never = Int64.min

    func add(_ count: UInt64, late isLate: Bool, at time: Double) {
        all.wrappingAdd(count, ordering: .relaxed)
        if isLate { late.wrappingAdd(count, ordering: .relaxed) }
        if RotationTime.isOne(time) { last.max(Int64(time), ordering: .relaxed) }
    }

    var uses: UInt64 { all.load(ordering: .relaxed) }
    var lateUses: UInt64 { late.load(ordering: .relaxed) }
    var lastUsed: Double? {
        let time = last.load(ordering: .relaxed)
        return time == Self.never ? nil : Double(time)
    }
}

/// The decryption keys and their times. It has no clock of its own, and no state but the use counters of the keys.
struct DecryptionSchedule: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: PrivateKey
        let publicKey: PublicKey
        let publishes: Double
        /// The time from which the key is no longer published; infinite if none is planned.
        var withdraws = Double.infinity
        let counter: KeyUseCounter

        func stage(_ now: Double) -> DecryptionKeyStage {
            now >= withdraws ? .withdrawn : now >= publishes ? .published : .unpublished
        }
        /// Whether the key has been, or will be, in the document.
        var isShown: Bool { withdraws > publishes }
    }
    let rules: RotationRules
    /// The keys, ordered by the time of publication, the latest first. A token that names no key is tried with them in
    /// this order.
    private(set) var entries: [Entry] = []

    init(_ rules: RotationRules) { self.rules = rules }

    func published(_ now: Double) -> (keys: [PublicKey], until: Double) {
        var until = Double.infinity
        for entry in entries where entry.isShown {
            for time in [entry.publishes, entry.withdraws] where time > now { until = min(until, time) }
        }
        return (entries.filter { $0.stage(now) == .published }.map(\.publicKey), until)
    }

    /// Returns the time from which, by the rules, nobody has anything that is encrypted to the key; infinite if the key
    /// is not withdrawn.
    func bound(_ entry: Entry) -> Double { entry.withdraws + rules.lead + rules.trail }

    /// Returns the reason for which the key must not be removed yet, or nil if it may be.
    func objection(_ entry: Entry, _ now: Double) -> KeyRotationError? {
        switch entry.stage(now) {
        case .unpublished: return nil
        case .published: return .isPublished
        case .withdrawn:
            let bound = bound(entry)
            guard now >= bound else { return .tooEarly(NumericDate(secondsSince1970: bound)) }
            guard let last = entry.counter.lastUsed, now < last + rules.quietTime.inSeconds else { return nil }
            return .inUse(until: NumericDate(secondsSince1970: last + rules.quietTime.inSeconds))
        }
    }

    func index(of keyID: String) throws(KeyRotationError) -> Int {
        let index = entries.firstIndex { bytesEqual($0.keyID, keyID) }
        guard let index else { throw .keyUnknown }
        return index
    }
}

extension DecryptionSchedule {
    /// Adds a key. If `replacing` is nil, it replaces all keys that are published then.
    mutating func add(
        _ key: PrivateKey, publishedFrom: Double?, replacing: [String]?, now: Double
    ) throws(KeyRotationError) {
        if let publishedFrom, !RotationTime.isOne(publishedFrom) { throw .timeInvalid }
        let publishes = publishedFrom.map(RotationTime.later) ?? RotationTime.earlier(now)
        var replaced: [Int] = []
        if let replacing {
            for keyID in replacing { replaced.append(try index(of: keyID)) }
        } else {
            replaced = entries.indices.filter { entries[$0].withdraws > max(publishes, now) }
        }
        // A key that is no longer in the document cannot be taken out of it later.
        guard replaced.allSatisfy({ entries[$0].withdraws > now }) else { throw .alreadyDone }
        for index in replaced {
            entries[index].withdraws = min(entries[index].withdraws, max(publishes, RotationTime.earlier(now)))
        }
        try insert(key, publishes: publishes)
    }

    mutating func insert(
        _ key: PrivateKey, publishes: Double, withdraws: Double = .infinity, counter: KeyUseCounter = KeyUseCounter()
    ) throws(KeyRotationError) {
        guard let keyID = key.keyID, !keyID.isEmpty else { throw .keyIDMissing }
        let reasons = KeyManagementAlgorithm.all.map {
            KeySelection.unsuitability(of: .privateKey(key), for: $0, .decrypt)
        }
        if !reasons.contains(nil) { throw .keyUnsuitable(reasons.compactMap { $0 == .kind ? nil : $0 }.first ?? .kind) }
        guard (try? index(of: keyID)) == nil else { throw .keyIDTaken }
        guard !entries.contains(where: { $0.key == key }) else { throw .keyTaken }
        let entry = Entry(
            keyID: keyID, key: key, publicKey: key.publicKey, publishes: publishes, withdraws: withdraws,
            counter: counter)
        entries.insert(entry, at: entries.firstIndex { $0.publishes <= publishes } ?? entries.count)
    }

    mutating func withdraw(_ keyID: String, now: Double) throws(KeyRotationError) {
        let index = try index(of: keyID)
        guard now < entries[index].withdraws else { throw .alreadyDone }
        entries[index].withdraws = RotationTime.earlier(now)
    }

    mutating func remove(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let index = try index(of: keyID)
        if !force, let objection = objection(entries[index], now) { throw objection }
        entries.remove(at: index)
    }
}
