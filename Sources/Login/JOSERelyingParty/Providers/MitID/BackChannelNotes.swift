/// What the broker answered to a login that the back end began, as it is kept until the browser is back.
struct BackChannelNotes {
    let requestID: String
    /// Seconds since 1970.
    let expires: Double
    /// Seconds between two questions.
    let interval: Double

    private static let id = "ciba.id"
    private static let end = "ciba.expires"
    private static let pause = "ciba.interval"

    init(_ answer: JSONAnswer, now: Double, mostSeconds: Double) throws(RelyingPartyError.Reason) {
        requestID = try answer.required("auth_req_id")
        guard let seconds = try answer.seconds("expires_in"), seconds > 0 else { throw .missingParameter("expires_in") }
        expires = now + min(seconds, mostSeconds)
        // OpenID Connect CIBA, 7.3.
        interval = max(1, try answer.seconds("interval") ?? 5)
    }

    init?(_ notes: [String: String]) {
        guard let requestID = notes[Self.id], let expires = notes[Self.end].flatMap({ Double($0) }),
            let interval = notes[Self.pause].flatMap({ Double($0) })
        else { return nil }
        self.requestID = requestID
        self.expires = expires
        self.interval = interval
    }

    var notes: [String: String] {
        [Self.id: requestID, Self.end: "\(expires)", Self.pause: "\(interval)"]
    }
}
