internal import JOSE

extension TokenError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .jose(let error, .encryption): "encryption layer: \(error)"
        case .jose(let error, .signature): "signature layer: \(error)"
        case .jose(let error, .keyBinding): "key binding: \(error)"
        case .claim(let failure): failure.description
        case .claims(let failures): failures.map(\.description).joined(separator: "; ")
        case .issuerUnknown: "iss is not one of the issuers that are configured"
        case .policyInvalid(let fault): "the policy makes no sense: \(fault.text)"
        case .notDecodable: "the claims are not of the type asked for"
        case .notEncodable: "the value cannot be encoded as claims"
        case .disclosure(let fault): fault.text
        case .replay(.seen): "the token was used before"
        case .replay(.storeFull): "the replay store is full"
        case .replay(.shareFull): "the client has used up its share of the replay store"
        case .replay(.storeUnavailable): "the replay store cannot be asked"
        }
    }
}

extension ClaimFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .issuerMismatch: "iss is not the issuer asked for"
        case .audienceMismatch: "aud does not hold the audience asked for"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name): "\(name) is of the wrong type, or not the value asked for"
        case .forbidden(let name): "\(name) is forbidden"
        case .tooOld(let name): "\(name) is too long ago"
        case .lifetimeTooLong: "exp is further ahead than the longest lifetime"
        case .headerCopyDiffers(let name): "\(name) in the outer header differs from the claim"
        }
    }
}

extension PolicyFault {
    fileprivate var text: String {
        switch self {
        case .leeway: "leeway must be 0 to 300 seconds"
        case .time: "a time is negative or not a number"
        case .emptyList: "a list that nothing can meet"
        case .contradiction: "a claim is both required and forbidden"
        case .issuerNotExact: "a policy among several does not name its one issuer"
        case .issuerRepeated: "an issuer stands there twice"
        case .key: "a key is missing for a layer, or given for one that it has not"
        case .lifetime: "a token would outlive the publication of its signing key"
        case .lifetimeUnbounded: "a profile with a replay store sets no maximumLifetime"
        }
    }
}

extension DisclosureFault {
    fileprivate var text: String {
        switch self {
        case .form: "not an issuer's JWT and disclosures between ~"
        case .malformed: "a disclosure is not base64url of an array of salt, name and value"
        case .hash: "_sd_alg names a hash that is not known"
        case .reservedName: "_sd, _sd_alg or ... stands where a claim's name does"
        case .digests: "_sd or ... does not hold digests alone"
        case .repeatedDigest: "a digest stands twice"
        case .repeatedDisclosure: "a disclosure is given twice"
        case .unreferenced: "the digest of a disclosure stands nowhere"
        case .wrongPlace: "a disclosure of a claim stands for an element, or the reverse"
        case .nameTaken: "a disclosed claim has the name of another"
        case .path: "a path to hide leads nowhere, or to a claim that must be seen"
        case .keyBindingMissing: "the presentation has no key binding"
        case .keyBindingUnexpected: "the presentation has a key binding that nobody checks"
        case .holderKeyMissing: "cnf names no key of the holder"
        case .keyBinding(let failure): "key binding: \(failure)"
        }
    }
}
