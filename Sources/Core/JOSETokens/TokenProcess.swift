internal import JOSE
internal import JOSESupport

/// The issuer of a token, and the origin of its outcome.
struct TokenOrigin: Sendable {
    /// The index of the issuer, as soon as it is known; nil where the verifier has no list of issuers.
    var issuer: Int?
    /// Whether the cache had the outcome of the layers.
    var isFromCache = false
}

/// One token on its way through its verification.
///
/// The steps are functions of ``TokenVerifier`` that get this value, and the token itself, each time. A single token
/// takes all of them in `verifyLayersAndClaims`: it is looked up in the cache, its layers are verified, its claims are
/// checked, and the outcome is stored. A token among others takes them in `begin`, which stops where the token waits
/// for others: at its decryption, after which `resume` goes on, or at its signature, after which `finish` does.
/// `accept` makes the profile's checks of either.
struct TokenProcess: ~Copyable, Sendable {
    var origin: TokenOrigin
    /// The limiter in which the driver has a slot already.
    var entered: DecryptionLimiter?
    /// The entry of the token in the cache; nil where nothing can be found or stored.
    var lookup: CacheLookup?
    /// The keys that were taken from their sources for the lookup, with which the token is verified if it is not found.
    var decryptionKeys: TakenDecryptionKeys?
    var signatureKeys: TakenVerificationKeys?
    /// The key that decrypted the token, if its source counts uses.
    var decryptionKey: JWK?
    /// The header of the encryption layer around a signature that waits.
    var outer: OuterHeader?
    /// The text of a token whose signature waits and whose outcome is stored in the cache.
    var text: [UInt8] = []
    /// The decryption that waits for those of other tokens.
    var decryption: DecryptionJob?
    /// The signature that waits for those of other tokens.
    var signature: SignatureJob?
    /// The outcome, before the profile's checks; nil as long as something waits.
    var result: Result<VerifiedToken, TokenError>?

    init(_ origin: TokenOrigin = TokenOrigin(), within entered: DecryptionLimiter? = nil) {
        self.origin = origin
        self.entered = entered
    }
}

/// The steps of a verification up to the profile's checks, which `accept` makes: no token is valid before.
extension TokenVerifier {
    /// Verifies the layers and checks the claims under the policy of the token's issuer, at once. Nothing waits: this
    /// is the driver of single tokens, and the first attempt of those that may wait.
    func verifyLayersAndClaims(
        _ token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers { return try issuers.verifyLayersAndClaims(token, &process) }
        if let known = try find(token, &process) { return known }
        let verified: VerifiedToken
        do throws(TokenError) { verified = try layers.verify(token, &process) } catch {
            throw keepingRejection(error, of: token, process)
        }
        try checkClaims(of: verified, token, process)
        return verified
    }

    /// Takes the steps up to the first that is done together with those of other tokens, which is then
    /// `process.decryption` or `process.signature`. Returns the token if there is none.
    ///
    /// - Parameter scratch: The buffer into which the token is decrypted.
    func begin(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        if let issuers = additions?.issuers { return try issuers.begin(token, &scratch, &process) }
        if let known = try find(token, &process) { return known }
        let verified: VerifiedToken?
        do throws(TokenError) { verified = try layers.begin(token, &scratch, &process) } catch {
            throw keepingRejection(error, of: token, process)
        }
        return try checkUnlessWaiting(verified, of: token, &process)
    }

    /// Takes the steps of `begin` of a token that is not one of a batch, which has a buffer of its own.
    func begin(_ token: [UInt8], _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken? {
        let bytes = token.span
        var scratch = SecretBytes(capacity: 0)
        return try begin(bytes, &scratch, &process)
    }

    /// Takes the steps after the decryption of the content encryption key, up to the signature.
    func resume(
        _ job: DecryptionJob, _ outcome: UnwrappingOutcome, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        if let row = row(of: process.origin) { return try row.verifier.resume(job, outcome, &process) }
        process.decryption = nil
        defer { job.wipe() }
        let text = job.token
        let token = text.span
        let verified: VerifiedToken?
        do throws(TokenError) { verified = try layers.resume(job, outcome, &process) } catch {
            throw keepingRejection(error, of: token, process)
        }
        return try checkUnlessWaiting(verified, of: token, &process)
    }

    private func checkUnlessWaiting(
        _ verified: VerifiedToken?, of token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        if let verified {
            try checkClaims(of: verified, token, process)
        } else if process.lookup != nil, process.decryption == nil {
            process.text = token.copy()
        }
        return verified
    }

    /// Returns the token once its signature was verified, after the checks of its claims.
    func finish(_ job: inout SignatureJob, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken {
        if let row = row(of: process.origin) { return try row.verifier.finish(&job, &process) }
        let text = process.text
        let token = text.span
        let verified: VerifiedToken
        do throws(TokenError) { verified = try VerifiedToken(&job, within: process.outer) } catch {
            throw keepingRejection(error, of: token, process)
        }
        try checkClaims(of: verified, token, process)
        return verified
    }

    /// Returns a token that was verified before, if the verifier has a cache.
    @inline(__always)
    private func find(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken? {
        guard caching != nil else { return nil }
        return try findCached(token, &process)
    }

    /// Returns the error with which the layers were rejected. It is stored in the cache if it is final.
    @inline(__always)  // Otherwise the process would be copied for each rejected token.
    func keepingRejection(
        _ error: TokenError, of token: Span<UInt8>, _ process: borrowing TokenProcess
    ) -> TokenError {
        if let lookup = process.lookup { keepRejection(error, of: token, lookup) }
        return error
    }

    /// Checks the claims of a token whose layers are valid, and stores the outcome.
    @inline(__always)
    private func checkClaims(
        of verified: VerifiedToken, _ token: Span<UInt8>, _ process: borrowing TokenProcess
    ) throws(TokenError) {
        guard process.lookup != nil else { return try check(verified) }
        try checkToKeep(verified, of: token, process)
    }

    /// Checks the claims of a token whose layers were verified.
    @inline(__always)
    func check(_ token: borrowing VerifiedToken) throws(TokenError) {
        if checker.template != nil { try checker.check(token.key, of: token.claims) }
        try checker.check(token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
    }

    /// Returns the token's issuer, once it is known which of several it is; nil for a verifier of one.
    @inline(__always)
    func row(of origin: TokenOrigin) -> IssuerTable.Row? {
        guard let issuers = additions?.issuers else { return nil }
        return origin.issuer.map { issuers.rows[$0] }
    }

    /// Returns what the policy of the token's issuer has beside the policy.
    private func additions(of origin: TokenOrigin) -> VerifierAdditions? {
        if let row = row(of: origin) { return row.verifier.additions }
        return additions
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
