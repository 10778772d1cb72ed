import JOSEKeySets
import Synchronization

/// A clock that tests advance. Sleeping tasks are resumed in the order of their times.
final class VirtualClock: Sendable {
    private struct Sleeper: Sendable {
        let until: Double
        let continuation: CheckedContinuation<Bool, Never>
    }
    private struct Watched: Sendable {
        weak let source: RemoteKeySet?
    }
    private struct State {
        var watched: [Watched] = []
        var now = 1_000.0
        var chance = 0.5
        var sleepers: [Int: Sleeper] = [:]
        var number = 0
    }
    private let state = Mutex(State())

    var now: Double { state.withLock { $0.now } }
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The value of the random numbers.
    var chance: Double {
        get { state.withLock { $0.chance } }
        set { state.withLock { $0.chance = newValue } }
    }

    var environment: FetchEnvironment {
        FetchEnvironment(
            now: { self.now }, sleep: { try await self.sleep(until: $0) }, chance: { self.state.withLock { $0.chance } }
        )
    }

    private func sleep(until: Double) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if until <= state.now { return true }
                    state.sleepers[number] = Sleeper(until: until, continuation: continuation)
                    return nil
                }
                if let end { continuation.resume(returning: end) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }

    /// Advances the clock, and lets each resumed task do its work at its own time.
    func advance(by seconds: Double) async {
        let end = now + seconds
        while true {
            let woken: Sleeper? = state.withLock { state in
                guard let next = state.sleepers.min(by: { $0.value.until < $1.value.until }), next.value.until <= end
                else {
                    state.now = max(state.now, end)
                    return nil
                }
                state.now = max(state.now, next.value.until)
                return state.sleepers.removeValue(forKey: next.key)
            }
            guard let woken else { break }
            let before = sleeperCount
            woken.continuation.resume(returning: true)
            // A resumed task usually sleeps again or ends soon.
            _ = await eventually(within: .milliseconds(20)) { self.sleeperCount > before }
            await settle()
            // On a busy machine a fetch may be slow, and must not miss its deadline by this clock for that.
            _ = await eventually(within: .milliseconds(100)) { self.isAtRest }
        }
        await settle()
    }

    /// Whether no watched source fetches, except those that sleep by this clock.
    private var isAtRest: Bool {
        let (sources, sleepers) = state.withLock { ($0.watched.compactMap(\.source), $0.sleepers.count) }
        return sleepers > sources.count || sources.allSatisfy { !$0.health.isFetching }
    }

    /// Makes the clock wait for the source after each step.
    func watch(_ source: RemoteKeySet) { state.withLock { $0.watched.append(Watched(source: source)) } }

    /// Advances the clock as after a suspension: no timer fires.
    func jump(by seconds: Double) { state.withLock { $0.now += seconds } }

    /// Lets the tasks that have begun come to rest, without advancing the clock.
    func settle() async {
        for _ in 0..<20 { await Task.yield() }
    }
}

/// Returns whether `condition` becomes true within a limit that suffices for a busy machine.
func eventually(within limit: Duration = .seconds(300), _ condition: @Sendable () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now >= end { return false }
        try? await Task.sleep(for: .microseconds(200))
    }
    return true
}
