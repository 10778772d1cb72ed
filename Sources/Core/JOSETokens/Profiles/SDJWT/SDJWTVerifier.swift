public import JOSE
internal import JOSESupport

/// The requirements for a key binding JWT (RFC 9901, 4.3 and 7.3).
public struct KeyBindingPolicy: Sendable {
    /// The accepted signature algorithms of holders. MAC algorithms among them are ignored.
    package var algorithms: [SignatureAlgorithm]
    /// The verifier, which `aud` must name as a single string.
    package var audience: String
    /// The nonce that the verifier provided for this presentation only.
    package var nonce: String
    /// The longest accepted time since `iat`, 300 seconds by default.
    public var maximumAge: Duration = .seconds(300)

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted signature algorithms of holders.
    ///   - audience: The verifier, which `aud` must name.
    ///   - nonce: The nonce that the verifier provided for this presentation only.
    public init(algorithms: [SignatureAlgorithm], audience: String, nonce: String) {
        self.algorithms = algorithms
        self.audience = audience
        self.nonce = nonce
    }
}

/// Verifies SD-JWTs and their presentations (RFC 9901, 7). A verifier is created once, is immutable and can be shared
/// between tasks.
public struct SDJWTVerifier: Sendable {
    /// The policy for the issuer's JWT.
    package let signature: SignaturePolicy
    /// The requirements for the claims, which are checked after the disclosures are inserted.
    package let claims: ClaimPolicy
    /// The verifier of the issuer's JWT, whose claims are checked here, with the disclosures in place.
    let verifier: TokenVerifier
    /// The signature layer of the verifier.
    private let jws: JWSVerifier
    let reporter: VerificationReporter

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - signature: The policy for the issuer's JWT. Set its `type`, such as `.exactly("dc+sd-jwt")` (RFC 9901,
    ///     9.11).
    ///   - claims: The requirements for the payload with the disclosures inserted. A claim that is not disclosed counts
    ///     as absent.
    ///   - verificationKeys: The issuer's keys: a `KeySet`, or a source that changes.
    ///   - trust: The trusted root certificates for tokens that have `x5c`; nil to ignore `x5c`.
    ///   - cache: The cache of verified tokens; nil for none. The issuer's JWT of a compact serialization is looked up
    ///     in it; the disclosures, the claims and the key binding of each presentation are checked.
    ///   - observer: The observer that is told of each verification; nil for none.
    /// - Throws: `policyInvalid`, and `jose(configurationInvalid)` if no token could be accepted: there is no
    ///   algorithm, or without `trust` no key that fits one.
    public init(
        _ signature: SignaturePolicy, claims: ClaimPolicy, verificationKeys: any KeySource = KeySet.empty,
        trust: CertificateTrust? = nil, cache: TokenCache? = nil, observer: (any VerificationObserver)? = nil
    ) throws(TokenError) {
        self.signature = signature
        self.claims = claims
        verifier = try TokenVerifier(
            .signed(signature, claims: claims), nil, VerifierKeys(verificationKeys, KeySet.empty, [], trust), cache, nil
        )
        guard case .signed(let jws) = verifier.layers else { preconditionFailure("The policy has no other layer.") }
        self.jws = jws
        reporter = VerificationReporter(observer, issuer: claims.issuer.configured)
    }

    /// Verifies an SD-JWT and returns the disclosed claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - keyBinding: The requirements for the key binding JWT, which the presentation must then have. With nil, a
    ///     presentation that has one is rejected, because it could not be checked.
    /// - Returns: The verified claims and keys.
    /// - Throws: `jose` errors if a signature is not valid, `disclosure` errors if the disclosures or the key binding
    ///   are not, and `claim` errors if a claim does not meet its policy.
    public func verify(
        _ token: borrowing some BorrowedBytes, keyBinding: KeyBindingPolicy? = nil
    ) throws(TokenError) -> VerifiedSDJWT {
        try token.withBytes { token throws(TokenError) in
            try reporter.observe(Self.algorithm) { origin throws(TokenError) in
                try verified(token, keyBinding, &origin)
            }
        }
    }

    static func algorithm(_ token: VerifiedSDJWT) -> SignatureAlgorithm? { token.algorithm }

    func verified(
        _ token: Span<UInt8>, _ keyBinding: KeyBindingPolicy?, _ origin: inout TokenOrigin
    ) throws(TokenError) -> VerifiedSDJWT {
        let token = try SDJWT(token, limits: signature.limits)
        try token.checkBinding(isWanted: keyBinding != nil)
        let unbound = token.unbound
        let text = unbound.span.extracting(token.jwtRange)
        var process = TokenProcess()
        defer { origin = process.origin }
        let issued = try verifier.verifyLayers(text, &process)
        guard let signed = issued.signed else { throw .jose(.signatureInvalid, layer: .signature) }
        return try verifier.keeping(issued, of: text, process) { () throws(TokenError) in
            try check(token, keyBinding, issued.claims, signed)
        }
    }

    /// Verifies an SD-JWT in the flattened or general JSON serialization, as the method for the compact serialization
    /// does. `SignaturePolicy.requirement` determines which of several signatures must be valid; the result names the
    /// first valid one (RFC 9901, 8).
    public func verify(
        json: borrowing some BorrowedBytes, keyBinding: KeyBindingPolicy? = nil
    ) throws(TokenError) -> VerifiedSDJWT {
        try json.withBytes { json throws(TokenError) in
            try reporter.observe(Self.algorithm) { _ throws(TokenError) in try verified(json: json, keyBinding) }
        }
    }

    func verified(
        json: Span<UInt8>, _ keyBinding: KeyBindingPolicy?
    ) throws(TokenError) -> VerifiedSDJWT {
        let token = try SDJWT(json: json, limits: signature.limits)
        try token.checkBinding(isWanted: keyBinding != nil)
        let verified = try inLayer(.signature, jws.verify(json: json))
        let payload = try Claims(payload: verified.payload, limits: signature.limits, layer: .signature)
        let first = verified.signatures[0]
        return try check(token, keyBinding, payload, SignedHeader(first.header, first.algorithm, first.key))
    }

    /// Makes the checks after the issuer's signature was verified.
    private func check(
        _ token: SDJWT, _ keyBinding: KeyBindingPolicy?, _ issued: Claims, _ signed: SignedHeader
    ) throws(TokenError) -> VerifiedSDJWT {
        let disclosed = try DisclosedPayload.claims(of: issued, token.disclosures, limits: signature.limits)
        try verifier.checker.check(signed.key, of: disclosed)
        try verifier.checker.check(disclosed, algorithm: signed.algorithm, outer: nil)
        var holder: PublicKey?
        if let keyBinding, let binding = token.binding {
            let hash = try HashAlgorithm.read(issued)
            let digest = try hash.digest(token.unbound.span)
            holder = try check(binding, keyBinding, of: disclosed, digest: digest)
        }
        return VerifiedSDJWT(
            claims: disclosed, header: signed.header, algorithm: signed.algorithm, key: signed.key, holder: holder)
    }

    /// Checks the key binding JWT (RFC 9901, 7.3, step 5). The holder's key is taken from the issuer's `cnf` alone.
    private func check(
        _ binding: [UInt8], _ policy: KeyBindingPolicy, of disclosed: Claims, digest: [UInt8]
    ) throws(TokenError) -> PublicKey {
        guard let key = try disclosed.confirmation()?.key else { throw .disclosure(.holderKeyMissing) }
        // A list without MAC algorithms is not copied.
        let isAsymmetric = SignatureAlgorithm.asymmetric.contains
        var signature = SignaturePolicy(
            algorithms: policy.algorithms.allSatisfy(isAsymmetric)
                ? policy.algorithms : policy.algorithms.filter(isAsymmetric))
        signature.type = .exactly(TokenKind.keyBinding.rawValue)
        signature.limits = self.signature.limits
        let jws = try inLayer(.keyBinding, JWSVerifier(tokensWithKeys: signature).verify(binding.span) { _ in key })
        let claims = try Claims(payload: jws.payload, limits: signature.limits, layer: .keyBinding)
        var rules = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .exactly(policy.audience))
        rules.requiresExpiration = false
        rules.maximumAge = policy.maximumAge
        rules.nonce = policy.nonce
        (rules.leewaySeconds, rules.clock) = (self.claims.leewaySeconds, self.claims.clock)
        do throws(TokenError) {
            try ClaimChecker(rules).check(claims, algorithm: jws.algorithm, outer: nil)
        } catch {
            if case .claim(let failure) = error { throw .disclosure(.keyBinding(failure)) }
            throw error
        }
        guard claims.string("aud") != nil else { throw .disclosure(.keyBinding(.audienceMismatch)) }
        guard claims.contains("sd_hash") else { throw .disclosure(.keyBinding(.missing("sd_hash"))) }
        guard let hash = claims.string("sd_hash"), bytesEqual(hash.utf8.span, digest) else {
            throw .disclosure(.keyBinding(.invalid("sd_hash")))
        }
        return key
    }
}

extension SDJWT {
    /// Checks that there is a key binding exactly if the verifier requires one: the presentation does not decide that
    /// (RFC 9901, 7.3, step 1).
    fileprivate func checkBinding(isWanted: Bool) throws(TokenError) {
        if isWanted, binding == nil { throw .disclosure(.keyBindingMissing) }
        if !isWanted, binding != nil { throw .disclosure(.keyBindingUnexpected) }
    }
}

/// A verified SD-JWT. Only an `SDJWTVerifier` creates one.
public struct VerifiedSDJWT: Sendable {
    /// The issuer's claims and the disclosed ones, as one payload (RFC 9901, 7.1).
    public let claims: Claims
    /// The header of the issuer's JWT.
    public let header: JOSEHeader
    /// The signature algorithm of the issuer's JWT.
    public let algorithm: SignatureAlgorithm
    /// The issuer's key that verified the signature.
    public let key: JWK
    /// The holder's key that signed the key binding; nil if no key binding was required.
    public let holder: PublicKey?
}
