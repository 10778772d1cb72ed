// Every reader takes the bytes that the index was made from. With other bytes it answers nil or wrongly, or traps at
// the span's bounds; it never reads outside them.
extension JSONValue {
    private var range: Range<Int> { Int(start)..<Int(end) }

    private var text: JSONText? {
        kind == .string ? JSONText(start: Int(start) &+ 1, end: Int(end) &- 1, escaped: escaped) : nil
    }

    /// Where the bytes are that a string without escapes stands for; nil for any other and for what is no string.
    package var plainText: Range<Int>? {
        guard case .string = kind, !escaped else { return nil }
        return Int(start) + 1..<Int(end) - 1
    }

    /// Nil for what is not a string.
    package func string(in bytes: Span<UInt8>) -> String? {
        guard let text else { return nil }
        if text.escaped { return String(decoding: text.unescaped(in: bytes), as: UTF8.self) }
        return unsafe bytes.extracting(text.start..<text.end).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// The string's UTF-8; nil for what is not a string.
    package func stringBytes(in bytes: Span<UInt8>) -> [UInt8]? {
        guard let text else { return nil }
        if text.escaped { return text.unescaped(in: bytes) }
        return unsafe bytes.extracting(text.start..<text.end).withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    /// Whether this is a string of exactly these bytes (RFC 7515, 5.3: no normalization of any kind).
    package func equals(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        text?.equals(other, in: bytes) ?? false
    }

    package func equals(_ other: StaticString, in bytes: Span<UInt8>) -> Bool {
        other.withUTF8Buffer { buffer in unsafe equals(buffer.span, in: bytes) }
    }

    /// The nearest Double; always finite.
    package func number(in bytes: Span<UInt8>) -> Double? {
        guard kind == .number else { return nil }
        // Up to fifteen digits every integer is a Double, and most numbers in a token are seconds.
        if end &- start <= 15, let integer = integer(in: bytes) {
            return integer == 0 && bytes[Int(start)] == UInt8(ascii: "-") ? -0.0 : Double(integer)
        }
        return JSONScanner.double(bytes, range)
    }

    /// Nil for a fraction or an exponent, even if nothing comes of it, and beyond Int64.
    package func integer(in bytes: Span<UInt8>) -> Int64? {
        guard kind == .number else { return nil }
        let isNegative = bytes[Int(start)] == UInt8(ascii: "-")
        let digits = isNegative ? range.dropFirst() : range
        var value: Int64 = 0
        // Eighteen digits cannot overflow.
        if digits.count <= 18, digits.upperBound <= bytes.count {
            var at = digits.lowerBound
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
            // Downwards where the number is negative: there is one more value there.
            let (next, carry) =
                isNegative
                ? shifted.subtractingReportingOverflow(Int64(digit)) : shifted.addingReportingOverflow(Int64(digit))
            guard !overflow, !carry else { return nil }
            value = next
        }
        return value
    }

    package func bool() -> Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The elements, their places in the same bytes.
    package func array(in bytes: Span<UInt8>) -> [JSONValue]? {
        guard kind == .array else { return nil }
        return contents(in: bytes)?.map(\.value)
    }

    /// The members, their places in the same bytes.
    package func object(in bytes: Span<UInt8>) -> [JSONMember]? {
        guard kind == .object else { return nil }
        return contents(in: bytes)
    }

    /// The JSON text of the value.
    package func slice(in bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    private func contents(in bytes: Span<UInt8>) -> [JSONMember]? {
        guard end <= bytes.count else { return nil }
        var at = Int(start)
        return try? JSONScanner.container(bytes, &at, end: Int(end), .none)
    }
}

extension JSONMember {
    /// The name by the bytes that it stands for.
    package func nameEquals(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        JSONText(self).equals(other, in: bytes)
    }

    package func nameEquals(_ other: StaticString, in bytes: Span<UInt8>) -> Bool {
        other.withUTF8Buffer { buffer in unsafe nameEquals(buffer.span, in: bytes) }
    }

    package func name(in bytes: Span<UInt8>) -> String {
        String(decoding: JSONText(self).unescaped(in: bytes), as: UTF8.self)
    }
}
