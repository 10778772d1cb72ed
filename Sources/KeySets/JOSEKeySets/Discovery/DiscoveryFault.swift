public import JOSE

/// The reason why an issuer's metadata was rejected. It contains nothing that a server sent.
@nonexhaustive public enum DiscoveryFault: Error, Equatable, Sendable {
    /// The issuer is not an https URL with a host, has a query, a fragment or user information (RFC 8414, 2), or
    /// exceeds 2,048 bytes. Nothing was fetched.
    case issuerInvalid
    /// The URL of the metadata, or the suffix that forms it, is invalid.
    case addressInvalid
    /// The metadata exceeds ``IssuerMetadata/byteLimit``.
    case tooLarge
    /// The metadata is not one strict JSON object, or contains a duplicate member.
    case malformed
    /// The member `issuer` differs from the configured issuer, compared byte by byte (RFC 8414, 3.3).
    case issuerMismatch
    /// A member that is needed is missing or null.
    case missing(MetadataMember)
    /// A member that is needed has the wrong type, or is a URL that is not https, or has user information or a
    /// fragment.
    case invalid(MetadataMember)
    /// The metadata has no `signed_metadata` (RFC 8414, 2.1), although keys to verify it are configured.
    case notSigned
    /// The JWT in `signed_metadata` cannot be verified with the configured keys.
    case signatureInvalid(JOSEError)
    /// The claims of `signed_metadata` differ from the members of the metadata.
    case signedMetadataMismatch
}

extension DiscoveryFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .issuerInvalid: "the issuer is not an https URL, or has a query, a fragment or user information"
        case .addressInvalid: "the URL of the metadata is invalid"
        case .tooLarge: "the metadata is too large"
        case .malformed: "the metadata is not a valid JSON object, or has a duplicate member"
        case .issuerMismatch: "issuer in the metadata is not the configured issuer"
        case .missing(let member): "\(member) is missing from the metadata"
        case .notSigned: "signed_metadata is missing from the metadata"
        case .signatureInvalid(let error): "signed_metadata does not verify: \(error)"
        case .signedMetadataMismatch: "signed_metadata differs from the metadata"
        case .invalid(let member): "\(member) in the metadata has the wrong type or is an invalid URL"
        }
    }
}
