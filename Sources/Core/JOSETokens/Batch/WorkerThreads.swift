internal import JOSEBytes

/// The threads that verify batches and issue them, as many as there are processor cores. They are started when there is work for them, and are
/// kept. A batch with private-key operations takes long, and must not block the threads of the Swift runtime.
final class WorkerThreads: Sendable {
    static let shared = WorkerThreads(DetachedThread.processors)

    fileprivate struct State: Sendable {
        var jobs: [(@Sendable () -> Void)?] = []
        /// The number of elements of `jobs` that were already taken and are nil; removing each one from the array would take linear time.
        var taken = 0
        var threads = 0
        /// The number of threads without a job, including those that are about to look for one.
        var idle = 0
    }
    let count: Int
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Monitor(State())

    /// `start` starts a thread, and returns false if there is none available.
    init(
        _ count: Int, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = DetachedThread.start
    ) {
        self.count = count
        self.start = start
    }

    /// Runs a job after the earlier ones. A long job is enqueued again for each of its pieces, so that all jobs get their turn.
    func run(_ job: @escaping @Sendable () -> Void) {
        let wantsThread = state.change(waking: .one) { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count - state.taken, state.threads < count else { return false }
            state.threads += 1
            state.idle += 1
            return true
        }
        guard wantsThread, !start({ [self] in work() }) else { return }
        // The system has no more threads. The existing ones run the jobs, or the current thread does so until none is left.
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
            let job = state.wait(waking: .none) { state in
                let job = state.take()
                if job != nil { state.idle -= 1 }
                return job
            }
            job()
            state.change(waking: .none) { $0.idle += 1 }
        }
    }
}

extension WorkerThreads.State {
    fileprivate mutating func take() -> (@Sendable () -> Void)? {
        guard taken < jobs.count else { return nil }
        let job = jobs[taken].take()
        taken += 1
        if taken == jobs.count || taken == 64 {
            jobs.removeFirst(taken)
            taken = 0
        }
        return job
    }

    /// Takes a job. If none is left, returns nil, and the calling thread no longer counts.
    fileprivate mutating func takeOrLeave() -> (@Sendable () -> Void)? {
        let job = take()
        if job == nil { threads -= 1 }
        return job
    }
}
