internal import JOSE
internal import JOSESupport

/// A validated `ClaimPolicy`, with its lists of issuers and audiences converted to bytes.
struct ClaimChecker: Sendable {
    let policy: ClaimPolicy
    private let issuers: TextList?
    /// The template of the accepted issuers, if the policy has one.
    let template: IssuerMatcher?
    private let audiences: TextList?
    /// All audiences that `aud` may contain; nil where it may contain any.
    private let knownAudiences: TextList?
    /// The accepted values of claims, in the order in which they are checked.
    private let values: [(claim: ClaimName, accepted: TextList)]

    init(_ policy: ClaimPolicy) throws(TokenError) {
        guard policy.leewaySeconds >= 0, policy.leewaySeconds <= 300 else { throw .policyInvalid(.leeway) }
        for time in [
            policy.maximumAgeSeconds, policy.maximumLifetimeSeconds, policy.minimumRemainingLifetimeSeconds,
            policy.maximumAuthenticationAgeSeconds,
        ] {
            if let time, !(time >= 0 && time <= NumericDate.bound) { throw .policyInvalid(.duration) }
        }
        if case .fixed(let now) = policy.clock, !now.isValid { throw .policyInvalid(.clock) }
        let isRequired = policy.required + policy.acceptedClaims
        if isRequired.contains(where: policy.forbidden.contains) { throw .policyInvalid(.contradiction) }
        if let minimum = policy.minimumRemainingLifetimeSeconds, let maximum = policy.maximumLifetimeSeconds,
            minimum > maximum + policy.leewaySeconds
        {
            throw .policyInvalid(.contradiction)
        }
        if policy.acceptedACR?.isEmpty == true { throw .policyInvalid(.emptyList) }
        if policy.acceptedValues.contains(where: { $0.value.isEmpty }) { throw .policyInvalid(.emptyList) }
        values = policy.acceptedClaims.map { ($0, TextList(policy.acceptedValues[$0] ?? [])) }
        issuers = policy.issuer.listed.map { TextList($0) }
        if case .template(let accepted) = policy.issuer {
            guard let matcher = IssuerMatcher(accepted) else { throw .policyInvalid(.issuerTemplate) }
            template = matcher
        } else {
            template = nil
        }
        let accepted = policy.audience.listed
        audiences = accepted.map { TextList($0) }
        if let trusted = policy.trustedAudiences {
            // Where any audience is accepted, there is none beside the accepted ones.
            guard let accepted else { throw .policyInvalid(.contradiction) }
            knownAudiences = TextList(accepted + trusted)
        } else {
            knownAudiences = nil
        }
        for list in [issuers, audiences, knownAudiences] {
            if let list, list.isEmpty || list.hasEmptyText { throw .policyInvalid(.emptyList) }
        }
        self.policy = policy
    }

    /// Creates a checker of the claims of a policy.
    ///
    /// - Throws: `policyInvalid`, also if a setting of a profile was changed that the profile determines.
    init(_ policy: TokenPolicy) throws(TokenError) {
        if let fault = policy.fault { throw .policyInvalid(fault) }
        try self.init(policy.claims)
    }

    /// The time of the policy's clock, in seconds since 1970. That of the system may lag by up to 10 ms: this is read
    /// for every token, and the exact time takes four times as long.
    func now() throws(TokenError) -> Double { try policy.clock.checkedCoarse().secondsSince1970 }

    /// The exact time of the policy's clock, in seconds since 1970.
    func exactNow() throws(TokenError) -> Double { try policy.clock.checkedNow().secondsSince1970 }

    /// Throws the first failure, or every failure if the policy requests that. The claims are compared with the current
    /// time, or with `start` as long as that is in the future.
    @inline(__always)
    func check(
        _ claims: Claims, algorithm: SignatureAlgorithm?, outer: JOSEHeader?, notBefore start: Double? = nil
    ) throws(TokenError) {
        let now = try now()
        do throws(TokenError) {
            try check(claims, algorithm, outer, at: max(now, start ?? now))
        } catch {
            guard isDueToLag(error) else { throw error }
            let now = try exactNow()
            try check(claims, algorithm, outer, at: max(now, start ?? now))
        }
    }

    /// Returns every failure, even if the policy requests only the first.
    func failures(
        _ claims: Claims, algorithm: SignatureAlgorithm?, outer: JOSEHeader?
    ) throws(TokenError) -> [ClaimFailure] {
        let failures = failures(claims, algorithm, outer, at: try now())
        return isDueToLag(failures) ? self.failures(claims, algorithm, outer, at: try exactNow()) : failures
    }

    private func failures(
        _ claims: Claims, _ algorithm: SignatureAlgorithm?, _ outer: JOSEHeader?, at now: Double
    ) -> [ClaimFailure] {
        var run = ClaimRun(RegisteredClaim.indices(in: claims), everyFailure: true)
        try? check(&run, claims, algorithm, outer, now: now)
        return run.failures
    }

    @inline(__always)
    private func check(
        _ claims: Claims, _ algorithm: SignatureAlgorithm?, _ outer: JOSEHeader?, at now: Double
    ) throws(TokenError) {
        var run = ClaimRun(RegisteredClaim.indices(in: claims), everyFailure: policy.reportsEveryFailure)
        do throws(ClaimFault) {
            try check(&run, claims, algorithm, outer, now: now)
        } catch {
            throw .claim(ClaimFailure(error))
        }
        if !run.failures.isEmpty { throw .claims(run.failures) }
    }

    /// Whether the failure says that a time is too late, which may be due to the lag of the time that it was compared
    /// with: an issuer on this machine may have read the exact time a millisecond ago.
    private func isDueToLag(_ error: TokenError) -> Bool {
        switch error {
        case .claim(let failure): isDueToLag([failure])
        case .claims(let failures): isDueToLag(failures)
        default: false
        }
    }

    private func isDueToLag(_ failures: [ClaimFailure]) -> Bool {
        guard case .system = policy.clock else { return false }
        return failures.contains { failure in
            switch failure {
            case .notYetValid, .issuedInFuture, .lifetimeTooLong: true
            default: false
            }
        }
    }

    /// Runs the rules of the policy in their fixed order. They are called one after the other, and not from a list of
    /// `ClaimRule`, so that a verification allocates nothing for them.
    private func check(
        _ run: inout ClaimRun, _ claims: Claims, _ algorithm: SignatureAlgorithm?, _ outer: JOSEHeader?, now: Double
    ) throws(ClaimFault) {
        if let template { try run.issuer(template, in: claims) } else { try run.issuer(issuers, in: claims) }
        try run.audience(audiences, known: knownAudiences, in: claims)
        try run.times(policy, now: now, in: claims)
        try run.text(.sub, policy.subject, in: claims)
        try run.text(.jti, nil, in: claims)
        if let nonce = policy.nonce { try run.nonce(nonce, in: claims) }
        if let party = policy.authorizedParty { try run.text(.azp, party, in: claims) }
        try run.level(policy.acceptedACR, in: claims)
        try run.tokenHash(.atHash, of: policy.accessToken, isRequired: true, algorithm, in: claims)
        try run.tokenHash(.cHash, of: policy.code, isRequired: true, algorithm, in: claims)
        for (claim, accepted) in values { try run.value(of: claim, isOneOf: accepted, in: claims) }
        for name in policy.required { try run.required(name, in: claims) }
        for name in policy.forbidden { try run.forbidden(name, in: claims) }
        if let outer { try run.copies(in: outer, of: claims) }
    }
}
