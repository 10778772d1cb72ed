package import JOSE
package import JOSEBytes

/// The claims of a token that held. Each is read from the verified bytes when it is asked for.
public struct Claims: Sendable {
    /// The JSON text as it was signed or encrypted.
    public let payload: [UInt8]
    let object: JSONObject

    package init(payload: [UInt8], limits: ParsingLimits, layer: TokenLayer) throws(TokenError) {
        self.payload = payload
        var json = JSONLimits()
        json.depth = limits.jsonDepth
        json.members = limits.objectMembers
        do throws(JSONFault) {
            object = try JSONObject(parsing: payload.span, limits: json)
        } catch {
            throw .jose(JOSEError(error, in: .claims), layer: layer)
        }
    }

    private init(payload: [UInt8], object: JSONObject) {
        self.payload = payload
        self.object = object
    }

    /// Returns the same claims without memory that is not needed any more: the scanner's stack, and the place of the signature
    /// behind the payload.
    func trimmed() -> Claims { Claims(payload: payload.trimmedBytes(), object: object.trimmed()) }

    /// Bytes of memory that the claims take beside their own fields.
    var heapBytes: Int { payload.heapBytes + object.heapBytes }

    /// `iss`.
    public var issuer: String? { string("iss") }
    /// `sub`.
    public var subject: String? { string("sub") }
    /// `aud`, as a list however it was written; empty where it is absent or of another type.
    public var audience: [String] { strings("aud") ?? [] }
    /// `jti`.
    public var tokenID: String? { string("jti") }
    /// `exp`, in seconds since 1970.
    public var expiration: Double? { number("exp") }
    /// `nbf`, in seconds since 1970.
    public var notBefore: Double? { number("nbf") }
    /// `iat`, in seconds since 1970.
    public var issuedAt: Double? { number("iat") }

    /// Nil where the claim is absent or not a string; so are the next for their kinds.
    public func string(_ name: String) -> String? { value(name)?.string(in: payload.span) }
    /// A claim that is a number; nil for another type, a text of digits included.
    public func number(_ name: String) -> Double? { value(name)?.number(in: payload.span) }
    /// A number without fraction or exponent that fits.
    public func integer(_ name: String) -> Int64? { value(name)?.integer(in: payload.span) }
    /// A claim that is `true` or `false`; nil for another type.
    public func bool(_ name: String) -> Bool? { value(name)?.bool() }

    /// A string, or an array of nothing but strings.
    public func strings(_ name: String) -> [String]? {
        guard let value = value(name) else { return nil }
        if let one = value.string(in: payload.span) { return [one] }
        guard let values = value.array(in: payload.span) else { return nil }
        var texts: [String] = []
        for value in values {
            guard let text = value.string(in: payload.span) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// The claim's own JSON text.
    public func json(_ name: String) -> [UInt8]? { value(name)?.slice(in: payload.span) }

    var isEmpty: Bool { object.members.isEmpty }

    /// Whether it is there, `null` included.
    public func contains(_ name: String) -> Bool { value(name) != nil }

    /// A member of a claim that is an object; its place is in `payload`.
    package func member(_ name: String, of claim: String) -> JSONValue? {
        value(claim)?.object(in: payload.span)?.first(name.utf8.span, in: payload.span)
    }

    package func value(_ name: String) -> JSONValue? { object.first(name.utf8.span, in: payload.span) }
}

extension Claims: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the claims: they are other people's.
    public var description: String { "Claims(\(object.members.count) members)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
