internal import JOSESupport

/// The header parameters to write into a token, other than `alg`, `enc` and those that the algorithm adds.
public struct HeaderParameters: Sendable {
    /// The media type of the token, `typ`.
    public var type: String?
    /// The media type of the content, `cty`.
    public var contentType: String?
    /// The key ID, `kid`. If it is nil, the `kid` of the key is written.
    public var keyID: String?
    /// The names in `crit`. Each must be the name of a header parameter that this value sets (RFC 7515, 4.1.11).
    public var critical: [String] = []
    /// A Boolean value that indicates whether the payload is signed without base64url encoding: `b64` is false and
    /// listed in `crit` (RFC 7797, 3). It applies to JWS only, and is not allowed in a JWT.
    public var payloadIsUnencoded = false
    /// The agreement PartyUInfo `apu`, before base64url encoding, for ECDH-ES only (RFC 7518, 4.6.1.2).
    public var agreementPartyU: [UInt8]?
    /// The agreement PartyVInfo `apv`, before base64url encoding, for ECDH-ES only (RFC 7518, 4.6.1.3).
    public var agreementPartyV: [UInt8]?
    /// The number of PBKDF2 iterations `p2c`, at least 1 000, for PBES2 only. If it is nil, 310 000 is used (RFC 7518,
    /// 4.8.1.2).
    public var passwordIterations: Int?
    var iterations: Int { passwordIterations ?? 310_000 }
    /// A Boolean value that indicates whether the content of a JWE is compressed before it is encrypted (`zip`: `DEF`).
    /// It requires the package trait `Zip`.
    ///
    /// The length of such a token reveals information about its content: do not compress a secret together with data
    /// that an attacker chooses (RFC 8725, 3.6).
    public var compresses = false
    private(set) var certificates: KeyCertificates?
    private(set) var members: [(name: String, json: [UInt8])] = []

    /// Creates header parameters. Set the other ones with the properties and methods of this type.
    ///
    /// - Parameters:
    ///   - type: The media type of the token, `typ`.
    ///   - contentType: The media type of the content, `cty`.
    ///   - keyID: The key ID, `kid`. If it is nil, the `kid` of the key is written.
    public init(type: String? = nil, contentType: String? = nil, keyID: String? = nil) {
        self.type = type
        self.contentType = contentType
        self.keyID = keyID
    }

    /// Sets the certificate members. A signer or encrypter rejects the header with `keyInvalid` if the
    /// first certificate does not contain its key.
    ///
    /// - Parameters:
    ///   - chain: The chain, beginning with the certificate of the key.
    ///   - members: The members to write: `x5c`, `x5t`, `x5t#S256`.
    public mutating func set(certificates chain: CertificateChain, members: CertificateMembers = .x5c) {
        certificates = KeyCertificates(chain, members: members)
    }

    /// Adds a member whose value is a string. A signer or encrypter rejects the header with `JOSEError.headerInvalid`
    /// or `malformed` if the member is a duplicate, or if this type has a property for it, as for `typ`.
    public mutating func set(_ name: String, _ value: String) {
        var writer = JSONWriter()
        writer.string(value)
        members.append((name, writer.bytes))
    }

    /// Adds a member whose value is an integer. A signer or encrypter rejects the header with `JOSEError.headerInvalid`
    /// or `malformed` if the member is a duplicate, or if this type has a property for it, as for `typ`.
    public mutating func set(_ name: String, _ value: Int64) {
        var writer = JSONWriter()
        writer.integer(value)
        members.append((name, writer.bytes))
    }

    /// Adds a member whose value is given as JSON text. A signer or encrypter rejects the header with
    /// `JOSEError.headerInvalid` if the text is not exactly one JSON value.
    public mutating func set(_ name: String, json: [UInt8]) { members.append((name, json)) }

    private static let reserved = ["alg", "enc", "kid", "typ", "cty", "crit", "apu", "apv", "epk", "zip"]

    private static func isOneValue(_ json: [UInt8]) -> Bool {
        let list = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        return (try? JSONArray(parsing: list.span))?.values.count == 1
    }

    /// Rejects the members that belong to a recipient of a JWE, because only its key management uses them.
    func rejectRecipientMembers() throws(JOSEError) {
        guard agreementPartyU == nil, agreementPartyV == nil else { throw .headerInvalid(.agreementInfo) }
        guard passwordIterations == nil else { throw .headerInvalid(.password) }
    }

    /// Returns the JSON text. `between` writes the members of the algorithm.
    func write(
        algorithm: StaticString?, contentEncryption: StaticString?, keyID fallback: String?,
        between: (inout JSONWriter) -> Void = { _ in }
    ) throws(JOSEError) -> [UInt8] {
        if payloadIsUnencoded, contentEncryption != nil { throw .headerInvalid(.b64) }
        var writer = JSONWriter()
        writer.beginObject()
        if let algorithm { writer.member("alg", algorithm.description) }
        if let contentEncryption { writer.member("enc", contentEncryption.description) }
        if let keyID = keyID ?? fallback { writer.member("kid", keyID) }
        certificates?.write(to: &writer)
        if let type { writer.member("typ", type) }
        if let contentType { writer.member("cty", contentType) }
        if payloadIsUnencoded {
            writer.name("b64")
            writer.bool(false)
        }
        let critical = payloadIsUnencoded && !critical.contains("b64") ? critical + ["b64"] : critical
        if !critical.isEmpty {
            writer.name("crit")
            writer.beginArray()
            for name in critical { writer.string(name) }
            writer.endArray()
        }
        if compresses { writer.member("zip", "DEF") }
        if let agreementPartyU { writer.member("apu", base64URL: agreementPartyU.span) }
        if let agreementPartyV { writer.member("apv", base64URL: agreementPartyV.span) }
        between(&writer)
        for (name, json) in members {
            // A member with a property, or one that the algorithm writes, must not be written twice or contradicted.
            guard !Self.reserved.contains(where: { bytesEqual($0, name) }) else { throw .headerInvalid(.reservedName) }
            guard Self.isOneValue(json) else { throw .headerInvalid(.memberText) }
            writer.member(name, json: json.span)
        }
        writer.endObject()
        return writer.bytes
    }
}
