internal import JOSEBytes

/// What a source takes from outside: time and chance. Tests bring their own.
package struct FetchEnvironment: Sendable {
    /// Seconds that only ever grow, the same whoever sets the clock on the wall. They count while the machine sleeps: an age is
    /// how old a key is, not for how long a process ran.
    package let now: @Sendable () -> Double
    /// Returns at that time, or throws when the task is cancelled.
    package let sleep: @Sendable (_ until: Double) async throws -> Void
    /// A number of 0..<1.
    package let chance: @Sendable () -> Double

    /// Seconds since 1970, for what outlives the process; nothing else goes by them.
    package let wall: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (_ until: Double) async throws -> Void,
        chance: @escaping @Sendable () -> Double, wall: @escaping @Sendable () -> Double = SystemClock.now
    ) {
        self.wall = wall
        self.now = now
        self.sleep = sleep
        self.chance = chance
    }

    /// Of the machine.
    package static let system = FetchEnvironment(
        now: SystemClock.elapsed,
        sleep: { until in try await Task.sleep(for: Duration(inSeconds: until - SystemClock.elapsed())) },
        chance: { Double.random(in: 0..<1) })
}
