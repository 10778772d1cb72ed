public import JOSE
package import JOSESupport

/// The claims of a verified token. Each one is read from the verified bytes when it is requested.
public struct Claims: Sendable {
    /// The JSON text of the claims, as it was signed or encrypted.
    public let payload: [UInt8]
    let object: JSONObject

    /// Parses a JSON object of claims.
    ///
    /// - Throws: `jose` errors of the given layer, for text that is not strict JSON or exceeds the limits.
    package init(payload: [UInt8], limits: ParsingLimits, layer: TokenLayer) throws(TokenError) {
        self.payload = payload
        do throws(JSONFault) {
            object = try JSONObject(parsing: payload.span, limits: limits.json)
        } catch {
            throw .jose(JOSEError(error, in: .claims), layer: layer)
        }
    }

    private init(payload: [UInt8], object: JSONObject) {
        self.payload = payload
        self.object = object
    }

    /// Returns equal claims without memory that is no longer needed: the scanner's stack, and the bytes of the
    /// signature after the payload.
    func trimmed() -> Claims { Claims(payload: payload.trimmedBytes(), object: object.trimmed()) }

    /// The number of bytes on the heap that the claims use.
    var heapBytes: Int { payload.heapBytes + object.heapBytes }

    /// The issuer, `iss`.
    public var issuer: String? { string("iss") }
    /// The subject, `sub`.
    public var subject: String? { string("sub") }
    /// The audience, `aud`, as a list even if it is a single string; empty if the claim is absent or of another type.
    public var audience: [String] { strings("aud") ?? [] }
    /// The identifier of the token, `jti`.
    public var tokenID: String? { string("jti") }
    /// The time at which the token expires, `exp`.
    public var expiration: NumericDate? { date("exp") }
    /// The time before which the token is not valid, `nbf`.
    public var notBefore: NumericDate? { date("nbf") }
    /// The time at which the token was issued, `iat`.
    public var issuedAt: NumericDate? { date("iat") }

    /// Returns a claim that is a string.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The string; nil if the claim is absent or not a string.
    public func string(_ name: String) -> String? { value(name)?.string(in: payload.span) }
    /// Returns a claim that is a number.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The number; nil if the claim is absent or not a number. A string of digits is not a number.
    public func number(_ name: String) -> Double? { value(name)?.number(in: payload.span) }
    /// Returns a claim that is a point in time, such as `auth_time` (RFC 7519, 2).
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The point in time; nil if the claim is absent, is not a number, or is more than 2^53 seconds from
    ///   1970.
    public func date(_ name: String) -> NumericDate? { value(name).flatMap { date(of: $0) } }
    /// Returns a claim that is an integer.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The integer; nil if the claim is absent, is not a number, is written with a fraction or an exponent,
    ///   or does not fit in 64 bits.
    public func integer(_ name: String) -> Int64? { value(name)?.integer(in: payload.span) }
    /// Returns a claim that is `true` or `false`.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The value; nil if the claim is absent or of another type.
    public func bool(_ name: String) -> Bool? { value(name)?.bool() }

    /// Returns a claim that is a string or an array of strings.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The strings, where a single string is a list of one; nil if the claim is absent, or an element is not
    ///   a string.
    public func strings(_ name: String) -> [String]? { value(name).flatMap { strings(of: $0) } }

    /// Returns the point in time that a value is: a JSON number of seconds since 1970 (RFC 7519, 2). The result is nil
    /// for a value of another type, a string of digits included, and for a number beyond ``NumericDate/bound``.
    func date(of value: JSONValue) -> NumericDate? {
        guard let number = value.number(in: payload.span), abs(number) <= NumericDate.bound else { return nil }
        return NumericDate(secondsSince1970: number)
    }

    /// Returns the strings of a value that is a string or an array of strings; nil for any other value.
    func strings(of value: JSONValue) -> [String]? {
        if let one = value.string(in: payload.span) { return [one] }
        guard let values = value.array(in: payload.span) else { return nil }
        let texts = values.compactMap { $0.string(in: payload.span) }
        return texts.count == values.count ? texts : nil
    }

    /// Returns the JSON text of a claim, byte for byte as it is in the payload.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    /// - Returns: The JSON text; nil if the claim is absent.
    public func json(_ name: String) -> [UInt8]? { value(name)?.slice(in: payload.span) }

    var isEmpty: Bool { object.members.isEmpty }

    /// Returns whether a claim is present; `null` counts as present.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte.
    public func contains(_ name: String) -> Bool { value(name) != nil }

    /// Returns a member of a claim that is an object. Its range is within `payload`.
    package func member(_ name: String, of claim: String) -> JSONValue? {
        value(claim)?.object(in: payload.span)?.first(name.utf8.span, in: payload.span)
    }

    /// Returns the JSON value of a claim. Its range is within `payload`.
    package func value(_ name: String) -> JSONValue? { object.first(name.utf8.span, in: payload.span) }
}

extension Claims {
    /// Names the methods that read a claim.
    @available(
        *, unavailable,
        message:
            "read a claim by its type: string(_:), strings(_:), integer(_:), number(_:), bool(_:), date(_:) or decode(as:)"
    )
    public subscript(_ name: String) -> String? { string(name) }
}

extension Claims: Redacted {
    /// A description with the number of claims and none of their values, which may be personal data.
    package var summary: String { "Claims(\(object.members.count) members)" }
}
