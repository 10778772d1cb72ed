internal import Synchronization

/// A queue that passes events to an observer in order, on a task of its own, so that neither verifications nor fetches
/// wait for it.
final class EventQueue: Sendable {
    private struct State {
        var waiting: [KeySetEvent] = []
        var isHandingOut = false
        var dropped = 0
        var isClosed = false
    }
    private static var limit: Int { 1_000 }

    private let name: String
    private let observer: any KeySetObserver
    private let state = Mutex(State())

    init(_ name: String, _ observer: any KeySetObserver) {
        self.name = name
        self.observer = observer
    }

    var dropped: Int { state.withLock { $0.dropped } }

    func send(_ events: [KeySetEvent]) {
        guard !events.isEmpty else { return }
        let begins = state.withLock { state in
            // A cancelled fetch may still report events.
            guard !state.isClosed else { return false }
            state.isClosed = events.contains(.closed)
            let room = max(state.isClosed ? 1 : 0, Self.limit - state.waiting.count)
            state.waiting += events.prefix(room)
            state.dropped += max(0, events.count - room)
            defer { state.isHandingOut = true }
            return !state.isHandingOut
        }
        if begins { Task.detached { self.handOut() } }
    }

    private func handOut() {
        while true {
            let events = state.withLock { state in
                defer { state.waiting = [] }
                state.isHandingOut = !state.waiting.isEmpty
                return state.waiting
            }
            if events.isEmpty { return }
            for event in events { observer.keySet(name, event) }
        }
    }
}
