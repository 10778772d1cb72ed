import JOSESettings
import JOSESupport

/// Processes the lines of a stream on several threads, and delivers the results in the order of the lines. The number
/// of batches is fixed, whatever the length of the stream, except while a batch waits: then more are read ahead, up to
/// a number of bytes.
final class Pipeline: Sendable {
    private struct State: Sendable {
        /// Batches that were read and wait for a thread.
        var waiting: [Batch] = []
        /// Batches that a thread could not complete, which are processed again after the next wait.
        var deferred: [Batch] = []
        /// Whether a thread waits until deferred batches can be completed.
        var isAwaiting = false
        /// Finished batches, by their number in the stream.
        var done: [Int: Batch] = [:]
        var nextOut = 0
        var someoneWrites = false
        var free: [Batch] = []
        var made = 0
        /// The bytes of the batches that were read and not written, with their answers.
        var bytes = 0
        var hasEnded = false

        var isBlocked: Bool { isAwaiting || !deferred.isEmpty }
    }
    private let jobs: Int
    private let maximumBatches: Int
    private let state = Monitor(State())

    /// The largest number of batches while one waits. A slow stream has few lines in each.
    private static let maximumBatchesAhead = 4_096
    /// The largest number of bytes that are read ahead while a batch waits.
    private static let maximumBytesAhead = 32 << 20

    init(jobs: Int) {
        self.jobs = jobs
        maximumBatches = jobs * 3 + 1
    }

    /// Runs the pipeline to the end of the stream.
    ///
    /// - Parameters:
    ///   - work: Processes a batch, on several threads at the same time. It returns false if the batch is to be
    ///     processed again, after a wait.
    ///   - wait: Waits until batches for which `work` returned false may be completed, on one thread at a time.
    ///   - out: Writes a finished batch, on one thread at a time and in the order of the stream.
    func run(
        _ reader: inout LineReader, work: @escaping @Sendable (inout Batch) -> Bool,
        wait: @escaping @Sendable () -> Void = {}, out: @escaping @Sendable (borrowing Batch) -> Void
    ) throws(CommandFailure) {
        try Threads.run(jobs) { [self] in
            while var batch = next() {
                if work(&batch) { finish(batch, out) } else { putOff(batch, wait) }
            }
        } while: { () throws(CommandFailure) in
            defer { state.change { $0.hasEnded = true } }
            while true {
                var batch = emptyBatch()
                guard try reader.fill(&batch) else { return }
                var slot: Batch? = batch
                batch = Batch()
                state.change { state in
                    guard var filled = slot.take() else { return }
                    filled.weight = filled.bytes.count
                    state.bytes += filled.weight
                    state.waiting.append(filled)
                }
            }
        }
    }

    /// Returns an empty batch, once there may be another one.
    private func emptyBatch() -> Batch {
        state.wait { state in
            let isRoomAhead =
                state.isBlocked && state.made < Self.maximumBatchesAhead && state.bytes < Self.maximumBytesAhead
            if let used = state.free.popLast() { return used }
            guard state.made < maximumBatches || isRoomAhead else { return nil }
            state.made += 1
            return Batch()
        }
    }

    /// Returns the next batch to process, or nil at the end.
    private func next() -> Batch? {
        state.wait { state -> Batch?? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            return state.hasEnded && !state.isBlocked ? .some(nil) : nil
        }
    }

    /// Keeps a batch until the next wait is over.
    private func putOff(_ batch: consuming Batch, _ wait: @escaping @Sendable () -> Void) {
        var slot: Batch? = batch
        let isFirst = state.change { state in
            if let batch = slot.take() { state.deferred.append(batch) }
            defer { state.isAwaiting = true }
            return !state.isAwaiting
        }
        guard isFirst else { return }
        let waiting: @Sendable () -> Void = { [self] in
            while state.change({ state in
                if state.deferred.isEmpty { state.isAwaiting = false }
                return state.isAwaiting
            }) {
                wait()
                state.change { state in
                    state.waiting.insert(contentsOf: state.deferred, at: 0)
                    state.deferred = []
                }
            }
        }
        // Without another thread, this one waits, and the others go on.
        if !DetachedThread.start(waiting) { waiting() }
    }

    /// Stores a finished batch. The thread that finishes the next batch in order writes it, and all finished batches
    /// that follow it.
    private func finish(_ batch: consuming Batch, _ out: (borrowing Batch) -> Void) {
        var slot: Batch? = batch
        let isMine = state.change { state in
            if var done = slot.take() {
                state.bytes += done.output.count
                done.weight += done.output.count
                state.done[done.sequence] = done
            }
            if state.someoneWrites { return false }
            state.someoneWrites = true
            return true
        }
        guard isMine else { return }
        while let ready = state.change({ state -> Batch? in
            let ready = state.done.removeValue(forKey: state.nextOut)
            if ready == nil { state.someoneWrites = false } else { state.nextOut += 1 }
            return ready
        }) {
            out(ready)
            state.change { state in
                state.bytes -= ready.weight
                // The memory of those that were read ahead is given back.
                if state.made > maximumBatches { state.made -= 1 } else { state.free.append(ready) }
            }
        }
    }
}
