internal import JOSE
internal import Synchronization

/// Where a decryption key is in its life.
@nonexhaustive public enum DecryptionKeyStage: String, Sendable {
    /// Opens tokens, and nobody is told of it yet.
    case held
    /// Others are told to encrypt to it.
    case published
    /// Out of the document; opens what was encrypted to it before.
    case withdrawn
}

/// How often a key opened a token, and when. Written from any thread without a lock.
final class KeyUseCounter: Sendable {
    private let all = Atomic<UInt64>(0)
    private let late = Atomic<UInt64>(0)
    /// Whole seconds since 1970; `never`: no token yet.
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

/// Decryption keys and their times. Pure but for the counters, which the keys take along.
struct DecryptionSchedule: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: PrivateKey
        let publicKey: PublicKey
        let publishes: Double
        /// Infinite: by no plan.
        var withdraws = Double.infinity
        let counter: KeyUseCounter

        func stage(_ now: Double) -> DecryptionKeyStage {
            now >= withdraws ? .withdrawn : now >= publishes ? .published : .held
        }
        /// Whether the document has had it or will.
        var isShown: Bool { withdraws > publishes }
    }
    let rules: RotationRules
    /// By the time of publication, the latest first: a token that names no key is tried with them in this order.
    private(set) var entries: [Entry] = []

    init(_ rules: RotationRules) { self.rules = rules }

    func published(_ now: Double) -> (keys: [PublicKey], until: Double) {
        var until = Double.infinity
        for entry in entries where entry.isShown {
            for time in [entry.publishes, entry.withdraws] where time > now { until = min(until, time) }
        }
        return (entries.filter { $0.stage(now) == .published }.map(\.publicKey), until)
    }

    /// When nobody can have anything encrypted to it any more, by the rules; infinite where it is not withdrawn.
    func bound(_ entry: Entry) -> Double { entry.withdraws + rules.lead + rules.trail }

    /// Why the key may not go now; nil: it may.
    func objection(_ entry: Entry, _ now: Double) -> KeyRotationError? {
        switch entry.stage(now) {
        case .held: return nil
        case .published: return .isPublished
        case .withdrawn:
            let bound = bound(entry)
            guard now >= bound else { return .tooEarly(bound) }
            guard let last = entry.counter.lastUsed, now < last + rules.quietTime.inSeconds else { return nil }
            return .inUse(until: last + rules.quietTime.inSeconds)
        }
    }

    func place(_ keyID: String) throws(KeyRotationError) -> Int {
        let place = entries.firstIndex { $0.keyID.utf8.elementsEqual(keyID.utf8) }
        guard let place else { throw .keyUnknown }
        return place
    }
}

extension DecryptionSchedule {
    /// `replacing`: nil: all that are published then.
    mutating func add(
        _ key: PrivateKey, publishedFrom: Double?, replacing: [String]?, now: Double
    ) throws(KeyRotationError) {
        if let publishedFrom, !RotationTime.isOne(publishedFrom) { throw .timeInvalid }
        let publishes = publishedFrom.map(RotationTime.later) ?? RotationTime.earlier(now)
        var replaced: [Int] = []
        if let replacing {
            for keyID in replacing { replaced.append(try place(keyID)) }
        } else {
            replaced = entries.indices.filter { entries[$0].withdraws > max(publishes, now) }
        }
        // What is out of the document is not taken out later.
        guard replaced.allSatisfy({ entries[$0].withdraws > now }) else { throw .alreadyDone }
        for place in replaced {
            entries[place].withdraws = min(entries[place].withdraws, max(publishes, RotationTime.earlier(now)))
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
        guard (try? place(keyID)) == nil else { throw .keyIDTaken }
        guard !entries.contains(where: { $0.key == key }) else { throw .keyTaken }
        let entry = Entry(
            keyID: keyID, key: key, publicKey: key.publicKey, publishes: publishes, withdraws: withdraws,
            counter: counter)
        entries.insert(entry, at: entries.firstIndex { $0.publishes <= publishes } ?? entries.count)
    }

    mutating func withdraw(_ keyID: String, now: Double) throws(KeyRotationError) {
        let place = try place(keyID)
        guard now < entries[place].withdraws else { throw .alreadyDone }
        entries[place].withdraws = RotationTime.earlier(now)
    }

    mutating func remove(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let place = try place(keyID)
        if !force, let objection = objection(entries[place], now) { throw objection }
        entries.remove(at: place)
    }
}
