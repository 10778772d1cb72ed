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
        var process = TokenProcess()
        let begun = additions?.begin()
        do throws(TokenError) {
            let verified = try await verify(token, &process, until: ContinuousClock.now + limit)
            try await acceptAwaiting(verified, process.origin)
            additions?.report(.success(verified), process.origin, begun)
            return verified
        } catch {
            // A cancelled call has no result, of which no observer is told.
            if error != .cancelled { additions?.report(.failure(error), process.origin, begun) }
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
}

/// The driver that awaits what is missing: the steps of a verification at once, and then those again that may succeed after a
/// wait.
extension TokenVerifier {
    /// Verifies the layers and checks the claims, and once more if waiting may change the outcome.
    func verify(
        _ token: [UInt8], _ process: inout TokenProcess, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        do throws(TokenError) { return try verifyLayersAndClaims(token.span, &process) } catch {
            return try await verify(token, &process, after: error, until: end)
        }
    }

    /// Verifies a token once more that was rejected with `first`, if waiting may change that. Without an end, external
    /// keys alone are awaited.
    func verify(
        _ token: [UInt8], _ process: inout TokenProcess, after first: TokenError, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        var failure = first
        for attempt in 0..<3 {
            // This waits for keys by itself, because a second call would decrypt again.
            if failure == .awaitRequired { return try await verifyExternally(token, &process, until: end) }
            if failure.isBusy, let end {
                do throws(TokenError) { return try await verifyInTurn(token, &process, until: end) } catch {
                    if error == .cancelled { throw error }
                    failure = error
                }
                // Decrypted with the shared keys, the token names an issuer with external keys of its own.
                if failure == .awaitRequired { continue }
            }
            guard attempt == 0, try await hasNewKeys(after: failure, process.origin, until: end) else { break }
            restart(&process)
            do throws(TokenError) { return try verifyLayersAndClaims(token.span, &process) } catch { failure = error }
        }
        throw failure
    }

    /// Returns whether waiting may change the outcome of a token that was rejected with this error.
    func mayWait(after failure: TokenError) -> Bool {
        guard case .jose(_, let layer) = failure else { return failure == .awaitRequired }
        return failure.isBusy || failure.mayChangeWithKeys(of: layer)
    }

    /// Begins a token anew. Its issuer is found again by the verifier of several, and stays known to that of one of them.
    private func restart(_ process: inout TokenProcess, within entered: DecryptionLimiter? = nil) {
        let issuer = additions?.issuers == nil ? process.origin.issuer : nil
        process = TokenProcess(TokenOrigin(issuer: issuer), within: entered)
    }

    /// Verifies the token once the limiter has a free slot, after a call was rejected as busy.
    private func verifyInTurn(
        _ token: [UInt8], _ process: inout TokenProcess, until end: ContinuousClock.Instant
    ) async throws(TokenError) -> VerifiedToken {
        let limiter = limiter(process.origin)
        limiter?.retractRejection()
        do throws(JOSEError) { try await limiter?.enter(timeout: end - ContinuousClock.now) } catch {
            throw TokenError(awaited: error, .encryption)
        }
        defer { limiter?.leave() }
        restart(&process, within: limiter)
        return try verifyLayersAndClaims(token.span, &process)
    }

    /// Decrypts the token with keys outside the process, and verifies what it contains. The token is decrypted once, also if its
    /// signature is verified again with newer keys.
    func verifyExternally(
        _ token: [UInt8], _ process: inout TokenProcess, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers {
            guard let row = row(of: process.origin), row.verifier.additions?.external != nil else {
                return try await issuers.verifyExternally(token, &process, until: end)
            }
            return try await row.verifier.verifyExternally(token, &process, until: end)
        }
        guard let external = additions?.external else { throw .awaitRequired }
        // The first attempt has looked for the token already, if there was one.
        if process.lookup == nil { prepareLookup(of: token.span, &process) }
        var plaintext = SecretBytes(capacity: 0)
        let (header, key) = try await external.decrypt(token, into: &plaintext, until: end)
        let verified = try await verifyContent(plaintext, within: header, until: end)
        process.decryptionKey = key
        // Rejections are not cached, because an external key may answer differently the next time.
        keep(verified, of: token.span, process, nil)
        return verified
    }

    /// Verifies the content of an encryption layer and checks the claims, and once more if new keys may change the
    /// outcome.
    func verifyContent(
        _ plaintext: borrowing SecretBytes, within outer: JOSEHeader, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        try await retrying { () throws(TokenError) in
            let verified = try layers.verifyContent(plaintext, within: outer)
            try check(verified)
            return verified
        } ifNewKeys: { error throws(TokenError) in
            try await hasNewKeys(after: error, until: end)
        }
    }

    /// The limiter of the encryption layer of the token's issuer.
    private func limiter(_ origin: TokenOrigin) -> DecryptionLimiter? {
        if let row = row(of: origin) { return row.verifier.policy.limiter }
        return additions?.issuers.map { $0.decrypter?.policy.limiter } ?? policy.limiter
    }

    /// Returns whether a refresh of the keys ended that may change the outcome after this failure. Without an end nothing is
    /// awaited.
    func hasNewKeys(
        after failure: TokenError, _ origin: TokenOrigin = TokenOrigin(), until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> Bool {
        guard let end, case .jose(_, let layer) = failure, let source = source(of: layer, origin) else { return false }
        return try await source.awaitNewKeys(after: failure, until: end)
    }

    /// Returns the source of the keys of the token's issuer, if they may change. Before the issuer is known, the keys that
    /// several share have decrypted the token or have not.
    private func source(of layer: TokenLayer, _ origin: TokenOrigin) -> (any KeySource)? {
        if let row = row(of: origin) { return row.verifier.source(of: layer) }
        guard let issuers = additions?.issuers else { return source(of: layer) }
        return layer == .encryption ? issuers.decrypter?.source : nil
    }
}

extension ExternalKeyDecrypter {
    /// Decrypts a token into memory that is wiped, and once more if a decryption key of this process was missing and a refresh of
    /// those keys has ended. Returns the header, and the key if it is one of a source, which counts uses.
    func decrypt(
        _ token: [UInt8], into plaintext: inout SecretBytes, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> (header: JOSEHeader, sourceKey: JWK?) {
        try await retrying { () async throws(TokenError) in
            do throws(JOSEError) {
                return try await decrypt(token, into: &plaintext, timeout: end.map { $0 - ContinuousClock.now })
            } catch {
                throw TokenError(awaited: error, .encryption)
            }
        } ifNewKeys: { error throws(TokenError) in
            guard let end, let source else { return false }
            return try await source.awaitNewKeys(after: error, until: end)
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
