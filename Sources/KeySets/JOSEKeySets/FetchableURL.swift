/// Whether a URL can be passed to a transport: it is https, or http for a loopback address where that is allowed, has a
/// host, and consists of visible ASCII. The transport decides which hosts are allowed.
package func isFetchable(_ url: String, loopbackHTTP: Bool) -> Bool {
    guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    for scheme in ["https://", "http://"] where url.lowercased().hasPrefix(scheme) {
        if scheme == "http://" { return WebURL(url)?.mayBeAsked(loopbackHTTP: loopbackHTTP) ?? false }
        let remainder = url.utf8.dropFirst(scheme.utf8.count)
        guard let first = remainder.first, !"/?#:@".utf8.contains(first) else { return false }
        return !remainder.contains(UInt8(ascii: "#"))
    }
    return false
}
