internal import JOSE

extension TokenError: CustomStringConvertible {
    /// A description of one line. It is safe to log, because it contains nothing of the token.
    public var description: String {
        switch self {
        case .jose(let error, .encryption): "encryption layer: \(error)"
        case .jose(let error, .signature): "signature layer: \(error)"
        case .jose(let error, .keyBinding): "key binding: \(error)"
        case .claim(let failure): failure.description
        case .claims(let failures): failures.map(\.description).joined(separator: "; ")
        case .issuerUnknown: "iss is not a configured issuer"
        case .policyInvalid(let fault): "invalid policy: \(fault.text)"
        case .awaitRequired: "external keys or an asynchronous replay store: call a method with a timeout"
        case .notDecodable(let failure): "the claims cannot be decoded as the requested type: \(failure)"
        case .notEncodable(let failure): "the value cannot be encoded as claims: \(failure)"
        case .cancelled: "the task was cancelled while it waited"
        case .disclosure(let fault): fault.text
        case .replay(.seen): "the token was used before"
        case .replay(.storeFull): "the replay store is full"
        case .replay(.shareFull): "the client has used up its share of the replay store"
        case .replay(.storeUnavailable): "the replay store is unavailable"
        }
    }
}

extension ClaimFailure: CustomStringConvertible {
    /// A description of one line, which contains the name of the claim and not its value.
    public var description: String {
        switch self {
        case .issuerMismatch: "iss is not the expected issuer"
        case .audienceMismatch: "aud does not contain the expected audience"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not yet valid"
        case .issuedInFuture(let name): "\(name) is in the future"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name): "\(name) has the wrong type or value"
        case .forbidden(let name): "\(name) is forbidden"
        case .tooOld(let name): "\(name) is longer ago than the policy allows"
        case .expiresTooSoon: "exp is sooner than the minimum remaining lifetime allows"
        case .lifetimeTooLong: "exp exceeds the maximum lifetime"
        case .headerCopyDiffers(let name): "\(name) in the outer header differs from the claim"
        }
    }
}

extension PolicyFault {
    fileprivate var text: String {
        switch self {
        case .leeway: "leeway must be 0 to 300 seconds"
        case .duration: "a duration of the policy, or a lifetime, is negative or too long"
        case .lifetimeNotPositive: "the lifetime of a token is not positive"
        case .validFrom: "TokenOptions.validFrom is not a valid time"
        case .clock: "the clock shows no valid time"
        case .emptyList:
            "a list of accepted values is empty, or an issuer or an audience is the empty string; check whether an environment variable is unset"
        case .contradiction:
            "requirements contradict each other, such as a claim that is both required and forbidden"
        case .issuerNotExact:
            "each policy of a verifier of several issuers must name its issuer with .exactly or .template"
        case .issuerTemplate:
            "the issuer template is not an https URL with {tenantid} as one path segment, or its tenants are not GUIDs in lower case"
        case .issuerRepeated: "duplicate issuer"
        case .setByProfile(let setting): "the profile sets \(setting), which was given another value"
        case .key: "a key is missing for a layer, or given for a layer that the policy does not have"
        case .lifetime: "the token lifetime exceeds the time for which the signing key is published"
        case .lifetimeUnbounded: "a profile with a replay store needs a maximumLifetime"
        }
    }
}

extension DisclosureFault {
    fileprivate var text: String {
        switch self {
        case .form: "not an SD-JWT: expected a JWT and disclosures, separated by ~"
        case .malformed: "a disclosure is not base64url of an array of salt, name and value"
        case .hash: "_sd_alg names an unsupported hash algorithm"
        case .reservedName: "a claim has one of the reserved names '_sd', '_sd_alg' and '...'"
        case .digests: "'_sd' or '...' contains something other than digests"
        case .repeatedDigest: "duplicate digest of a disclosure"
        case .repeatedDisclosure: "duplicate disclosure"
        case .unreferenced: "the digest of a disclosure is not among those in the claims"
        case .wrongPlace: "a disclosure of a claim is referenced as an array element, or the reverse"
        case .nameTaken: "a disclosed claim has the name of another claim"
        case .path: "the path of a claim to hide matches no claim, or a claim that must stay visible"
        case .keyBindingMissing: "the presentation has no key binding"
        case .keyBindingUnexpected: "the presentation has a key binding, but the verifier has no policy to check it"
        case .holderKeyMissing: "cnf contains no key of the holder, which key binding requires"
        case .keyBinding(let failure): "key binding: \(failure)"
        }
    }
}
