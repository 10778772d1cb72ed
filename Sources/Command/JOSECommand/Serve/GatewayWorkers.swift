import JOSEBytes
import JOSETokens

#if Server
    internal import CJOSEServe
#endif

/// Threads for tokens whose verification takes longer than a loop may be busy, with a bounded queue: the limiter of the service.
final class GatewayWorkers: Sendable {
    struct State: Sendable {
        fileprivate var jobs: [GatewayJob] = []
        fileprivate var first = 0
        fileprivate var most = 0
        fileprivate var timeout = Duration.zero
        var running = 0
        var rejected = 0
        fileprivate var isEnding = false
        var queued: Int { jobs.count - first }
    }

    /// The number of tokens that are verified together.
    private static let batch = 8
    private let state = Monitor(State())

    var snapshot: State { state.change { $0 } }

    /// Starts the threads. Returns false if one cannot be started.
    func start(_ count: Int) -> Bool {
        for _ in 0..<count {
            guard DetachedThread.start({ [self] in work() }) else { return false }
        }
        return true
    }

    /// Adopts the bounds of a new configuration.
    func set(most: Int, timeout: Duration) {
        state.change { state in
            state.most = most
            state.timeout = timeout
        }
    }

    /// Adds a token to the queue. Returns false if the queue is full.
    func add(_ job: GatewayJob) -> Bool {
        state.change { state in
            guard state.queued < state.most, !state.isEnding else {
                state.rejected += 1
                return false
            }
            state.jobs.append(job)
            return true
        }
    }

    /// Ends the threads, once the queue is empty.
    func end() { state.change { $0.isEnding = true } }

    private func work() {
        #if Server
            cjose_serve_lower_priority()
        #endif
        while let (jobs, timeout) = next() {
            var inTime: [GatewayJob] = []
            for job in jobs {
                if job.isOlder(than: timeout) {
                    state.change { $0.rejected += 1 }
                    job.finish(.failure(.jose(.overloaded(.timedOut), layer: .encryption)))
                } else {
                    inTime.append(job)
                }
            }
            GatewayJob.verify(inTime)
            state.change { $0.running -= jobs.count }
        }
    }

    /// Waits for tokens, and takes those of one policy that arrived together.
    private func next() -> ([GatewayJob], Duration)? {
        state.wait { state -> ([GatewayJob], Duration)?? in
            guard state.queued > 0 else { return state.isEnding ? .some(nil) : nil }
            let policy = state.jobs[state.first].policy
            var taken: [GatewayJob] = []
            while taken.count < Self.batch, state.queued > 0, state.jobs[state.first].policy === policy {
                taken.append(state.jobs[state.first])
                state.first += 1
            }
            if state.first > 256 || state.queued == 0 {
                state.jobs.removeFirst(state.first)
                state.first = 0
            }
            state.running += taken.count
            return (taken, state.timeout)
        }
    }
}

/// A token to verify, and the request that waits for the result.
struct GatewayJob: Sendable {
    let policy: GatewayPolicy
    let credentials: GatewayCredentials
    let began: Double
    /// Answers the request. It is called once.
    let finish: @Sendable (Result<VerifiedToken, TokenError>) -> Void

    func isOlder(than limit: Duration) -> Bool { SystemClock.elapsed() - began > limit.inSeconds }

    /// Verifies tokens of one policy together.
    static func verify(_ jobs: [GatewayJob]) {
        guard let batch = jobs.first?.policy.batch else { return }
        let results = batch.verifySynchronously(jobs.map(\.credentials.token))
        for (job, result) in zip(jobs, results) { job.finish(result) }
    }
}
