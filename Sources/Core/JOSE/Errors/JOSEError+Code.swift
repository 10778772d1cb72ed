extension JOSEError {
    /// A stable identifier of the error for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all of them.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .limitExceeded: "limit_exceeded"
        case .headerInvalid: "header_invalid"
        case .algorithmNotAllowed: "algorithm_not_allowed"
        case .criticalHeaderUnknown: "critical_header_unknown"
        case .keyNotFound: "key_not_found"
        case .keysUnavailable: "keys_unavailable"
        case .keyUnsuitable: "key_unsuitable"
        case .configurationInvalid: "configuration_invalid"
        case .keyInvalid: "key_invalid"
        case .certificateInvalid(.revoked): "certificate_revoked"
        case .certificateInvalid(.statusUnknown): "certificate_unknown"
        case .certificateInvalid(.statusOutdated): "certificate_status_stale"
        case .certificateInvalid(.statusUntrusted): "responder_not_authorized"
        case .certificateInvalid: "certificate_invalid"
        case .signatureInvalid: "signature_invalid"
        case .decryptionFailed: "decryption_failed"
        case .decompressionFailed: "decompression_failed"
        case .externalKey: "external_key_failure"
        case .overloaded: "overloaded"
        case .cancelled: "task_cancelled"
        case .backend: "backend_failure"
        }
    }
}
