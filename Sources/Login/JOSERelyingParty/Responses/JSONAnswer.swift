internal import JOSEBytes
internal import JOSEKeySets

/// A JSON object that an endpoint returned.
struct JSONAnswer: Sendable {
    let bytes: [UInt8]
    private let object: JSONObject

    init(_ bytes: [UInt8]) throws(RelyingPartyError.Reason) {
        do throws(JSONFault) {
            object = try JSONObject(parsing: bytes.span)
        } catch {
            throw .malformed
        }
        self.bytes = bytes
    }

    /// Reads the body of a response, which must be of the type `application/json`.
    init(_ response: TransportResponse) throws(RelyingPartyError.Reason) {
        guard response.isJSON else { throw .contentTypeMismatch }
        try self.init(response.body)
    }

    func value(_ name: String) -> JSONValue? { object.first(name.utf8.span, in: bytes.span) }
    func string(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
    func number(_ name: String) -> Double? { value(name)?.number(in: bytes.span) }

    /// Returns a member that must be a string and not empty.
    func required(_ name: ParameterName) throws(RelyingPartyError.Reason) -> String {
        guard let value = value(name.description) else { throw .missingParameter(name) }
        guard let text = value.string(in: bytes.span), !text.isEmpty else { throw .invalidParameter(name) }
        return text
    }

    /// Returns a member that is a whole number of seconds; nil if it is absent.
    func seconds(_ name: ParameterName) throws(RelyingPartyError.Reason) -> Double? {
        guard let value = value(name.description) else { return nil }
        guard let seconds = value.integer(in: bytes.span), (0...Int64(1) << 53).contains(seconds) else {
            throw .invalidParameter(name)
        }
        return Double(seconds)
    }

    /// Returns a member that is a whole number of seconds, as a duration; nil if it is absent.
    func duration(_ name: ParameterName) throws(RelyingPartyError.Reason) -> Duration? {
        try seconds(name).map { Duration(saturatingSeconds: $0) }
    }
}

extension TransportResponse {
    /// The media type without its parameters, in lower case.
    var mediaType: String {
        let type = (header("Content-Type") ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let lower = type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.filter { $0 != 0x20 && $0 != 0x09 }
        return String(decoding: lower, as: UTF8.self)
    }

    var isJSON: Bool { mediaType == "application/json" }
}
