extension KeyRotationError {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .keyIDMissing: "key_id_missing"
        case .keyIDTaken: "key_id_taken"
        case .keyTaken: "key_taken"
        case .keyUnsuitable: "key_unsuitable"
        case .keyUnknown: "key_id_unknown"
        case .tooEarly: "step_too_early"
        case .isSigning: "key_signing"
        case .isPublished: "key_published"
        case .alreadyDone: "step_already_done"
        case .inUse: "key_in_use"
        case .rulesInvalid: "rotation_rules_invalid"
        case .timeInvalid: "time_out_of_range"
        case .stateInvalid: "rotation_state_invalid"
        case .privateKeyMissing: "private_key_missing"
        case .privateKeyOther: "private_key_mismatch"
        }
    }
}
