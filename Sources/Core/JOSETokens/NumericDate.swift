internal import JOSEBytes

/// A time as a JSON number, in seconds since 1970 (RFC 7519, 2).
enum NumericDate {
    /// Beyond it a Double no longer tells one second from the next.
    static let bound = 9_007_199_254_740_992.0

    /// Nil for what is not a number within the bound; never a string, however it looks.
    static func read(_ value: JSONValue, in bytes: Span<UInt8>) -> Double? {
        guard let number = value.number(in: bytes), abs(number) <= bound else { return nil }
        return number
    }
}
