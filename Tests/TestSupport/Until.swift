/// Waits until the condition is true, for an action of another task. Ends after five minutes, so that the test's own check fails. Under a
/// sanitizer, beside other tests, a task may wait for its turn for more than one.
package func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
}
