internal import JOSE
internal import JOSEKeySets
package import JOSESupport

/// A JSON object that an endpoint returned.
package struct JSONAnswer: Sendable, Redacted {
    package let bytes: [UInt8]
    private let object: JSONObject

    package init(_ bytes: [UInt8]) throws(RelyingPartyError.Reason) {
        do throws(JSONFault) {
            object = try JSONObject(parsing: bytes.span)
        } catch {
            throw .malformed
        }
        self.bytes = bytes
    }

    /// Reads the body of a response, which must be of the type `application/json`.
    package init(_ response: TransportResponse) throws(RelyingPartyError.Reason) {
        guard response.isJSON else { throw .contentTypeMismatch }
        try self.init(response.body)
    }

    /// Returns a member; nil if it is absent or null.
    package func value(_ name: String) -> JSONValue? {
        guard let value = object.first(name.utf8.span, in: bytes.span), value.kind != .null else { return nil }
        return value
    }
    package func string(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
    func number(_ name: String) -> Double? { value(name)?.number(in: bytes.span) }

    /// Returns a member that must be a string and not empty.
    package func required(_ name: ParameterName) throws(RelyingPartyError.Reason) -> String {
        guard let value = value(name.description) else { throw .missingParameter(name) }
        guard let text = value.string(in: bytes.span), !text.isEmpty else { throw .invalidParameter(name) }
        return text
    }

    /// Returns a number of seconds from 0 to 2^53 on which no check depends. Some providers send its digits as a
    /// string, or a number with a fraction (`3600.0`). Any other value counts as absent: the provider did not state the
    /// time.
    package func duration(_ name: ParameterName) -> Duration? {
        let name = name.description
        guard let seconds = number(name) ?? string(name).flatMap({ digits($0) }).map({ Double($0) }),
            (0...0x1p53).contains(seconds)
        else { return nil }
        return Duration(saturatingSeconds: seconds)
    }

    /// Returns the lifetime of what the provider issued, as `duration(_:)` reads it; nil if the provider did not state
    /// it.
    ///
    /// - Throws: `invalidParameter` for a lifetime that has already passed.
    func lifetime(_ name: ParameterName) throws(RelyingPartyError.Reason) -> Duration? {
        let lifetime = duration(name)
        let isNegative = number(name.description).map { $0 < 0 } ?? false
        if isNegative || lifetime == Duration.zero { throw .invalidParameter(name) }
        return lifetime
    }
}

extension TransportResponse {
    /// The media type without its parameters, in lower case.
    var mediaType: String {
        let type = (header("Content-Type") ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let lower = type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.filter { $0 != 0x20 && $0 != 0x09 }
        return String(decoding: lower, as: UTF8.self)
    }

    package var isJSON: Bool { mediaType == "application/json" }
}
