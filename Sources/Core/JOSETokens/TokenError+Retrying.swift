internal import JOSE

extension TokenError {
    /// A Boolean value that indicates whether the token was neither accepted nor rejected, because keys, capacity,
    /// memory, a key service or the replay store were not available.
    ///
    /// A later attempt may accept the token: answer an HTTP request with 503, and leave a message in its queue. The
    /// value is true where a layer's `JOSEError` is retryable, and for `cancelled`, `replay(.shareFull)`,
    /// `replay(.storeFull)` and `replay(.storeUnavailable)`. A token that is not yet valid, or whose key does not
    /// exist, was rejected: its error is not retryable.
    public var isRetryable: Bool {
        switch self {
        case .jose(let error, _): error.isRetryable
        case .cancelled, .replay(.shareFull), .replay(.storeFull), .replay(.storeUnavailable): true
        case .claim, .claims, .issuerUnknown, .policyInvalid, .awaitRequired, .notDecodable, .notEncodable,
            .replay(.seen), .disclosure:
            false
        }
    }

    /// Returns whether other keys for `layer` may change the outcome, as `JOSEError.mayChangeWithKeys` defines it.
    package func mayChangeWithKeys(of layer: TokenLayer) -> Bool {
        guard case .jose(let error, layer) = self else { return false }
        return error.mayChangeWithKeys
    }
}
