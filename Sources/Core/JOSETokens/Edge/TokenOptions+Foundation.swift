public import JOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TokenOptions {
    /// Creates options for a token that is valid from a date on.
    ///
    /// - Parameters:
    ///   - signatureHeader: The header parameters of the signature layer; nil for those of the issuer.
    ///   - encryptionHeader: The header parameters of the encryption layer; nil for those of the issuer.
    ///   - date: The time from which the token is valid, `nbf`.
    ///   - lifetime: The time to `exp`; nil for that of the issuer.
    public init(
        signatureHeader: HeaderParameters? = nil, encryptionHeader: HeaderParameters? = nil, validFrom date: Date,
        lifetime: Duration? = nil
    ) {
        self.init(
            signatureHeader: signatureHeader, encryptionHeader: encryptionHeader, validFrom: NumericDate(date),
            lifetime: lifetime)
    }
}
