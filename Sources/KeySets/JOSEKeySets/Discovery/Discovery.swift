internal import JOSESupport

/// The location of an issuer's metadata document. It is configured by the application: no token can change it.
public struct Discovery: Sendable {
    /// The position of a well-known path in the URL of an issuer that has a path.
    public enum Joining: Sendable {
        /// The well-known path follows the path of the issuer (OpenID Connect Discovery 1.0, 4.1).
        case behindPath
        /// The well-known path is between the host and the path of the issuer (RFC 8414, 3.1).
        case beforePath
    }
    fileprivate enum Location: Sendable {
        case wellKnown(String, Joining)
        case address(String)
    }
    private let locations: [Location]

    /// The location ``openID`` and, if the server has no document there, ``authorizationServer``.
    public static let standard = openID.otherwise(.authorizationServer)
    /// The location `/.well-known/openid-configuration` after the path of the issuer, which loses a trailing slash
    /// (OpenID Connect Discovery 1.0, 4.1).
    public static let openID = wellKnown("openid-configuration", .behindPath)
    /// The location `/.well-known/oauth-authorization-server` between the issuer's host and its path (RFC 8414, 3.1).
    public static let authorizationServer = wellKnown("oauth-authorization-server", .beforePath)

    /// Returns the location with another suffix after `/.well-known/` (RFC 8615, 3).
    ///
    /// - Parameters:
    ///   - suffix: The suffix, of letters, digits and `-._~`. A suffix with other characters is rejected with
    ///     `DiscoveryFault.addressInvalid` when the location is used.
    ///   - joining: The position of the well-known path.
    public static func wellKnown(_ suffix: String, _ joining: Joining) -> Discovery {
        Discovery(locations: [.wellKnown(suffix, joining)])
    }

    /// Returns the location with a fixed URL, which may have a query. The metadata there must still name the configured
    /// issuer, which may be a template here: a URL with `{tenantid}` in its path, as providers with many tenants
    /// announce it.
    public static func document(at url: String) -> Discovery { Discovery(locations: [.address(url)]) }

    /// Returns a location that tries `next` if the server has no document at this one: it responds with the status 404
    /// or 410.
    ///
    /// Any other failure is final. A document that was found there is not replaced by another one, whatever is wrong
    /// with it, and a server that does not respond is asked again later.
    public func otherwise(_ next: Discovery) -> Discovery { Discovery(locations: locations + next.locations) }

    /// Returns the URLs at which the issuer's metadata is requested, in order.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - allowsLoopbackHTTP: Whether http is allowed for loopback addresses.
    /// - Throws: `issuerInvalid` or `addressInvalid`.
    public func addresses(
        of issuer: String, allowsLoopbackHTTP: Bool = false
    ) throws(DiscoveryFault) -> [String] {
        let isFixed = locations.allSatisfy { if case .address = $0 { true } else { false } }
        let issuer = try Self.issuer(
            isFixed ? Self.withoutPlaceholder(issuer) : issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        var addresses: [String] = []
        for location in locations {
            addresses.append(try location.url(for: issuer, allowsLoopbackHTTP: allowsLoopbackHTTP))
        }
        return addresses
    }

    /// Returns the text of an issuer with a name in place of `{tenantid}`, because braces cannot be in a URL.
    private static func withoutPlaceholder(_ issuer: String) -> String {
        let (text, placeholder) = (Array(issuer.utf8), Array("{tenantid}".utf8))
        guard let start = text.indices.first(where: { text[$0...].starts(with: placeholder) }) else { return issuer }
        return String(
            decoding: text[..<start] + Array("tenant".utf8) + text[(start + placeholder.count)...], as: UTF8.self)
    }

    /// Returns the URL of an issuer, which must be https without query and fragment (RFC 8414, 2).
    static func issuer(_ text: String, allowsLoopbackHTTP: Bool) throws(DiscoveryFault) -> WebURL {
        guard let issuer = WebURL(text), !issuer.hasQuery, issuer.mayBeAsked(loopbackHTTP: allowsLoopbackHTTP) else {
            throw .issuerInvalid
        }
        return issuer
    }
}

extension Discovery.Location {
    fileprivate func url(for issuer: WebURL, allowsLoopbackHTTP: Bool) throws(DiscoveryFault) -> String {
        switch self {
        case .address(let url):
            guard let read = WebURL(url), read.mayBeAsked(loopbackHTTP: allowsLoopbackHTTP) else {
                throw .addressInvalid
            }
            return url
        case .wellKnown(let suffix, let joining):
            guard (1...128).contains(suffix.utf8.count), suffix.utf8.allSatisfy(Self.isUnreserved),
                suffix.utf8.contains(where: { $0 != UInt8(ascii: ".") })
            else { throw .addressInvalid }
            let origin = String(decoding: issuer.origin, as: UTF8.self)
            let whole = issuer.path
            let path = String(
                decoding: whole.last == UInt8(ascii: "/") ? whole.dropLast() : whole, as: UTF8.self)
            let wellKnown = "/.well-known/" + suffix
            return joining == .behindPath ? origin + path + wellKnown : origin + wellKnown + path
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }
}
