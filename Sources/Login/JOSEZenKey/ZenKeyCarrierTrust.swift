internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport

/// The hosts that are trusted as those of ZenKey and its carriers. A URL in a discovery response or in a token is
/// checked against them before a request is sent to it.
public struct ZenKeyCarrierTrust: Sendable {
    /// The suffixes of trusted host names. Each begins with a dot, so that only whole labels match. Only https on the
    /// default port is allowed.
    public var suffixes: [String]
    /// Additional trusted origins. Each consists of `https://`, the host, and the port unless it is 443.
    public var origins: [String]

    /// Creates a list of trusted hosts.
    ///
    /// - Parameters:
    ///   - suffixes: The suffixes of trusted host names, in lower case, each with a leading dot.
    ///   - origins: Additional trusted origins, such as `https://host.example`, which are compared byte by byte.
    public init(suffixes: [String] = [], origins: [String] = []) {
        self.suffixes = suffixes
        self.origins = origins
    }

    /// The hosts of ZenKey's carriers and of its discovery service, which previously used the domain `xcijv.com`.
    /// Sprint's hosts have no common suffix, and must be added as origins.
    public static let carriers = ZenKeyCarrierTrust(suffixes: [
        ".att.com", ".verizon.com", ".t-mobile.com", ".myzenkey.com", ".xcijv.com",
    ])

    /// Returns whether a text is an https URL on a trusted host. The URL must have no user information and no fragment.
    /// A port is allowed only if it is part of a trusted origin.
    ///
    /// - Parameter text: The URL.
    public func trusts(_ text: String) -> Bool {
        guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation, !url.hasFragment else {
            return false
        }
        let origin = "https://" + url.host + (url.port.map { ":\($0)" } ?? "")
        if origins.contains(where: { bytesEqual($0, origin) }) { return true }
        guard url.port == nil else { return false }
        let host = url.host.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return suffixes.contains { suffix in
            let suffix = Array(suffix.utf8)
            return suffix.first == UInt8(ascii: ".") && host.count > suffix.count
                && host.suffix(suffix.count).elementsEqual(suffix) && host.first != UInt8(ascii: ".")
        }
    }
}
