public import JOSE
internal import JOSEBytes

/// What a key binding JWT must be (RFC 9901, 4.3 and 7.3).
public struct KeyBindingPolicy: Sendable {
    /// What `alg` may be.
    public var algorithms: [SignatureAlgorithm]
    /// Who `aud` must name, as the one string that it is: the verifier.
    public var audience: String
    /// What the verifier gave for this one presentation.
    public var nonce: String
    /// Most seconds since `iat`.
    public var maximumAge: Double = 300

    /// `algorithms` are those of holders; the audience is this verifier, the nonce the one it sent.
    public init(algorithms: [SignatureAlgorithm], audience: String, nonce: String) {
        self.algorithms = algorithms
        self.audience = audience
        self.nonce = nonce
    }
}

/// Verifies SD-JWTs and their presentations (RFC 9901, 7). Made once, immutable, shared freely.
public struct SDJWTVerifier: Sendable {
    /// Of the issuer.
    public let signature: SignaturePolicy
    /// Checked once the disclosures were put in their places.
    public let claims: ClaimPolicy
    private let verifier: JWSVerifier
    private let checker: ClaimChecker

    /// `signature` is of the issuer's JWT: name its `type`, such as `.exactly("dc+sd-jwt")` (RFC 9901, 9.11). `claims`
    /// is checked over the payload with the disclosures in it, so that a claim that is hidden is one that is missing. `trust`
    /// is as for a `TokenVerifier`.
    public init(
        _ signature: SignaturePolicy, claims: ClaimPolicy, verificationKeys: any KeySource = KeySet.empty,
        trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.signature = signature
        self.claims = claims
        verifier = JWSVerifier(tokenKeys: verificationKeys, policy: signature, trust: trust?.by(claims.clock))
        checker = try ClaimChecker(claims)
    }

    /// Without `keyBinding`, a presentation that has one is refused: nobody has looked at it. With it, one without is.
    public func verify(
        _ token: Span<UInt8>, keyBinding: KeyBindingPolicy? = nil
    ) throws(TokenError) -> VerifiedSDJWT {
        let token = try SDJWT(token, limits: signature.limits)
        try token.checkBinding(isWanted: keyBinding != nil)
        let jws: VerifiedJWS
        do throws(JOSEError) {
            jws = try verifier.verify(token.jwt.span)
        } catch {
            throw .jose(error, layer: .signature)
        }
        return try check(token, keyBinding, jws.payload, jws.header, jws.algorithm, jws.key)
    }

    /// The same of the flattened or general JSON serialization (RFC 9901, 8). `SignaturePolicy.requirement` says which of
    /// several signatures must hold; the result names the first that does.
    public func verify(
        json: Span<UInt8>, keyBinding: KeyBindingPolicy? = nil
    ) throws(TokenError) -> VerifiedSDJWT {
        let token = try SDJWT(json: json, limits: signature.limits)
        try token.checkBinding(isWanted: keyBinding != nil)
        let jws: VerifiedJSONJWS
        do throws(JOSEError) {
            jws = try verifier.verify(json: json)
        } catch {
            throw .jose(error, layer: .signature)
        }
        guard let first = jws.signatures.first else { throw .jose(.signatureInvalid, layer: .signature) }
        return try check(token, keyBinding, jws.payload, first.header, first.algorithm, first.key)
    }

    /// The same of a text.
    public func verify(json: String, keyBinding: KeyBindingPolicy? = nil) throws(TokenError) -> VerifiedSDJWT {
        try verify(json: json.utf8.span, keyBinding: keyBinding)
    }

    /// What comes after the issuer's signature.
    private func check(
        _ token: SDJWT, _ keyBinding: KeyBindingPolicy?, _ payload: [UInt8], _ header: JOSEHeader,
        _ algorithm: SignatureAlgorithm, _ key: JWK
    ) throws(TokenError) -> VerifiedSDJWT {
        let payload = try Claims(payload: payload, limits: signature.limits, layer: .signature)
        let disclosed = try DisclosedPayload.claims(of: payload, token.disclosures, limits: signature.limits)
        try checker.check(disclosed, algorithm: algorithm, outer: nil)
        var holder: PublicKey?
        if let keyBinding, let binding = token.binding {
            let hash = try DisclosureHash.read(payload)
            let digest = try hash.digest(token.unbound)
            holder = try check(binding, keyBinding, of: disclosed, digest: digest)
        }
        return VerifiedSDJWT(claims: disclosed, header: header, algorithm: algorithm, key: key, holder: holder)
    }

    /// The same of a text.
    public func verify(_ token: String, keyBinding: KeyBindingPolicy? = nil) throws(TokenError) -> VerifiedSDJWT {
        try verify(token.utf8.span, keyBinding: keyBinding)
    }

    /// RFC 9901, 7.3, step 5. The holder's key is the issuer's word alone: `cnf` with `jwk`.
    private func check(
        _ binding: [UInt8], _ policy: KeyBindingPolicy, of disclosed: Claims, digest: [UInt8]
    ) throws(TokenError) -> PublicKey {
        guard let key = try disclosed.confirmation()?.key else { throw .disclosure(.holderKeyMissing) }
        var signature = SignaturePolicy(algorithms: policy.algorithms.filter(SignatureAlgorithm.asymmetric.contains))
        signature.type = .exactly("kb+jwt")
        signature.limits = self.signature.limits
        var holder = key
        holder.keyID = nil
        let jws: VerifiedJWS
        do throws(JOSEError) {
            jws = try JWSVerifier(tokenKeys: KeySet(ofOneToken: holder), policy: signature).verify(binding.span)
        } catch {
            throw .jose(error, layer: .keyBinding)
        }
        let claims = try Claims(payload: jws.payload, limits: signature.limits, layer: .keyBinding)
        var rules = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .exactly(policy.audience))
        rules.requiresExpiration = false
        rules.maximumAge = policy.maximumAge
        rules.nonce = policy.nonce
        (rules.leeway, rules.clock) = (self.claims.leeway, self.claims.clock)
        do throws(TokenError) {
            try ClaimChecker(rules).check(claims, algorithm: jws.algorithm, outer: nil)
        } catch {
            if case .claim(let failure) = error { throw .disclosure(.keyBinding(failure)) }
            throw error
        }
        guard claims.string("aud") != nil else { throw .disclosure(.keyBinding(.audienceMismatch)) }
        guard claims.contains("sd_hash") else { throw .disclosure(.keyBinding(.missing("sd_hash"))) }
        guard let hash = claims.string("sd_hash"), hash.utf8.elementsEqual(digest) else {
            throw .disclosure(.keyBinding(.invalid("sd_hash")))
        }
        return key
    }
}

extension SDJWT {
    /// The verifier's choice, never that of the presentation (RFC 9901, 7.3, step 1).
    fileprivate func checkBinding(isWanted: Bool) throws(TokenError) {
        if isWanted, binding == nil { throw .disclosure(.keyBindingMissing) }
        if !isWanted, binding != nil { throw .disclosure(.keyBindingUnexpected) }
    }
}

/// An SD-JWT that held. Only an `SDJWTVerifier` makes one.
public struct VerifiedSDJWT: Sendable {
    /// The issuer's claims and the disclosed ones, as one payload (RFC 9901, 7.1).
    public let claims: Claims
    /// Of the issuer's JWT.
    public let header: JOSEHeader
    /// What the issuer's header names, and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The issuer's key.
    public let key: JWK
    /// The key that the presentation was bound with; nil where no binding was asked for.
    public let holder: PublicKey?
}
