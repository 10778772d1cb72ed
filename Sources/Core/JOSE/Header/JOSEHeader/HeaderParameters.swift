internal import JOSEBytes

/// What a header that we make says besides `alg`, `enc` and what the algorithm itself puts there.
public struct HeaderParameters: Sendable {
    /// `typ`.
    public var type: String?
    /// `cty`.
    public var contentType: String?
    /// `kid`; nil: that of the key.
    public var keyID: String?
    /// Names for `crit`; each must be among the members set here (RFC 7515, 4.1.11).
    public var critical: [String] = []
    /// `b64: false`, with its name in `crit` (RFC 7797, 3): the payload is signed as it is. For signatures alone, and
    /// never for a JWT.
    public var payloadIsUnencoded = false
    /// `apu`, before base64url (RFC 7518, 4.6.1.2); for ECDH-ES alone.
    public var agreementPartyU: [UInt8]?
    /// `apv`, before base64url (RFC 7518, 4.6.1.3); for ECDH-ES alone.
    public var agreementPartyV: [UInt8]?
    /// `p2c`, from 1 000 (RFC 7518, 4.8.1.2); for PBES2 alone. Nil: 310 000.
    public var passwordIterations: Int?
    var iterations: Int { passwordIterations ?? 310_000 }
    /// Whether the content is compressed before it is encrypted (`zip`: `DEF`); for JWE alone, in a build with the
    /// package's trait `Zip`. The length of such a token tells of its content: never for a secret beside what a stranger
    /// chooses (RFC 8725, 3.6).
    public var compresses = false
    private(set) var certificates: KeyCertificates?
    private(set) var members: [(name: String, json: [UInt8])] = []

    /// The rest is set on the value.
    public init(type: String? = nil, contentType: String? = nil, keyID: String? = nil) {
        self.type = type
        self.contentType = contentType
        self.keyID = keyID
    }

    /// `x5c`, `x5t`, `x5t#S256` of a chain, those of `members`. One of another key than the one that signs, or is encrypted
    /// to, is refused where the header is used, with `keyInvalid(.certificate)`.
    public mutating func set(certificates chain: CertificateChain, members: CertificateMembers = .x5c) {
        certificates = KeyCertificates(chain, members: members)
    }

    /// A further member that is a string. Members with names of their own property, and repeated ones, are refused where
    /// the header is used, with `JOSEError.headerInvalid`.
    public mutating func set(_ name: String, _ value: String) {
        var writer = JSONWriter()
        writer.string(value)
        members.append((name, writer.bytes))
    }

    /// A further member that is an integer.
    public mutating func set(_ name: String, _ value: Int64) {
        var writer = JSONWriter()
        writer.integer(value)
        members.append((name, writer.bytes))
    }

    /// A further member given as JSON text; refused where the header is used if it is not.
    public mutating func set(_ name: String, json: [UInt8]) { members.append((name, json)) }

    private static let reserved = ["alg", "enc", "kid", "typ", "cty", "crit", "apu", "apv", "epk", "zip"]

    private static func isOneValue(_ json: [UInt8]) -> Bool {
        let list = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        return (try? JSONArray(parsing: list.span))?.values.count == 1
    }

    /// The JSON text. `between` writes what the algorithm needs.
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
            // What has a property, or is the algorithm's to write, must not be said twice or against it.
            guard !Self.reserved.contains(where: { $0.utf8.elementsEqual(name.utf8) }), Self.isOneValue(json) else {
                throw .headerInvalid(.memberType)
            }
            writer.name(name)
            writer.raw(json.span)
        }
        writer.endObject()
        return writer.bytes
    }
}
