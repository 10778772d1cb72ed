internal import JOSESupport

/// An absolute `https` or `http` URL, parsed strictly and kept as it was written: two URLs that differ in a byte are
/// different. Only the characters of RFC 3986 are accepted, with the scheme in lower case and a name, an IPv4 address
/// or an IPv6 address in brackets as the host.
package struct WebURL: Sendable {
    package enum Scheme: Sendable { case https, http }

    package let text: String
    package let scheme: Scheme
    /// The host as it was written, without brackets.
    package let host: String
    /// The port, or nil if the URL has none.
    package let port: UInt16?
    /// The number of bytes up to the end of the host and port.
    let originCount: Int
    /// The number of bytes up to the end of the path.
    let pathEnd: Int
    package let hasUserInformation: Bool
    package let hasQuery: Bool
    package let hasFragment: Bool

    /// Parses a URL. Returns nil if the text is not such a URL or exceeds `maximumBytes` bytes.
    package init?(_ text: String, maximumBytes: Int = 2_048) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes, Self.isText(bytes) else { return nil }
        let start: Int
        if bytes.starts(with: "https://".utf8) {
            (scheme, start) = (.https, 8)
        } else if bytes.starts(with: "http://".utf8) {
            (scheme, start) = (.http, 7)
        } else {
            return nil
        }
        originCount = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        let remainder = bytes[originCount...]
        let fragment = remainder.firstIndex(of: UInt8(ascii: "#"))
        let query = remainder[..<(fragment ?? bytes.count)].firstIndex(of: UInt8(ascii: "?"))
        pathEnd = query ?? fragment ?? bytes.count
        (hasQuery, hasFragment) = (query != nil, fragment != nil)
        var authority = bytes[start..<originCount]
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        hasUserInformation = at != nil
        if let at { authority = authority[(at + 1)...] }
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
        self.text = text
    }

    /// The bytes of the path, which is empty or begins with a slash.
    package var path: ArraySlice<UInt8> { Array(text.utf8)[originCount..<pathEnd] }
    /// The bytes of the scheme, host and port.
    var origin: ArraySlice<UInt8> { Array(text.utf8)[..<originCount] }

    /// Whether the path has a segment `.` or `..`, which clients remove before a request.
    var hasDotSegments: Bool {
        path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }

    /// Whether the host is a loopback name or address: `localhost`, 127.0.0.0/8 or `[::1]`.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { UInt8(Substring($0)) != nil && $0.first != UInt8(ascii: "+") }
    }

    /// Returns whether the bytes are characters of a URL, with two hexadecimal digits after each `%` (RFC 3986, 2).
    private static func isText(_ bytes: [UInt8]) -> Bool {
        var at = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "%"):
                guard at + 2 < bytes.count, bytes[(at + 1)...(at + 2)].allSatisfy({ $0.hexadecimalDigit != nil })
                else { return false }
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), ...0x20, 0x7F...:
                return false
            default: break
            }
            at += 1
        }
        return true
    }

    private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, port: UInt16?)? {
        var host = authority
        var remainder = authority[authority.endIndex...]
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[(authority.startIndex + 1)..<end]
            remainder = authority[(end + 1)...]
            guard host.contains(UInt8(ascii: ":")) else { return nil }
            guard host.allSatisfy({ $0.hexadecimalDigit != nil || ":.".utf8.contains($0) }) else { return nil }
        } else {
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
                host = authority[..<colon]
                remainder = authority[colon...]
            }
            guard !host.isEmpty, host.allSatisfy(isOfName) else { return nil }
        }
        guard let colon = remainder.first else { return (host, nil) }
        let digits = remainder.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.count <= 5,
            digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(Substring(decoding: digits, as: UTF8.self)), port > 0
        else { return nil }
        return (host, port)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._".utf8.contains(byte)
    }
}

extension WebURL {
    /// Whether keys or metadata may be fetched from the URL: it is https, or http for loopback where that is allowed,
    /// and has no user information and no fragment.
    package func mayBeAsked(loopbackHTTP: Bool) -> Bool {
        guard !hasUserInformation, !hasFragment, !hasDotSegments else { return false }
        return scheme == .https || loopbackHTTP && isLoopback
    }
}
