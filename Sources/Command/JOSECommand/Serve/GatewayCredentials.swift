/// A token as it was sent.
struct GatewayCredentials: Sendable {
    let token: [UInt8]
    /// Whether it was sent with the scheme `DPoP`.
    let isBound: Bool
}

/// Finds the value of a cookie (RFC 6265, 5.4).
enum GatewayCookie {
    /// Returns the value, or nil if there is no cookie of the name.
    ///
    /// - Throws: A rejection if there are two of them, because the server cannot tell which one it has set.
    static func value(of name: [UInt8], in header: [UInt8]) throws(GatewayRejection) -> [UInt8]? {
        var found: [UInt8]?
        for pair in header.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
            guard pair.starts(with: name), pair.dropFirst(name.count).first == UInt8(ascii: "=") else { continue }
            guard found == nil else { throw .badRequest("cookie_repeated") }
            var value = pair.dropFirst(name.count + 1)
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            found = Array(value)
        }
        return found
    }
}
