internal import JOSE
internal import JOSESupport

/// The times at which a login that the back end began may be polled for (OpenID Connect CIBA Core, 7.3 and 11).
package struct BackChannelPace: Sendable, Equatable {
    /// The shortest time from the end of a poll to the next one.
    private(set) var interval: Duration
    /// The time from the end of the last poll to the next one. It is longer than `interval` while the provider fails.
    private var pause: Duration
    /// The earliest time of the next poll.
    package private(set) var next: NumericDate

    /// The longest pause between two polls of a provider that fails.
    static let longestPause = Duration.seconds(60)
    /// The time that `slow_down` adds to the interval.
    private static let slowing = Duration.seconds(5)

    package init(interval: Duration, after end: NumericDate) {
        self.interval = interval
        pause = interval
        next = end + interval
    }

    /// Creates the pace of a login whose stored one was lost with a process or by a store without room. The lost one
    /// may have had a longer interval.
    init(lostWith interval: Duration, at now: NumericDate) { self.init(interval: interval + Self.slowing, after: now) }

    /// Records a poll that ended at `now` with a response of the provider.
    ///
    /// - Parameters:
    ///   - now: The time at which the poll ended.
    ///   - slowDown: Whether the response is `slow_down`.
    ///   - delay: The time that the response asks to wait (`Retry-After`); nil if it does not.
    package mutating func answered(at now: NumericDate, slowDown: Bool = false, retryAfter delay: Duration? = nil) {
        if slowDown { interval += Self.slowing }
        pause = interval
        next = now + max(pause, delay ?? .zero)
    }

    /// Records a poll that ended at `now` without a response that the protocol defines.
    ///
    /// - Parameters:
    ///   - now: The time at which the poll ended.
    ///   - delay: The time that the response asks to wait (`Retry-After`); nil if it does not.
    package mutating func failed(at now: NumericDate, retryAfter delay: Duration? = nil) {
        pause = max(interval, min(pause * 2, Self.longestPause))
        next = now + max(pause, delay ?? .zero)
    }

    init?(json: [UInt8]) {
        let text = json.span
        guard let object = try? JSONObject(parsing: text) else { return nil }
        func number(_ name: StaticString) -> Double? { object.first(name, in: text)?.number(in: text) }
        guard let interval = number("interval"), let pause = number("pause"), let next = number("next") else {
            return nil
        }
        self.interval = Duration(saturatingSeconds: interval)
        self.pause = Duration(saturatingSeconds: pause)
        self.next = NumericDate(secondsSince1970: next)
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("interval", interval.inSeconds), ("pause", pause.inSeconds), ("next", next.secondsSince1970),
        ] {
            writer.name(name)
            writer.number(value)
        }
        writer.endObject()
        return writer.bytes
    }
}
