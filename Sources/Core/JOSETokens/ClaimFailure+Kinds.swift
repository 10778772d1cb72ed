internal import JOSESupport

/// The expected and the found form of a claim, in words and without the value.
extension ClaimFailure {
    /// The claim that failed.
    package var claim: ClaimName {
        switch self {
        case .issuerMismatch: "iss"
        case .audienceMismatch: "aud"
        case .expired, .lifetimeTooLong, .expiresTooSoon: "exp"
        case .notYetValid: "nbf"
        case .issuedInFuture(let name), .missing(let name), .invalid(let name), .forbidden(let name), .tooOld(let name),
            .headerCopyDiffers(let name):
            name
        }
    }

    /// The expected value of the claim, or its form.
    package var expected: String {
        switch self {
        case .issuerMismatch, .audienceMismatch, .missing, .invalid: ClaimForm(claim).text
        case .expired: "a time after now"
        case .notYetValid, .issuedInFuture: "a time that is not in the future"
        case .tooOld: "a time within the maximum age"
        case .lifetimeTooLong: "a time within the maximum lifetime"
        case .expiresTooSoon: "a time after the minimum remaining lifetime"
        case .forbidden: "no such claim"
        case .headerCopyDiffers: "the value of the outer header"
        }
    }

    /// Returns the kind of the value that the claim has, such as "a number", or "another string" where a string is
    /// expected.
    func found(in claims: Claims) -> String {
        guard let value = claims.value(claim.description) else { return "nothing" }
        let (noun, isVowel): (String, Bool) =
            switch value.kind {
            case .string: ("string", false)
            case .number: ("number", false)
            case .object: ("object", true)
            case .array: ("array", true)
            case .true, .false: ("Boolean value", false)
            case .null: ("null", false)
            }
        switch self {
        case .expired, .tooOld, .expiresTooSoon: return "an earlier time"
        case .notYetValid, .issuedInFuture, .lifetimeTooLong: return "a later time"
        case .issuerMismatch, .audienceMismatch, .missing, .invalid, .headerCopyDiffers:
            // A value of a kind that the claim may have has other contents.
            if ClaimForm(claim).kinds.contains(value.kind) { return "another \(noun)" }
        case .forbidden: break
        }
        return value.kind == .null ? noun : (isVowel ? "an " : "a ") + noun
    }
}

/// The form of a claim that the library checks: the kinds of value that it may have, and a description.
private struct ClaimForm {
    let kinds: [JSONKind]
    let text: String

    init(_ claim: ClaimName) {
        let (kinds, text): ([JSONKind], String) =
            switch claim {
            case "iss": ([.string], "a string, an accepted issuer")
            case "aud": ([.string, .array], "the accepted audience, as a string or in an array of strings")
            case "exp", "nbf", "iat", "auth_time": ([.number], "a number of seconds since 1970")
            case "sub", "jti", "nonce", "azp", "acr", "client_id", "sid", "state", "htm", "htu", "response_type",
                "code":
                ([.string], "a string that the policy accepts")
            case "at_hash", "c_hash", "ath": ([.string], "a string, the hash of the token or the code")
            case "scope": ([.string, .array], "the required scopes, in a string or an array of strings")
            case "events", "token_introspection", "cnf": ([.object], "an object as its specification defines it")
            // An accepted value is never an object or an array.
            default: ([.string, .number, .true, .false], "a value that the policy accepts")
            }
        (self.kinds, self.text) = (kinds, text)
    }
}

extension TokenError {
    /// The claim that failed, or the first of several; nil for an error that is about none.
    package var failedClaim: ClaimFailure? {
        switch self {
        case .claim(let failure): failure
        case .claims(let failures): failures.first
        case .disclosure(let fault): if case .keyBinding(let failure) = fault.condition { failure } else { nil }
        default: nil
        }
    }
}
