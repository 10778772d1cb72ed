internal import JOSE
internal import JOSEBytes

/// The broker's response to a login that the back end began, as it is stored until the browser returns.
struct BackChannelNotes {
    let requestID: String
    /// The time from which the login can no longer be completed.
    let expires: NumericDate
    /// The shortest time between two polls.
    let interval: Duration

    private static let id = "ciba.id"
    private static let end = "ciba.expires"
    private static let pause = "ciba.interval"

    init(_ answer: JSONAnswer, now: NumericDate, limit: Duration) throws(RelyingPartyError.Reason) {
        requestID = try answer.required("auth_req_id")
        guard let lifetime = try answer.duration("expires_in"), lifetime > .zero else {
            throw .missingParameter("expires_in")
        }
        expires = now + min(lifetime, limit)
        // OpenID Connect CIBA, 7.3.
        interval = max(.seconds(1), try answer.duration("interval") ?? .seconds(5))
    }

    init?(_ notes: [String: String]) {
        guard let requestID = notes[Self.id], let expires = notes[Self.end].flatMap({ Double($0) }),
            let interval = notes[Self.pause].flatMap({ Double($0) })
        else { return nil }
        self.requestID = requestID
        self.expires = NumericDate(secondsSince1970: expires)
        self.interval = Duration(saturatingSeconds: interval)
    }

    var notes: [String: String] {
        [Self.id: requestID, Self.end: "\(expires.secondsSince1970)", Self.pause: "\(interval.inSeconds)"]
    }
}
