internal import JOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Date: ClaimValueConvertible, StandardClaimValue {
    /// The point in time as a NumericDate in whole seconds, rounded down (RFC 7519, 2).
    package var standardClaimValue: ClaimValue { .date(NumericDate(self)) }
}

extension UUID: ClaimValueConvertible, StandardClaimValue {
    /// The identifier as a JSON string in upper case, as `uuidString` and `JSONEncoder` write it.
    package var standardClaimValue: ClaimValue { .string(uuidString) }
}

extension URL: ClaimValueConvertible, StandardClaimValue {
    /// The absolute URL as a JSON string.
    package var standardClaimValue: ClaimValue { .string(absoluteString) }
}
