internal import JOSE

extension TokenError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing of the token.
    public var remedy: String {
        switch self {
        case .jose(let error, _): error.remedy
        case .claim(let failure): failure.remedy
        case .claims(let failures): failures.map(\.remedy).joined(separator: "; ")
        case .issuerUnknown: "add the issuer to those of the verifier, if its tokens are to be accepted"
        case .policyInvalid(let fault): fault.remedy
        case .awaitRequired: "call verify with a timeout"
        case .notDecodable: "make the property optional, or have the issuer set the claim to the expected type"
        case .notEncodable: "encode an object whose members are JSON values"
        case .cancelled: "repeat the call"
        case .disclosure: "have the issuer and the holder follow RFC 9901; the description names the part"
        case .replay(.seen): "get a new token; each may be used once"
        case .replay(.storeFull), .replay(.shareFull): "retry later, or raise the limits of the replay store"
        case .replay(.storeUnavailable): "retry later, and check the replay store"
        }
    }
}

extension ClaimFailure {
    /// A description of how to correct the failure, for developers and operators. It contains nothing of the token.
    public var remedy: String {
        switch self {
        case .issuerMismatch:
            "use a token of the expected issuer, or correct the policy's issuer; both are compared byte by byte"
        case .audienceMismatch: "request a token for this audience from the issuer"
        case .expired: "get a new token; if a new token has expired too, synchronize the clocks"
        case .notYetValid:
            "synchronize the clocks, or allow more leeway; to issue a token that becomes valid later, set TokenOptions.validFrom"
        case .issuedInFuture: "synchronize the clocks, or allow more leeway"
        case .missing(let name): "have the issuer set \(name)"
        case .invalid(let name) where ["exp", "nbf", "iat", "auth_time"].contains(name):
            "have the issuer set \(name) to a number of seconds since 1970, not of milliseconds"
        case .invalid(let name): "have the issuer set \(name) to the expected type and value"
        case .forbidden(let name): "have the issuer omit \(name)"
        case .tooOld(let name): "get a new token; \(name) must be recent"
        case .expiresTooSoon: "have the client obtain a new token, or lower minimumRemainingLifetime"
        case .lifetimeTooLong: "have the issuer set an earlier exp, or raise maximumLifetime if both sides agreed on it"
        case .headerCopyDiffers(let name):
            "make \(name) in the outer header equal to the claim, or omit it there"
        }
    }
}

extension PolicyFault {
    /// A description of how to correct the fault, for developers.
    public var remedy: String {
        switch self {
        case .leeway: "set a leeway of 0 to 300 seconds; if clocks differ by more, synchronize them"
        case .duration: "set a duration of at least zero and of less than some thousand years"
        case .lifetimeNotPositive: "set a lifetime of more than zero, such as .seconds(300)"
        case .validFrom: "set TokenOptions.validFrom to a time from 1970 on, in seconds"
        case .clock: "correct the clock, whose time must be a number of seconds from 1970 on"
        case .emptyList: "list at least one value, and set the variable from which an empty text was read"
        case .contradiction:
            "remove the claim from required, acceptedValues or forbidden, set a minimumRemainingLifetime below the maximumLifetime, or name the audience beside which others are trusted"
        case .key: "give one key for each layer of the policy, and none for a layer that it does not have"
        case .lifetime: "issue tokens with a shorter lifetime, or let the key source publish its keys for longer"
        case .lifetimeUnbounded: "set maximumLifetime in the claims of the profile's policy"
        case .issuerNotExact: "name the issuer of each policy with .exactly or .template"
        case .issuerTemplate:
            "write {tenantid} as one segment of the path of an https URL, and list tenants as GUIDs in lower case"
        case .issuerRepeated: "give each issuer once"
        case .setByProfile:
            "leave the setting as it is, and set the property of the profile of that name if there is one; for tokens of another form, create the verifier with a TokenPolicy instead of the profile"
        }
    }
}
