internal import JOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Date: ClaimValueConvertible {
    /// The point in time as a NumericDate in whole seconds, rounded down (RFC 7519, 2).
    public var claimValue: ClaimValue { .date(NumericDate(self)) }
}

extension UUID: ClaimValueConvertible {
    /// The identifier as a JSON string in upper case, as `uuidString` and `JSONEncoder` write it.
    public var claimValue: ClaimValue { .string(uuidString) }
}

extension URL: ClaimValueConvertible {
    /// The absolute URL as a JSON string.
    public var claimValue: ClaimValue { .string(absoluteString) }
}
