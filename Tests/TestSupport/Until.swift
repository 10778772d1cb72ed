/// Waits until the condition is true, for an action of another task. Ends after five minutes, so that the test's own check fails. Under a
/// sanitizer, beside other tests, a task may wait more than one minute for its turn.
package func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
}

/// Waits until the value is the same twice, 50 milliseconds apart, and returns it.
package func settled<Value: Equatable>(_ value: () -> Value) async throws -> Value {
    var last = value()
    while true {
        try await Task.sleep(for: .milliseconds(50))
        let next = value()
        if next == last { return next }
        last = next
    }
}

extension Duration {
    /// A time limit of calls that a test expects to end before it, and the delay of a service that a test expects not to wait for: as in
    /// ``until(_:)``, a task may wait minutes for its turn.
    package static let ample = Duration.seconds(600)
}
