internal import JOSEBytes

/// An issuer's metadata document (RFC 8414, 2; OpenID Connect Discovery 1.0, 3). When it is parsed, only its issuer and
/// the types of its members are checked.
///
/// The member `signed_metadata` is ignored: the members of the document itself are used (RFC 8414, 2.1, leaves this to
/// the recipient).
public struct IssuerMetadata: Sendable {
    /// The size of the largest accepted document in bytes, several times that of any known one.
    public static let byteLimit = 65_536

    /// The document as it was received.
    public let json: [UInt8]
    /// The issuer, which equals the configured one byte for byte.
    public let issuer: String
    private let object: JSONObject

    /// Parses the metadata of an issuer.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The issuer that the document must name.
    ///   - allowsLoopbackHTTP: Whether URLs may be http for loopback addresses.
    public init(
        parsing json: [UInt8], issuer: String, allowsLoopbackHTTP: Bool = false
    ) throws(DiscoveryFault) {
        guard json.count <= Self.byteLimit else { throw .tooLarge }
        do throws(JSONFault) {
            object = try JSONObject(parsing: json.span, limits: JSONLimits(depth: 16, members: 1_000))
        } catch {
            throw .malformed
        }
        guard let own = object.first("issuer", in: json.span) else { throw .missing(.issuer) }
        guard own.kind == .string else { throw .invalid(.issuer) }
        guard own.equals(issuer.utf8.span, in: json.span) else { throw .issuerMismatch }
        self.json = json
        self.issuer = issuer
        for member in MetadataMember.allCases {
            guard let value = value(member.rawValue) else { continue }
            guard holds(value, member.form, loopbackHTTP: allowsLoopbackHTTP) else { throw .invalid(member) }
        }
    }

    private func holds(_ value: JSONValue, _ form: MetadataMember.Form, loopbackHTTP: Bool) -> Bool {
        let bytes = json.span
        switch form {
        case .text: return value.kind == .string
        case .truth: return value.bool() != nil
        case .list: return value.array(in: bytes)?.allSatisfy { $0.kind == .string } ?? false
        case .address:
            guard let text = value.string(in: bytes), let url = WebURL(text) else { return false }
            return url.mayBeAsked(loopbackHTTP: loopbackHTTP)
        }
    }

    private func value(_ name: String) -> JSONValue? { object.first(name.utf8.span, in: json.span) }
}

extension IssuerMetadata {
    /// The member `jwks_uri`: the URL of the issuer's keys.
    public var keySetURL: String? { string(.jwksURI) }
    /// The member `authorization_endpoint`.
    public var authorizationEndpoint: String? { string(.authorizationEndpoint) }
    /// The member `token_endpoint`.
    public var tokenEndpoint: String? { string(.tokenEndpoint) }
    /// The member `userinfo_endpoint`.
    public var userInfoEndpoint: String? { string(.userInfoEndpoint) }
    /// The member `pushed_authorization_request_endpoint` (RFC 9126, 5).
    public var pushedAuthorizationRequestEndpoint: String? { string(.pushedAuthorizationRequestEndpoint) }
    /// The member `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    public var endSessionEndpoint: String? { string(.endSessionEndpoint) }
    /// The member `revocation_endpoint`.
    public var revocationEndpoint: String? { string(.revocationEndpoint) }
    /// The member `introspection_endpoint`.
    public var introspectionEndpoint: String? { string(.introspectionEndpoint) }
    /// Whether authorization responses contain `iss`, which a client must then check (RFC 9207, 2.4). The default is
    /// false (RFC 9207, 3).
    public var authorizationResponsesNameIssuer: Bool { bool(.authorizationResponseIssParameter) ?? false }

    /// Returns a member that is a string or a URL, or nil if it is absent or has another type.
    public func string(_ member: MetadataMember) -> String? { value(member.rawValue)?.string(in: json.span) }
    /// Returns a member that is a Boolean, or nil if it is absent or has another type.
    public func bool(_ member: MetadataMember) -> Bool? { value(member.rawValue)?.bool() }
    /// Returns a member that is an array of strings, or nil if it has another type or is absent. An empty array is not
    /// nil.
    public func strings(_ member: MetadataMember) -> [String]? {
        value(member.rawValue)?.array(in: json.span)?.compactMap { $0.string(in: json.span) }
    }
    /// Returns the JSON text of any member, or nil if it is absent.
    public func json(_ name: String) -> [UInt8]? { value(name)?.slice(in: json.span) }
}

extension IssuerMetadata: CustomStringConvertible {
    public var description: String { "IssuerMetadata(\(object.members.count) members)" }
}
