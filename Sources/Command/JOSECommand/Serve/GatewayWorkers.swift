import JOSE
import JOSESupport
import JOSETokens

#if Server
    internal import CJOSEServe
#endif

/// The bounds of work that takes longer than a loop may be busy, and the threads for it. They survive a new
/// configuration.
final class GatewayWorkers: Sendable {
    /// The limiter of the decryptions under all policies.
    let decryptions: DecryptionLimiter
    /// The limiter of proofs, each of which is verified with a key that is used once.
    let proofs: DecryptionLimiter
    /// The bound on the requests that wait for keys at the same time.
    let keyWaits = DecryptionLimiter(maxConcurrent: 256, maxQueued: 0)
    /// The threads, as many as there are slots, of lower priority than the loops.
    let threads: WorkerThreads

    /// - Parameter concurrent: The number of slots of each limiter. Nobody waits for one before `setBounds`.
    init(concurrent: Int) {
        decryptions = DecryptionLimiter(maxConcurrent: concurrent, maxQueued: 0)
        proofs = DecryptionLimiter(maxConcurrent: concurrent, maxQueued: 0)
        threads = WorkerThreads(2 * concurrent) { body in
            DetachedThread.start {
                #if Server
                    cjose_serve_lower_priority()
                #endif
                body()
            }
        }
    }

    /// Adopts the bounds of a new configuration.
    func setBounds(queued: Int, timeout: Duration) {
        for limiter in [decryptions, proofs] { limiter.setBounds(maxQueued: queued, timeout: timeout) }
    }
}
