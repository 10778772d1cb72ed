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
        /// Threads that have no job, those included that are about to look for one.
        var idle = 0
    }
    let count: Int
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Monitor(State())

    /// `start`: what begins a thread; false where there is none to be had.
    init(
        _ count: Int, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = DetachedThread.start
    ) {
        self.count = count
        self.start = start
    }

    /// After those that came before it. A job that has much to do comes again for each piece, so that all get their turn.
    func run(_ job: @escaping @Sendable () -> Void) {
        let wantsThread = state.change { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count - state.taken, state.threads < count else { return false }
            state.threads += 1
            state.idle += 1
            return true
        }
        guard wantsThread, !start({ [self] in work() }) else { return }
        // The system has no more threads to give: those that there are do it, or this one, which is one of them until nothing is
        // left.
        let isAlone = state.change { state in
            state.idle -= 1
            guard state.threads > 1 else { return true }
            state.threads -= 1
            return false
        }
        guard isAlone else { return }
        while let job = state.change({ $0.takeOrLeave() }) { job() }
    }

    private func work() {
        while true {
            let job = state.wait { state in
                let job = state.take()
                if job != nil { state.idle -= 1 }
                return job
            }
            job()
            state.change { $0.idle += 1 }
        }
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

    /// Nil: nothing is left, and this is a thread no more.
    fileprivate mutating func takeOrLeave() -> (@Sendable () -> Void)? {
        let job = take()
        if job == nil { threads -= 1 }
        return job
    }
}
