/// Waits until the condition is true, for an action of another task. Ends after a minute, so that the test's own check fails.
package func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
}
