/// Base64 with padding (RFC 4648, 4), the encoding of X.509 certificates in JSON. It is for public data only.
package enum Base64 {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text = Base64URL.encode(bytes)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text; nil for missing padding, white space, `-` and `_`, any other byte, and unused bits that are not
    /// zero.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var other = text
        for _ in 0..<2 where other.last == UInt8(ascii: "=") { other.removeLast() }
        for index in other.indices {
            switch other[index] {
            case UInt8(ascii: "+"): other[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): other[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(other.span)
    }
}
