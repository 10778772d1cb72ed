internal import JOSEBytes
internal import Synchronization

/// An array of claims for which the worker threads issue tokens.
final class IssuingArray: Sendable {
    private struct State: Sendable {
        var next = 0
        var parts: [[Result<String, TokenError>]]
        /// The number of threads that still take parts.
        var working: Int
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let issuer: BatchIssuer
    private let contents: [BatchIssuer.Content]
    private let options: TokenOptions
    private let step: Int
    private let parts: Int
    private let state: Mutex<State>

    init(_ issuer: BatchIssuer, _ contents: [BatchIssuer.Content], _ options: TokenOptions) {
        self.issuer = issuer
        self.contents = contents
        self.options = options
        // Each part is a multiple of four, the number of signatures that are computed at a time, and each thread gets some.
        let share = (contents.count + issuer.workers - 1) / issuer.workers
        step = max(4, min(BatchIssuer.chunk, (share + 3) / 4 * 4))
        parts = (contents.count + step - 1) / step
        state = Mutex(State(parts: Array(repeating: [], count: parts), working: min(issuer.workers, parts)))
    }

    /// Returns when all tokens are issued, or, after cancellation, as soon as no thread issues any of them.
    func run() async throws(CancellationError) -> [Result<String, TokenError>] {
        if parts > 0 {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let working = state.withLock { state in
                        state.waiting = continuation
                        return state.working
                    }
                    for _ in 0..<working { WorkerThreads.shared.run { [self] in work() } }
                }
            } onCancel: {
                state.withLock { $0.isCancelled = true }
            }
        }
        let (finished, isCancelled) = state.withLock { state in
            defer { state.parts = [] }
            return (state.parts, state.isCancelled)
        }
        if isCancelled { throw CancellationError() }
        return finished.flatMap { $0 }
    }

    private func work() {
        let part = state.withLock { state -> Int? in
            guard state.next < parts, !state.isCancelled else { return nil }
            defer { state.next += 1 }
            return state.next
        }
        guard let part else { return leave() }
        let results = issuer.issue(contents[part * step..<min((part + 1) * step, contents.count)], options)
        state.withLock { $0.parts[part] = results }
        WorkerThreads.shared.run { [self] in work() }
    }

    private func leave() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.working -= 1
            return state.working == 0 ? state.waiting.take() : nil
        }
        waiting?.resume()
    }
}
