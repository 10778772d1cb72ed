internal import CJOSEBytes

extension JSONScanner {
    /// Moves from the opening quote past the closing one, and returns whether there was a backslash between them.
    @inline(__always)
    static func string(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) throws(JSONFault) -> Bool {
        at &+= 1
        at &+= plainRun(bytes, at, end)
        if at < end, bytes[at] == .quote {
            at &+= 1
            return false
        }
        let (escaped, after) = try rarerString(bytes, at, end)
        at = after
        return escaped
    }

    /// Moves past the rest of a string that contains more than plain ASCII.
    @inline(never)
    private static func rarerString(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int
    ) throws(JSONFault) -> (escaped: Bool, end: Int) {
        var at = start
        var escaped = false
        while at < end {
            let byte = bytes[at]
            if byte == .quote {
                return (escaped, at &+ 1)
            } else if byte == .backslash {
                escaped = true
                try escape(bytes, &at, end)
            } else if byte < 0x20 {
                throw JSONFault(.controlCharacter, at: at)
            } else if byte >= 0x80 {
                let run = utf8Run(bytes, at, end)
                guard run > 0 else { throw JSONFault(.badUTF8, at: at) }
                at &+= run
            }
            at &+= plainRun(bytes, at, end)
        }
        throw JSONFault(.syntax, at: end)
    }

    private static func escape(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) throws(JSONFault) {
        let start = at
        guard start &+ 1 < end else { throw JSONFault(.syntax, at: end) }
        switch bytes[start &+ 1] {
        case .quote, .backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            at = start &+ 2
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(bytes, at: start &+ 2, end: end) else {
                throw JSONFault(.badEscape, at: start)
            }
            at = start &+ 6
            switch unit & 0xFC00 {
            case 0xD800:
                // A high surrogate must be followed by a low one at once.
                guard end &- at >= 2, bytes[at] == .backslash, bytes[at &+ 1] == UInt8(ascii: "u"),
                    let low = hexadecimal(bytes, at: at &+ 2, end: end), low & 0xFC00 == 0xDC00
                else { throw JSONFault(.loneSurrogate, at: start) }
                at = start &+ 12
            case 0xDC00: throw JSONFault(.loneSurrogate, at: start)
            default: break
            }
        default: throw JSONFault(.badEscape, at: start)
        }
    }

    @inline(__always)
    static func plainRun(_ bytes: Span<UInt8>, _ at: Int, _ end: Int) -> Int {
        guard at < end, end <= bytes.count else { return 0 }
        return unsafe bytes.withUnsafeBytes { unsafe cjose_json_run($0.baseAddress! + at, end &- at) }  // not empty
    }

    private static func utf8Run(_ bytes: Span<UInt8>, _ at: Int, _ end: Int) -> Int {
        guard at < end, end <= bytes.count else { return 0 }
        return unsafe bytes.withUnsafeBytes { unsafe cjose_utf8_run($0.baseAddress! + at, end &- at) }  // not empty
    }

    /// Reads four hexadecimal digits of either case.
    static func hexadecimal(_ bytes: Span<UInt8>, at start: Int, end: Int) -> UInt32? {
        guard end &- start >= 4 else { return nil }
        var value: UInt32 = 0
        for index in start..<(start &+ 4) {
            guard let digit = bytes[index].hexadecimalDigit else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
