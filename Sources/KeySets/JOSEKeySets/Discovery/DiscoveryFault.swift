public import JOSE

/// Why an issuer's metadata is not had, or not taken. Holds nothing that a server sent.
@nonexhaustive public enum DiscoveryFault: Error, Equatable, Sendable {
    /// The issuer asked for is not an https URL of a host without query, fragment and user information (RFC 8414, 2), or has
    /// more than 2,048 bytes. Nothing was fetched.
    case issuerInvalid
    /// The address of the metadata, or the suffix that makes it, is not one to ask.
    case addressInvalid
    /// More than ``IssuerMetadata/byteLimit``.
    case tooLarge
    /// Not one JSON object, or one that says a member twice.
    case malformed
    /// `issuer` of the document is not, byte for byte, the one asked for (RFC 8414, 3.3).
    case issuerMismatch
    /// The document lacks what is needed.
    case missing(MetadataMember)
    /// The member is of another type, or an address that is not https or has user information or a fragment.
    case invalid(MetadataMember)
    /// The document has no `signed_metadata` (RFC 8414, 2.1), where keys to verify it with are configured.
    case notSigned
    /// `signed_metadata` does not verify with the configured keys.
    case signatureInvalid(JOSEError)
    /// `signed_metadata` does not say what the document says.
    case signedMetadataMismatch
}

extension DiscoveryFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .issuerInvalid: "the issuer is not an https URL without query, fragment and user information"
        case .addressInvalid: "the address of the metadata is not one to ask"
        case .tooLarge: "the metadata is too large"
        case .malformed: "the metadata is not a strict JSON object"
        case .issuerMismatch: "the metadata is of another issuer"
        case .missing(let member): "\(member.rawValue) is missing in the metadata"
        case .notSigned: "signed_metadata is missing in the metadata"
        case .signatureInvalid(let error): "signed_metadata does not verify: \(error)"
        case .signedMetadataMismatch: "signed_metadata does not say what the metadata says"
        case .invalid(let member): "\(member.rawValue) is of the wrong type in the metadata, or no address to ask"
        }
    }
}
