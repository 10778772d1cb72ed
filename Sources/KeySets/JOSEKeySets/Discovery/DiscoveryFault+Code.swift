extension DiscoveryFault {
    /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
    public var code: String {
        switch self {
        case .issuerInvalid: "issuer_invalid"
        case .addressInvalid: "address_invalid"
        case .tooLarge: "too_large"
        case .malformed: "malformed"
        case .issuerMismatch: "issuer_mismatch"
        case .missing: "missing"
        case .invalid: "invalid"
        case .notSigned: "not_signed"
        case .signatureInvalid: "signature_invalid"
        case .signedMetadataMismatch: "signed_metadata_mismatch"
        }
    }
}
