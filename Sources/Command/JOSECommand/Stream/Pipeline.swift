import JOSEBytes

/// Lines in at one end, worked on by several threads, results out at the other in the order of the lines. So many batches
/// exist and no more, whatever the length of the stream.
final class Pipeline: Sendable {
    private struct State: Sendable {
        /// Read, and taken up by nobody yet.
        var waiting: [Batch] = []
        /// Worked on, by `sequence` modulo the count of places.
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

    /// `work` runs on the threads; `out` on one of them at a time, in the stream's order.
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

    /// Nil at the end.
    private func next() -> Batch? {
        state.wait { state -> Batch?? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            return state.hasEnded ? .some(nil) : nil
        }
    }

    /// Whoever completes the batch that is next writes it out, and all that were waiting behind it.
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
