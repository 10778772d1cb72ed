internal import JOSEKeySets

/// The hosts that are trusted to belong to carriers. They are checked before anything is sent to a URL that a response or a
/// token contains.
public struct ZenKeyCarrierTrust: Sendable {
    /// The suffixes of trusted hosts, each with a leading dot, so that they match whole labels. They allow https on its default
    /// port only.
    public var suffixes: [String]
    /// Further trusted origins, each of which is `https://`, a host, and a port if it is not the default.
    public var origins: [String]

    /// Creates a list of the hosts that are trusted to belong to carriers.
    ///
    /// - Parameters:
    ///   - suffixes: The suffixes of trusted hosts, in lower case, each with a leading dot.
    ///   - origins: Further trusted origins, such as `https://host.example`, which are compared byte by byte.
    public init(suffixes: [String] = [], origins: [String] = []) {
        self.suffixes = suffixes
        self.origins = origins
    }

    /// The hosts of ZenKey's carriers and of its central services, of which `.xcijv.com` is the older domain. Sprint's hosts
    /// have no common suffix and are added as origins.
    public static let carriers = ZenKeyCarrierTrust(suffixes: [
        ".att.com", ".verizon.com", ".t-mobile.com", ".myzenkey.com", ".xcijv.com",
    ])

    /// Returns whether a text is an https URL on a trusted host, without user information, without a fragment, and without a
    /// port unless it is that of an origin.
    ///
    /// - Parameter text: The URL.
    public func trusts(_ text: String) -> Bool {
        guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation, !url.hasFragment else {
            return false
        }
        let origin = "https://" + url.host + (url.port.map { ":\($0)" } ?? "")
        if origins.contains(where: { sameBytes($0, origin) }) { return true }
        guard url.port == nil else { return false }
        let host = url.host.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return suffixes.contains { suffix in
            let suffix = Array(suffix.utf8)
            return suffix.first == UInt8(ascii: ".") && host.count > suffix.count
                && host.suffix(suffix.count).elementsEqual(suffix) && host.first != UInt8(ascii: ".")
        }
    }
}
