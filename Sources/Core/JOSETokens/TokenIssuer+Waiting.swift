public import JOSE
internal import JOSESupport

extension TokenIssuer {
    /// Issues a token. A key outside the process is awaited; a key in the process signs at once.
    ///
    /// Absent claims are added as by `issue(_:options:)`. Claims that a verifier of the policy would reject are not sent
    /// to the key, and the signature that it returns is verified.
    ///
    /// - Parameters:
    ///   - claims: The claims to issue; by default only those that are added.
    ///   - options: What differs for this token, such as header parameters or an `nbf` in the future.
    ///   - limit: The longest time to wait for the key.
    /// - Returns: The compact serialization.
    /// - Throws: The errors of `issue(_:options:)`; a `jose` error with `externalKey` if the key failed or did not answer
    ///   in time; `cancelled` if the task was cancelled.
    public func issue(
        _ claims: ClaimsBuilder = ClaimsBuilder(), options: TokenOptions = TokenOptions(), timeout limit: Duration
    ) async throws(TokenError) -> String {
        try await issue(claims, options: options, until: ContinuousClock.now + limit)
    }

    /// Issues a token with the members of a JSON object as claims, as `issue(json:options:)` does, and waits as
    /// `issue(_:options:timeout:)` does.
    public func issue(
        json: some ByteSource, options: TokenOptions = TokenOptions(), timeout limit: Duration
    ) async throws(TokenError) -> String {
        String(decoding: try await issueBytes(json: json, options: options, timeout: limit), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, as `issue(json:options:)` does, waits as
    /// `issue(_:options:timeout:)` does, and returns the token as ASCII bytes.
    public func issueBytes(
        json: some ByteSource, options: TokenOptions = TokenOptions(), timeout limit: Duration
    ) async throws(TokenError) -> [UInt8] {
        let end = ContinuousClock.now + limit
        let (plan, signer) = try ready(options)
        return try await Self.token(plan.payload(json.array), plan, signer, until: end)
    }

    /// Issues a token as `issue(_:options:timeout:)` does; without an end, a key outside the process has no time limit.
    package func issue(
        _ claims: ClaimsBuilder, options: TokenOptions, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> String {
        let (plan, signer) = try ready(options)
        return String(decoding: try await Self.token(plan.payload(claims), plan, signer, until: end), as: UTF8.self)
    }

    private static func token(
        _ payload: [UInt8], _ plan: IssuingPlan, _ signer: JWSSigner?, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> [UInt8] {
        guard let signer else { return try plan.token(payload) }
        // A payload that fits in no token is not sent to an external key. The length of the signature is known only
        // afterwards.
        guard Base64URL.encodedCount(payload.count) <= plan.limits.tokenBytes else {
            throw .jose(.limitExceeded(.tokenBytes), layer: .signature)
        }
        return try plan.token(await signer.token(payload, layer: .signature, until: end))
    }
}

extension JWSSigner {
    /// Signs the payload of a token, awaits a key outside the process, and returns the compact serialization in ASCII.
    func token(
        _ payload: [UInt8], layer: TokenLayer, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> [UInt8] {
        do throws(JOSEError) { return try await signBytes(payload, until: end) } catch {
            throw TokenError(error, layer)
        }
    }
}
