internal import JOSESupport

/// Threads for work that takes long, such as private-key operations, and must not block the threads of the Swift
/// runtime. They are started when there is work for them, and are kept. As a task executor they run tasks, too.
package final class WorkerThreads: Sendable {
    /// The threads that verify batches and issue them, as many as there are processor cores.
    static let shared = WorkerThreads(DetachedThread.processors)

    fileprivate struct State: Sendable {
        var jobs: [(@Sendable () -> Void)?] = []
        /// The number of elements of `jobs` that were already taken and are nil; removing each one from the array would
        /// take linear time.
        var taken = 0
        var threads = 0
        /// The number of threads without a job, including those that are about to look for one.
        var idle = 0
    }
    let count: Int
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Monitor(State())

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - count: The largest number of threads.
    ///   - start: Starts a thread with a body, before which it may prepare the thread, for instance lower its priority.
    ///     Returns false if there is none available.
    package init(
        _ count: Int, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = DetachedThread.start
    ) {
        self.count = count
        self.start = start
    }

    /// Runs a job after the earlier ones. A long job is enqueued again for each of its pieces, so that all jobs get
    /// their turn.
    func run(_ job: @escaping @Sendable () -> Void) {
        let wantsThread = state.change(waking: .one) { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count - state.taken, state.threads < count else { return false }
            state.threads += 1
            state.idle += 1
            return true
        }
        guard wantsThread, !start({ [self] in work() }) else { return }
        // The system has no more threads. The existing ones run the jobs, or the current thread does so until none is
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

extension WorkerThreads: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Lets the earlier jobs run before the task goes on.
    func yield() async { await withCheckedContinuation { continuation in run { continuation.resume() } } }
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
