public import JOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension JSONDecoder.DateDecodingStrategy {
    /// Reads a `Date` from a NumericDate: a JSON number of seconds since 1970-01-01T00:00:00Z UTC, with or without a
    /// fraction (RFC 7519, 2).
    ///
    /// A value that is not a number, or is more than 2^53 seconds from 1970, is rejected with
    /// `DecodingError.dataCorrupted` or `DecodingError.typeMismatch`.
    public static var numericDate: Self { .custom(readNumericDate) }

    @Sendable private static func readNumericDate(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let seconds = try container.decode(Double.self)
        guard abs(seconds) <= NumericDate.bound else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a NumericDate must be within 2^53 seconds of 1970")
        }
        return Date(timeIntervalSince1970: seconds)
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// Writes a `Date` as a NumericDate in whole seconds since 1970-01-01T00:00:00Z UTC (RFC 7519, 2).
    ///
    /// A fraction is rounded down, for times before 1970 too: a token never expires later than the given `exp`, and an
    /// `iat` or `nbf` of the current time is not in the future. A `Date` that is not finite, or is more than 2^53
    /// seconds from 1970, is rejected with `EncodingError.invalidValue`.
    public static var numericDate: Self { .custom(writeNumericDate) }

    @Sendable private static func writeNumericDate(_ date: Date, to encoder: any Encoder) throws {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard abs(seconds) <= NumericDate.bound else {
            throw EncodingError.invalidValue(
                date,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "a NumericDate must be within 2^53 seconds of 1970"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(Int64(seconds))
    }
}

extension TokenOptions {
    /// Creates options for a token that is valid from a date on, as the initializer that takes a `NumericDate` does.
    public init(
        signatureHeader: HeaderParameters? = nil, encryptionHeader: HeaderParameters? = nil, validFrom date: Date,
        lifetime: Duration? = nil
    ) {
        self.init(
            signatureHeader: signatureHeader, encryptionHeader: encryptionHeader, validFrom: NumericDate(date),
            lifetime: lifetime)
    }
}
