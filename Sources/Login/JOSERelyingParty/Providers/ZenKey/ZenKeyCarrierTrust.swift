internal import JOSEKeySets

/// Which hosts may be a carrier's. Asked before anything is sent to an address that an answer or a token names.
public struct ZenKeyCarrierTrust: Sendable {
    /// Each with a dot in front, so that a name ends where a label does. They take https on its own port alone.
    public var suffixes: [String]
    /// Each `https://` and a host, with a port where it has one: these very ones besides.
    public var origins: [String]

    /// Suffixes in lower case, origins as they are written.
    public init(suffixes: [String] = [], origins: [String] = []) {
        self.suffixes = suffixes
        self.origins = origins
    }

    /// The carriers of ZenKey and its central services, of which `.xcijv.com` is the older domain; Sprint's hosts have no suffix of their own
    /// and are added as origins.
    public static let carriers = ZenKeyCarrierTrust(suffixes: [
        ".att.com", ".verizon.com", ".t-mobile.com", ".myzenkey.com", ".xcijv.com",
    ])

    /// Whether this is an https URL of such a host, without user information, and without a port unless an origin has it.
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
