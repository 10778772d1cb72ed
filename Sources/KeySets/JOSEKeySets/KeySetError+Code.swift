extension KeySetError {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .urlInvalid: "url_invalid"
        case .optionInvalid: "option_invalid"
        case .transport(let error): error.code
        case .status: "unexpected_status"
        case .refused(let rejection): rejection.code
        case .discovery(let fault): fault.code
        case .issuerRepeated: "issuer_repeated"
        case .deadlineExceeded: "deadline_exceeded"
        case .closed: "key_source_closed"
        }
    }
}

extension KeySetRejection {
    /// A stable identifier of the reason for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .empty: "response_empty"
        case .contentType: "content_type_mismatch"
        case .malformed: "key_set_malformed"
        case .tooLarge: "key_set_too_large"
        case .notKeySet: "not_key_set"
        case .privateKey: "private_key_published"
        case .noUsableKeys: "no_usable_keys"
        case .duplicateKeyID: "duplicate_key_id"
        case .replacedKey: "key_replaced"
        case .tooOld: "snapshot_too_old"
        }
    }
}
