extension Duration {
    /// As the decisions count: they need no more than milliseconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Clamped to what a timer can wait for; not a number counts as nothing.
    package init(inSeconds seconds: Double) {
        let bounded = seconds > 0 ? min(seconds, 1e9) : 0
        self = .microseconds(Int64(bounded * 1e6))
    }
}

/// Whether a URL is worth handing to a transport: https or http, a host, and nothing but visible ASCII. What may be connected
/// to is the transport's to say.
package func isFetchable(_ url: String) -> Bool {
    guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    for scheme in ["https://", "http://"] where url.lowercased().hasPrefix(scheme) {
        let rest = url.utf8.dropFirst(scheme.utf8.count)
        guard let first = rest.first, !"/?#:@".utf8.contains(first) else { return false }
        return !rest.contains(UInt8(ascii: "#"))
    }
    return false
}
