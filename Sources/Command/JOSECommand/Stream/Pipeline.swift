import JOSEBytes

/// Processes the lines of a stream on several threads, and delivers the results in the order of the lines. The number of batches
/// is fixed, whatever the length of the stream.
final class Pipeline: Sendable {
    private struct State: Sendable {
        /// Batches that were read and wait for a thread.
        var waiting: [Batch] = []
        /// Finished batches, at the index `sequence` modulo the number of batches.
        var done: [Batch?]
        var nextOut = 0
        var someoneWrites = false
        var free: [Batch] = []
        var made = 0
        var hasEnded = false
    }
    private let jobs: Int
    private let mostBatches: Int
    private let state: Monitor<State>

    init(jobs: Int) {
        self.jobs = jobs
        mostBatches = jobs * 3 + 1
        state = Monitor(State(done: Array(repeating: nil, count: mostBatches)))
    }

    /// Runs the pipeline to the end of the stream.
    ///
    /// - Parameters:
    ///   - work: Processes a batch, on several threads at the same time.
    ///   - out: Writes a finished batch, on one thread at a time and in the order of the stream.
    func run(
        _ reader: inout LineReader, work: @escaping @Sendable (inout Batch) -> Void,
        out: @escaping @Sendable (borrowing Batch) -> Void
    ) throws(CommandFailure) {
        try Threads.run(jobs) { [self] in
            while var batch = next() {
                work(&batch)
                finish(batch, out)
            }
        } while: { () throws(CommandFailure) in
            defer { state.change { $0.hasEnded = true } }
            while true {
                var batch = place()
                guard try reader.fill(&batch) else { return }
                var slot: Batch? = batch
                batch = Batch()
                state.change { if let filled = slot.take() { $0.waiting.append(filled) } }
            }
        }
    }

    private func place() -> Batch {
        state.wait { state in
            if let used = state.free.popLast() { return used }
            guard state.made < mostBatches else { return nil }
            state.made += 1
            return Batch()
        }
    }

    /// Returns the next batch to process, or nil at the end.
    private func next() -> Batch? {
        state.wait { state -> Batch?? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            return state.hasEnded ? .some(nil) : nil
        }
    }

    /// Stores a finished batch. The thread that finishes the next batch in order writes it, and all finished batches that follow
    /// it.
    private func finish(_ batch: consuming Batch, _ out: (borrowing Batch) -> Void) {
        var slot: Batch? = batch
        let isMine = state.change { state in
            if let done = slot.take() { state.done[done.sequence % mostBatches] = done }
            if state.someoneWrites { return false }
            state.someoneWrites = true
            return true
        }
        guard isMine else { return }
        while let ready = state.change({ state -> Batch? in
            let ready = state.done[state.nextOut % mostBatches].take()
            if ready == nil { state.someoneWrites = false } else { state.nextOut += 1 }
            return ready
        }) {
            out(ready)
            state.change { $0.free.append(ready) }
        }
    }
}
