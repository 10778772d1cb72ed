public import JOSE

/// The reason why an issuer's metadata was rejected. It contains nothing that a server sent.
@nonexhaustive public enum DiscoveryFault: CodedError, Equatable {
    /// The issuer is not an https URL with a host, has a query, a fragment or user information (RFC 8414, 2), or
    /// exceeds 2,048 bytes. Nothing was fetched.
    case issuerInvalid
    /// The URL of the metadata, or the suffix that forms it, is invalid.
    case addressInvalid
    /// The metadata exceeds 65,536 bytes.
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

extension DiscoveryFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .issuerInvalid:
            row(
                "issuer_invalid", "the issuer is not an https URL, or has a query, a fragment or user information",
                remedy: "give the issuer's https URL")
        case .addressInvalid:
            row(
                "metadata_url_invalid", "the URL of the metadata is invalid",
                remedy: "give the metadata's whole https URL")
        case .tooLarge:
            row(
                "metadata_too_large", "the metadata is too large",
                remedy: "check that the issuer is right, and ask its operator")
        case .malformed:
            row(
                "metadata_malformed", "the metadata is not a valid JSON object, or has a duplicate member",
                remedy: "check that the issuer is right, and ask its operator")
        case .issuerMismatch:
            row(
                "issuer_mismatch", "issuer in the metadata is not the configured issuer",
                remedy: "give the issuer exactly as in its metadata, slashes included")
        case .missing(let member):
            row(
                "metadata_member_missing", "\(member) is missing from the metadata",
                remedy: "give the URL of the key set instead of the issuer")
        case .invalid(let member):
            row(
                "metadata_member_invalid", "\(member) in the metadata has the wrong type or is an invalid URL",
                remedy: "ask the issuer's operator to correct the metadata")
        case .notSigned:
            row(
                "metadata_not_signed", "signed_metadata is missing from the metadata",
                remedy: "ask the issuer's operator for the keys that sign its metadata, or to sign it again")
        case .signatureInvalid(let error):
            row(
                "signature_invalid", "signed_metadata does not verify: \(error)",
                remedy: "ask the issuer's operator for the keys that sign its metadata, or to sign it again")
        case .signedMetadataMismatch:
            row(
                "signed_metadata_mismatch", "signed_metadata differs from the metadata",
                remedy: "ask the issuer's operator for the keys that sign its metadata, or to sign it again")
        }
    }
}
