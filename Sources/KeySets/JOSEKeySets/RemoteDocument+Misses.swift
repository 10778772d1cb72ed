package import JOSE
internal import Synchronization

/// The names asked for in vain, and how many there were.
struct Misses: Sendable {
    var book: MissTracker
    var counters = KeySetCounters()
    /// Up to when the cooldown lasts that was told of.
    var toldUntil = -Double.infinity

    init(_ options: KeySetOptions) { book = MissTracker(options) }
}

extension RemoteDocument {
    private struct View: Sendable {
        let value: Value?
        let isFetching: Bool
        let isCooling: Bool
        let mayPass: Bool
        let until: Double
    }

    /// See ``KeySource/reportMissing(keyID:)``.
    package func reportMissing(keyID: [UInt8]?) {
        let now = surroundings.now()
        let view: View? = state.withLock { state in
            guard !state.isClosed else { return nil }
            return View(
                value: state.value, isFetching: state.flight != nil, isCooling: !state.pace.allowsMiss(at: now),
                mayPass: state.pace.allowsMiss(at: now, letThrough: true), until: state.pace.notBefore)
        }
        // It came while the token was looked at.
        guard let view else { return }
        if let keyID, let value = view.value, reader.holds(keyID, in: value) { return }
        let (verdict, isToTell) = misses.withLock { misses in
            let verdict = misses.book.note(
                keyID, at: now, isCooling: view.isCooling && !view.isFetching, mayPass: view.mayPass)
            misses.counters.misses += 1
            if verdict == .known { misses.counters.knownMisses += 1 }
            if verdict == .letThrough { misses.counters.bypasses += 1 }
            guard verdict == .wait else { return (verdict, false) }
            misses.counters.throttled += 1
            defer { misses.toldUntil = view.until }
            return (verdict, misses.toldUntil != view.until)
        }
        if isToTell { events?.send([.throttled]) }
        guard !view.isFetching, verdict == .fetch || verdict == .letThrough else { return }
        transact { state, effects, now in
            guard !state.isClosed, state.flight == nil,
                state.pace.allowsMiss(at: now, letThrough: verdict == .letThrough)
            else { return }
            if verdict == .letThrough { effects.events.append(.bypassed(KeyName(bytes: keyID))) }
            state.isUsed = true
            begin(&state, &effects, now)
        }
    }

    /// See ``KeySource/outage(ofMissing:)``.
    package func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? {
        let now = surroundings.now()
        let (value, isIncomplete, isClosed) = state.withLock { state -> (Value?, Bool, Bool) in
            (state.value, state.flight != nil || state.pace.failures > 0, state.isClosed)
        }
        guard !isClosed else { return .closed }
        // A fetch brought it while the token was looked at.
        if let keyID, let value, reader.holds(keyID, in: value) { return .refreshIncomplete }
        guard isIncomplete, !misses.withLock({ $0.book.isKnownAbsent(keyID, at: now) }) else { return nil }
        return .refreshIncomplete
    }
}
