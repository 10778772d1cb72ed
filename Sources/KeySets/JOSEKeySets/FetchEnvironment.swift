internal import JOSESupport

/// The clocks and the source of randomness that a key source uses. Tests replace them.
package struct FetchEnvironment: Sendable {
    /// Returns the time of a monotonic clock, in seconds. Setting the system clock does not change it, and it advances
    /// while the machine sleeps, because keys age during that time too.
    package let now: @Sendable () -> Double
    /// Returns at the given time, or throws when the task is cancelled.
    package let sleep: @Sendable (_ until: Double) async throws -> Void
    /// Returns a random number in 0..<1.
    package let chance: @Sendable () -> Double

    /// Returns the seconds since 1970. They are used only for values that outlive the process, such as a snapshot.
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
