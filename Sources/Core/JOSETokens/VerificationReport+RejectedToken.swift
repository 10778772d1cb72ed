package import JOSE
internal import JOSESupport

extension VerificationReport.Line {
    /// Returns the line of a token that was rejected as a whole, by a verifier that makes no report.
    ///
    /// - Parameters:
    ///   - error: The error of the verifier.
    ///   - claims: The claims that the error is about. They need not be verified, because only the kind of a value is
    ///     shown; nil if they cannot be read.
    ///   - mistake: The frequent mistake by which the token was rejected; nil for any other cause.
    package static func whole(
        _ error: TokenError, claims: Claims? = nil, mistake: TokenMistake? = nil
    ) -> Self {
        Self(
            layer: nil, check: "the token as a whole", outcome: .failed,
            failure: mistake?.failure(error) ?? error.description, remedy: mistake?.remedy ?? error.remedy,
            claim: error.failedClaim, in: claims)
    }
}

extension Claims {
    /// Reads the claims of a compact JWS without verifying it, for explanations; nil if they cannot be read.
    package init?(unverified jws: Span<UInt8>, limits: ParsingLimits) {
        var dots = InlineArray<5, Int>(repeating: 0)
        guard jws.count <= limits.tokenBytes, findDots(in: jws, &dots) == 2,
            let payload = Base64URL.decode(jws.extracting(dots[0] + 1..<dots[1])),
            let claims = try? Claims(payload: payload, limits: limits, layer: .signature)
        else { return nil }
        self = claims
    }
}

extension SDJWT {
    /// Returns the claims that an error is about, without verifying them, for explanations: those of the key binding
    /// JWT, or those of the issuer with the disclosures in place. It returns nil if they cannot be read.
    package func unverifiedClaims(of error: TokenError) -> Claims? {
        if case .disclosure(let fault) = error, case .keyBinding = fault.condition {
            return binding.flatMap { Claims(unverified: $0.span, limits: limits) }
        }
        let jwt = jwt
        guard let claims = Claims(unverified: jwt.span, limits: limits) else { return nil }
        return try? DisclosedPayload.claims(of: claims, disclosures, limits: limits)
    }
}
