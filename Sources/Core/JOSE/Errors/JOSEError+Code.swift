extension JOSEError {
    /// A stable identifier of the error for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all of them.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .limitExceeded: "limit_exceeded"
        case .headerInvalid(let fault): fault.code
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

extension HeaderFault {
    /// A stable identifier of the fault, which names the header parameter. It is the `code` of the error that contains
    /// the fault.
    public var code: String {
        switch self {
        case .algorithmMissing: "header_alg_missing"
        case .contentEncryptionMissing: "header_enc_missing"
        case .contentEncryptionDiffers: "header_enc_differs"
        case .memberType: "header_member_type_invalid"
        case .memberText: "header_member_not_json"
        case .critical: "header_crit_invalid"
        case .b64: "header_b64_invalid"
        case .ephemeralKey: "header_epk_invalid"
        case .agreementInfo: "header_apu_apv_invalid"
        case .keyWrap: "header_iv_tag_invalid"
        case .password: "header_p2s_p2c_invalid"
        case .compression: "header_zip_not_allowed"
        case .compressionNotBuilt: "header_zip_not_built"
        case .reservedName: "header_member_reserved"
        case .type: "header_typ_mismatch"
        case .contentType: "header_cty_mismatch"
        }
    }
}
