/// Parameters as a query or a form has them (WHATWG URL, 5; RFC 6749, appendix B). All but unreserved characters are encoded, a
/// space as `%20`, which every reader of either form takes.
enum FormText {
    static func write(_ parameters: [(name: String, value: String)]) -> String {
        var text: [UInt8] = []
        for (name, value) in parameters {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            append(name, to: &text)
            text.append(UInt8(ascii: "="))
            append(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 { append(byte, to: &bytes) }
    }

    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digit(byte >> 4))
            bytes.append(digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Nil for a `%` without two digits behind it, for a NUL, and for what is not UTF-8.
    static func decoded(_ text: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard at + 2 < text.count, let high = value(text[at + 1]), let low = value(text[at + 2]) else {
                    return nil
                }
                bytes.append(high << 4 | low)
                at += 2
            default: bytes.append(text[at])
            }
            at += 1
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
