import JOSEKeySets
import Synchronization

/// A server that answers as it is told.
final class ScriptedTransport: HTTPTransport {
    typealias Outcome = Result<TransportResponse, TransportError>
    typealias Answer = @Sendable (TransportRequest) async -> Outcome

    private struct State {
        var answer: Answer
        var next: [Answer] = []
        var requests: [TransportRequest] = []
        var atOnce = 0
        var mostAtOnce = 0
        var cancelled = 0
        var answered = 0
    }
    private let state: Mutex<State>

    init(_ answer: @escaping Answer = { _ in .failure(.connectFailed) }) {
        state = Mutex(State(answer: answer))
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// Requests that have their answer, of whatever kind.
    var answered: Int { state.withLock { $0.answered } }

    /// From now on.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func answer(_ response: TransportResponse) { answer { _ in .success(response) } }
    func fail(_ error: TransportError) { answer { _ in .failure(error) } }
    /// Only the next ones, in this order.
    func answerNext(_ outcomes: Outcome...) {
        state.withLock { state in
            for outcome in outcomes { state.next.append { _ in outcome } }
        }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            return state.next.isEmpty ? state.answer : state.next.removeFirst()
        }
        defer {
            state.withLock { state in
                state.atOnce -= 1
                state.answered += 1
                if Task.isCancelled { state.cancelled += 1 }
            }
        }
        return try await answer(request).get()
    }
}

/// Holds an answer back until it is opened, or until the task is cancelled.
final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    /// As a transport does that does not hear that it was cancelled.
    func passDeaf() async {
        while !isOpen.withLock({ $0 }) {
            await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
        }
    }

    /// Whether it was opened.
    func pass() async -> Bool {
        while !isOpen.withLock({ $0 }) {
            guard (try? await Task.sleep(for: .microseconds(500))) != nil else { return false }
        }
        return true
    }
}

/// Keeps what it hears.
final class Recorder: KeySetObserver {
    private let heard = Mutex<[KeySetEvent]>([])
    var events: [KeySetEvent] { heard.withLock { $0 } }

    func keySet(_ name: String, _ event: KeySetEvent) { heard.withLock { $0.append(event) } }

    func count(_ isMeant: (KeySetEvent) -> Bool) -> Int { events.count(where: isMeant) }

    /// Whether it is heard soon.
    func hears(_ isMeant: @escaping @Sendable (KeySetEvent) -> Bool) async -> Bool {
        await eventually { self.events.contains(where: isMeant) }
    }
}
