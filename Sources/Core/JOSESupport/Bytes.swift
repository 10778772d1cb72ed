internal import CJOSEBytes

/// Finds the positions of the first five dots, and returns how many there are, counting at most six. Nothing after the
/// sixth is read, so that a token of a million dots costs what one of six does.
package func findDots(in bytes: Span<UInt8>, _ positions: inout InlineArray<5, Int>) -> Int {
    var span = positions.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { out in
        unsafe bytes.withUnsafeBytes { input in
            unsafe cjose_find_dots(input.baseAddress, input.count, out.baseAddress!, out.count)  // never empty: five
        }
    }
}

/// Compares bytes in a time that depends on the counts only.
package func constantTimeEquals(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBytes { x in
        unsafe b.withUnsafeBytes { y in unsafe cjose_equal(x.baseAddress, y.baseAddress, x.count) }
    }
}

/// Compares bytes that are not secret.
package func bytesEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBytes { x in
        unsafe b.withUnsafeBytes { y in unsafe cjose_same(x.baseAddress, y.baseAddress, x.count) }
    }
}

package func bytesEqual(_ a: Span<UInt8>, _ b: [UInt8]) -> Bool { bytesEqual(a, b.span) }

package func bytesEqual(_ a: Span<UInt8>, _ b: StaticString) -> Bool {
    b.withUTF8Buffer { unsafe bytesEqual(a, $0.span) }
}

/// Compares the UTF-8 bytes of strings that are not secret. `==` of `String` ignores differences that Unicode considers
/// equivalent.
package func bytesEqual(_ a: String, _ b: String) -> Bool { bytesEqual(a.utf8.span, b.utf8.span) }

/// Compares the UTF-8 bytes of strings that are not secret; nil is equal to no string.
package func bytesEqual(_ a: String?, _ b: String) -> Bool {
    guard let a else { return false }
    return bytesEqual(a, b)
}

/// Compares bytes and returns a number below, at or above 0; a text sorts before its continuations.
func byteOrder(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
    unsafe a.withUnsafeBytes { x in
        unsafe b.withUnsafeBytes { y in unsafe Int(cjose_order(x.baseAddress, x.count, y.baseAddress, y.count)) }
    }
}

package func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe cjose_utf8_valid($0.baseAddress, $0.count) }
}

package enum SystemClock {
    /// Returns the seconds since 1970 by the system's clock.
    package static func now() -> Double { cjose_clock_now() }
    /// Returns the seconds since 1970 as they were at the last tick of the system, up to 10 ms ago. It takes a quarter
    /// of the time of `now()`, and is compared with times of claims alone: a wait ends by the exact clock, before which
    /// this one still is.
    package static func coarse() -> Double { cjose_clock_coarse() }
    /// Returns the seconds since an arbitrary moment, by a clock that setting the time does not change.
    package static func elapsed() -> Double { cjose_clock_elapsed() }
}
