// Every reader takes the bytes that the index was made from. With other bytes it returns nil or a wrong value, or traps
// at the span's bounds; it never reads outside them.
extension JSONValue {
    private var range: Range<Int> { Int(start)..<Int(end) }

    private var text: JSONText? {
        kind == .string ? JSONText(start: Int(start) &+ 1, end: Int(end) &- 1, escaped: escaped) : nil
    }

    /// The range of the bytes of a string without escapes; nil for any other value.
    package var plainText: Range<Int>? {
        guard case .string = kind, !escaped else { return nil }
        return Int(start) + 1..<Int(end) - 1
    }

    /// Returns the string; nil for a value that is not a string.
    package func string(in bytes: Span<UInt8>) -> String? {
        guard let text else { return nil }
        if text.escaped { return String(decoding: text.unescaped(in: bytes), as: UTF8.self) }
        return unsafe bytes.extracting(text.start..<text.end).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns the string's UTF-8; nil for a value that is not a string.
    package func stringBytes(in bytes: Span<UInt8>) -> [UInt8]? {
        text?.unescaped(in: bytes)
    }

    /// Returns whether this is a string of exactly these bytes, without any normalization (RFC 7515, 5.3).
    package func equals(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        text?.equals(other, in: bytes) ?? false
    }

    package func equals(_ other: StaticString, in bytes: Span<UInt8>) -> Bool {
        other.withUTF8Buffer { buffer in unsafe equals(buffer.span, in: bytes) }
    }

    /// Returns the nearest Double, which is always finite; nil for a value that is not a number.
    package func number(in bytes: Span<UInt8>) -> Double? {
        guard kind == .number else { return nil }
        // An integer of up to fifteen digits is exact as a Double, and most numbers in a token are seconds.
        if end &- start <= 15, let integer = integer(in: bytes) {
            return integer == 0 && bytes[Int(start)] == UInt8(ascii: "-") ? -0.0 : Double(integer)
        }
        return JSONScanner.double(bytes, range)
    }

    /// Returns the integer; nil for a number with a fraction or an exponent, even an integral one, and for one beyond
    /// Int64.
    package func integer(in bytes: Span<UInt8>) -> Int64? {
        guard kind == .number else { return nil }
        let isNegative = bytes[Int(start)] == UInt8(ascii: "-")
        let digits = isNegative ? range.dropFirst() : range
        var value: Int64 = 0
        // Eighteen digits cannot overflow.
        if digits.count <= 18, digits.upperBound <= bytes.count {
            var at = digits.lowerBound
            // Most numbers in a token are seconds, of ten digits.
            while digits.upperBound &- at >= 8, let eight = Self.eightDigits(bytes, at) {
                value = value &* 100_000_000 &+ eight
                at &+= 8
            }
            while at < digits.upperBound {
                let digit = bytes[at] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value &* 10 &+ Int64(digit)
                at &+= 1
            }
            return isNegative ? -value : value
        }
        for index in digits {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            // A negative number is computed downwards, because Int64 has one more value there.
            let (next, carry) =
                isNegative
                ? shifted.subtractingReportingOverflow(Int64(digit)) : shifted.addingReportingOverflow(Int64(digit))
            guard !overflow, !carry else { return nil }
            value = next
        }
        return value
    }

    /// Returns the number that eight bytes are the digits of; nil where one of them is not a digit.
    private static func eightDigits(_ bytes: Span<UInt8>, _ at: Int) -> Int64? {
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
        var value = UInt64(littleEndian: word) ^ 0x3030_3030_3030_3030
        guard (value &+ 0x7676_7676_7676_7676 | value) & 0x8080_8080_8080_8080 == 0 else { return nil }
        // Neighbours are joined: bytes to numbers of two digits, these to numbers of four, and these to the result.
        value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
        value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
        return Int64((value &* 10_000 &+ value >> 32) & 0xFFFF_FFFF)
    }

    package func bool() -> Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Returns the elements, with their ranges in the same bytes; nil for a value that is not an array.
    package func array(in bytes: Span<UInt8>) -> [JSONValue]? {
        guard kind == .array else { return nil }
        return contents(in: bytes)?.map(\.value)
    }

    /// Returns the members, with their ranges in the same bytes; nil for a value that is not an object.
    package func object(in bytes: Span<UInt8>) -> [JSONMember]? {
        guard kind == .object else { return nil }
        return contents(in: bytes)
    }

    /// Returns the JSON text of the value.
    package func slice(in bytes: Span<UInt8>) -> [UInt8] {
        bytes.extracting(range).copy()
    }

    private func contents(in bytes: Span<UInt8>) -> [JSONMember]? {
        guard end <= bytes.count else { return nil }
        var at = Int(start)
        return try? JSONScanner.container(bytes, &at, end: Int(end), .none)
    }
}

extension JSONMember {
    /// Returns whether the unescaped name has exactly these bytes.
    package func nameEquals(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        JSONText(self).equals(other, in: bytes)
    }

    package func nameEquals(_ other: StaticString, in bytes: Span<UInt8>) -> Bool {
        other.withUTF8Buffer { buffer in unsafe nameEquals(buffer.span, in: bytes) }
    }

    package func name(in bytes: Span<UInt8>) -> String { String(decoding: nameBytes(in: bytes), as: UTF8.self) }

    /// Returns the unescaped name's UTF-8.
    package func nameBytes(in bytes: Span<UInt8>) -> [UInt8] { JSONText(self).unescaped(in: bytes) }
}
