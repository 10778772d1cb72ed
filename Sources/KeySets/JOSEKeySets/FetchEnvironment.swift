internal import JOSEBytes

/// The clocks and the randomness that a key source uses. Tests bring their own.
package struct FetchEnvironment: Sendable {
    /// Returns monotonic seconds, which do not change when the system clock is set. They advance while the machine sleeps,
    /// because the age of a key does not depend on the process.
    package let now: @Sendable () -> Double
    /// Returns at the given time, or throws when the task is cancelled.
    package let sleep: @Sendable (_ until: Double) async throws -> Void
    /// Returns a random number in 0..<1.
    package let chance: @Sendable () -> Double

    /// Returns the seconds since 1970, for what outlives the process. Nothing else uses them.
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

    /// The environment of the system.
    package static let system = FetchEnvironment(
        now: SystemClock.elapsed,
        sleep: { until in try await Task.sleep(for: Duration(inSeconds: until - SystemClock.elapsed())) },
        chance: { Double.random(in: 0..<1) })
}
