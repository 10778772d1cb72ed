/// The content of a JSON string between its quotes, read as the bytes that it stands for.
///
/// The text was scanned before, so that all its escapes are valid.
struct JSONText {
    let start: Int
    let end: Int
    let escaped: Bool

    @inline(__always)
    init(start: Int, end: Int, escaped: Bool) {
        self.start = start
        self.end = end
        self.escaped = escaped
    }

    @inline(__always)
    init(_ member: JSONMember) {
        start = Int(member.nameStart)
        end = Int(member.nameEnd)
        escaped = member.nameEscaped
    }

    @inline(__always)
    func equals(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        if escaped { return compare(JSONText(start: 0, end: other.count, escaped: false), of: other, in: bytes) == 0 }
        return end &- start == other.count && bytesEqual(bytes.extracting(start..<end), other)
    }

    @inline(__always)
    func equals(_ other: JSONText, in bytes: Span<UInt8>) -> Bool {
        if escaped || other.escaped { return compare(other, of: bytes, in: bytes) == 0 }
        return end &- start == other.end &- other.start
            && bytesEqual(bytes.extracting(start..<end), bytes.extracting(other.start..<other.end))
    }

    /// Compares unescaped bytes, and returns a number below, at or above 0.
    func compare(_ other: JSONText, of otherBytes: Span<UInt8>, in bytes: Span<UInt8>) -> Int {
        if !escaped, !other.escaped {
            return byteOrder(bytes.extracting(start..<end), otherBytes.extracting(other.start..<other.end))
        }
        var mine = Cursor(self)
        var theirs = Cursor(other)
        while true {
            let a = mine.next(in: bytes)
            let b = theirs.next(in: otherBytes)
            if a != b { return a < b ? -1 : 1 }
            if a < 0 { return 0 }
        }
    }

    func unescaped(in bytes: Span<UInt8>) -> [UInt8] {
        guard escaped else { return bytes.extracting(start..<end).copy() }
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var cursor = Cursor(self)
        while true {
            let byte = cursor.next(in: bytes)
            if byte < 0 { return result }
            result.append(UInt8(truncatingIfNeeded: byte))
        }
    }
}

extension JSONText {
    /// A reader of one byte after the other, with an escape's UTF-8 in place of the escape.
    struct Cursor {
        private var at: Int
        private let end: Int
        private let escaped: Bool
        /// The bytes of an escape that are still to come, the next one lowest.
        private var pending: UInt32 = 0

        init(_ text: JSONText) {
            at = text.start
            end = text.end
            escaped = text.escaped
        }

        /// Returns the next byte, or -1 at the end, so that a shorter text sorts before its continuation.
        mutating func next(in bytes: Span<UInt8>) -> Int {
            if pending != 0 {
                defer { pending >>= 8 }
                return Int(pending & 0xFF)
            }
            guard at < end else { return -1 }
            let byte = bytes[at]
            at &+= 1
            guard escaped, byte == .backslash else { return Int(byte) }
            let letter = bytes[at]
            at &+= 1
            switch letter {
            case UInt8(ascii: "b"): return 0x08
            case UInt8(ascii: "f"): return 0x0C
            case UInt8(ascii: "n"): return 0x0A
            case UInt8(ascii: "r"): return 0x0D
            case UInt8(ascii: "t"): return 0x09
            case UInt8(ascii: "u"): return scalar(in: bytes)
            default: return Int(letter)
            }
        }

        private mutating func scalar(in bytes: Span<UInt8>) -> Int {
            var code = unit(in: bytes)
            if code & 0xFC00 == 0xD800 {
                at &+= 2
                code = 0x1_0000 &+ ((code & 0x3FF) << 10 | unit(in: bytes) & 0x3FF)
            }
            // No byte of a sequence is 0, so that 0 stands for the end of the sequence.
            switch code {
            case ..<0x80:
                return Int(code)
            case ..<0x800:
                pending = 0x80 | code & 0x3F
                return Int(0xC0 | code >> 6)
            case ..<0x1_0000:
                pending = 0x80 | code >> 6 & 0x3F | (0x80 | code & 0x3F) << 8
                return Int(0xE0 | code >> 12)
            default:
                pending = 0x80 | code >> 12 & 0x3F | (0x80 | code >> 6 & 0x3F) << 8 | (0x80 | code & 0x3F) << 16
                return Int(0xF0 | code >> 18)
            }
        }

        private mutating func unit(in bytes: Span<UInt8>) -> UInt32 {
            defer { at &+= 4 }
            return JSONScanner.hexadecimal(bytes, at: at, end: end) ?? 0
        }
    }
}
