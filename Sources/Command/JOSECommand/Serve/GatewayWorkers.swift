import JOSEBytes
import JOSETokens

#if Server
    internal import CJOSEServe
#endif

/// Threads for tokens whose verification takes longer than a loop may be busy, with a bounded queue: the limiter of the service.
final class GatewayWorkers: Sendable {
    /// The numbers of tokens in work, in the queue, and that were not admitted in time.
    struct Counts: Sendable {
        let running, queued, rejected: Int
    }

    private struct State: Sendable {
        var queue = GatewayQueue()
        var most = 0
        var timeout = Duration.zero
        /// The hashes of tokens that were valid. They decide about turns alone.
        var known = ExpiringMap<Int, Bool>(countLimit: GatewayWorkers.mostKnown, eviction: .unused)
        var threads = 0
        /// The threads that verify.
        var busy = 0
        var running = 0
        var rejected = 0
        var isEnding = false
    }

    /// The largest number of tokens that are verified together.
    private static let batch = 8
    private static let mostKnown = 16_384
    private let state = Monitor(State())

    var counts: Counts {
        state.change(waking: .none) { state in
            Counts(running: state.running, queued: state.queue.count, rejected: state.rejected)
        }
    }

    /// Starts the threads. Returns false if one cannot be started.
    func start(_ count: Int) -> Bool {
        state.change(waking: .none) { $0.threads = count }
        for _ in 0..<count {
            guard DetachedThread.start({ [self] in work() }) else { return false }
        }
        return true
    }

    /// Adopts the bounds of a new configuration.
    func set(most: Int, timeout: Duration) {
        state.change(waking: .none) { state in
            state.most = most
            state.timeout = timeout
        }
    }

    /// Adds a token to the queue. Returns the one that has no room in it, if any: this or another.
    func add(_ job: GatewayJob) -> GatewayJob? {
        state.change(waking: .one) { state in
            guard !state.isEnding else { return job }
            let isKnown = state.known.use(job.number) != nil
            let displaced = state.queue.add(job, isKnown: isKnown, most: state.most)
            if displaced != nil { state.rejected += 1 }
            return displaced
        }
    }

    /// Ends the threads, once the queue is empty.
    func end() { state.change { $0.isEnding = true } }

    private func work() {
        #if Server
            cjose_serve_lower_priority()
        #endif
        while let (jobs, timeout) = next() {
            let late = jobs.filter { $0.isOlder(than: timeout) }
            let inTime = late.isEmpty ? jobs : jobs.filter { job in !late.contains { $0 === job } }
            let results = GatewayJob.results(inTime)
            state.change(waking: .none) { state in
                state.rejected += late.count
                state.running -= jobs.count
                state.busy -= 1
                for case (let job, .success) in zip(inTime, results) where state.known.use(job.number) == nil {
                    _ = state.known.insert(true, for: job.number)
                }
            }
            for job in late { job.finish(.failure(.jose(.overloaded(.timedOut), layer: .encryption))) }
            for (job, result) in zip(inTime, results) { job.finish(result) }
        }
    }

    /// Waits for tokens, and takes those of one policy that arrived together, or this thread's part of them.
    private func next() -> ([GatewayJob], Duration)? {
        state.wait(waking: .none) { state -> ([GatewayJob], Duration)?? in
            guard let policy = state.queue.nextPolicy else { return state.isEnding ? .some(nil) : nil }
            let free = max(1, state.threads - state.busy)
            let part = (state.queue.count + free - 1) / free
            let taken = state.queue.take(min(Self.batch, max(part, policy.leastTogether)))
            state.busy += 1
            state.running += taken.count
            return (taken, state.timeout)
        }
    }
}
