internal import JOSE
internal import JOSEBytes

extension NumericDate {
    /// Reads a JSON number of seconds since 1970 (RFC 7519, 2).
    ///
    /// - Returns: The number of seconds; nil for a value of another type, a string of digits included, and for a number
    ///   beyond ``NumericDate/bound``.
    static func read(_ value: JSONValue, in bytes: Span<UInt8>) -> Double? {
        guard let number = value.number(in: bytes), abs(number) <= bound else { return nil }
        return number
    }
}
