extension RelyingPartyError {
    /// A stable identifier of the error for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all identifiers.
    public var code: String { reason.code }
}

extension RelyingPartyError.Reason {
    /// A stable identifier of the reason for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all identifiers.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .tooLarge: "limit_exceeded"
        case .notEncrypted: "token_not_encrypted"
        case .notSigned: "token_not_signed"
        case .algorithmNotAllowed: "algorithm_not_allowed"
        case .encryptionNotAllowed: "encryption_not_allowed"
        case .criticalNotUnderstood: "critical_header_unknown"
        case .contentTypeMismatch: "content_type_mismatch"
        case .keyNotFound: "key_not_found"
        case .keyUnsuitable: "key_unsuitable"
        case .decryptionFailed: "decryption_failed"
        case .signatureInvalid: "signature_invalid"
        case .certificateRevoked: "certificate_revoked"
        case .certificateUnknown: "certificate_unknown"
        case .certificateStatusStale: "certificate_status_stale"
        case .responderNotAuthorized: "responder_not_authorized"
        case .claimMissing: "claim_missing"
        case .claimType: "claim_type_invalid"
        case .claimUnexpected: "claim_unexpected"
        case .issuerMismatch: "issuer_mismatch"
        case .audienceMismatch: "audience_mismatch"
        case .authorizedPartyMismatch: "authorized_party_mismatch"
        case .expired: "token_expired"
        case .notYetValid: "token_not_yet_valid"
        case .issuedInFuture: "token_issued_in_future"
        case .tooOld: "token_too_old"
        case .authenticationTooOld: "authentication_too_old"
        case .nonceMismatch: "nonce_mismatch"
        case .hashMismatch: "hash_mismatch"
        case .acrTooLow: "acr_too_low"
        case .subjectMismatch: "subject_mismatch"
        case .replayed: "token_replayed"
        case .inResponseToMismatch: "in_response_to_mismatch"
        case .sectorUnexpected: "sector_unexpected"
        case .stateMismatch: "state_mismatch"
        case .bindingMismatch: "binding_mismatch"
        case .missingParameter: "missing_parameter"
        case .duplicateParameter: "duplicate_parameter"
        case .invalidParameter: "invalid_parameter"
        case .providerError: "provider_error"
        case .cancelled: "user_cancelled"
        case .loginPending: "login_pending"
        case .appNotFound: "app_not_found"
        case .notActivated: "app_not_activated"
        case .switchedOff: "app_login_switched_off"
        case .switchedOffForService: "app_login_switched_off_for_service"
        case .returnURLUnknown: "return_url_unknown"
        case .pinBlocked: "pin_blocked"
        case .sessionExpired: "session_expired"
        case .discoveryMismatch: "discovery_mismatch"
        case .metadataMissing: "metadata_member_missing"
        case .metadataInvalid: "metadata_member_invalid"
        case .keySetRejected(let rejection, _): rejection.code
        case .untrustedIssuer: "untrusted_issuer"
        case .redirectLoop: "redirect_loop"
        case .configurationError: "configuration_error"
        case .unreachable: "provider_unreachable"
        case .unexpectedStatus: "unexpected_status"
        case .storeUnavailable: "store_unavailable"
        case .storeFull: "store_full"
        case .interrupted: "task_cancelled"
        case .internalFault: "backend_failure"
        }
    }
}
