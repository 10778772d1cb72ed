internal import JOSE
internal import Synchronization

/// A run of the worker threads over the elements of an array, which they process in parts.
final class ParallelArray<Part: Sendable>: Sendable {
    private struct State: Sendable {
        var next = 0
        var parts: [Part?]
        /// The number of threads that still take parts.
        var working: Int
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    /// The elements of each part; the last one has fewer.
    let step: Int
    private let count: Int
    private let parts: Int
    private let process: @Sendable (Range<Int>) -> Part
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: The number of elements.
    ///   - workers: The maximum number of threads.
    ///   - width: The number of elements that are processed at once: each part is a multiple of it.
    ///   - process: Processes the elements of a part.
    init(
        count: Int, workers: Int, width: Int, process: @escaping @Sendable (Range<Int>) -> Part
    ) {
        let share = (count + workers - 1) / workers
        step = max(width, min(BatchSizes.tokens, (share + width - 1) / width * width))
        self.count = count
        parts = (count + step - 1) / step
        self.process = process
        state = Mutex(State(parts: Array(repeating: nil, count: parts), working: min(workers, parts)))
    }

    /// Returns the parts in their order when all are processed. After cancellation it throws as soon as no thread processes any.
    func run() async throws(CancellationError) -> [Part] {
        if parts == 0 { return [] }
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
        let (finished, isCancelled) = state.withLock { state in
            defer { state.parts = [] }
            return (state.parts, state.isCancelled)
        }
        if isCancelled { throw CancellationError() }
        return finished.compactMap { $0 }
    }

    private func work() {
        let part = state.withLock { state -> Int? in
            guard state.next < parts, !state.isCancelled else { return nil }
            defer { state.next += 1 }
            return state.next
        }
        guard let part else { return leave() }
        let result = process(part * step..<min((part + 1) * step, count))
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
