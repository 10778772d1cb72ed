internal import JOSEBytes
internal import Synchronization

/// An array of tokens on its way through the worker threads.
final class ArrayBatch: Sendable {
    private struct State: Sendable {
        var next = 0
        var parts: [[BatchRun.Verdict]]
        /// Threads that have not left yet.
        var working: Int
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let judge: BatchJudge
    private let tokens: [[UInt8]]
    private let step: Int
    private let parts: Int
    private let state: Mutex<State>

    init(_ judge: BatchJudge, _ tokens: [[UInt8]], workers: Int) {
        self.judge = judge
        self.tokens = tokens
        // Whole lanes, and something for each thread.
        let share = (tokens.count + workers - 1) / workers
        step = max(8, min(BatchVerifier.chunk, (share + 7) / 8 * 8))
        parts = (tokens.count + step - 1) / step
        state = Mutex(State(parts: Array(repeating: [], count: parts), working: min(workers, parts)))
    }

    /// Returns when all are verified, or, once cancelled, as soon as no thread works on any.
    func run() async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
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
        let (parts, isCancelled) = state.withLock { ($0.parts, $0.isCancelled) }
        if isCancelled { throw CancellationError() }
        var results: [Result<VerifiedToken, TokenError>] = []
        results.reserveCapacity(tokens.count)
        for part in parts { for verdict in part { results.append(judge.admitted(verdict)) } }
        return results
    }

    private func work() {
        let part = state.withLock { state -> Int? in
            guard state.next < parts, !state.isCancelled else { return nil }
            defer { state.next += 1 }
            return state.next
        }
        guard let part else { return leave() }
        var run = BatchRun(judge)
        for token in tokens[part * step..<min((part + 1) * step, tokens.count)] { run.add(token.span) }
        let verdicts = run.end()
        state.withLock { $0.parts[part] = verdicts }
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
