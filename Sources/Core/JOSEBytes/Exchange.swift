internal import Synchronization

/// One caller that waits for a thread of C. The result, a cancellation and the end of that thread race, and the first of them
/// resumes the caller.
package final class Exchange<Answer: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Answer, Never>?
        var id: UInt64?
        var isCancelled = false
    }
    private let state = Mutex(State())
    private let cancelled: Answer

    /// Creates an exchange.
    ///
    /// - Parameter cancelled: the result of a caller that was cancelled.
    package init(cancelled: Answer) { self.cancelled = cancelled }

    /// Stores the caller's continuation. It returns false where the caller was cancelled before and has its result.
    package func begin(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(returning: cancelled) }
        return !isCancelled
    }

    /// Stores the identifier of the started work. It returns true where the caller was cancelled meanwhile.
    package func didStart(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.id = id
            return state.isCancelled
        }
    }

    /// Resumes the caller, if it still waits, with the result of a cancellation. Returns the identifier of the work that must be
    /// stopped, or nil if no work has started.
    package func cancel() -> UInt64? {
        let (id, continuation) = state.withLock { state in
            state.isCancelled = true
            return (state.id, state.continuation.take())
        }
        continuation?.resume(returning: cancelled)
        return id
    }

    /// Resumes the caller with the result. Only the first call has an effect.
    package func end(_ answer: Answer) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: answer)
    }
}
