internal import JOSESupport

/// An issuer's metadata document (RFC 8414, 2; OpenID Connect Discovery 1.0, 3).
///
/// When it is parsed, only its issuer is checked. Every other member is checked when it is read, and one that nobody
/// reads may have any value: whoever needs a member calls ``requiredURL(_:)`` or ``requiredStrings(_:)``, whose error
/// names it. A member that is null counts as absent, and the properties for URLs are nil for any other value than a URL
/// that may be requested.
///
/// The member `signed_metadata` is ignored: the members of the document itself are used (RFC 8414, 2.1, leaves this to
/// the recipient).
public struct IssuerMetadata: Sendable {
    /// The size of the largest accepted document in bytes, several times that of any known one.
    package static let byteLimit = 65_536

    /// The document as it was received.
    public let json: [UInt8]
    /// The issuer, which equals the configured one byte for byte.
    public let issuer: String
    /// Whether members may be http URLs of loopback addresses.
    package let allowsLoopbackHTTP: Bool
    private let object: JSONObject
    /// The members that are URLs which may be requested. Each login reads some of them, and parsing them again would
    /// take a tenth of its instructions.
    private let addresses: [(member: MetadataMember, url: String)]

    /// Parses the metadata of an issuer.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The issuer that the document must name.
    ///   - allowsLoopbackHTTP: Whether members may be http URLs of loopback addresses.
    /// - Throws: `tooLarge`, `malformed`, `issuerMismatch`, and `missing` and `invalid` for `issuer` alone.
    public init(
        parsing json: [UInt8], issuer: String, allowsLoopbackHTTP: Bool = false
    ) throws(DiscoveryFault) {
        guard json.count <= Self.byteLimit else { throw .tooLarge }
        do throws(JSONFault) {
            object = try JSONObject(parsing: json.span, limits: JSONLimits(depth: 16, members: 1_000))
        } catch {
            throw .malformed
        }
        guard let own = object.first("issuer", in: json.span), own.kind != .null else { throw .missing(.issuer) }
        guard own.kind == .string else { throw .invalid(.issuer) }
        guard own.equals(issuer.utf8.span, in: json.span) else { throw .issuerMismatch }
        self.json = json
        self.issuer = issuer
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        let object = object
        addresses = MetadataMember.addresses.compactMap { member in
            guard let text = object.first(member.bytes.span, in: json.span)?.string(in: json.span),
                Self.mayBeRequested(text, allowsLoopbackHTTP)
            else { return nil }
            return (member, text)
        }
    }

    private static func mayBeRequested(_ text: String, _ allowsLoopbackHTTP: Bool) -> Bool {
        WebURL(text)?.mayBeAsked(loopbackHTTP: allowsLoopbackHTTP) ?? false
    }

    /// Returns the value of a member; nil if it is absent or null.
    private func value(_ member: MetadataMember) -> JSONValue? {
        guard let value = object.first(member.bytes.span, in: json.span), value.kind != .null else {
            return nil
        }
        return value
    }
}

extension IssuerMetadata {
    /// The member `jwks_uri`: the URL of the issuer's keys.
    package var keySetURL: String? { string(.jwksURI) }
    /// The member `authorization_endpoint`.
    package var authorizationEndpoint: String? { string(.authorizationEndpoint) }
    /// The member `token_endpoint`.
    package var tokenEndpoint: String? { string(.tokenEndpoint) }
    /// The member `userinfo_endpoint`.
    package var userInfoEndpoint: String? { string(.userInfoEndpoint) }
    /// The member `pushed_authorization_request_endpoint` (RFC 9126, 5).
    package var pushedAuthorizationRequestEndpoint: String? { string(.pushedAuthorizationRequestEndpoint) }
    /// The member `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    package var endSessionEndpoint: String? { string(.endSessionEndpoint) }
    /// The member `revocation_endpoint`.
    package var revocationEndpoint: String? { string(.revocationEndpoint) }
    /// The member `introspection_endpoint`.
    package var introspectionEndpoint: String? { string(.introspectionEndpoint) }
    /// Whether authorization responses contain `iss`, which a client must then check (RFC 9207, 2.4). The default is
    /// false (RFC 9207, 3). A value that is no Boolean counts as true, so that it omits no check.
    package var authorizationResponsesNameIssuer: Bool {
        guard let value = value(.authorizationResponseIssParameter) else { return false }
        return value.bool() ?? true
    }

    /// Returns a member that is a string.
    ///
    /// The members `jwks_uri` and `…_endpoint` are URLs: https, or http of a loopback address where that is allowed,
    /// without user information, fragment and segments `.` and `..`. Other members are not checked: for one that is a
    /// URL, call ``requiredURL(_:)``.
    ///
    /// - Parameter member: The member.
    /// - Returns: The value; nil if it is absent, of another type, or no such URL.
    public func string(_ member: MetadataMember) -> String? {
        if let known = addresses.first(where: { $0.member == member }) { return known.url }
        guard let text = value(member)?.string(in: json.span) else { return nil }
        return !member.isAddress || Self.mayBeRequested(text, allowsLoopbackHTTP) ? text : nil
    }
    /// Returns a member that is a Boolean, or nil if it is absent or has another type.
    public func bool(_ member: MetadataMember) -> Bool? { value(member)?.bool() }
    /// Returns a member that is an array of strings, or nil if it is absent or has another type, or if an element has.
    /// An empty array is not nil.
    public func strings(_ member: MetadataMember) -> [String]? {
        guard let values = value(member)?.array(in: json.span) else { return nil }
        let texts = values.compactMap { $0.string(in: json.span) }
        return texts.count == values.count ? texts : nil
    }
    /// Returns the JSON text of any member, or nil if it is absent.
    public func json(_ name: String) -> [UInt8]? { object.first(name.utf8.span, in: json.span)?.slice(in: json.span) }

    /// Returns a URL that the caller needs.
    ///
    /// - Parameter member: The member.
    /// - Returns: The URL, as ``string(_:)`` returns it.
    /// - Throws: `missing` if the member is absent or null, and `invalid` if it is no URL that may be requested.
    public func requiredURL(_ member: MetadataMember) throws(DiscoveryFault) -> String {
        guard value(member) != nil else { throw .missing(member) }
        guard let url = string(member), member.isAddress || Self.mayBeRequested(url, allowsLoopbackHTTP) else {
            throw .invalid(member)
        }
        return url
    }

    /// Returns an array of strings that the caller needs.
    ///
    /// - Parameter member: The member.
    /// - Returns: The strings, as ``strings(_:)`` returns them.
    /// - Throws: `missing` if the member is absent or null, and `invalid` if it is no array of strings.
    public func requiredStrings(_ member: MetadataMember) throws(DiscoveryFault) -> [String] {
        guard value(member) != nil else { throw .missing(member) }
        guard let texts = strings(member) else { throw .invalid(member) }
        return texts
    }
}

extension IssuerMetadata: Redacted {}
