/// The reason why a claim does not meet a rule, as the rule states it.
///
/// A verifier reports it as a `ClaimFailure`. A caller with errors of its own, such as the relying party, maps it to
/// one of them.
package struct ClaimFault: Error, Equatable, Sendable {
    /// The kind of a fault.
    package enum Kind: Sendable {
        /// The claim is required and absent.
        case absent
        /// The claim is of a wrong JSON type, of a wrong format or out of range.
        case malformed
        /// The claim is an empty string.
        case empty
        /// The claim is none of the accepted values.
        case mismatch
        /// The time of the claim, `exp`, has passed.
        case passed
        /// The time of the claim is in the future.
        case inFuture
        /// The time of the claim is longer ago than allowed.
        case tooOld
        /// The time of the claim, `exp`, is further ahead than allowed.
        case tooFarAhead
        /// The time of the claim, `exp`, is sooner than allowed.
        case expiresTooSoon
        /// The claim is present and must be absent.
        case unexpected
        /// The claim names a tenant that is not accepted.
        case untrusted
        /// The outer header repeats the claim with another value.
        case copyDiffers
    }
    package let claim: ClaimName
    package let kind: Kind
}

extension ClaimFailure {
    /// Creates the failure that a verifier reports for a fault.
    init(_ fault: ClaimFault) {
        self =
            switch fault.kind {
            case .mismatch where fault.claim == "iss": .issuerMismatch
            case .untrusted: .issuerMismatch
            case .mismatch where fault.claim == "aud": .audienceMismatch
            case .malformed, .empty, .mismatch: .invalid(fault.claim)
            case .absent: .missing(fault.claim)
            case .passed: .expired
            case .inFuture where fault.claim == "nbf": .notYetValid
            case .inFuture: .issuedInFuture(fault.claim)
            case .tooOld: .tooOld(fault.claim)
            case .tooFarAhead: .lifetimeTooLong
            case .expiresTooSoon: .expiresTooSoon
            case .unexpected: .forbidden(fault.claim)
            case .copyDiffers: .headerCopyDiffers(fault.claim)
            }
    }
}
