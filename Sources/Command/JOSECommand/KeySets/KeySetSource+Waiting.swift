import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens

extension KeySetSource {
    /// The keys at this moment; nil if there are none that may be used.
    var currentSet: KeySet? { try? keys.current() }

    /// Returns the error of a token of a batch or a queue, where a rejection is final.
    ///
    /// A missing key that no fetch has looked for since the token's proof may still be published. A key under which a
    /// signature failed may have been replaced as long as no fetch has begun since the token was read; none is begun
    /// for it beyond those that failed signatures may cause. If no signature has failed under a key of the set since
    /// then, that of the token failed under the key of its own certificate, which no fetch changes.
    ///
    /// - Parameters:
    ///   - fetched: The beginning of the fetch whose keys, or later ones, the token was verified with.
    func batchError(_ error: TokenError, fetchedFrom fetched: Double, _ reading: TokenReading) -> TokenError {
        switch error {
        case .jose(.keyNotFound, layer: .signature) where fetched < reading.proof:
            keys.expectFetch()
            return .jose(.keysUnavailable(.refreshIncomplete), layer: .signature)
        case .jose(.signatureInvalid, layer: .signature)
        where reading.isRepeatable && fetched < reading.readAt && keys.failedSignatureAt >= reading.readAt:
            return .jose(.keysUnavailable(.replacementUnknown), layer: .signature)
        default: return error
        }
    }

    /// Whether a token of a batch with this error waits for the next fetch: its key is missing, and the last fetch did
    /// not fail.
    func waitsForFetch(after error: TokenError) -> Bool {
        error == .jose(.keysUnavailable(.refreshIncomplete), layer: .signature) && keys.health.failures == 0
    }

    /// Waits for the end of the next fetch, or until SIGTERM has arrived, which must be blocked.
    func awaitNextFetch() {
        let keys = keys
        Blocking.run { () async -> Void in
            // A pending signal does not end a wait.
            while !Signals.isTerminationPending {
                guard let hasEnded = try? await keys.awaitLaterFetch(timeout: .milliseconds(100)), !hasEnded else {
                    return
                }
            }
        }
    }
}
