extension JOSEError {
    /// A Boolean value that indicates whether the error leaves open whether the token is valid: keys, capacity, memory or a key
    /// service were not available. The same call may succeed later.
    ///
    /// True for `keysUnavailable`, `overloaded`, `backend` and `externalKey(.failed)`, and false for every other error.
    /// `keyNotFound` is final: an up-to-date key set lacks the key, or one that was fetched for this key a short while ago. A
    /// source whose fetch for the key is under way or has failed reports `keysUnavailable(.refreshIncomplete)` instead.
    public var isRetryable: Bool {
        switch self {
        case .keysUnavailable, .overloaded, .backend, .externalKey(.failed): true
        case .malformed, .limitExceeded, .headerInvalid, .algorithmNotAllowed, .criticalHeaderUnknown, .keyNotFound,
            .keyUnsuitable, .keyInvalid, .certificateInvalid, .signatureInvalid, .decryptionFailed,
            .decompressionFailed, .externalKey:
            false
        }
    }

    /// Whether another key set of the same source may change the outcome, so that waiting for a refresh that is under way is
    /// of use. Every caller that waits for keys applies this rule.
    package var mayChangeWithKeys: Bool {
        switch self {
        case .keyNotFound, .keysUnavailable, .keyUnsuitable, .signatureInvalid, .keyInvalid: true
        default: false
        }
    }
}
