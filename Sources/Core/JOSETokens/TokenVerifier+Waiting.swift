public import JOSE
internal import JOSESupport

extension TokenVerifier {
    /// Verifies the token and waits, if necessary, until its key is fetched, the decryption limiter has a free slot,
    /// and external keys and the replay store have answered.
    ///
    /// A token whose key is available is verified at once, unless as many decryptions are running as the policy's
    /// `DecryptionLimiter` allows: then it waits in the limiter's queue. A token whose key is not available makes the
    /// key source refresh; it waits for the end of the refresh, and is verified once more. So does a token whose
    /// signature failed, because its key may have been replaced. Of a nested token, the keys of each of the two layers
    /// are awaited once within the time. A refresh that is throttled is awaited if it may begin within the time. A
    /// token that an external key decrypts is sent to it once.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - limit: The longest time to wait, for the key, the limiter and external keys together. Replay stores have
    ///     limits of their own.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed; `cancelled` if the task was cancelled while it waited, after
    ///   which the refresh continues for other callers.
    public func verify(
        _ token: some ByteSource, timeout limit: Duration, client: String? = nil
    ) async throws(TokenError) -> VerifiedToken {
        try await verify(token.array, TokenWait(until: ContinuousClock.now + limit, client: client))
    }
}

/// The driver that awaits what is missing: the steps of a verification at once, and then those again that may succeed
/// after a wait.
extension TokenVerifier {
    /// Verifies the token, and waits for what `wait` says.
    package func verify(_ token: [UInt8], _ wait: TokenWait) async throws(TokenError) -> VerifiedToken {
        try await complete(token) { process throws(TokenError) in try await verify(token, &process, wait) }
    }

    /// Verifies the layers and checks the claims, and once more if waiting may change the outcome.
    func verify(
        _ token: [UInt8], _ process: inout TokenProcess, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        do throws(TokenError) { return try verifyLayersAndClaims(token.span, &process) } catch {
            return try await verify(token, &process, after: error, wait)
        }
    }

    /// Verifies the token again that `verify(_:)` has rejected with an error which waiting may change.
    package func verify(
        _ token: [UInt8], after error: TokenError, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        try await complete(token) { process throws(TokenError) in
            // The issuer is found again, by which the first attempt has chosen its keys.
            _ = try additions?.issuers?.named(token.span, &process.origin)
            return try await verify(token, &process, after: error, wait)
        }
    }

    /// Takes the last steps of a token that `verify` verifies: the profile's checks, and the report to the observer.
    func complete(
        _ token: [UInt8], awaitsStore: Bool = true,
        _ verify: (inout TokenProcess) async throws(TokenError) -> VerifiedToken
    ) async throws(TokenError) -> VerifiedToken {
        var process = TokenProcess()
        let begun = additions?.begin()
        do throws(TokenError) {
            let verified = try await verify(&process)
            if awaitsStore {
                try await acceptAwaiting(verified, process.origin)
            } else {
                try accept(verified, process.origin)
            }
            // A token in the cache needs no slot.
            if !process.origin.isFromCache { limiter(process.origin)?.remember(token.hashValue) }
            additions?.report(.success(verified), process.origin, begun)
            return verified
        } catch {
            // A cancelled call has no result, of which no observer is told.
            if error != .cancelled { additions?.report(.failure(error), process.origin, begun) }
            throw error
        }
    }

    /// Verifies a token again that was rejected with `first`, if waiting may change that. The keys of each layer are
    /// awaited once, until the one end that `wait` has.
    func verify(
        _ token: [UInt8], _ process: inout TokenProcess, after first: TokenError, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        var failure = first
        var awaited = AwaitedLayers()
        while true {
            // This waits for keys by itself, because a second call would decrypt again.
            if failure == .awaitRequired { return try await verifyExternally(token, &process, wait) }
            if failure.isBusy, wait.end != nil {
                do throws(TokenError) { return try await verifyInTurn(token, &process, wait) } catch { failure = error }
                // Decrypted with the shared keys, the token names an issuer with external keys of its own.
                if failure == .awaitRequired { continue }
            }
            guard awaited.begin(after: failure), try await hasNewKeys(after: failure, of: process.origin, wait) else {
                throw failure
            }
            restart(&process)
            do throws(TokenError) { return try verifyLayersAndClaims(token.span, &process) } catch { failure = error }
        }
    }

    /// Returns whether waiting may change the outcome of a token that was rejected with this error.
    package func mayWait(after failure: TokenError) -> Bool {
        guard case .jose(_, let layer) = failure else { return failure == .awaitRequired }
        return failure.isBusy || failure.mayChangeWithKeys(of: layer)
    }

    /// Begins a token anew. Its issuer is found again by the verifier of several, and stays known to that of one of
    /// them.
    private func restart(_ process: inout TokenProcess) {
        process = TokenProcess(TokenOrigin(issuer: additions?.issuers == nil ? process.origin.issuer : nil))
    }

    /// Verifies the token once the limiter has a free slot, after a call was rejected as busy. If its content
    /// encryption key may be decrypted together with those of others, it is read before, and the keys of tokens that
    /// wait are.
    private func verifyInTurn(
        _ token: [UInt8], _ process: inout TokenProcess, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        guard let limiter = limiter(process.origin) else { throw .jose(.overloaded(.busy), layer: .encryption) }
        limiter.retractRejection()
        let isVectorized = isVectorized(process.origin)
        restart(&process)
        if isVectorized, let verified = try begin(token, &process) { return verified }
        let (outcome, hasSlot): (UnwrappingOutcome, Bool)
        do throws(JOSEError) {
            (outcome, hasSlot) = try await limiter.unwrap(
                process.decryption?.unwrapping, timeout: wait.timeForSlot, share: wait.share(of: token))
        } catch {
            throw TokenError(error, .encryption)
        }
        defer { if hasSlot { limiter.leave() } }
        process.entered = hasSlot ? limiter : nil
        guard isVectorized else { return try verifyLayersAndClaims(token.span, &process) }
        if let job = process.decryption, let verified = try resume(job, outcome, &process) { return verified }
        guard let job = process.signature.take() else { throw .jose(.backend, layer: .signature) }
        var signature = SignatureGathering.verify([job])[0]
        return try finish(&signature, &process)
    }

    /// Decrypts the token with keys outside the process, and verifies what it contains. The token is decrypted once,
    /// also if its signature is verified again with newer keys.
    func verifyExternally(
        _ token: [UInt8], _ process: inout TokenProcess, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers {
            guard let row = row(of: process.origin), row.verifier.layers.decrypter?.awaitsKeys == true else {
                return try await issuers.verifyExternally(token, &process, wait)
            }
            return try await row.verifier.verifyExternally(token, &process, wait)
        }
        guard let decrypter = layers.decrypter, decrypter.awaitsKeys else { throw .awaitRequired }
        // The first attempt has looked for the token already, if there was one.
        if process.lookup == nil { prepareLookup(of: token.span, &process) }
        var plaintext = SecretBytes(capacity: 0)
        let (header, key) = try await decrypter.decrypt(token, into: &plaintext, wait)
        // A rejection of the layers is not cached, because an external key may answer differently the next time.
        let verified = try await verifyContent(plaintext, within: header, wait)
        process.decryptionKey = key
        try checkToKeep(verified, of: token.span, process)
        return verified
    }

    /// Verifies the content of an encryption layer, and once more if new keys may change the outcome. With an issuer
    /// template, a key of another issuer is such an outcome.
    func verifyContent(
        _ plaintext: borrowing SecretBytes, within outer: JOSEHeader, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        try await retrying { () throws(TokenError) in
            let verified = try layers.verifyContent(plaintext, within: outer)
            if checker.template != nil { try checker.check(verified.key, of: verified.claims) }
            return verified
        } ifNewKeys: { error throws(TokenError) in
            try await hasNewKeys(after: error, wait)
        }
    }

    /// The limiter of the encryption layer of the token's issuer.
    private func limiter(_ origin: TokenOrigin) -> DecryptionLimiter? {
        if let row = row(of: origin) { return row.verifier.policy.limiter }
        return additions?.issuers.map { $0.decrypter?.policy.limiter } ?? policy.limiter
    }

    /// Whether content encryption keys of several tokens of this origin are decrypted together.
    private func isVectorized(_ origin: TokenOrigin) -> Bool {
        if let row = row(of: origin) { return row.verifier.layers.vectorizes }
        return additions?.issuers == nil && layers.vectorizes
    }

    /// Returns whether a refresh of the keys ended that may change the outcome after this failure.
    func hasNewKeys(
        after failure: TokenError, of origin: TokenOrigin = TokenOrigin(), _ wait: TokenWait
    ) async throws(TokenError) -> Bool {
        guard case .jose(_, let layer) = failure, let source = source(of: layer, origin) else { return false }
        return try await wait.newKeys(of: source, after: failure)
    }

    /// Returns the source of the keys of the token's issuer, if they may change. Before the issuer is known, the keys
    /// that several share have decrypted the token or have not.
    private func source(of layer: TokenLayer, _ origin: TokenOrigin) -> (any KeySource)? {
        if let row = row(of: origin) { return row.verifier.source(of: layer) }
        guard let issuers = additions?.issuers else { return source(of: layer) }
        return layer == .encryption ? issuers.decrypter?.source : nil
    }
}

extension JWEDecrypter {
    /// Decrypts a token into memory that is wiped, and once more if a decryption key of this process was missing and a
    /// refresh of those keys has ended. Returns the header, and the key if it is one of a source, which counts uses.
    func decrypt(
        _ token: [UInt8], into plaintext: inout SecretBytes, _ wait: TokenWait
    ) async throws(TokenError) -> (header: JOSEHeader, sourceKey: JWK?) {
        try await retrying { () async throws(TokenError) in
            do throws(JOSEError) {
                return try await decrypt(token, into: &plaintext, until: wait.endOfCalls, share: wait.share(of: token))
            } catch {
                throw TokenError(error, .encryption)
            }
        } ifNewKeys: { error throws(TokenError) in
            guard let source else { return false }
            return try await wait.newKeys(of: source, after: error)
        }
    }
}

extension TokenError {
    /// Whether the limiter had no free slot, so that waiting for one may help.
    var isBusy: Bool { self == .jose(.overloaded(.busy), layer: .encryption) }
}

extension TokenPolicy {
    /// The limiter of the encryption layer.
    var limiter: DecryptionLimiter? { encryption?.limiter }
}
