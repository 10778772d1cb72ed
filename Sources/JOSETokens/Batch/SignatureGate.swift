internal import JOSE
internal import JOSEBytes
internal import Synchronization

/// Where signatures of tokens that come at the same time meet, so that one thread verifies them together. Whoever comes while
/// nobody is busy is served at once. Others wait until there are eight, or until who is busy has ended, or until the first of
/// them has waited for the window: then one of them does the work of all.
final class SignatureGate: Sendable {
    /// Lanes: more at once would wait longer and gain no more.
    static let most = 8

    /// One that waits.
    private struct Guest {
        let jws: PendingJWS
        let continuation: CheckedContinuation<Answer, Never>
    }

    private enum Answer: Sendable {
        case settled(PendingJWS, holds: Bool)
        /// The work of all of these is now this one's; it is the first of them.
        case lead(Party)
    }

    /// Taken out of the gate together; read by their leader alone.
    private final class Party: Sendable {
        private let guests: Mutex<[Guest]>
        init(_ guests: [Guest]) { self.guests = Mutex(guests) }
        func take() -> [Guest] {
            guests.withLock { guests in
                defer { guests = [] }
                return guests
            }
        }
    }

    private struct State {
        var waiting: [Guest] = []
        /// Threads that verify.
        var busy = 0
        /// Of parties: a timer knows by it whether those that it was set for are still here.
        var round = 0
    }

    private let window: Duration
    private let timer: GateTimer
    private let state: Mutex<State> = Mutex(State())

    init(window: Duration, timer: GateTimer = .shared) {
        // One thread wakes all gates: while it sleeps for one, another's alarm waits as long.
        self.window = min(window, .milliseconds(1))
        self.timer = timer
    }

    /// The token, and whether its signature holds.
    func settle(_ jws: PendingJWS) async -> (PendingJWS, holds: Bool) {
        // Alone it takes as long as with others: no reason to wait for them.
        guard jws.gains else { return Self.alone(jws) }
        let isFree = state.withLock { state in
            guard state.busy == 0, state.waiting.isEmpty else { return false }
            state.busy = 1
            return true
        }
        if isFree {
            defer { leave() }
            return Self.alone(jws)
        }
        switch await withCheckedContinuation({ enter(Guest(jws: jws, continuation: $0)) }) {
        case .settled(let jws, let holds): return (jws, holds)
        case .lead(let party): return lead(party, jws)
        }
    }

    private static func alone(_ jws: PendingJWS) -> (PendingJWS, holds: Bool) {
        var gathering = SignatureGathering()
        gathering.add(jws)
        gathering.finish()
        guard let settled = gathering.next() else { return (jws, false) }
        return (gathering.take(settled.ticket), settled.holds)
    }

    private func enter(_ guest: Guest) {
        let (party, round) = state.withLock { state -> ([Guest]?, Int?) in
            state.waiting.append(guest)
            if state.waiting.count == Self.most || state.busy == 0 { return (Self.leaving(&state), nil) }
            return (nil, state.waiting.count == 1 ? state.round : nil)
        }
        if let party { Self.start(party) }
        if let round { timer.set(self, round, window) }
    }

    /// All that wait go, and count as busy.
    private static func leaving(_ state: inout State) -> [Guest]? {
        guard !state.waiting.isEmpty else { return nil }
        defer { state.waiting = [] }
        state.busy += 1
        state.round += 1
        return state.waiting
    }

    private static func start(_ party: [Guest]) {
        party.first?.continuation.resume(returning: .lead(Party(party)))
    }

    private func lead(_ party: Party, _ jws: PendingJWS) -> (PendingJWS, holds: Bool) {
        defer { leave() }
        let guests = party.take()
        var gathering = SignatureGathering()
        for guest in guests { gathering.add(guest.jws) }
        gathering.finish()
        var mine = (jws, holds: false)
        while let settled = gathering.next() {
            let jws = gathering.take(settled.ticket)
            if settled.ticket == 0 {
                mine = (jws, settled.holds)
            } else {
                guests[settled.ticket].continuation.resume(returning: .settled(jws, holds: settled.holds))
            }
        }
        return mine
    }

    private func leave() {
        let party = state.withLock { state -> [Guest]? in
            state.busy -= 1
            return state.busy == 0 ? Self.leaving(&state) : nil
        }
        if let party { Self.start(party) }
    }

    /// Those of `round` have waited long enough, if they still do.
    func end(_ round: Int) {
        let party = state.withLock { state in state.round == round ? Self.leaving(&state) : nil }
        if let party { Self.start(party) }
    }
}

/// The one thread that ends the waiting at gates.
final class GateTimer: Sendable {
    static let shared = GateTimer()

    private struct Alarm: Sendable {
        let due: ContinuousClock.Instant
        let gate: SignatureGate
        let round: Int
    }
    private struct State: Sendable {
        var alarms: [Alarm] = []
        var isRunning = false
    }
    private let state = Monitor(State())

    func set(_ gate: SignatureGate, _ round: Int, _ window: Duration) {
        let due = ContinuousClock.now.advanced(by: window)
        let starts = state.change { state in
            state.alarms.append(Alarm(due: due, gate: gate, round: round))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts, !DetachedThread.start({ [self] in work() }) else { return }
        // Without a thread nobody waits.
        let alarms = state.change { state in
            state.isRunning = false
            defer { state.alarms = [] }
            return state.alarms
        }
        for alarm in alarms { alarm.gate.end(alarm.round) }
    }

    private func work() {
        while true {
            let next = state.wait { state in state.alarms.min { $0.due < $1.due }?.due }
            let left = next - ContinuousClock.now
            if left > .zero { DetachedThread.sleep(left) }
            let now = ContinuousClock.now
            let over = state.change { state in
                let over = state.alarms.filter { $0.due <= now }
                state.alarms.removeAll { $0.due <= now }
                return over
            }
            for alarm in over { alarm.gate.end(alarm.round) }
        }
    }
}
