internal import JOSE
internal import JOSESupport

/// The stage of a signing key. It follows from the time alone.
@nonexhaustive public enum SigningKeyStage: Sendable {
    /// The key is not in the document yet.
    case planned
    /// The key is in the document. It does not sign while others may still have a cached document without it.
    case announced
    /// The key signs.
    case signing
    /// The key no longer signs, and stays in the document until the last token that it signed has expired.
    case retiring
    /// The key is no longer in the document.
    case gone
}

/// The signing keys and their times. It determines which key signs and which are published at any moment, without a
/// clock of its own.
struct SigningSchedule: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: PrivateKey
        let publicKey: PublicKey
        var publishes: Double
        var signs: Double
    }
    let rules: RotationRules
    /// The keys, ordered by the time from which they sign. Of two with the same time, the later one signs.
    private(set) var entries: [Entry] = []

    init(_ rules: RotationRules) { self.rules = rules }

    /// Returns the time from which the successor of the key signs.
    func superseded(_ index: Int) -> Double { index + 1 < entries.count ? entries[index + 1].signs : .infinity }
    func goes(_ index: Int) -> Double { superseded(index) + rules.trail }

    func stage(_ index: Int, _ now: Double) -> SigningKeyStage {
        if now >= goes(index) { return .gone }
        if now >= superseded(index) { return .retiring }
        if now >= entries[index].signs { return .signing }
        return now >= entries[index].publishes ? .announced : .planned
    }

    /// Returns the index of the key that signs, and the time until which it does.
    func active(_ now: Double) -> (index: Int, until: Double)? {
        guard let index = entries.lastIndex(where: { $0.signs <= now }) else { return nil }
        return (index, superseded(index))
    }

    /// Returns the keys of the document, and the time at which the document changes next.
    func published(_ now: Double) -> (keys: [PublicKey], until: Double) {
        var keys: [PublicKey] = []
        var until = Double.infinity
        for index in entries.indices {
            let (from, to) = (entries[index].publishes, goes(index))
            if from <= now, now < to { keys.append(entries[index].publicKey) }
            for time in [from, to] where time > now { until = min(until, time) }
        }
        return (keys, until)
    }

    func index(of keyID: String) throws(KeyRotationError) -> Int {
        let index = entries.firstIndex { bytesEqual($0.keyID, keyID) }
        guard let index else { throw .keyUnknown }
        return index
    }
}

extension SigningSchedule {
    /// Adds a key and returns the time from which it signs.
    mutating func add(
        _ key: PrivateKey, publishedFrom: Double?, signsFrom: Double?, now: Double
    ) throws(KeyRotationError) -> Double {
        for time in [publishedFrom, signsFrom] { if let time, !RotationTime.isOne(time) { throw .timeInvalid } }
        // This is up to a second too early, which the slack covers, so that the first key signs at once.
        let publishes = publishedFrom.map(RotationTime.later) ?? RotationTime.earlier(now)
        // If no key has signed yet, nobody caches a document that lacks the key.
        let isFirst = entries.isEmpty
        let earliest = isFirst ? publishes : max(RotationTime.later(publishes + rules.lead), RotationTime.earlier(now))
        let signs = signsFrom.map(RotationTime.later) ?? earliest
        guard signs >= earliest else { throw .tooEarly(NumericDate(secondsSince1970: earliest)) }
        try insert(key, publishes: publishes, signs: signs)
        return signs
    }

    /// Inserts a key after checking it against the others. Its times are not checked.
    mutating func insert(_ key: PrivateKey, publishes: Double, signs: Double) throws(KeyRotationError) {
        guard let keyID = key.keyID, !keyID.isEmpty else { throw .keyIDMissing }
        let reasons = SignatureAlgorithm.all.map {
            KeySelection.unsuitability(of: .privateKey(key), for: $0, .sign)
        }
        if !reasons.contains(nil) { throw .keyUnsuitable(reasons.compactMap { $0 == .kind ? nil : $0 }.first ?? .kind) }
        guard (try? index(of: keyID)) == nil else { throw .keyIDTaken }
        guard !entries.contains(where: { $0.key == key }) else { throw .keyTaken }
        let entry = Entry(keyID: keyID, key: key, publicKey: key.publicKey, publishes: publishes, signs: signs)
        entries.insert(entry, at: entries.firstIndex { $0.signs > signs } ?? entries.count)
    }

    mutating func startSigning(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let index = try index(of: keyID)
        var entry = entries[index]
        guard now < entry.signs else { throw .alreadyDone }
        let earliest = RotationTime.later(entry.publishes + rules.lead)
        guard force || now >= earliest else { throw .tooEarly(NumericDate(secondsSince1970: earliest)) }
        entry.publishes = min(entry.publishes, RotationTime.earlier(now))
        entry.signs = RotationTime.earlier(now)
        entries.remove(at: index)
        entries.insert(entry, at: entries.firstIndex { $0.signs > entry.signs } ?? entries.count)
    }

    mutating func remove(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let index = try index(of: keyID)
        if !force {
            switch stage(index, now) {
            case .planned, .announced, .gone: break
            case .signing: throw .isSigning
            case .retiring: throw .tooEarly(NumericDate(secondsSince1970: goes(index)))
            }
        }
        // A key that is gone must not sign again because its successor is removed.
        _ = removeGone(now)
        entries.removeAll { bytesEqual($0.keyID, keyID) }
    }

    /// Removes the keys that are gone and returns their names.
    mutating func removeGone(_ now: Double) -> [String] {
        let gone = entries.indices.filter { stage($0, now) == .gone }
        let names = gone.map { entries[$0].keyID }
        for index in gone.reversed() { entries.remove(at: index) }
        return names
    }
}
