internal import JOSE
internal import JOSEBytes

/// The provider's acknowledgement of an authentication request (OpenID Connect CIBA Core, 7.3).
struct BackChannelAcknowledgement: Sendable, Equatable {
    /// The identifier of the request (`auth_req_id`). It never leaves the back end.
    let requestID: String
    /// The time from which the login can no longer be completed.
    let expires: NumericDate
    /// The shortest time between two polls.
    let interval: Duration

    /// Reads an acknowledgement.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - began: The time at which the request was sent.
    ///   - limit: The longest time that a login may take.
    init(_ answer: JSONAnswer, since began: NumericDate, limit: Duration) throws(RelyingPartyError.Reason) {
        requestID = try answer.required("auth_req_id")
        guard Self.isRequestID(requestID) else { throw .invalidParameter("auth_req_id") }
        guard let lifetime = try answer.duration("expires_in"), lifetime > .zero else {
            throw .missingParameter("expires_in")
        }
        expires = began + min(lifetime, limit)
        interval = max(.seconds(1), try answer.duration("interval") ?? .seconds(5))
    }

    private static func isRequestID(_ text: String) -> Bool {
        text.utf8.count <= 1_024
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
    }

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

extension BackChannelAcknowledgement: CustomStringConvertible, CustomReflectable {
    var description: String { "BackChannelAcknowledgement" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
