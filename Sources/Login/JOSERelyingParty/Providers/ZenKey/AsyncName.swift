internal import JOSEBytes

/// What a carrier calls a request of `beginServerInitiated`, and until when it answers.
struct AsyncName: Sendable {
    let requestID: String
    /// Seconds since 1970.
    let expires: Double

    init(requestID: String, expires: Double) {
        self.requestID = requestID
        self.expires = expires
    }

    init?(_ json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json.span),
            let requestID = object.first("id", in: json.span)?.string(in: json.span),
            let expires = object.first("expires", in: json.span)?.number(in: json.span)
        else { return nil }
        self.init(requestID: requestID, expires: expires)
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", requestID)
        writer.name("expires")
        writer.number(expires)
        writer.endObject()
        return writer.bytes
    }

    func isSame(as other: String) -> Bool { constantTimeEquals(requestID.utf8.span, other.utf8.span) }
}
