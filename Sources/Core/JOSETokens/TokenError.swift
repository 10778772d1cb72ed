public import JOSE
internal import JOSESupport

/// The layer of a token that an error is about.
@nonexhaustive public enum TokenLayer: Equatable, Sendable {
    /// The encryption layer, a JWE, and the signature layer, a JWS that is inside a JWE or alone.
    case encryption, signature
    /// The JWT with which the holder of an SD-JWT binds a presentation (RFC 9901, 4.3).
    case keyBinding
}

/// Takes a step of a layer, and throws its error as one of that layer.
@inline(__always)
package func inLayer<Value: ~Copyable>(
    _ layer: TokenLayer, _ step: @autoclosure () throws(JOSEError) -> Value
) throws(TokenError) -> Value {
    do throws(JOSEError) { return try step() } catch { throw TokenError(error, layer) }
}

extension TokenError {
    /// Creates the error of a step of a layer. What concerns the call, and not the layer, is an error of the call.
    init(_ error: JOSEError, _ layer: TokenLayer) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .externalKey(.awaitRequired): .awaitRequired
            default: .jose(error, layer: layer)
            }
    }
}

/// The reason why a token was rejected. It contains nothing of the token, so that it is safe to log and to send.
///
/// The error is retryable if the token was neither accepted nor rejected, because keys, capacity, memory, a key service
/// or the replay store were not available: where the `JOSEError` of a layer is, and for `cancelled`,
/// `replay(.shareFull)`, `replay(.storeFull)` and `replay(.storeUnavailable)`. A later attempt may accept the token:
/// answer an HTTP request with 503, and leave a message in its queue. A token that is not yet valid, or whose key does
/// not exist, was rejected: its error is not retryable.
@nonexhaustive public enum TokenError: CodedError, Equatable {
    /// The encryption or the signature of a layer is not valid; no claim was checked. The error is retryable where the
    /// `JOSEError` is.
    case jose(JOSEError, layer: TokenLayer)
    /// A claim does not meet the policy, although every layer is valid. Of several failures it is the first, in the
    /// order of the checks.
    case claim(ClaimFailure)
    /// Claims do not meet the policy, although every layer is valid. It lists every failure and is thrown in place of
    /// `claim` where ``ClaimPolicy/reportsEveryFailure`` is set.
    case claims([ClaimFailure])
    /// The token names no issuer, or one that is not configured. A verifier of several issuers throws it before it
    /// looks for a key.
    case issuerUnknown
    /// The policy is invalid. It is thrown when a verifier or an issuer is created. A call throws it only if the clock
    /// shows no valid time, or if the lifetime of a token exceeds the time for which its key is published.
    case policyInvalid(PolicyFault)
    /// A key is outside the process, or the replay store answers asynchronously, and the call does not wait. Call a
    /// method with a `timeout`.
    case awaitRequired
    /// The claims are valid, but cannot be decoded as the requested type.
    case notDecodable(CodingFailure)
    /// The value cannot be encoded as claims. It is thrown when a token is issued.
    case notEncodable(CodingFailure)
    /// The task was cancelled while the call waited. The error is retryable.
    case cancelled
    /// The token is valid but was used before, or the replay store could not tell whether it was. The error is
    /// retryable where the store could not answer.
    case replay(ReplayFault)
    /// The disclosures of an SD-JWT or its key binding are not valid.
    case disclosure(DisclosureFault)
}

/// The reason why a token that may be used once was rejected.
@nonexhaustive public enum ReplayFault: CodedReason, Equatable {
    /// The token was used before, and has not expired.
    case seen
    /// The store has no room for another token that has not expired. The error is retryable.
    case storeFull
    /// The client has used up its share of the store; tokens of other clients are still accepted. The error is
    /// retryable.
    case shareFull
    /// The store could not be reached. The error is retryable.
    case storeUnavailable
}

/// The reason why an SD-JWT or its presentation was rejected (RFC 9901, 7). Its code, description and remedy say what
/// is wrong; it has names for the conditions of the key binding, on which a program acts.
public struct DisclosureFault: CodedReason, Equatable {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case form, malformed, hash, reservedName, digests, repeatedDigest, repeatedDisclosure, unreferenced
        case wrongPlace, nameTaken, path, keyBindingMissing, keyBindingUnexpected, holderKeyMissing
        case keyBinding(ClaimFailure)
    }
    package let condition: Condition

    /// Key binding is required, and the presentation has none.
    public static var keyBindingMissing: Self { Self(condition: .keyBindingMissing) }
    /// The presentation has a key binding, and the verifier has no policy to check it with.
    public static var keyBindingUnexpected: Self { Self(condition: .keyBindingUnexpected) }
    /// Creates the condition that a claim of the key binding JWT does not meet the policy.
    public static func keyBinding(_ failure: ClaimFailure) -> Self { Self(condition: .keyBinding(failure)) }
    /// The claim of the key binding JWT that does not meet the policy, if the condition is that of `keyBinding(_:)`;
    /// nil for every other condition.
    public var claimFailure: ClaimFailure? {
        if case .keyBinding(let failure) = condition { failure } else { nil }
    }
    /// Key binding is required, and the issuer named no key of the holder in `cnf`.
    public static var holderKeyMissing: Self { Self(condition: .holderKeyMissing) }
    /// The text is not a JWT of the issuer followed by disclosures, separated by `~`, or its JSON serialization.
    package static var form: Self { Self(condition: .form) }
    /// A disclosure is not base64url of a JSON array of a salt, the name of a claim where one is required, and a value.
    package static var malformed: Self { Self(condition: .malformed) }
    /// `_sd_alg` names an unsupported hash algorithm.
    package static var hash: Self { Self(condition: .hash) }
    /// A claim has one of the reserved names `_sd`, `_sd_alg` and `...`.
    package static var reservedName: Self { Self(condition: .reservedName) }
    /// `_sd` is not an array of strings, or `...` is not a string or not the only member of its object.
    package static var digests: Self { Self(condition: .digests) }
    /// A digest is repeated (RFC 9901, 7.1, step 4).
    package static var repeatedDigest: Self { Self(condition: .repeatedDigest) }
    /// A disclosure is repeated.
    package static var repeatedDisclosure: Self { Self(condition: .repeatedDisclosure) }
    /// The digest of a disclosure is not among those of the claims.
    package static var unreferenced: Self { Self(condition: .unreferenced) }
    /// A disclosure of a claim is referenced as an array element, or the reverse.
    package static var wrongPlace: Self { Self(condition: .wrongPlace) }
    /// A disclosed claim has the name of another claim of its object.
    package static var nameTaken: Self { Self(condition: .nameTaken) }
    /// A path of a selectively disclosable claim matches no claim, or one that must stay visible.
    package static var path: Self { Self(condition: .path) }
}

/// A claim that does not meet the policy. The cases are in the order of the checks.
@nonexhaustive public enum ClaimFailure: CodedReason, Hashable {
    /// `iss` is absent, not a string, or not an accepted issuer, such as that of a tenant that a template does not
    /// accept.
    case issuerMismatch
    /// `aud` is absent, of a wrong type, or contains no accepted audience.
    case audienceMismatch
    /// The token has expired: `exp` plus the leeway has passed.
    case expired
    /// `nbf` is further in the future than the leeway.
    case notYetValid
    /// `iat` or `auth_time` is further in the future than the leeway.
    case issuedInFuture(ClaimName)
    /// A required claim is absent.
    case missing(ClaimName)
    /// A claim is of a wrong type, out of range, or not the required value.
    case invalid(ClaimName)
    /// A claim is present although the policy forbids it.
    case forbidden(ClaimName)
    /// `iat` or `auth_time` is longer ago than the policy allows, the leeway included.
    case tooOld(ClaimName)
    /// The time from now, from `iat` or from `nbf` to `exp` exceeds `ClaimPolicy.maximumLifetime`, the leeway included.
    case lifetimeTooLong
    /// The time from now to `exp` is less than `ClaimPolicy.minimumRemainingLifetime`.
    case expiresTooSoon
    /// The outer header repeats a claim with another value (RFC 7519, 5.3).
    case headerCopyDiffers(ClaimName)
}

/// The name of a claim, taken from the policy or the registry and never from a token.
public struct ClaimName: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The name of the claim, as it is written in tokens.
    public let description: String

    /// Creates a name. Names are compared byte by byte.
    public init(_ name: String) { description = name }
    /// Creates a name from a literal.
    public init(stringLiteral name: String) { description = name }

    /// Returns whether two names have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        bytesEqual(left.description, right.description)
    }
}

/// The reason why a policy cannot be used. Its code, description and remedy say what to correct.
public struct PolicyFault: CodedReason, Equatable {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case leeway, duration, lifetimeNotPositive, validFrom, clock, emptyList, contradiction, key, lifetime
        case lifetimeUnbounded, issuerNotExact, issuerTemplate, issuerRepeated, setByProfile(String)
    }
    package let condition: Condition

    /// `ClaimPolicy.leeway` is not between 0 and 300 seconds.
    package static var leeway: Self { Self(condition: .leeway) }
    /// A duration of the policy is negative or too long, or the lifetime of an issuer or of a token is too long.
    package static var duration: Self { Self(condition: .duration) }
    /// The lifetime of an issuer or of a token is zero or negative.
    package static var lifetimeNotPositive: Self { Self(condition: .lifetimeNotPositive) }
    /// `TokenOptions.validFrom` is not a valid time.
    package static var validFrom: Self { Self(condition: .validFrom) }
    /// The clock shows no valid time.
    package static var clock: Self { Self(condition: .clock) }
    /// A list of issuers, audiences, values of `acr` or accepted values of a claim is empty, so that no token could
    /// meet it, or an issuer or an audience is the empty string, as where an environment variable is not set.
    package static var emptyList: Self { Self(condition: .emptyList) }
    /// A claim is both required and forbidden, the minimum remaining lifetime exceeds the maximum lifetime, or
    /// audiences are trusted although any is accepted.
    package static var contradiction: Self { Self(condition: .contradiction) }
    /// A key for a layer of the policy is missing, or a key is given for a layer that the policy does not have.
    package static var key: Self { Self(condition: .key) }
    /// The lifetime of tokens exceeds the time for which their signing key stays published.
    package static var lifetime: Self { Self(condition: .lifetime) }
    /// A profile has a replay store, and its policy has no `ClaimPolicy.maximumLifetime`: tokens that never expire
    /// would fill the store.
    package static var lifetimeUnbounded: Self { Self(condition: .lifetimeUnbounded) }
    /// A policy of a verifier of several issuers does not name its issuer with `.exactly` or `.template`.
    package static var issuerNotExact: Self { Self(condition: .issuerNotExact) }
    /// An ``IssuerTemplate`` is not an https URL with `{tenantid}` as one segment of its path, lists no tenant, or
    /// lists one that is not a GUID in lower case.
    package static var issuerTemplate: Self { Self(condition: .issuerTemplate) }
    /// An issuer of a verifier of several issuers is repeated.
    package static var issuerRepeated: Self { Self(condition: .issuerRepeated) }
    /// Creates the condition that a profile determines a setting of its policies that was given another value, which
    /// would have no effect. The value is the name of the setting, such as `signature.type`.
    package static func setByProfile(_ name: String) -> Self { Self(condition: .setByProfile(name)) }
}
