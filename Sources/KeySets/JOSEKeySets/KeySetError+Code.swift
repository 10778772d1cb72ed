extension KeySetError {
    /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
    public var code: String {
        switch self {
        case .urlInvalid: "url_invalid"
        case .optionsInvalid: "options_invalid"
        case .transport(let error): error.code
        case .status: "status"
        case .refused(let rejection): rejection.code
        case .discovery(let fault): fault.code
        case .issuerRepeated: "issuer_repeated"
        case .deadlineExceeded: "deadline_exceeded"
        case .closed: "closed"
        }
    }
}

extension KeySetRejection {
    /// A stable identifier of the reason for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
    public var code: String {
        switch self {
        case .empty: "empty"
        case .contentType: "content_type"
        case .malformed: "malformed"
        case .tooLarge: "too_large"
        case .notKeySet: "not_key_set"
        case .privateKey: "private_key"
        case .noUsableKeys: "no_usable_keys"
        case .duplicateKeyID: "duplicate_key_id"
        case .replacedKey: "replaced_key"
        case .tooOld: "too_old"
        }
    }
}
