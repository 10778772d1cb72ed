internal import JOSESupport

/// An `http` or `https` URI without query and fragment, normalized: scheme and host in lower case, no default port,
/// percent-encoding only where it is necessary and in upper case, no dot segments (RFC 9449, 4.3, step 9; RFC 3986,
/// 6.2.2 and 6.2.3).
struct RequestURI: Equatable {
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Creates a normalized URI; nil if the text is not such a URI, or has user information.
    init?(_ text: String) {
        var remaining = Array(text.utf8)[...]
        guard remaining.allSatisfy(Self.isAllowed) else { return nil }
        guard let colon = remaining.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = remaining[..<colon].map(\.asciiLowercased)
        let port: [UInt8]
        if scheme.elementsEqual("https".utf8) {
            port = Array(":443".utf8)
        } else if scheme.elementsEqual("http".utf8) {
            port = Array(":80".utf8)
        } else {
            return nil
        }
        remaining = remaining[(colon + 1)...]
        guard remaining.starts(with: "//".utf8) else { return nil }
        remaining = remaining.dropFirst(2)
        if let end = remaining.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            remaining = remaining[..<end]
        }
        let slash = remaining.firstIndex(of: UInt8(ascii: "/")) ?? remaining.endIndex
        guard let authority = Self.authority(remaining[..<slash], defaultPort: port),
            let path = Self.unescaped(remaining[slash...])
        else { return nil }
        bytes = scheme + Array("://".utf8) + authority + Self.withoutDots(path)
    }

    /// Returns whether two texts are such URIs, and equal once normalized.
    static func areEqual(_ a: String, _ b: String) -> Bool {
        guard let uri = RequestURI(a) else { return false }
        return bytesEqual(a, b) || uri == RequestURI(b)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{")...:
            byte == UInt8(ascii: "~")
        default: byte > 0x20
        }
    }

    private static func authority(_ text: ArraySlice<UInt8>, defaultPort: [UInt8]) -> [UInt8]? {
        guard !text.contains(UInt8(ascii: "@")), var host = unescaped(text)?.map(\.asciiLowercased) else { return nil }
        // Percent-encoded bytes keep their upper-case hexadecimal digits, and a percent-encoded host is rejected.
        guard !host.contains(UInt8(ascii: "%")) else { return nil }
        let afterBracket = host.lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? 0
        if let colon = host[afterBracket...].firstIndex(of: UInt8(ascii: ":")) {
            let port = host[colon...]
            guard port.dropFirst().allSatisfy(\.isASCIIDigit) else { return nil }
            if port.count == 1 || port.elementsEqual(defaultPort) { host.removeSubrange(colon...) }
        }
        return host.isEmpty || host.first == UInt8(ascii: ":") ? nil : host
    }

    /// Decodes percent-encoded unreserved characters and writes the others in upper case; nil if a `%` is not followed
    /// by two hexadecimal digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "%")) else { return Array(text) }
        var result: [UInt8] = []
        var at = text.startIndex
        while at < text.endIndex {
            guard text[at] == UInt8(ascii: "%") else {
                result.append(text[at])
                at += 1
                continue
            }
            guard at + 2 < text.endIndex, let high = text[at + 1].hexadecimalDigit,
                let low = text[at + 2].hexadecimalDigit
            else { return nil }
            let byte = high << 4 | low
            // The unreserved characters (RFC 3986, 2.3).
            if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
                result.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(high)], digits[Int(low)]]
            }
            at += 3
        }
        return result
    }

    /// Removes the dot segments of a path that is empty or begins with a slash (RFC 3986, 5.2.4).
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        guard !path.isEmpty else { return [UInt8(ascii: "/")] }
        let hasDots = zip(path, path.dropFirst()).contains { $0 == (UInt8(ascii: "/"), UInt8(ascii: ".")) }
        guard hasDots else { return path }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        return [UInt8(ascii: "/")] + kept.joined(separator: [UInt8(ascii: "/")])
    }
}
