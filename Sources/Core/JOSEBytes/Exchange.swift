internal import Synchronization

/// One caller that waits for a thread of C's. The answer, cancellation and that thread's end race; the first of them is the caller's.
package final class Exchange<Answer: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Answer, Never>?
        var id: UInt64?
        var isCancelled = false
    }
    private let state = Mutex(State())
    private let cancelled: Answer

    /// - Parameter cancelled: What a caller hears that was cancelled.
    package init(cancelled: Answer) { self.cancelled = cancelled }

    /// False: it was cancelled before it began, and has its answer.
    package func begin(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(returning: cancelled) }
        return !isCancelled
    }

    /// True: it was cancelled meanwhile.
    package func didStart(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.id = id
            return state.isCancelled
        }
    }

    /// What is to be given up; nil: nothing has begun.
    package func cancel() -> UInt64? {
        let (id, continuation) = state.withLock { state in
            state.isCancelled = true
            return (state.id, state.continuation.take())
        }
        continuation?.resume(returning: cancelled)
        return id
    }

    /// The first end counts.
    package func end(_ answer: Answer) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: answer)
    }
}
