internal import JOSEBytes
internal import Synchronization

/// An array of tokens that the worker threads verify.
final class ArrayBatch: Sendable {
    private struct State: Sendable {
        var next = 0
        var parts: [BatchResult]
        /// The number of threads that still take parts.
        var working: Int
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let evaluator: BatchEvaluator
    private let tokens: [[UInt8]]
    private let step: Int
    private let parts: Int
    private let state: Mutex<State>

    init(_ evaluator: BatchEvaluator, _ tokens: [[UInt8]], workers: Int) {
        self.evaluator = evaluator
        self.tokens = tokens
        // Each part is a multiple of eight, the number of signatures that are verified at a time, and each thread gets some.
        let share = (tokens.count + workers - 1) / workers
        step = max(8, min(BatchVerifier.chunk, (share + 7) / 8 * 8))
        parts = (tokens.count + step - 1) / step
        state = Mutex(State(parts: Array(repeating: BatchResult(), count: parts), working: min(workers, parts)))
    }

    /// Returns when all tokens are verified, or, after cancellation, as soon as no thread verifies any of them.
    func run(timeout limit: Duration?) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
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
        var (parts, isCancelled) = state.withLock { state in
            defer { state.parts = [] }
            return (state.parts, state.isCancelled)
        }
        if isCancelled { throw CancellationError() }
        // All parts wait before the first token is marked as used: a batch that is cancelled has then marked none.
        let end = limit.map { ContinuousClock.now + $0 }
        for place in parts.indices {
            try await evaluator.awaitOutcomes(
                &parts[place], tokens[place * step..<min((place + 1) * step, tokens.count)], until: end)
        }
        for place in parts.indices { await evaluator.admitAwaiting(&parts[place]) }
        if parts.count == 1 { return parts[0].tokens }
        var results: [Result<VerifiedToken, TokenError>] = []
        results.reserveCapacity(tokens.count)
        for part in parts { results += part.tokens }
        return results
    }

    private func work() {
        let part = state.withLock { state -> Int? in
            guard state.next < parts, !state.isCancelled else { return nil }
            defer { state.next += 1 }
            return state.next
        }
        guard let part else { return leave() }
        var run = BatchRun(evaluator, count: step)
        for token in tokens[part * step..<min((part + 1) * step, tokens.count)] { run.add(token.span) }
        let result = run.end()
        state.withLock { $0.parts[part] = result }
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
