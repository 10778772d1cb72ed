/// Where an issuer's metadata lies. A matter of configuration: nothing of it comes from a token.
public struct Discovery: Sendable {
    /// How a well-known suffix joins an issuer that has a path.
    public enum Joining: Sendable {
        /// Behind the path (OpenID Connect Discovery 1.0, 4.1).
        case behindPath
        /// Between host and path (RFC 8414, 3.1).
        case beforePath
    }
    fileprivate enum Place: Sendable {
        case wellKnown(String, Joining)
        case address(String)
    }
    private let places: [Place]

    /// `/.well-known/openid-configuration` behind the issuer, a slash at whose end is left out (OpenID Connect Discovery 1.0, 4.1).
    public static let openID = wellKnown("openid-configuration", .behindPath)
    /// `/.well-known/oauth-authorization-server` between the issuer's host and its path (RFC 8414, 3.1).
    public static let authorizationServer = wellKnown("oauth-authorization-server", .beforePath)

    /// `/.well-known/` and a suffix of one's own (RFC 8615, 3), for those who spell theirs in another way. Letters, digits and
    /// `-._~`; another suffix is `DiscoveryFault.addressInvalid` where it is used.
    public static func wellKnown(_ suffix: String, _ joining: Joining) -> Discovery {
        Discovery(places: [.wellKnown(suffix, joining)])
    }

    /// This very URL, which may have a query. Whatever lies there must be of the issuer all the same.
    public static func document(at url: String) -> Discovery { Discovery(places: [.address(url)]) }

    /// Then there, where the first gives no metadata of the issuer, for whatever reason.
    public func otherwise(_ next: Discovery) -> Discovery { Discovery(places: places + next.places) }

    /// The addresses that are asked for an issuer's metadata, in this order. Throws `issuerInvalid` or `addressInvalid`; http is
    /// for loopback alone, and only where it is allowed here.
    public func addresses(
        of issuer: String, allowsLoopbackHTTP: Bool = false
    ) throws(DiscoveryFault) -> [String] {
        let issuer = try Self.issuer(issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        var addresses: [String] = []
        for place in places {
            addresses.append(try place.url(for: issuer, allowsLoopbackHTTP: allowsLoopbackHTTP))
        }
        return addresses
    }

    /// RFC 8414, 2: https, no query, no fragment.
    static func issuer(_ text: String, allowsLoopbackHTTP: Bool) throws(DiscoveryFault) -> WebURL {
        guard let issuer = WebURL(text), !issuer.hasQuery, issuer.mayBeAsked(loopbackHTTP: allowsLoopbackHTTP) else {
            throw .issuerInvalid
        }
        return issuer
    }
}

extension Discovery.Place {
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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
