public import JOSE

/// Which layer of a nested token an error is about. A token of one layer has that one.
@nonexhaustive public enum TokenLayer: Equatable, Sendable {
    /// The JWE around everything, and the JWS within it or by itself.
    case encryption, signature
    /// The JWT by which a holder of an SD-JWT binds a presentation (RFC 9901, 4.3).
    case keyBinding
}

/// Why a token was refused. Holds nothing of the token, so that it can be logged and sent.
@nonexhaustive public enum TokenError: Error, Equatable, Sendable {
    /// A layer did not hold; no claim was looked at. Retryable where the `JOSEError` is.
    case jose(JOSEError, layer: TokenLayer)
    /// The layers held; the first claim, in the order of `ClaimFailure`'s cases, did not.
    case claim(ClaimFailure)
    /// The same with every claim that failed; thrown in place of `claim` where the policy asks for it.
    case claims([ClaimFailure])
    /// The token names no issuer, or none that is configured. Of several issuers' verifier; no key was looked at.
    case issuerUnknown
    /// The policy itself makes no sense; thrown when a verifier or an issuer is made.
    case policyInvalid(PolicyFault)
    /// The claims hold, but are not of the type asked for.
    case notDecodable
    /// The value cannot be encoded as claims; thrown where a token is issued.
    case notEncodable
    /// All held, but the token was used before, or nobody can say that it was not. Retryable where the store could not answer.
    case replay(ReplayFault)
    /// The disclosures of an SD-JWT or its key binding do not hold.
    case disclosure(DisclosureFault)
}

/// Why a token may not be used once more.
@nonexhaustive public enum ReplayFault: Equatable, Sendable {
    /// It was used before, and is still in force.
    case seen
    /// The store has no room for another token in force. Retryable.
    case storeFull
    /// The token's client has used up its share of the store; tokens of other clients are still accepted. Retryable.
    case shareFull
    /// The store could not be asked. Retryable.
    case storeUnavailable
}

/// Why an SD-JWT or a presentation of it is refused (RFC 9901, 7).
@nonexhaustive public enum DisclosureFault: Equatable, Sendable {
    /// Not an issuer's JWT and disclosures between `~`.
    case form
    /// A disclosure that is not base64url of a JSON array of a salt, a name where one belongs, and a value.
    case malformed
    /// `_sd_alg` names no hash that is known here.
    case hash
    /// `_sd`, `_sd_alg` or `...` where a claim's name stands.
    case reservedName
    /// `_sd` is not an array of strings, or `...` is not a string by itself.
    case digests
    /// One digest stands twice (RFC 9901, 7.1, step 4).
    case repeatedDigest
    /// One disclosure stands twice.
    case repeatedDisclosure
    /// A disclosure whose digest stands nowhere.
    case unreferenced
    /// A disclosure of a claim in the place of an element, or the reverse.
    case wrongPlace
    /// A disclosed claim has the name of one that is there.
    case nameTaken
    /// A path to hide leads nowhere, or to a claim that must be seen.
    case path
    /// Key binding is asked for, and the presentation has none.
    case keyBindingMissing
    /// Key binding is there, and nobody asked for it or could check it.
    case keyBindingUnexpected
    /// Key binding is asked for, and the issuer named no key.
    case holderKeyMissing
    /// A claim of the key binding JWT does not hold.
    case keyBinding(ClaimFailure)
}

/// A claim of the policy that the token does not meet. The order of the cases is the order of the checks.
@nonexhaustive public enum ClaimFailure: Equatable, Hashable, Sendable {
    /// `iss` is missing, not a string, or not one of the policy's.
    case issuerMismatch
    /// `aud` is missing, of a wrong type, or does not hold the policy's.
    case audienceMismatch
    /// `exp` plus the leeway has passed.
    case expired
    /// `nbf` or `iat` lies further ahead than the leeway.
    case notYetValid
    /// Required, and not there.
    case missing(ClaimName)
    /// There, but of a wrong type, out of range, or not the value asked for.
    case invalid(ClaimName)
    /// There, though the policy forbids it.
    case forbidden(ClaimName)
    /// `iat` or `auth_time` lies longer ago than the policy allows, the leeway included.
    case tooOld(ClaimName)
    /// `exp` lies further from now, from `iat` or from `nbf` than `ClaimPolicy.maximumLifetime` allows, the leeway included.
    case lifetimeTooLong
    /// The outer header repeats a claim with another value (RFC 7519, 5.3).
    case headerCopyDiffers(ClaimName)
}

/// A claim's name, from the policy or the registry; never from a token.
public struct ClaimName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    /// Compared byte by byte.
    public init(_ name: String) { description = name }
    public init(stringLiteral name: String) { description = name }

    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}

/// Why a policy cannot be used.
@nonexhaustive public enum PolicyFault: Equatable, Sendable {
    /// `leeway` is not a number from 0 to 300 seconds.
    case leeway
    /// A time of the policy is negative or not a number.
    case time
    /// A list of issuers, audiences or levels that nothing can meet.
    case emptyList
    /// A claim is both required and forbidden.
    case contradiction
    /// The issuer was given no key that the policy's layer needs, or one for a layer that it has not.
    case key
    /// A token would live for longer than its signing key is promised to be published.
    case lifetime
    /// A profile with a replay store whose policy has no `ClaimPolicy.maximumLifetime`: its marks could stay in the store for good.
    case lifetimeUnbounded
    /// Among several issuers, a policy that does not say `.exactly` whose tokens it is for.
    case issuerNotExact
    /// Among several issuers, one that stands there twice.
    case issuerRepeated
}
