internal import JOSE

extension TokenError {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article
    /// <doc:ErrorCodes> lists all identifiers.
    ///
    /// An error that contains another failure (of a layer, a claim, a disclosure or the replay store) has the code of
    /// that failure. If several claims failed, the error has the code of the first.
    public var code: String {
        switch self {
        case .jose(let error, _): error.code
        case .claim(let failure): failure.code
        case .claims(let failures): failures.first?.code ?? "claim_invalid"
        case .issuerUnknown: "issuer_unknown"
        case .policyInvalid: "policy_invalid"
        case .awaitRequired: "await_required"
        case .notDecodable: "claims_not_decodable"
        case .notEncodable: "claims_not_encodable"
        case .cancelled: "task_cancelled"
        case .replay(let fault): fault.code
        case .disclosure(let fault): fault.code
        }
    }
}

extension ClaimFailure {
    /// A stable identifier of the failure for logs, metrics and programs in other languages. The article
    /// <doc:ErrorCodes> lists all identifiers.
    public var code: String {
        switch self {
        case .issuerMismatch: "issuer_mismatch"
        case .audienceMismatch: "audience_mismatch"
        case .expired: "token_expired"
        case .notYetValid: "token_not_yet_valid"
        case .issuedInFuture: "token_issued_in_future"
        case .missing: "claim_missing"
        case .invalid: "claim_invalid"
        case .forbidden: "claim_forbidden"
        case .tooOld("auth_time"): "authentication_too_old"
        case .tooOld: "token_too_old"
        case .expiresTooSoon: "token_expires_too_soon"
        case .lifetimeTooLong: "token_lifetime_too_long"
        case .headerCopyDiffers: "header_copy_differs"
        }
    }
}

extension ReplayFault {
    /// A stable identifier of the failure for logs, metrics and programs in other languages. The article
    /// <doc:ErrorCodes> lists all identifiers.
    public var code: String {
        switch self {
        case .seen: "token_replayed"
        case .storeFull: "store_full"
        case .shareFull: "store_share_full"
        case .storeUnavailable: "store_unavailable"
        }
    }
}

extension DisclosureFault {
    /// A stable identifier of the failure for logs, metrics and programs in other languages. The article
    /// <doc:ErrorCodes> lists all identifiers.
    ///
    /// A failed claim of the key binding JWT has the code of that failure.
    public var code: String {
        switch self {
        case .form: "sd_jwt_malformed"
        case .malformed: "disclosure_malformed"
        case .hash: "disclosure_hash_unknown"
        case .reservedName: "disclosure_reserved_name"
        case .digests: "disclosure_digests_malformed"
        case .repeatedDigest: "disclosure_repeated_digest"
        case .repeatedDisclosure: "disclosure_repeated"
        case .unreferenced: "disclosure_unreferenced"
        case .wrongPlace: "disclosure_wrong_place"
        case .nameTaken: "disclosure_name_taken"
        case .path: "disclosure_path_invalid"
        case .keyBindingMissing: "key_binding_missing"
        case .keyBindingUnexpected: "key_binding_unexpected"
        case .holderKeyMissing: "holder_key_missing"
        case .keyBinding(let failure): failure.code
        }
    }
}

extension PolicyFault {
    /// A stable identifier of the fault. It distinguishes the faults for which `TokenError.code` is `policy_invalid`.
    /// The article <doc:ErrorCodes> lists all identifiers.
    public var code: String {
        switch self {
        case .leeway: "leeway_out_of_range"
        case .duration: "policy_duration_invalid"
        case .lifetimeNotPositive: "lifetime_not_positive"
        case .validFrom: "valid_from_invalid"
        case .clock: "clock_invalid"
        case .emptyList: "policy_list_empty"
        case .contradiction: "policy_contradiction"
        case .key: "policy_key_mismatch"
        case .lifetime: "lifetime_exceeds_publication"
        case .lifetimeUnbounded: "lifetime_unbounded"
        case .issuerNotExact: "issuer_not_exact"
        case .issuerTemplate: "issuer_template_invalid"
        case .issuerRepeated: "issuer_repeated"
        case .setByProfile: "policy_set_by_profile"
        }
    }
}
