internal import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// Verifies the token, given as bytes, and waits, if necessary, until its key is fetched, the decryption limiter has a
    /// free slot, and external keys and the replay store have answered.
    ///
    /// A token whose key is available is verified at once, unless as many decryptions are running as the policy's
    /// `DecryptionLimiter` allows: then it waits in the limiter's queue. A token whose key is not available makes the
    /// key source refresh; it waits for the end of the refresh, and is verified once more. So does a token whose signature failed, because its
    /// key may have been replaced. A refresh that is throttled is awaited if it may begin within the time. A token that an external key
    /// decrypts is sent to it once.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait, for the key and the limiter together. External keys and replay stores have
    ///     limits of their own.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed; `cancelled` if the task was cancelled while it waited, after which the
    ///   refresh continues for other callers.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws(TokenError) -> VerifiedToken {
        var facts = TokenFacts()
        let begun = additions?.begin()
        do throws(TokenError) {
            let opened = try await opened(token, &facts, until: ContinuousClock.now + limit)
            try await admitAwaiting(opened, facts)
            additions?.report(.success(opened), facts, begun)
            return opened
        } catch {
            // A cancelled call has no result, of which no observer is told.
            if error != .cancelled { additions?.report(.failure(error), facts, begun) }
            throw error
        }
    }

    /// Verifies the token and waits, if necessary, until its key is fetched, the decryption limiter has a free slot, and
    /// external keys and the replay store have answered.
    ///
    /// A token whose key is available is verified at once, unless as many decryptions are running as the policy's
    /// `DecryptionLimiter` allows: then it waits in the limiter's queue. A token whose key is not available makes the
    /// key source refresh; it waits for the end of the refresh, and is verified once more. So does a token whose signature failed, because its
    /// key may have been replaced. A refresh that is throttled is awaited if it may begin within the time. A token that an external key
    /// decrypts is sent to it once.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - limit: The longest time to wait, for the key and the limiter together. External keys and replay stores have
    ///     limits of their own.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed; `cancelled` if the task was cancelled while it waited, after which the
    ///   refresh continues for other callers.
    public func verify(_ token: String, timeout limit: Duration) async throws(TokenError) -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// Verifies the token, a part of a longer text, and waits as the method that takes a `String` does.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed; `cancelled` if the task was cancelled while it waited.
    public func verify(_ token: Substring, timeout limit: Duration) async throws(TokenError) -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// Verifies the layers and checks the claims, and waits where that helps.
    func opened(
        _ token: [UInt8], _ facts: inout TokenFacts, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        do throws(TokenError) { return try opened(token.span, &facts, within: nil) } catch {
            return try await opened(token, &facts, after: error, until: end)
        }
    }

    /// Verifies a token once more that was rejected with `first`, if waiting may change that. Without an end, external
    /// keys alone are awaited.
    func opened(
        _ token: [UInt8], _ facts: inout TokenFacts, after first: TokenError, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        var failure = first
        for attempt in 0..<3 {
            if failure == .awaitRequired {
                // This has waited for keys already, and a second call would decrypt again.
                return try await withNewKeys(&facts, until: end) { facts throws(TokenError) in
                    try await openedExternally(token, &facts, until: end)
                }
            }
            if failure.isBusy, let end {
                do throws(TokenError) { return try await openedInTurn(token, &facts, until: end) } catch {
                    if error == .cancelled { throw error }
                    failure = error
                }
                // Decrypted with the shared keys, the token names an issuer with external keys of its own.
                if failure == .awaitRequired { continue }
            }
            guard attempt == 0, try await hasNewKeys(facts, after: failure, until: end) else { break }
            facts = TokenFacts()
            do throws(TokenError) { return try opened(token.span, &facts, within: nil) } catch { failure = error }
        }
        throw failure
    }

    /// Returns whether waiting may change the outcome of a token that was rejected with this error.
    func mayWait(after failure: TokenError) -> Bool {
        guard case .jose(_, let layer) = failure else { return failure == .awaitRequired }
        return failure.isBusy || failure.mayChangeWithKeys(of: layer)
    }

    /// Verifies the token once the limiter has a free slot, after a call was rejected as busy.
    private func openedInTurn(
        _ token: [UInt8], _ facts: inout TokenFacts, until end: ContinuousClock.Instant
    ) async throws(TokenError) -> VerifiedToken {
        let limiter = limiter(facts)
        limiter?.retractRejection()
        do throws(JOSEError) { try await limiter?.enter(timeout: end - ContinuousClock.now) } catch {
            throw TokenError(awaited: error, .encryption)
        }
        defer { limiter?.leave() }
        facts = TokenFacts()
        return try opened(token.span, &facts, within: limiter)
    }

    /// Decrypts the token with keys outside the process, and verifies what it contains.
    private func openedExternally(
        _ token: [UInt8], _ facts: inout TokenFacts, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        guard let issuers = additions?.issuers else { return try await openedExternallyHere(token, until: end) }
        guard let row = facts.row, issuers.rows[row].verifier.additions?.external != nil else {
            return try await issuers.openedExternally(token, &facts, until: end)
        }
        return try await issuers.rows[row].verifier.openedExternallyHere(token, until: end)
    }

    /// Decrypts the token with the external keys of this verifier. The token is decrypted once, also if its signature
    /// is verified again with newer keys.
    func openedExternallyHere(
        _ token: [UInt8], until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        guard let external = additions?.external else { throw .awaitRequired }
        let visit = visit(token.span)
        let (opened, key) = try await layersOpened(token, external, until: end)
        try check(opened)
        // Rejections are not cached, because an external key may answer differently the next time.
        if let visit { keep(token.span, visit, opened, decryptionKey: key, isHeld: true) }
        return opened
    }

    /// Verifies the layers alone, with the external keys. Returns the decryption key as well if its source counts uses.
    func layersOpened(
        _ token: [UInt8], _ external: ExternalKeyDecrypter, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> (token: VerifiedToken, decryptionKey: JWK?) {
        var plaintext = SecretBytes(capacity: 0)
        let (header, key): (JOSEHeader, JWK?)
        do throws(JOSEError) {
            (header, key) = try await external.open(
                token, into: &plaintext, timeout: end.map { $0 - ContinuousClock.now })
        } catch {
            throw TokenError(awaited: error, .encryption)
        }
        do throws(TokenError) {
            return (
                try plaintext.withBytes { bytes throws(TokenError) in try layers.opened(bytes, within: header) }, key
            )
        } catch {
            guard try await hasNewKeys(after: error, until: end) else { throw error }
            return (
                try plaintext.withBytes { bytes throws(TokenError) in try layers.opened(bytes, within: header) }, key
            )
        }
    }

    /// Calls `open`, which decrypts a token with external keys, and calls it once more if a decryption key of this process was
    /// missing and a refresh of those keys has ended.
    func withNewKeys<Opened>(
        _ facts: inout TokenFacts, until end: ContinuousClock.Instant?,
        _ open: (inout TokenFacts) async throws(TokenError) -> Opened
    ) async throws(TokenError) -> Opened {
        do throws(TokenError) { return try await open(&facts) } catch {
            guard error.mayChangeWithKeys(of: .encryption), try await hasNewKeys(facts, after: error, until: end) else {
                throw error
            }
            return try await open(&facts)
        }
    }

    /// The limiter of the encryption layer of the token's issuer.
    private func limiter(_ facts: TokenFacts) -> DecryptionLimiter? {
        guard let issuers = additions?.issuers else { return policy.limiter }
        return facts.row.map { issuers.rows[$0].verifier.policy.limiter } ?? issuers.opener?.policy.limiter
    }

    /// Returns whether a refresh ended that may change the outcome after this failure.
    private func hasNewKeys(
        _ facts: TokenFacts, after failure: TokenError, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> Bool {
        guard let issuers = additions?.issuers else { return try await hasNewKeys(after: failure, until: end) }
        if let row = facts.row { return try await issuers.rows[row].verifier.hasNewKeys(after: failure, until: end) }
        guard let end, failure.mayChangeWithKeys(of: .encryption), let source = issuers.opener?.source else {
            return false
        }
        return try await source.awaitNewKeys(after: failure, until: end)
    }

    /// Returns whether a refresh of this verifier's keys ended that may change the outcome after this failure. Without an
    /// end nothing is awaited.
    func hasNewKeys(after failure: TokenError, until end: ContinuousClock.Instant?) async throws(TokenError) -> Bool {
        guard let end, case .jose(_, let layer) = failure, failure.mayChangeWithKeys(of: layer),
            let source = source(of: layer)
        else { return false }
        return try await source.awaitNewKeys(after: failure, until: end)
    }
}

extension KeySource {
    /// Waits for a refresh, and returns whether one has ended. An error of the source other than `CancellationError` is a refresh that
    /// changed nothing.
    func awaitNewKeys(
        after failure: TokenError, until end: ContinuousClock.Instant
    ) async throws(TokenError) -> Bool {
        let limit = end - ContinuousClock.now
        do {
            switch failure {
            case .jose(.keyNotFound, _), .jose(.keysUnavailable, _): return try await awaitMissingKey(timeout: limit)
            case .jose(.signatureInvalid, _): return try await awaitReplacedKey(timeout: limit)
            default: return try await awaitRefresh(timeout: limit)
            }
        } catch {
            if error is CancellationError { throw .cancelled }
            return false
        }
    }
}

extension TokenError {
    /// The error of a call of `JOSE` that may wait.
    init(awaited error: JOSEError, _ layer: TokenLayer) {
        self = error == .cancelled ? .cancelled : .jose(error, layer: layer)
    }

    /// Whether the limiter had no free slot, so that waiting for one may help.
    var isBusy: Bool { self == .jose(.overloaded(.busy), layer: .encryption) }
}

extension TokenPolicy {
    /// The limiter of the encryption layer.
    var limiter: DecryptionLimiter? { encryption?.limiter }
}
