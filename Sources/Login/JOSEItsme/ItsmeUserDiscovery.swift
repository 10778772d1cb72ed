public import JOSE
internal import JOSERelyingParty

/// A search for the user of a login that the back end begins. The user scans the QR code with itsme's app. The process
/// that began the search keeps this value and polls with it, from one task at a time. The value cannot be stored:
/// several processes cannot share a search, so that the service sends the requests of one user's browser to one
/// process, until the user is found.
public struct ItsmeUserDiscovery: Sendable {
    /// The image of the QR code, which the service shows in the browser. It may change with each poll.
    public internal(set) var image: [UInt8]
    /// The time from which the user can no longer be found.
    public let expires: NumericDate
    /// The earliest time at which `RelyingParty.poll(_:)` sends the next request.
    public var nextPoll: NumericDate { min(pace.next, expires) }
    let sessionID: String
    var pace: BackChannelPace
    var hasEnded = false
}

/// A user whom itsme has found. The identifier is used for one login, and it is not a key of an account.
public struct ItsmeDiscoveredUser: Sendable {
    let token: String
}

extension ItsmeUserDiscovery: Redacted {}

extension ItsmeDiscoveredUser: Redacted {}
