internal import CJOSEBytes

extension JSONScanner {
    /// Moves past a number (RFC 8259, 6) that is finite as a Double.
    @inline(__always)
    static func number(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) throws(JSONFault) {
        let start = at
        if bytes[at] == UInt8(ascii: "-") { at &+= 1 }
        let digits = at
        at = skipDigits(bytes, at, end)
        guard at > digits else { throw JSONFault(.syntax, at: at) }
        if bytes[digits] == UInt8(ascii: "0"), at &- digits > 1 { throw JSONFault(.syntax, at: digits &+ 1) }
        // Any 308 digits are below the greatest Double.
        if at &- digits <= 308 {
            guard at < end else { return }
            let next = bytes[at]
            guard next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") else { return }
        }
        at = try rarerNumber(bytes, start, digits, at, end)
    }

    /// Moves past the rest of a number with a fraction, an exponent or unusually many digits.
    @inline(never)
    private static func rarerNumber(
        _ bytes: Span<UInt8>, _ start: Int, _ digits: Int, _ point: Int, _ end: Int
    ) throws(JSONFault) -> Int {
        var at = point
        if at < end, bytes[at] == UInt8(ascii: ".") {
            at = skipDigits(bytes, at &+ 1, end)
            guard at > point &+ 1 else { throw JSONFault(.syntax, at: at) }
        }
        let significand = digits..<at
        var exponent = 0
        if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at &+= 1
            let isNegative = at < end && bytes[at] == UInt8(ascii: "-")
            if isNegative || (at < end && bytes[at] == UInt8(ascii: "+")) { at &+= 1 }
            let first = at
            at = skipDigits(bytes, at, end)
            guard at > first else { throw JSONFault(.syntax, at: at) }
            for index in first..<at where exponent < 1 << 40 {
                exponent = exponent &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0"))
            }
            if isNegative { exponent = -exponent }
        }
        // The first digit that is not zero determines the magnitude: only at 10^308 do the others matter.
        for index in significand where bytes[index] != UInt8(ascii: "0") && bytes[index] != UInt8(ascii: ".") {
            exponent &+= index < point ? point &- index &- 1 : point &- index
            if exponent < 308 { return at }
            if exponent == 308, double(bytes, start..<at)?.isFinite == true { return at }
            throw JSONFault(.numberOutOfRange, at: start)
        }
        return at
    }

    static func double(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe Double(String(decoding: $0, as: UTF8.self)) }
    }

    @inline(__always)
    private static func skipDigits(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        guard start < end, end <= bytes.count else { return start }
        // The range is not empty, so there is a base address.
        let run = unsafe bytes.withUnsafeBytes { unsafe cjose_digit_run($0.baseAddress! + start, end &- start) }
        return start &+ run
    }
}
