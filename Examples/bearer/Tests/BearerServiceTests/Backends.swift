import InMemoryTracing
import Metrics
import MetricsTestKit
import Tracing

/// The metrics and the tracer of the process, which can be set once.
enum Backends {
    static let metrics = TestMetrics()
    static let tracer = InMemoryTracer()
    private static let once: Void = {
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
    }()

    static func start() { once }

    /// Returns the value of a counter; 0 if it does not exist.
    static func count(_ label: String, _ name: String, _ value: String) -> Int64 {
        (try? metrics.expectCounter(label, [(name, value)]).totalValue) ?? 0
    }
}
