extension JOSEError {
    /// A Boolean value that indicates whether the same call may succeed later, because keys, capacity, memory or a key
    /// service were unavailable. The token may be valid.
    ///
    /// It is true for `keysUnavailable`, `overloaded`, `cancelled`, `backend` and `externalKey(.failed)`, and false for
    /// every other error. `keyNotFound` is not retryable: the key is missing from a key set that is up to date, or that
    /// was fetched for this key a short while ago. While such a fetch is in progress, or after it failed, the error is
    /// `keysUnavailable(.refreshIncomplete)` instead.
    public var isRetryable: Bool {
        switch self {
        case .keysUnavailable, .overloaded, .cancelled, .backend, .externalKey(.failed): true
        case .malformed, .limitExceeded, .headerInvalid, .algorithmNotAllowed, .criticalHeaderUnknown, .keyNotFound,
            .keyUnsuitable, .configurationInvalid, .keyInvalid, .certificateInvalid, .signatureInvalid,
            .decryptionFailed, .decompressionFailed, .externalKey:
            false
        }
    }

    /// Whether another key set of the same source may change the outcome, so that waiting for a refresh that is under
    /// way is of use. Every caller that waits for keys applies this rule.
    package var mayChangeWithKeys: Bool {
        switch self {
        case .keyNotFound, .keysUnavailable, .keyUnsuitable, .signatureInvalid, .keyInvalid: true
        default: false
        }
    }
}
