package import JOSEBytes

/// A protected header as it was received: its own bytes, and where each member stands in them. It is never written anew.
public struct JOSEHeader: Sendable {
    /// The JSON text, decoded from base64url.
    public let bytes: [UInt8]
    let object: JSONObject
    /// By `HeaderName.rawValue`: which member it is, or -1.
    let places: InlineArray<24, Int32>

    func value(_ name: HeaderName) -> JSONValue? { Self.value(name, object, places) }

    /// The same before there is a header: while one is read, nothing of it is copied.
    static func value(_ name: HeaderName, _ object: JSONObject, _ places: InlineArray<24, Int32>) -> JSONValue? {
        let place = places[Int(name.rawValue)]
        return place < 0 ? nil : object.members[Int(place)].value
    }

    private func string(_ name: HeaderName) -> String? { value(name)?.string(in: bytes.span) }

    /// The text of `alg`, whatever it is.
    public var algorithmName: String? { string(.alg) }
    /// The text of `enc`, whatever it is.
    public var contentEncryptionName: String? { string(.enc) }
    /// `kid`; public, and chosen by whoever made the token.
    public var keyID: String? { string(.kid) }
    /// `typ`.
    public var type: String? { string(.typ) }
    /// `cty`.
    public var contentType: String? { string(.cty) }

    /// A member of any name that is a string.
    public func string(_ name: String) -> String? { value(named: name)?.string(in: bytes.span) }
    /// A member of any name, as the JSON text that it is.
    public func json(_ name: String) -> [UInt8]? { value(named: name)?.slice(in: bytes.span) }

    private func value(named name: String) -> JSONValue? {
        object.first(Array(name.utf8).span, in: bytes.span)
    }
}

extension JOSEHeader {
    /// Bytes of memory that the header takes beside its own fields.
    package var heapBytes: Int { bytes.heapBytes + object.heapBytes }
}

extension JOSEHeader {
    /// What the outer header says of a claim that RFC 7519, 5.3 lets it repeat.
    package enum RepeatedClaim: CaseIterable, Sendable { case issuer, subject, audience }

    package func repeated(_ claim: RepeatedClaim) -> JSONValue? {
        switch claim {
        case .issuer: value(.iss)
        case .subject: value(.sub)
        case .audience: value(.aud)
        }
    }
}
