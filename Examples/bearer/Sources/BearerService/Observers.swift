import JOSEKeySets
import JOSETokens
import Logging
import Metrics
import Tracing

/// An observer that counts verifications, logs rejected tokens and those that could not be verified, and gives each verification a span below that of its request.
public struct TokenObserver: VerificationObserver {
    private let logger: Logger
    private let accepted = Counter(label: "tokens_verified_total", dimensions: [("result", "accepted")])
    private let time = Metrics.Timer(label: "token_verification_seconds")

    /// Creates an observer. The metrics system must have been bootstrapped before.
    public init(logger: Logger) { self.logger = logger }

    public var measuresDuration: Bool { true }

    // Sample: an observer of verifications
    public func didVerify(_ verification: Verification) {
        let span = startSpan("verify token", ofKind: .internal)
        defer { span.end() }
        if let issuer = verification.issuer { span.attributes["token.issuer"] = issuer }
        if let algorithm = verification.algorithm { span.attributes["token.algorithm"] = algorithm.name }
        if let duration = verification.duration { time.record(duration: duration) }
        guard let error = verification.error else { return accepted.increment() }
        // A code is one of a fixed number of words, so that the dimension is bounded.
        Counter(label: "tokens_verified_total", dimensions: [("result", error.code)]).increment()
        span.attributes["token.error"] = error.code
        if verification.isRejected {
            logger.info("token rejected", metadata: ["error": "\(error.code)"])
        } else {
            logger.warning("token not verified", metadata: ["error": "\(error.code)"])
        }
    }
    // Sample: end
}

/// An observer that logs the events of a key set, alarms as errors, and counts them.
public struct KeyObserver: KeySetObserver {
    private let logger: Logger

    /// Creates an observer.
    public init(logger: Logger) { self.logger = logger }

    public func keySet(_ name: String, _ event: KeySetEvent) {
        Counter(label: "key_set_events_total", dimensions: [("event", event.name)]).increment()
        logger.log(level: event.isAlarm ? .error : .info, "\(event)", metadata: ["keys": "\(name)"])
    }
}
