package import JOSE
internal import Synchronization

/// The missing names that tokens have requested, with their counters.
struct Misses: Sendable {
    var tracker: MissTracker
    var counters = KeySetCounters()
    /// The end of the cooldown that was reported last.
    var reportedUntil = -Double.infinity

    init(_ options: KeySetOptions) { tracker = MissTracker(options) }
}

extension RemoteDocument {
    private struct View: Sendable {
        let value: Value?
        let isFetching: Bool
        let isCooling: Bool
        let mayBypass: Bool
        let until: Double
    }

    /// Reports that a key is missing; see ``KeySource/reportMissing(keyID:)``.
    package func reportMissing(keyID: [UInt8]?) {
        let now = environment.now()
        let view: View? = state.withLock { state in
            guard !state.isClosed else { return nil }
            return View(
                value: state.value, isFetching: state.flight != nil, isCooling: !state.schedule.allowsMiss(at: now),
                mayBypass: state.schedule.allowsMiss(at: now, bypass: true), until: state.schedule.missNotBefore)
        }
        // The key may have arrived while the token was verified.
        guard let view else { return }
        if let keyID, let value = view.value, reader.contains(keyID, in: value) { return }
        let (verdict, isReportDue) = misses.withLock { misses in
            let verdict = misses.tracker.note(
                keyID, at: now, isCooling: view.isCooling && !view.isFetching, mayBypass: view.mayBypass)
            misses.counters.misses += 1
            if verdict == .known { misses.counters.knownMisses += 1 }
            if verdict == .bypass { misses.counters.bypasses += 1 }
            guard verdict == .wait else { return (verdict, false) }
            misses.counters.throttled += 1
            defer { misses.reportedUntil = view.until }
            return (verdict, misses.reportedUntil != view.until)
        }
        if isReportDue { events?.send([.throttled]) }
        guard !view.isFetching, verdict == .fetch || verdict == .bypass else { return }
        transact { state, effects, now in
            guard !state.isClosed, state.flight == nil,
                state.schedule.allowsMiss(at: now, bypass: verdict == .bypass)
            else { return }
            if verdict == .bypass { effects.events.append(.bypassed(KeyName(bytes: keyID))) }
            state.isUsed = true
            begin(&state, &effects, now)
        }
    }

    /// Returns the reason for which a missing key may still arrive; see ``KeySource/outage(ofMissing:)``.
    package func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? {
        let now = environment.now()
        let (value, isIncomplete, isClosed) = state.withLock { state -> (Value?, Bool, Bool) in
            (state.value, state.flight != nil || state.schedule.failures > 0, state.isClosed)
        }
        guard !isClosed else { return .closed }
        // A fetch brought the key while the token was verified.
        if let keyID, let value, reader.contains(keyID, in: value) { return .refreshIncomplete }
        guard isIncomplete, !misses.withLock({ $0.tracker.isKnownAbsent(keyID, at: now) }) else { return nil }
        return .refreshIncomplete
    }
}
