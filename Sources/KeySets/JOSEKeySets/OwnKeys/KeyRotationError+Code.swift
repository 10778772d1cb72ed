extension KeyRotationError {
    /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
    public var code: String {
        switch self {
        case .keyIDMissing: "key_id_missing"
        case .keyIDTaken: "key_id_taken"
        case .keyTaken: "key_taken"
        case .keyUnsuitable: "key_unsuitable"
        case .keyUnknown: "key_unknown"
        case .tooEarly: "too_early"
        case .isSigning: "is_signing"
        case .isPublished: "is_published"
        case .alreadyDone: "already_done"
        case .inUse: "in_use"
        case .rulesInvalid: "rules_invalid"
        case .timeInvalid: "time_invalid"
        case .stateInvalid: "state_invalid"
        case .privateKeyMissing: "private_key_missing"
        case .privateKeyOther: "private_key_other"
        }
    }
}
