/// The directives of `Cache-Control` that determine how long a response is fresh (RFC 9111, 5.2.2).
package struct CacheControl: Equatable, Sendable {
    /// The seconds of `max-age`. A duplicate or malformed directive counts as none (RFC 9111, 4.2.1).
    package private(set) var maxAge: Double?
    /// Whether the response has `no-store`, `no-cache` without field names, or an invalid `max-age`.
    package private(set) var isAlreadyStale = false

    /// Parses the directives of all `Cache-Control` fields of a response.
    package init(_ fields: [String]) {
        var hasMaxAge = false
        for field in fields {
            for directive in Self.directives(field) {
                let equals = directive.firstIndex(of: UInt8(ascii: "="))
                let name = String(decoding: Self.trimmed(directive[..<(equals ?? directive.endIndex)]), as: UTF8.self)
                let argument = equals.map { Self.unquoted(Self.trimmed(directive[($0 + 1)...])) }
                switch name.lowercased() {
                case "no-store": isAlreadyStale = true
                case "no-cache": if argument == nil { isAlreadyStale = true }
                case "max-age":
                    maxAge = hasMaxAge ? nil : argument.flatMap(deltaSeconds)
                    if maxAge == nil { isAlreadyStale = true }
                    hasMaxAge = true
                default: break
                }
            }
        }
    }

    /// Splits the value at the commas that are not within quotes.
    private static func directives(_ field: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(field.utf8)
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var at = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: at += 1
            case UInt8(ascii: ",") where !isQuoted:
                parts.append(bytes[start..<at])
                start = at + 1
            default: break
            }
            at += 1
        }
        parts.append(bytes[start...])
        return parts
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return text }
        return text.dropFirst().dropLast()
    }
}

/// Returns the number of seconds (RFC 9111, 1.2.2), or nil if there is anything but digits. A larger number counts as
/// 2^31.
func deltaSeconds(_ digits: some Collection<UInt8>) -> Double? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let significant = digits.drop { $0 == 0x30 }
    guard significant.count <= 10 else { return 2_147_483_648 }
    return min(significant.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }, 2_147_483_648)
}
