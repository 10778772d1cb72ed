internal import JOSE

/// Where a signing key is in its life. Each follows from the time alone.
@nonexhaustive public enum SigningKeyStage: String, Sendable {
    /// Not in the document yet.
    case planned
    /// In the document, and waiting until everyone has it.
    case announced
    /// Signs.
    case signing
    /// Signs no more; in the document until the last token that it signed has expired.
    case retiring
    /// In the document no more.
    case gone
}

/// Signing keys and their times: which of them signs, and which are shown, at any moment. Pure.
struct SigningSchedule: Sendable {
    struct Entry: Sendable {
        let keyID: String
        let key: PrivateKey
        let publicKey: PublicKey
        var publishes: Double
        var signs: Double
    }
    let rules: RotationRules
    /// By the time from which they sign; of two that say the same, the later one signs.
    private(set) var entries: [Entry] = []

    init(_ rules: RotationRules) { self.rules = rules }

    /// When the entry's successor signs.
    func superseded(_ place: Int) -> Double { place + 1 < entries.count ? entries[place + 1].signs : .infinity }
    func goes(_ place: Int) -> Double { superseded(place) + rules.trail }

    func stage(_ place: Int, _ now: Double) -> SigningKeyStage {
        if now >= goes(place) { return .gone }
        if now >= superseded(place) { return .retiring }
        if now >= entries[place].signs { return .signing }
        return now >= entries[place].publishes ? .announced : .planned
    }

    /// The place of the key that signs, and until when that is settled.
    func active(_ now: Double) -> (place: Int, until: Double)? {
        guard let place = entries.lastIndex(where: { $0.signs <= now }) else { return nil }
        return (place, superseded(place))
    }

    /// What the document holds, and the next time at which that changes.
    func published(_ now: Double) -> (keys: [PublicKey], until: Double) {
        var keys: [PublicKey] = []
        var until = Double.infinity
        for place in entries.indices {
            let (from, to) = (entries[place].publishes, goes(place))
            if from <= now, now < to { keys.append(entries[place].publicKey) }
            for time in [from, to] where time > now { until = min(until, time) }
        }
        return (keys, until)
    }

    func place(_ keyID: String) throws(KeyRotationError) -> Int {
        let place = entries.firstIndex { $0.keyID.utf8.elementsEqual(keyID.utf8) }
        guard let place else { throw .keyUnknown }
        return place
    }
}

extension SigningSchedule {
    /// When it signs.
    mutating func add(
        _ key: PrivateKey, publishedFrom: Double?, signsFrom: Double?, now: Double
    ) throws(KeyRotationError) -> Double {
        for time in [publishedFrom, signsFrom] { if let time, !RotationTime.isOne(time) { throw .timeInvalid } }
        // Up to a second too early, which the slack covers, so that a first key signs at once.
        let publishes = publishedFrom.map(RotationTime.later) ?? RotationTime.earlier(now)
        // Where nothing has signed, nobody holds a set that lacks the key.
        let isFirst = entries.isEmpty
        let earliest = isFirst ? publishes : max(RotationTime.later(publishes + rules.lead), RotationTime.earlier(now))
        let signs = signsFrom.map(RotationTime.later) ?? earliest
        guard signs >= earliest else { throw .tooEarly(earliest) }
        try insert(key, publishes: publishes, signs: signs)
        return signs
    }

    /// Checked for what a key must be among the others, and not for its times.
    mutating func insert(_ key: PrivateKey, publishes: Double, signs: Double) throws(KeyRotationError) {
        guard let keyID = key.keyID, !keyID.isEmpty else { throw .keyIDMissing }
        let reasons = SignatureAlgorithm.all.map {
            KeySelection.unsuitability(of: .privateKey(key), for: $0, .sign)
        }
        if !reasons.contains(nil) { throw .keyUnsuitable(reasons.compactMap { $0 == .kind ? nil : $0 }.first ?? .kind) }
        guard (try? place(keyID)) == nil else { throw .keyIDTaken }
        guard !entries.contains(where: { $0.key == key }) else { throw .keyTaken }
        let entry = Entry(keyID: keyID, key: key, publicKey: key.publicKey, publishes: publishes, signs: signs)
        entries.insert(entry, at: entries.firstIndex { $0.signs > signs } ?? entries.count)
    }

    mutating func startSigning(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let place = try place(keyID)
        var entry = entries[place]
        guard now < entry.signs else { throw .alreadyDone }
        let earliest = RotationTime.later(entry.publishes + rules.lead)
        guard force || now >= earliest else { throw .tooEarly(earliest) }
        entry.publishes = min(entry.publishes, RotationTime.earlier(now))
        entry.signs = RotationTime.earlier(now)
        entries.remove(at: place)
        entries.insert(entry, at: entries.firstIndex { $0.signs > entry.signs } ?? entries.count)
    }

    mutating func remove(_ keyID: String, force: Bool, now: Double) throws(KeyRotationError) {
        let place = try place(keyID)
        if !force {
            switch stage(place, now) {
            case .planned, .announced, .gone: break
            case .signing: throw .isSigning
            case .retiring: throw .tooEarly(goes(place))
            }
        }
        // One that is gone must not sign again because its successor was taken away.
        _ = removeGone(now)
        entries.removeAll { $0.keyID.utf8.elementsEqual(keyID.utf8) }
    }

    /// Their names.
    mutating func removeGone(_ now: Double) -> [String] {
        let gone = entries.indices.filter { stage($0, now) == .gone }
        let names = gone.map { entries[$0].keyID }
        for place in gone.reversed() { entries.remove(at: place) }
        return names
    }
}
