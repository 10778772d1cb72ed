internal import JOSE

/// The outcome of each check of a policy for one token, in the order of the checks. Apart from ``claims`` it contains
/// nothing of the token.
public struct VerificationReport: Sendable {
    /// The outcome of a check.
    @nonexhaustive public enum Outcome: Equatable, Sendable {
        /// The check was made, and the token passed or failed it.
        case passed, failed
        /// The check was not made, because an earlier one failed.
        case notReached
    }

    /// A check and its outcome.
    public struct Line: Sendable {
        /// The layer that the check is about; nil for a check of the claims.
        public let layer: TokenLayer?
        /// A description of what is checked.
        public let check: String
        /// The outcome of the check.
        public let outcome: Outcome
        /// A description of what failed; nil if the check did not fail.
        public let failure: String?
        /// A description of how to correct what failed; nil if the check did not fail.
        public let remedy: String?
        /// The claim that failed; nil if none did.
        public let claim: ClaimName?
        /// A description of what the claim must be; nil if none failed.
        public let expected: String?
        /// The kind of value that the claim has, such as "a string", without the value; nil if none failed, or if it is
        /// not known.
        public let found: String?

        init(
            layer: TokenLayer?, check: String, outcome: Outcome, failure: String? = nil, remedy: String? = nil,
            claim: ClaimFailure? = nil, in claims: Claims? = nil
        ) {
            self.layer = layer
            self.check = check
            self.outcome = outcome
            self.failure = failure
            self.remedy = remedy
            self.claim = claim?.claim
            expected = claim?.expected
            found = claims.flatMap { claim?.found(in: $0) }
        }
    }

    /// The checks of the policy, those of the outer layer first.
    public let lines: [Line]
    /// The claims, some of which may have failed their checks; nil unless every layer is valid.
    public let claims: Claims?
    /// The error that `verify` throws; nil for a valid token.
    public let error: TokenError?

    /// A Boolean value that indicates whether `verify` would accept the token.
    public var isValid: Bool { error == nil }
}

extension TokenVerifier {
    /// Returns the report for the outcome of the layers, and checks the claims if they are valid. Where the token is
    /// not valid, a line shows the check that failed, whatever the error is.
    package func explanation(
        _ layers: Result<VerifiedToken, TokenError>, mistake: TokenMistake? = nil
    ) -> VerificationReport {
        do throws(TokenError) {
            let verified = try layers.get()
            let failures = try checker.failures(
                verified.claims, algorithm: verified.algorithm, outer: verified.encryptionHeader)
            var error: TokenError? =
                failures.isEmpty ? nil : policy.claims.reportsEveryFailure ? .claims(failures) : .claim(failures[0])
            // Whether the key may verify tokens of the tenant is checked before the claims, as in `check(_:)`.
            do throws(TokenError) {
                try checker.check(verified.key, of: verified.claims)
            } catch let fault {
                error = fault
            }
            var lines = layerLines(error, mistake) + claimLines(failures, of: verified.claims)
            if let profile = additions?.profile {
                let isReached = error == nil
                if isReached {
                    do throws(TokenError) { try profile.check(verified) } catch let fault { error = fault }
                }
                lines.append(.profile(isReached ? error : nil, of: isReached ? verified.claims : nil))
            }
            return VerificationReport(lines: Self.complete(lines, error), claims: verified.claims, error: error)
        } catch {
            var lines = layerLines(error, mistake) + claimLines([], of: nil)
            if additions?.profile != nil { lines.append(.profile(nil, of: nil)) }
            return VerificationReport(lines: Self.complete(lines, error), claims: nil, error: error)
        }
    }

    /// Returns the lines with one that failed, if there is an error that is about none of their checks.
    private static func complete(
        _ lines: [VerificationReport.Line], _ error: TokenError?
    ) -> [VerificationReport.Line] {
        guard let error, !lines.contains(where: { $0.outcome == .failed }) else { return lines }
        var lines = lines
        let index = lines.firstIndex { $0.outcome == .notReached } ?? lines.endIndex
        lines.insert(.other(error), at: index)
        return lines
    }

    private func layerLines(_ error: TokenError?, _ mistake: TokenMistake?) -> [VerificationReport.Line] {
        var lines: [VerificationReport.Line] = []
        // Without an answer of the external keys no check was made.
        var hasFailed = error == .awaitRequired
        for layer in policy.form.layers {
            for stage in LayerStage.allCases {
                var failure: JOSEError?
                if case .jose(let fault, let failed)? = error, failed == layer, LayerStage(fault) == stage {
                    failure = fault
                }
                lines.append(
                    VerificationReport.Line(
                        layer: layer, check: stage.text(layer),
                        outcome: failure != nil ? .failed : hasFailed ? .notReached : .passed,
                        failure: failure.map { mistake?.failure($0) ?? $0.description },
                        remedy: failure.map { mistake?.remedy ?? $0.remedy }))
                if failure != nil { hasFailed = true }
            }
        }
        return lines
    }

    /// Returns the lines of the policy's checks of the claims; nil where they were not reached.
    private func claimLines(_ failures: [ClaimFailure], of claims: Claims?) -> [VerificationReport.Line] {
        checker.policy.checks.map { check, isAbout in
            let failure = failures.first(where: isAbout)
            return VerificationReport.Line(
                layer: nil, check: check,
                outcome: claims == nil ? .notReached : failure == nil ? .passed : .failed,
                failure: failure?.description, remedy: failure?.remedy, claim: failure, in: claims)
        }
    }
}

extension VerificationReport: CustomStringConvertible {
    /// One line for each check, with its outcome and, if it failed, the failure and the remedy. It contains nothing of
    /// the token.
    public var description: String { lines.map(\.description).joined(separator: "\n") }
}

extension VerificationReport.Line: CustomStringConvertible {
    /// The outcome and the check, and for a failed one the failure, what was expected and found of a claim, and the
    /// remedy.
    public var description: String {
        let subject =
            switch layer {
            case .encryption: "encryption layer: "
            case .signature: "signature layer: "
            case .keyBinding: "key binding: "
            case nil: ""
            }
        let outcome =
            switch outcome {
            case .passed: "passed"
            case .failed: "failed"
            case .notReached: "not reached"
            }
        let reason = failure.map { ": \($0)" } ?? ""
        return "\(outcome): \(subject)\(check)\(reason)" + (comparison.map { "; \($0)" } ?? "")
            + (remedy.map { "; remedy: \($0)" } ?? "")
    }

    /// The claim that failed, with what was expected and found; nil if none did.
    package var comparison: String? {
        guard let claim, let expected else { return nil }
        return "\(claim): expected \(expected)" + (found.map { ", found \($0)" } ?? "")
    }
}

extension VerificationReport {
    /// The report of a token that names no trusted issuer.
    static var unknownIssuer: VerificationReport {
        let line = Line(
            layer: nil, check: "iss names a trusted issuer", outcome: .failed,
            failure: TokenError.issuerUnknown.description,
            remedy: TokenError.issuerUnknown.remedy)
        return VerificationReport(lines: [line], claims: nil, error: .issuerUnknown)
    }
}

extension VerificationReport.Line {
    /// The line of the profile's own checks; without claims they were not reached.
    fileprivate static func profile(_ error: TokenError?, of claims: Claims?) -> Self {
        Self(
            layer: nil, check: "the profile's own checks",
            outcome: claims == nil ? .notReached : error == nil ? .passed : .failed, failure: error?.description,
            remedy: error?.remedy, claim: error?.failedClaim, in: claims)
    }

    /// The line of an error that is about none of the other checks, such as that of a clock.
    fileprivate static func other(_ error: TokenError) -> Self {
        var layer: TokenLayer?
        if case .jose(_, let failed) = error { layer = failed }
        return Self(
            layer: layer, check: "the verification can be completed", outcome: .failed, failure: error.description,
            remedy: error.remedy, claim: error.failedClaim)
    }
}

extension TokenPolicy.Form {
    fileprivate var layers: [TokenLayer] {
        switch self {
        case .signed: [.signature]
        case .encrypted: [.encryption]
        case .nested: [.encryption, .signature]
        }
    }
}

/// The steps of verifying a layer, in their order. Each error belongs to one of them.
private enum LayerStage: CaseIterable {
    case size, shape, header, allowList, key, cryptography, claimsText

    init(_ error: JOSEError) {
        self =
            switch error {
            case .limitExceeded(.tokenBytes), .limitExceeded(.plaintextBytes), .limitExceeded(.signatureBytes): .size
            case .malformed(let fault) where fault.part == .claims: .claimsText
            // The authentication tag was valid.
            case .decompressionFailed: .claimsText
            case .malformed(let fault) where fault.part == .certificate: .key
            case .malformed(let fault) where fault.part != .header: .shape
            case .malformed, .headerInvalid, .criticalHeaderUnknown, .limitExceeded: .header
            case .algorithmNotAllowed: .allowList
            case .keyNotFound, .keysUnavailable, .keyUnsuitable, .keyInvalid, .certificateInvalid: .key
            default: .cryptography
            }
    }

    func text(_ layer: TokenLayer) -> String {
        switch self {
        case .size: "size within the limits"
        case .shape: layer == .encryption ? "five parts of base64url" : "three parts of base64url"
        case .header: "header is strict JSON; crit, typ and cty meet the policy"
        case .allowList: layer == .encryption ? "alg and enc are allowed" : "alg is allowed"
        case .key: "a key that fits kid, alg, use and size"
        case .cryptography: layer == .encryption ? "decryption and tag" : "signature"
        case .claimsText:
            layer == .encryption ? "content is what the policy expects" : "claims are a strict JSON object"
        }
    }
}

extension ClaimPolicy {
    private var audienceCheck: String {
        if audience == .anyAudienceUnchecked { return "aud: any (unchecked)" }
        let others = trustedAudiences == nil ? "" : ", and no other that is not trusted"
        return "aud contains the expected audience" + others
    }

    /// The checks of the policy, each with the failures that belong to it.
    fileprivate var checks: [(String, (ClaimFailure) -> Bool)] {
        func about(_ names: ClaimName...) -> (ClaimFailure) -> Bool {
            { failure in
                switch failure {
                case .missing(let name), .invalid(let name), .issuedInFuture(let name), .tooOld(let name):
                    names.contains(name)
                default: false
                }
            }
        }
        var checks: [(String, (ClaimFailure) -> Bool)] = [
            (
                issuer == .anyIssuerUnchecked ? "iss: any (unchecked)" : "iss is the expected issuer",
                { $0 == .issuerMismatch || about("iss", "tid")($0) }
            ),
            (
                audienceCheck,
                { $0 == .audienceMismatch || about("aud")($0) }
            ),
            (
                needsExpiration ? "exp is present and has not passed" : "exp, if present, has not passed",
                { $0 == .expired || about("exp")($0) }
            ),
            (
                maximumAge == nil
                    ? "nbf and iat, if present, are not in the future"
                    : "nbf and iat are not in the future, and iat is recent",
                { $0 == .notYetValid || about("nbf", "iat")($0) }
            ),
        ]
        if maximumLifetime != nil {
            checks.append(("exp is within the maximum lifetime", { $0 == .lifetimeTooLong }))
        }
        if minimumRemainingLifetime != nil {
            checks.append(("exp leaves the minimum remaining lifetime", { $0 == .expiresTooSoon }))
        }
        checks += [
            (
                "sub and jti are strings" + (subject == nil ? "" : ", and sub is the expected subject"),
                about("sub", "jti")
            )
        ]
        let optionalChecks: [(Bool, String, ClaimName)] = [
            (nonce != nil, "nonce is the expected one", "nonce"),
            (authorizedParty != nil, "azp is the expected client", "azp"),
            (acceptedACR != nil, "acr is an accepted level", "acr"),
            (maximumAuthenticationAge != nil, "auth_time is recent", "auth_time"),
            (accessToken != nil, "at_hash matches the access token", "at_hash"),
            (code != nil, "c_hash matches the code", "c_hash"),
        ]
        for (isAsked, text, name) in optionalChecks where isAsked { checks.append((text, about(name))) }
        for name in acceptedClaims { checks.append(("\(name) has an accepted value", about(name))) }
        for name in required { checks.append(("\(name) is present", { $0 == .missing(name) })) }
        for name in forbidden { checks.append(("\(name) is absent", { $0 == .forbidden(name) })) }
        checks.append(
            (
                "iss, sub and aud in the outer header, if present, equal the claims",
                { if case .headerCopyDiffers = $0 { true } else { false } }
            ))
        return checks
    }
}
