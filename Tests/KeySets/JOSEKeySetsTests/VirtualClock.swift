import JOSEKeySets
import Synchronization

/// Time that passes when a test says so. Whoever sleeps by it is woken in the order of their times.
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

    /// What chance comes to.
    var chance: Double {
        get { state.withLock { $0.chance } }
        set { state.withLock { $0.chance = newValue } }
    }

    var surroundings: FetchEnvironment {
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

    /// Moves on, and gives those who are woken the time to do what they do, each at its own moment.
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
            // Whoever was woken mostly sleeps again, or is done soon.
            _ = await eventually(within: .milliseconds(20)) { self.sleeperCount > before }
            await settle()
            // On a busy machine a fetch may take long, and is not to miss its deadline by this clock for that.
            _ = await eventually(within: .milliseconds(100)) { self.isAtRest }
        }
        await settle()
    }

    /// No source that is watched fetches, but for those that sleep by this clock meanwhile.
    private var isAtRest: Bool {
        let (sources, sleepers) = state.withLock { ($0.watched.compactMap(\.source), $0.sleepers.count) }
        return sleepers > sources.count || sources.allSatisfy { !$0.health.isFetching }
    }

    /// Time passes no faster than this source comes to rest.
    func watch(_ source: RemoteKeySet) { state.withLock { $0.watched.append(Watched(source: source)) } }

    /// As a machine that was suspended finds it: time has passed, and no timer has rung.
    func jump(by seconds: Double) { state.withLock { $0.now += seconds } }

    /// Without moving on: what was begun comes to rest.
    func settle() async {
        for _ in 0..<20 { await Task.yield() }
    }
}

/// Whether `condition` comes true: soon, or as soon as a machine that is busy with a sanitizer and other builds comes to it.
func eventually(within limit: Duration = .seconds(60), _ condition: @Sendable () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now >= end { return false }
        try? await Task.sleep(for: .microseconds(200))
    }
    return true
}
