internal import Synchronization

/// One wait of one caller, without a blocked thread. The result, a deadline and the cancellation of the caller's task
/// race: the first of them ends the wait and resumes the caller, exactly once.
///
/// ``value(startedBy:)`` or ``value(within:orElse:startedBy:)`` is called once.
package final class Wait<Answer: Sendable>: Sendable {
    private struct State {
        var hasEnded = false
        /// Whether the wait ended without a result.
        var isAbandoned = false
        /// The answer of a wait that ended before its caller was suspended.
        var answer: Answer?
        var continuation: CheckedContinuation<Answer, Never>?
        var timer: Task<Void, Never>?
        var onAbandon: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())
    private let cancelled: Answer

    /// Creates a wait.
    ///
    /// - Parameter cancelled: The answer for a caller whose task is cancelled.
    package init(cancelled: Answer) { self.cancelled = cancelled }

    /// Waits for the answer.
    ///
    /// - Parameter start: Begins the work whose result ends the wait, or hands the wait to whoever will end it. It is
    ///   not called if the task was cancelled before.
    package func value(startedBy start: () -> Void) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state in
                    if !state.hasEnded { state.continuation = continuation }
                    return state.answer.take()
                }
                if let answer { return continuation.resume(returning: answer) }
                start()
            }
        } onCancel: {
            abandon(cancelled)
        }
    }

    /// Waits for the answer until a deadline.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait, from the return of `start` on.
    ///   - late: The answer at the deadline.
    ///   - start: Begins the work, as for ``value(startedBy:)``.
    package func value(within limit: Duration, orElse late: Answer, startedBy start: () -> Void) async -> Answer {
        await value {
            start()
            guard !state.withLock({ $0.hasEnded }) else { return }
            let timer = Task.detached { [self] in
                // A timer traps for the longest durations.
                do { try await Task.sleep(for: min(limit, .seconds(1_000_000_000))) } catch { return }
                abandon(late)
            }
            // The wait may have ended in between.
            let isLate = state.withLock { state in
                if !state.hasEnded { state.timer = timer }
                return state.hasEnded
            }
            if isLate { timer.cancel() }
        }
    }

    /// Ends the wait with a result, and returns whether it had not ended before. The caller receives the result in this
    /// case only.
    @discardableResult package func end(_ answer: Answer) -> Bool {
        guard let continuation = close(with: answer, isAbandoned: false) else { return false }
        continuation?.resume(returning: answer)
        return true
    }

    /// Sets what to do if the wait ends without a result: `body` is called at the deadline or the cancellation, before
    /// the caller is resumed, or at once if that has already happened. It stops work that is of no use any more.
    package func onAbandon(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.hasEnded { state.onAbandon = body }
            return state.isAbandoned
        }
        if isLate { body() }
    }

    private func abandon(_ answer: Answer) {
        guard let continuation = close(with: answer, isAbandoned: true) else { return }
        continuation?.resume(returning: answer)
    }

    /// Ends the wait, and returns the continuation if the caller is suspended; returns nil if the wait has ended
    /// before. What `onAbandon` refers to is released on return, while the caller still owns all that it uses.
    private func close(with answer: Answer, isAbandoned: Bool) -> CheckedContinuation<Answer, Never>?? {
        let last = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            defer {
                let kept = state.continuation == nil ? answer : nil
                state = State(hasEnded: true, isAbandoned: isAbandoned, answer: kept)
            }
            return state
        }
        guard let last else { return nil }
        last.timer?.cancel()
        if isAbandoned { last.onAbandon?() }
        return .some(last.continuation)
    }
}
