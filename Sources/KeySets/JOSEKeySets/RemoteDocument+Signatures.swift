internal import Synchronization

/// Fetches after a failed signature: a provider may have replaced a key under its `kid`. Anybody can send tokens whose
/// signature fails, so that at most one fetch begins for them within `KeySetOptions.signatureCooldown`, whatever
/// arrives.
extension RemoteDocument {
    /// Reports that a signature failed under a key of the document; see ``KeySource/reportFailedSignature(keyID:)``.
    package func reportFailedSignature(keyID: [UInt8]?) {
        let now = environment.now()
        let mayFetch = state.withLock { state in
            guard !state.isClosed, state.value != nil else { return false }
            state.hasFailedSignature = true
            state.failedSignatureAt = max(state.failedSignatureAt, now)
            state.counters.failedSignatures += 1
            return state.flight == nil && now >= state.schedule.signatureDue
        }
        guard mayFetch else { return }
        transact { state, effects, now in
            guard !state.isClosed, state.value != nil, state.flight == nil, now >= state.schedule.signatureDue else {
                return
            }
            state.isUsed = true
            effects.events.append(.signatureFailed(KeyName(bytes: keyID)))
            beginForSignature(&state, &effects, now)
        }
    }

    /// The time at which a signature failed last under a key of the document, by the clock of the environment; negative
    /// infinity if none did.
    package var failedSignatureAt: Double { state.withLock { $0.failedSignatureAt } }

    /// Begins the fetch that a failed signature may cause.
    func beginForSignature(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        state.schedule.beganForSignature(at: now)
        state.counters.signatureFetches += 1
        begin(&state, &effects, now, for: .failedSignature)
    }

    /// Waits until a replaced key may have arrived; see ``KeySource/awaitReplacedKey(timeout:)``.
    package func awaitReplacedKey(timeout limit: Duration) async throws -> Bool {
        try await awaitEnd(of: .afterSignature, timeout: limit)
    }
}
