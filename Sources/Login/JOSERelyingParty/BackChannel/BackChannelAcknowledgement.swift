package import JOSE
internal import JOSESupport

/// The provider's acknowledgement of an authentication request (OpenID Connect CIBA Core, 7.3).
package struct BackChannelAcknowledgement: Sendable, Equatable {
    /// The identifier of the request (`auth_req_id`). It never leaves the back end.
    package let requestID: String
    /// The time from which the login can no longer be completed. A provider that states no lifetime leaves it to the
    /// profile.
    package let expires: NumericDate
    /// The shortest time between two polls, which is not longer than the login.
    package let interval: Duration

    /// Reads an acknowledgement.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - began: The time at which the request was sent.
    ///   - limit: The longest time that a login may take.
    init(_ answer: JSONAnswer, since began: NumericDate, limit: Duration) throws(RelyingPartyError.Reason) {
        requestID = try answer.required("auth_req_id")
        guard requestID.utf8.count <= 1_024, requestID.isAlphanumeric(or: "._-") else {
            throw .invalidParameter("auth_req_id")
        }
        let longest = min(try answer.lifetime("expires_in") ?? limit, limit)
        expires = began + longest
        interval = min(max(.seconds(1), answer.duration("interval") ?? .seconds(5)), longest)
    }

    /// Returns the time at which a service polls next: that of the next request, or that from which a poll reports that
    /// the login has expired.
    func nextPoll(_ request: NumericDate) -> NumericDate { min(request, expires) }

    init?(_ json: JSONValue, in text: Span<UInt8>) {
        let members = json.object(in: text) ?? []
        func value(_ name: String) -> JSONValue? { members.first { $0.name(in: text) == name }?.value }
        guard let requestID = value("id")?.string(in: text), let expires = value("expires")?.number(in: text),
            let interval = value("interval")?.number(in: text)
        else { return nil }
        self.requestID = requestID
        self.expires = NumericDate(secondsSince1970: expires)
        self.interval = Duration(saturatingSeconds: interval)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", requestID)
        writer.name("expires")
        writer.number(expires.secondsSince1970)
        writer.name("interval")
        writer.number(interval.inSeconds)
        writer.endObject()
    }
}

extension BackChannelAcknowledgement: Redacted {}
