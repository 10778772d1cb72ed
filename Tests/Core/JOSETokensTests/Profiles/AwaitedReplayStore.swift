import JOSE
import JOSETokens
import Synchronization

/// A replay store that answers asynchronously, as one on another machine does, and records the marks that it is asked for.
final class AwaitedReplayStore: ReplayStore {
    private let inner = InMemoryReplayStore()
    private let seen = Mutex<[ReplayMark]>([])

    /// The marks in the order of the calls.
    var marks: [ReplayMark] { seen.withLock { $0 } }

    func insert(_ mark: ReplayMark, now: NumericDate) async -> ReplayAnswer {
        seen.withLock { $0.append(mark) }
        await Task.yield()
        return inner.insert(mark, now: now)
    }
}
