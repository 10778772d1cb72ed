internal import JOSEBytes

/// What an issuer says of itself (RFC 8414, 2; OpenID Connect Discovery 1.0, 3), read from the document and not believed beyond
/// its issuer and the form of its members.
///
/// `signed_metadata` is not looked at: what counts is the document as TLS brought it (RFC 8414, 2.1 leaves it to the recipient).
public struct IssuerMetadata: Sendable {
    /// Bytes of a document: more than any known one has several times over.
    public static let byteLimit = 65_536

    /// The document, as it came.
    public let json: [UInt8]
    /// Byte for byte the one that was asked for.
    public let issuer: String
    private let object: JSONObject

    /// Reads a document that is to be of `issuer`.
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
    /// `jwks_uri`: where the issuer's keys are.
    public var keySetURL: String? { string(.jwksURI) }
    /// `authorization_endpoint`.
    public var authorizationEndpoint: String? { string(.authorizationEndpoint) }
    /// `token_endpoint`.
    public var tokenEndpoint: String? { string(.tokenEndpoint) }
    /// `userinfo_endpoint`.
    public var userInfoEndpoint: String? { string(.userInfoEndpoint) }
    /// `pushed_authorization_request_endpoint` (RFC 9126, 5).
    public var pushedAuthorizationRequestEndpoint: String? { string(.pushedAuthorizationRequestEndpoint) }
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    public var endSessionEndpoint: String? { string(.endSessionEndpoint) }
    /// `revocation_endpoint`.
    public var revocationEndpoint: String? { string(.revocationEndpoint) }
    /// `introspection_endpoint`.
    public var introspectionEndpoint: String? { string(.introspectionEndpoint) }
    /// Whether authorization responses name their issuer, which a client must then check (RFC 9207, 2.4); false where nothing is
    /// said (RFC 9207, 3).
    public var authorizationResponsesNameIssuer: Bool { bool(.authorizationResponseIssParameter) ?? false }

    /// A member that is a text or an address; nil where it is absent or of another form.
    public func string(_ member: MetadataMember) -> String? { value(member.rawValue)?.string(in: json.span) }
    /// A member that is a truth value; nil where it is absent or of another form.
    public func bool(_ member: MetadataMember) -> Bool? { value(member.rawValue)?.bool() }
    /// A member that is a list of texts; nil where it is absent, which does not mean the same as an empty one, or of another form.
    public func strings(_ member: MetadataMember) -> [String]? {
        value(member.rawValue)?.array(in: json.span)?.compactMap { $0.string(in: json.span) }
    }
    /// Any member, as the JSON text that it is.
    public func json(_ name: String) -> [UInt8]? { value(name)?.slice(in: json.span) }
}

extension IssuerMetadata: CustomStringConvertible {
    public var description: String { "IssuerMetadata(\(object.members.count) members)" }
}
