internal import JOSE

/// What became of each check of a policy for one token, in the order in which they run. Holds nothing of the token.
public struct VerificationReport: Sendable {
    /// What became of one check.
    @nonexhaustive public enum Outcome: Equatable, Sendable {
        /// It ran, and the token met it or not.
        case passed, failed
        /// An earlier check failed.
        case notReached
    }

    /// One check.
    public struct Line: Sendable {
        /// Nil: about the claims.
        public let layer: TokenLayer?
        /// What is checked, for a person.
        public let check: String
        /// What became of it.
        public let outcome: Outcome
        /// What failed, for a person.
        public let failure: String?
        /// What would mend it, for a person.
        public let remedy: String?
    }

    /// Every check that the policy makes, the outer layer's first.
    public let lines: [Line]
    /// The claims, where every layer held; they may still have failed their own checks.
    public let claims: Claims?
    /// What `verify` throws; nil for a token that holds.
    public let error: TokenError?

    /// Whether `verify` would accept it.
    public var isValid: Bool { error == nil }
}

extension TokenVerifier {
    /// Verifies and says what became of each check. Slower than `verify`, and with the same answer.
    public func explain(_ token: Span<UInt8>) -> VerificationReport {
        do throws(TokenError) {
            return explanation(.success(try open(token)))
        } catch {
            return explanation(.failure(error))
        }
    }

    /// The same of bytes in an array.
    public func explain(_ token: [UInt8]) -> VerificationReport { explain(token.span) }
    /// The same of a text.
    public func explain(_ token: String) -> VerificationReport { explain(token.utf8.span) }

    /// Of what became of the layers.
    func explanation(_ layers: Result<VerifiedToken, TokenError>) -> VerificationReport {
        do throws(TokenError) {
            let opened = try layers.get()
            let failures = try checker.failures(
                opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
            let error: TokenError? =
                failures.isEmpty ? nil : policy.claims.reportsEveryFailure ? .claims(failures) : .claim(failures[0])
            return VerificationReport(
                lines: layerLines(nil) + claimLines(failures, reached: true), claims: opened.claims, error: error)
        } catch {
            return VerificationReport(
                lines: layerLines(error) + claimLines([], reached: false), claims: nil, error: error)
        }
    }

    private func layerLines(_ error: TokenError?) -> [VerificationReport.Line] {
        var lines: [VerificationReport.Line] = []
        var hasFailed = false
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
                        failure: failure?.description, remedy: failure?.remedy))
                if failure != nil { hasFailed = true }
            }
        }
        return lines
    }

    private func claimLines(_ failures: [ClaimFailure], reached: Bool) -> [VerificationReport.Line] {
        checker.policy.checks.map { check, isAbout in
            let failure = failures.first(where: isAbout)
            return VerificationReport.Line(
                layer: nil, check: check,
                outcome: !reached ? .notReached : failure == nil ? .passed : .failed,
                failure: failure?.description, remedy: failure?.remedy)
        }
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

/// The steps of one layer in their order; each error belongs to one.
private enum LayerStage: CaseIterable {
    case size, shape, header, allowList, key, cryptography, claimsText

    init(_ error: JOSEError) {
        self =
            switch error {
            case .limitExceeded(.tokenBytes), .limitExceeded(.plaintextBytes): .size
            case .malformed(let fault) where fault.part == .claims: .claimsText
            // The tag has held.
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
        case .header: "header is strict JSON, crit, typ and cty as asked for"
        case .allowList: layer == .encryption ? "alg and enc on the lists" : "alg on the list"
        case .key: "a key that fits kid, alg, use and size"
        case .cryptography: layer == .encryption ? "decryption and tag" : "signature"
        case .claimsText:
            layer == .encryption ? "content is what the policy expects" : "claims are a strict JSON object"
        }
    }
}

extension ClaimPolicy {
    /// What is checked, and which failures are about it.
    fileprivate var checks: [(String, (ClaimFailure) -> Bool)] {
        func about(_ names: ClaimName...) -> (ClaimFailure) -> Bool {
            { failure in
                switch failure {
                case .missing(let name), .invalid(let name), .tooOld(let name):
                    names.contains(name)
                default: false
                }
            }
        }
        var checks: [(String, (ClaimFailure) -> Bool)] = [
            (
                issuer == .anyIssuerUnchecked ? "iss: any (unchecked)" : "iss is the issuer",
                { $0 == .issuerMismatch || about("iss")($0) }
            ),
            (
                audience == .anyAudienceUnchecked ? "aud: any (unchecked)" : "aud holds the audience",
                { $0 == .audienceMismatch || about("aud")($0) }
            ),
            (
                needsExpiration ? "exp is there and has not passed" : "exp, if there, has not passed",
                { $0 == .expired || about("exp")($0) }
            ),
            (
                maximumAge == nil ? "nbf and iat, if there, have come" : "nbf and iat have come, and iat is recent",
                { $0 == .notYetValid || about("nbf", "iat")($0) }
            ),
        ]
        if maximumLifetime != nil {
            checks.append(("exp is no further ahead than the longest lifetime", { $0 == .lifetimeTooLong }))
        }
        checks += [
            ("sub and jti are texts" + (subject == nil ? "" : ", and sub is the subject"), about("sub", "jti"))
        ]
        let further: [(Bool, String, ClaimName)] = [
            (nonce != nil, "nonce is the one sent", "nonce"), (authorizedParty != nil, "azp is the client", "azp"),
            (acceptedACR != nil, "acr is an accepted level", "acr"),
            (maximumAuthenticationAge != nil, "auth_time is recent", "auth_time"),
            (accessToken != nil, "at_hash is of the access token", "at_hash"),
            (code != nil, "c_hash is of the code", "c_hash"),
        ]
        for (isAsked, text, name) in further where isAsked { checks.append((text, about(name))) }
        for name in required { checks.append(("\(name) is there", { $0 == .missing(name) })) }
        for name in forbidden { checks.append(("\(name) is not there", { $0 == .forbidden(name) })) }
        checks.append(
            (
                "iss, sub, aud in the outer header, if there, equal the claims",
                { if case .headerCopyDiffers = $0 { true } else { false } }
            ))
        return checks
    }
}
