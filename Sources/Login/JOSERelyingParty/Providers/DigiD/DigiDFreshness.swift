/// How old a request may be. DigiD's app gives up on one of more than a minute, and its back end on one from the future.
package enum DigiDFreshness: Sendable, Equatable {
    case fresh
    /// DigiD's app answers with `timeout`.
    case old
    /// DigiD refuses it.
    case ahead

    /// Seconds.
    package static let limit = 60.0

    /// The instant that a request made now has: whole seconds, a little behind, for clocks differ.
    package static func issueInstant(at now: Double) -> Double { Double(Int64(now)) - 2 }

    /// Of a request, by the clock of who reads it.
    package init(of instant: Double, at now: Double) {
        self = instant > now ? .ahead : now - instant > Self.limit ? .old : .fresh
    }
}
