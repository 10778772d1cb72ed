internal import JOSE
internal import JOSESupport

/// A claim or an array element that the holder may disclose: a salt, the name of the claim, and its value (RFC 9901,
/// 4.2).
public struct Disclosure: Sendable {
    /// The base64url text as it was issued, over which the digest is computed.
    let text: [UInt8]
    /// The JSON array that the text encodes.
    let bytes: [UInt8]
    let value: JSONValue
    /// The name of the claim; nil for an array element.
    public let name: String?

    /// The JSON text of the value. Nested claims with disclosures of their own are represented by their digests.
    public var json: [UInt8] { value.slice(in: bytes.span) }
    /// The value, if it is a string; otherwise nil.
    public var string: String? { value.string(in: bytes.span) }

    /// Parses a disclosure from strict base64url and strict JSON (RFC 9901, 7.1, step 3).
    init(text: [UInt8], limits: JSONLimits) throws(TokenError) {
        guard let bytes = Base64URL.decode(text.span) else { throw .disclosure(.malformed) }
        let array: JSONArray
        do throws(JSONFault) {
            array = try JSONArray(parsing: bytes.span, limits: limits)
        } catch {
            throw TokenError(error, .malformed)
        }
        let values = array.values
        guard values.count == 2 || values.count == 3, values[0].kind == .string, let value = values.last else {
            throw .disclosure(.malformed)
        }
        self.text = text
        self.bytes = bytes
        self.value = value
        guard values.count == 3 else {
            name = nil
            return
        }
        guard let name = values[1].string(in: bytes.span) else { throw .disclosure(.malformed) }
        guard !Self.isReserved(name) else { throw .disclosure(.reservedName) }
        self.name = name
    }

    /// Creates a new disclosure with a salt of 128 random bits (RFC 9901, 4.2.1).
    init(name: String?, value: ClaimValue, limits: JSONLimits) throws(TokenError) {
        let salt = try inLayer(.signature, freshIdentifier())
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(salt)
        if let name { writer.string(name) }
        value.write(to: &writer)
        writer.endArray()
        try self.init(text: Base64URL.encode(writer.bytes.span), limits: limits)
    }

    /// Returns the digest, in base64url, which stands for the disclosure in the issuer's JWT (RFC 9901, 4.2.3).
    func digest(_ hash: HashAlgorithm) throws(TokenError) -> [UInt8] { try hash.digest(text.span) }

    static func isReserved(_ name: String) -> Bool {
        let bytes = name.utf8.span
        return bytesEqual(bytes, "_sd") || bytesEqual(bytes, "...") || bytesEqual(bytes, "_sd_alg")
    }
}

extension Disclosure: Redacted {
    /// A description without the claim, which may be personal data.
    package var summary: String { "Disclosure" }
}
