internal import JOSE
internal import Synchronization

/// A run of the worker threads over the elements of an array, which they process in parts.
final class ParallelArray<Part: Sendable>: Sendable {
    /// The elements of each part; the last one has fewer.
    let step: Int
    private let count: Int
    private let workers: Int
    private let process: @Sendable (Range<Int>) -> Part
    /// The number of parts that threads have taken.
    private let taken = Atomic(0)

    /// - Parameters:
    ///   - count: The number of elements.
    ///   - workers: The maximum number of threads.
    ///   - width: The number of elements that are processed at once: each part is a multiple of it.
    ///   - process: Processes the elements of a part.
    init(count: Int, workers: Int, width: Int, process: @escaping @Sendable (Range<Int>) -> Part) {
        let share = (count + workers - 1) / workers
        step = max(width, min(BatchSizes.tokens, (share + width - 1) / width * width))
        self.count = count
        self.workers = workers
        self.process = process
    }

    /// Returns the parts in their order when all are processed. After cancellation it throws as soon as no thread
    /// processes any.
    func run() async throws(CancellationError) -> [Part] {
        let partCount = (count + step - 1) / step
        var parts = [Part?](repeating: nil, count: partCount)
        await withTaskGroup(of: [(number: Int, part: Part)].self) { group in
            for _ in 0..<min(workers, partCount) {
                group.addTask(executorPreference: WorkerThreads.shared) { [self] in
                    var finished: [(number: Int, part: Part)] = []
                    while !Task.isCancelled {
                        let number = taken.add(1, ordering: .relaxed).oldValue
                        guard number < partCount else { break }
                        finished.append((number, process(number * step..<min((number + 1) * step, count))))
                        // Other work gets its turn before the next part.
                        if taken.load(ordering: .relaxed) < partCount { await WorkerThreads.shared.yield() }
                    }
                    return finished
                }
            }
            for await finished in group { for (number, part) in finished { parts[number] = part } }
        }
        if Task.isCancelled { throw CancellationError() }
        return parts.compactMap { $0 }
    }
}
