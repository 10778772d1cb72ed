internal import JOSEBytes

/// The threads on which batches are verified, as many as there are processors: begun when there is work for them, and kept. A
/// batch may take as long as its tokens' private-key operations do, and the tasks of the runtime are not to wait for that.
final class WorkerThreads: Sendable {
    static let shared = WorkerThreads(DetachedThread.processors)

    fileprivate struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        /// Of `jobs`, those that were taken: an array is no queue.
        var taken = 0
        var threads = 0
        var idle = 0
    }
    let count: Int
    private let state = Monitor(State())

    init(_ count: Int) { self.count = count }

    /// After those that came before it. A job that has much to do comes again for each piece, so that all get their turn.
    func run(_ job: @escaping @Sendable () -> Void) {
        let wantsThread = state.change { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count - state.taken, state.threads < count else { return false }
            state.threads += 1
            return true
        }
        guard wantsThread, !DetachedThread.start({ [self] in work() }) else { return }
        // The system has no more threads to give: those that there are do it, or this one.
        let isAlone = state.change { state in
            state.threads -= 1
            return state.threads == 0
        }
        if isAlone, let job = state.change({ $0.take() }) { job() }
    }

    private func work() {
        state.change { $0.idle += 1 }
        while true { state.wait { $0.take() }() }
    }
}

extension WorkerThreads.State {
    fileprivate mutating func take() -> (@Sendable () -> Void)? {
        guard taken < jobs.count else { return nil }
        let job = jobs[taken]
        taken += 1
        if taken == jobs.count || taken == 64 {
            jobs.removeFirst(taken)
            taken = 0
        }
        return job
    }
}
