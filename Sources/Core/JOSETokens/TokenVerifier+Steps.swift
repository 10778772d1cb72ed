internal import JOSE
internal import JOSEBytes

/// The steps of a verification at once, on the thread of the caller.
extension TokenVerifier {
    /// Verifies the layers and checks the claims under the policy of the token's issuer, without the profile's checks.
    /// Nothing waits: this is the driver of single tokens, and the first attempt of those that may wait.
    func verify(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers { return try issuers.verify(token, &process) }
        if let known = try find(token, &process) { return known }
        if additions?.external != nil { throw .awaitRequired }
        let verified: VerifiedToken
        do throws(TokenError) {
            verified = try layers.verify(token, &process)
        } catch {
            keepRejection(error, of: token, process)
            throw error
        }
        try finish(verified, of: token, process)
        return verified
    }

    /// Checks the claims of a token whose layers are valid, and stores the outcome.
    @inline(__always)
    func finish(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess
    ) throws(TokenError) {
        guard process.lookup != nil else { return try check(token) }
        try checkToKeep(token, of: text, process)
    }

    /// Checks the claims of a token whose layers were verified.
    @inline(__always)
    func check(_ token: borrowing VerifiedToken) throws(TokenError) {
        if checker.template != nil { try checker.check(token.key, of: token.claims) }
        try checker.check(token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
    }

    /// Returns what the policy of the token's issuer has beside the policy.
    func additions(of origin: TokenOrigin) -> VerifierAdditions? {
        guard let issuers = additions?.issuers else { return additions }
        return origin.issuer.flatMap { issuers.rows[$0].verifier.additions }
    }

    /// Makes the profile's checks of a token whose claims were checked, and marks it as used.
    func accept(_ token: VerifiedToken, _ origin: TokenOrigin) throws(TokenError) {
        try additions(of: origin)?.accept(token)
    }

    /// Makes the profile's checks, and awaits the replay store if it answers asynchronously.
    func acceptAwaiting(_ token: VerifiedToken, _ origin: TokenOrigin) async throws(TokenError) {
        try await additions(of: origin)?.acceptAwaiting(token)
    }
}

/// The steps of a verification together with other tokens: of each of them, the decryption and the signature may wait in a job.
extension TokenVerifier {
    /// Takes the steps up to the first that is done together with those of other tokens, which is then `process.decryption` or
    /// `process.signature`. Returns the token if there is none.
    ///
    /// - Parameter scratch: The buffer into which the token is decrypted.
    func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        if let issuers = additions?.issuers { return try issuers.read(token, &scratch, &process) }
        if let known = try find(token, &process) { return known }
        if additions?.external != nil { throw .awaitRequired }
        let verified: VerifiedToken?
        do throws(TokenError) {
            verified = try layers.read(token, &scratch, &process)
        } catch {
            keepRejection(error, of: token, process)
            throw error
        }
        return try finishRead(verified, of: token, &process)
    }

    /// Takes the steps of a token that is not one of a batch, which has a buffer of its own.
    func read(_ token: [UInt8], _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken? {
        let bytes = token.span
        var scratch = SecretBytes(capacity: 0)
        return try read(bytes, &scratch, &process)
    }

    /// Takes the steps after the decryption of the content encryption key, up to the signature.
    func read(_ process: inout TokenProcess, _ outcome: UnwrappingOutcome) throws(TokenError) -> VerifiedToken? {
        if let issuers = additions?.issuers, let issuer = process.origin.issuer {
            return try issuers.rows[issuer].verifier.read(&process, outcome)
        }
        guard let job = process.decryption.take() else { return nil }
        defer { job.wipe() }
        let text = job.token
        let token = text.span
        let verified: VerifiedToken?
        do throws(TokenError) {
            verified = try layers.read(job, outcome, &process)
        } catch {
            keepRejection(error, of: token, process)
            throw error
        }
        return try finishRead(verified, of: token, &process)
    }

    private func finishRead(
        _ verified: VerifiedToken?, of token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        guard let verified else {
            if process.lookup != nil, process.decryption == nil { process.text = token.copy() }
            return nil
        }
        try finish(verified, of: token, process)
        return verified
    }

    /// Returns the token once its signature was verified, after the checks of its claims.
    func finish(
        _ job: inout SignatureJob, _ process: borrowing TokenProcess
    ) throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers, let issuer = process.origin.issuer {
            return try issuers.rows[issuer].verifier.finish(&job, process)
        }
        let text = process.text
        let token = text.span
        let verified: VerifiedToken
        do throws(TokenError) {
            verified = try VerifiedToken(&job, within: process.outer)
        } catch {
            keepRejection(error, of: token, process)
            throw error
        }
        try finish(verified, of: token, process)
        return verified
    }
}
