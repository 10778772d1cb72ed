internal import JOSERelyingParty

/// The freshness of a request. DigiD's app rejects a request that is older than a minute, and DigiD's back end rejects
/// one that was issued in the future.
package enum DigiDFreshness: Sendable, Equatable {
    /// The request is accepted.
    case fresh
    /// The request is too old. DigiD's app responds with `timeout`.
    case old
    /// The request was issued in the future. DigiD rejects it.
    case ahead

    /// The greatest accepted age of a request, in seconds.
    package static let limit = 60.0

    /// Returns the `IssueInstant` of a request that is created at `now`, in seconds since 1970: `now` in whole seconds,
    /// minus two seconds, because clocks differ.
    package static func issueInstant(at now: Double) -> Double { Double(Int64(now)) - 2 }

    /// Creates the freshness of a request from its `IssueInstant` and the receiver's current time, both in seconds
    /// since 1970.
    package init(of instant: Double, at now: Double) {
        self = instant > now ? .ahead : now - instant > Self.limit ? .old : .fresh
    }
}
