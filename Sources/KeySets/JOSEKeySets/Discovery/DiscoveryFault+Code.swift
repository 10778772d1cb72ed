extension DiscoveryFault {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .issuerInvalid: "issuer_invalid"
        case .addressInvalid: "metadata_url_invalid"
        case .tooLarge: "metadata_too_large"
        case .malformed: "metadata_malformed"
        case .issuerMismatch: "issuer_mismatch"
        case .missing: "metadata_member_missing"
        case .invalid: "metadata_member_invalid"
        case .notSigned: "metadata_not_signed"
        case .signatureInvalid: "signature_invalid"
        case .signedMetadataMismatch: "signed_metadata_mismatch"
        }
    }
}
