package import JOSESupport

/// A header of a received token. Its members are read from the bytes as they were received, and it is never serialized
/// again.
public struct JOSEHeader: Sendable {
    /// The JSON text, decoded from base64url.
    public let bytes: [UInt8]
    let object: JSONObject
    /// The index of each member by `HeaderName.rawValue`; -1 where it is absent.
    let memberIndices: InlineArray<24, Int32>

    func value(_ name: HeaderName) -> JSONValue? { Self.value(name, object, memberIndices) }

    /// Returns a member's value. It is static so that nothing is copied while a header is being read.
    static func value(_ name: HeaderName, _ object: JSONObject, _ memberIndices: InlineArray<24, Int32>) -> JSONValue? {
        let index = memberIndices[Int(name.rawValue)]
        return index < 0 ? nil : object.members[Int(index)].value
    }

    private func string(_ name: HeaderName) -> String? { value(name)?.string(in: bytes.span) }

    /// The value of `alg`, which may be the name of an unknown algorithm, or nil if it is absent or not a string.
    public var algorithmName: String? { string(.alg) }
    /// The value of `enc`, which may be the name of an unknown algorithm, or nil if it is absent or not a string.
    public var contentEncryptionName: String? { string(.enc) }
    /// The key ID `kid`, which is not secret and was chosen by the sender of the token.
    public var keyID: String? { string(.kid) }
    /// The media type of the token, `typ`.
    public var type: String? { string(.typ) }
    /// The media type of the content, `cty`.
    public var contentType: String? { string(.cty) }

    /// Returns the value of the member with this name if it is a string, and nil otherwise.
    public func string(_ name: String) -> String? { value(named: name)?.string(in: bytes.span) }
    /// Returns the JSON text of the value of the member with this name, or nil if the member is absent.
    public func json(_ name: String) -> [UInt8]? { value(named: name)?.slice(in: bytes.span) }

    private func value(named name: String) -> JSONValue? {
        object.first(name.utf8.span, in: bytes.span)
    }
}

extension JOSEHeader {
    /// The bytes of memory that the header takes besides its own fields.
    package var heapBytes: Int { bytes.heapBytes + object.heapBytes }
}

extension JOSEHeader {
    /// A claim that the header of a JWE may repeat (RFC 7519, 5.3).
    package enum RepeatedClaim: CaseIterable, Sendable { case issuer, subject, audience }

    package func repeated(_ claim: RepeatedClaim) -> JSONValue? {
        switch claim {
        case .issuer: value(.iss)
        case .subject: value(.sub)
        case .audience: value(.aud)
        }
    }
}
