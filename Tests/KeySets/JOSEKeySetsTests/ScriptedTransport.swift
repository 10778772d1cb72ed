import JOSEKeySets
import Synchronization

/// A server with scripted responses.
final class ScriptedTransport: HTTPTransport {
    typealias Outcome = Result<TransportResponse, TransportError>
    typealias Answer = @Sendable (TransportRequest) async -> Outcome

    private struct State {
        var answer: Answer
        var next: [Answer] = []
        var requests: [TransportRequest] = []
        var atOnce = 0
        var maximumAtOnce = 0
        var cancelled = 0
        var answered = 0
    }
    private let state: Mutex<State>

    init(_ answer: @escaping Answer = { _ in .failure(.connectFailed) }) {
        state = Mutex(State(answer: answer))
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    var maximumAtOnce: Int { state.withLock { $0.maximumAtOnce } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// The number of requests that have ended, with or without a response.
    var answered: Int { state.withLock { $0.answered } }

    /// Sets the response to all further requests.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func answer(_ response: TransportResponse) { answer { _ in .success(response) } }
    func fail(_ error: TransportError) { answer { _ in .failure(error) } }
    /// Sets the responses to the next requests, in order.
    func answerNext(_ outcomes: Outcome...) {
        state.withLock { state in
            for outcome in outcomes { state.next.append { _ in outcome } }
        }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            state.atOnce += 1
            state.maximumAtOnce = max(state.maximumAtOnce, state.atOnce)
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

/// A latch that delays a response until it is opened or the task is cancelled.
final class Latch: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    /// Waits like a transport that ignores cancellation.
    func waitIgnoringCancellation() async {
        while !isOpen.withLock({ $0 }) {
            await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
        }
    }

    /// Waits, and returns whether the latch was opened.
    func wait() async -> Bool {
        while !isOpen.withLock({ $0 }) {
            guard (try? await Task.sleep(for: .microseconds(500))) != nil else { return false }
        }
        return true
    }
}

/// An observer that records the events.
final class Recorder: KeySetObserver {
    private let heard = Mutex<[KeySetEvent]>([])
    var events: [KeySetEvent] { heard.withLock { $0 } }

    func keySet(_ name: String, _ event: KeySetEvent) { heard.withLock { $0.append(event) } }

    func count(_ isMeant: (KeySetEvent) -> Bool) -> Int { events.count(where: isMeant) }

    /// Returns whether such an event arrives soon.
    func hears(_ isMeant: @escaping @Sendable (KeySetEvent) -> Bool) async -> Bool {
        await eventually { self.events.contains(where: isMeant) }
    }
}
