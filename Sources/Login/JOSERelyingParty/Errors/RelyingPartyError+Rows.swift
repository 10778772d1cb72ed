extension RelyingPartyError.Reason {
    /// A stable identifier of the reason for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all identifiers.
    public var code: String { row(in: .callback).code }

    /// The row of this reason: its code, which does not depend on the step, and the action after a failure in `step`. A
    /// profile gives the provider's own error codes more specific actions.
    func row(in step: LoginStep) -> (code: String, action: RelyingPartyError.Action) {
        let outage = Self.isBeforeUse(step) ? RelyingPartyError.Action.retry : .restart
        let parameter = Self.parameterAction(in: step)
        return switch self {
        case .malformed: ("malformed", .investigate)
        case .tooLarge: ("limit_exceeded", .investigate)
        case .notEncrypted: ("token_not_encrypted", .investigate)
        case .notSigned: ("token_not_signed", .investigate)
        case .algorithmNotAllowed: ("algorithm_not_allowed", .investigate)
        case .encryptionNotAllowed: ("encryption_not_allowed", .investigate)
        case .criticalNotUnderstood: ("critical_header_unknown", .investigate)
        case .contentTypeMismatch: ("content_type_mismatch", .investigate)
        case .keyNotFound: ("key_not_found", .investigate)
        case .keyUnsuitable: ("key_unsuitable", .investigate)
        case .decryptionFailed: ("decryption_failed", .investigate)
        case .signatureInvalid: ("signature_invalid", .investigate)
        case .certificateRevoked: ("certificate_revoked", .investigate)
        case .certificateUnknown: ("certificate_unknown", .investigate)
        case .certificateStatusStale: ("certificate_status_stale", .investigate)
        case .responderNotAuthorized: ("responder_not_authorized", .investigate)
        case .claimMissing: ("claim_missing", .investigate)
        case .claimType: ("claim_type_invalid", .investigate)
        case .claimUnexpected: ("claim_unexpected", .investigate)
        case .issuerMismatch: ("issuer_mismatch", .investigate)
        case .audienceMismatch: ("audience_mismatch", .investigate)
        case .authorizedPartyMismatch: ("authorized_party_mismatch", .investigate)
        case .expired: ("token_expired", .restart)
        case .notYetValid: ("token_not_yet_valid", .restart)
        case .issuedInFuture: ("token_issued_in_future", .restart)
        case .tooOld: ("token_too_old", .restart)
        case .authenticationTooOld: ("authentication_too_old", .tellUser)
        case .nonceMismatch: ("nonce_mismatch", .investigate)
        case .hashMismatch: ("hash_mismatch", .investigate)
        case .acrTooLow: ("acr_too_low", .tellUser)
        case .subjectMismatch: ("subject_mismatch", .investigate)
        case .replayed: ("token_replayed", .investigate)
        case .inResponseToMismatch: ("in_response_to_mismatch", .investigate)
        case .sectorUnexpected: ("sector_unexpected", .investigate)
        case .stateMismatch: ("state_mismatch", .restart)
        case .bindingMismatch: ("binding_mismatch", .restart)
        case .missingParameter: ("missing_parameter", parameter)
        case .duplicateParameter: ("duplicate_parameter", parameter)
        case .invalidParameter: ("invalid_parameter", parameter)
        case .providerError(let code): ("provider_error", Self.actions[code.description] ?? .fixConfiguration)
        case .cancelled: ("user_cancelled", .tellUser)
        case .loginPending: ("login_pending", .tellUser)
        case .appNotFound: ("app_not_found", .tellUser)
        case .notActivated: ("app_not_activated", .tellUser)
        case .switchedOff: ("app_login_switched_off", .tellUser)
        case .switchedOffForService: ("app_login_switched_off_for_service", .fixConfiguration)
        case .returnURLUnknown: ("return_url_unknown", .fixConfiguration)
        case .pinBlocked: ("pin_blocked", .tellUser)
        case .sessionExpired: ("session_expired", .restart)
        case .discoveryMismatch: ("discovery_mismatch", .fixConfiguration)
        case .metadataMissing: ("metadata_member_missing", .fixConfiguration)
        case .metadataInvalid: ("metadata_member_invalid", .fixConfiguration)
        case .keySetRejected(let rejection, _): (rejection.code, .investigate)
        case .untrustedIssuer: ("untrusted_issuer", .fixConfiguration)
        case .redirectLoop: ("redirect_loop", .restart)
        case .configurationError: ("configuration_error", .fixConfiguration)
        case .unreachable: ("provider_unreachable", outage)
        case .unexpectedStatus: ("unexpected_status", outage)
        case .storeUnavailable: ("store_unavailable", outage)
        case .storeFull: ("store_full", outage)
        case .interrupted: ("task_cancelled", outage)
        case .internalFault: ("backend_failure", outage)
        }
    }

    /// Returns whether nothing is used up yet when this step fails.
    private static func isBeforeUse(_ step: LoginStep) -> Bool {
        switch step {
        case .configuration, .request, .discovery, .pushedRequest, .store: true
        default: false
        }
    }

    /// Returns the action after a parameter was missing, repeated or invalid.
    private static func parameterAction(in step: LoginStep) -> RelyingPartyError.Action {
        switch step {
        case .request, .configuration: .fixConfiguration
        case .callback: .restart
        default: .investigate
        }
    }

    /// The actions of the error codes of OAuth (RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6; RFC 6750,
    /// 3.1).
    private static let actions: [String: RelyingPartyError.Action] = [
        "access_denied": .tellUser, "temporarily_unavailable": .retry, "server_error": .retry,
        "login_required": .restart, "interaction_required": .restart, "consent_required": .restart,
        "account_selection_required": .restart, "invalid_grant": .restart, "invalid_token": .restart,
    ]
}
