public import JOSE

extension TokenError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing of the token.
    public var remedy: String {
        switch self {
        case .jose(let error, _): error.remedy
        case .claim(let failure): failure.remedy
        case .claims(let failures): failures.map(\.remedy).joined(separator: "; ")
        case .issuerUnknown: "add the issuer to those of the verifier, if its tokens are to be accepted"
        case .policyInvalid: "correct the policy or the options where the verifier or issuer is made"
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

extension JOSEError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing of the token or the key.
    public var remedy: String {
        switch self {
        case .malformed(let fault):
            switch (fault.part, fault.reason) {
            case (.token, .parts):
                "send the compact serialization that the policy requires: three parts if signed, five if encrypted"
            case (.header, .base64URL):
                "pass the token alone, without 'Bearer ' and white space; encode it with the URL-safe alphabet"
            case (_, .base64URL): "encode with the URL-safe alphabet, without padding, and with unused bits zero"
            case (_, .duplicateName): "remove the duplicate member"
            case (.claims, _): "sign a JSON object of claims"
            case (.encryptedKey, _): "leave the encrypted key empty with dir and ECDH-ES"
            default: "encode it as its RFC specifies"
            }
        case .limitExceeded(.iterations):
            "use fewer iterations, set kid if several keys fit, or raise maxPBKDF2Iterations"
        case .limitExceeded: "send a smaller token, or raise the limit in the policy"
        case .headerInvalid(.type): "set the typ that the policy requires"
        case .headerInvalid(.contentType): "set the cty that the policy requires: JWT if the content is a signed token"
        case .headerInvalid(.compression): "send without zip, or allow it in the policy"
        case .headerInvalid(.compressionNotBuilt): "build the package with its trait Zip"
        case .headerInvalid(.reservedName): "set the property of HeaderParameters, such as keyID"
        case .headerInvalid: "correct the header where the token is issued"
        case .algorithmNotAllowed:
            "use an algorithm that the policy allows, or allow this one if both sides agreed on it"
        case .criticalHeaderUnknown: "omit the extension, or add it to understoodCritical if your code processes it"
        case .keyNotFound: "publish the key under the token's kid, or refresh the issuer's key set"
        case .keysUnavailable(.notFetched): "call warmUp when the service starts, or verify with a timeout"
        case .keysUnavailable: "retry, or check the health of the key source"
        case .configurationInvalid(.noSuitableKey(.publicKey)), .keyUnsuitable(.publicKey): "give the private key"
        case .configurationInvalid: "give the verifier keys that fit the algorithms of its policy"
        case .keyUnsuitable(.tooSmall): "use a larger key"
        case .keyUnsuitable(.ambiguous): "give each key a kid, and set it in the token"
        case .keyUnsuitable(.issuer): "sign with a key that is published for the issuer of the token"
        case .keyUnsuitable: "use a key for this algorithm, or correct its alg, use or key_ops"
        case .certificateInvalid(.expired): "renew the certificate"
        case .certificateInvalid(.notYetValid): "synchronize the clocks"
        case .certificateInvalid(.order): "send the key's certificate first, and after each one that of its issuer"
        case .certificateInvalid(.revoked): "use a key with a certificate that is not revoked"
        case .certificateInvalid(.statusUnknown), .certificateInvalid(.statusOutdated),
            .certificateInvalid(.statusUntrusted):
            "give the verifier current CRLs or OCSP responses of the issuers"
        case .certificateInvalid: "get a certificate for this use from a trusted issuer"
        case .keyInvalid: "generate the key again, or correct its encoding"
        case .signatureInvalid: "sign the bytes that are sent, with the private key of the published key"
        case .decryptionFailed: "encrypt to the public key of a configured decryption key"
        case .decompressionFailed: "compress as raw DEFLATE, without a zlib or gzip header, and send it whole"
        case .externalKey:
            "check the service or device that holds the key, and that the configured public key belongs to it"
        case .overloaded: "retry later, or raise the limiter's bounds if processor cores are idle"
        case .cancelled: "repeat the call"
        case .backend: "check the available memory and the installation of libcrypto"
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
        case .notYetValid, .issuedInFuture: "synchronize the clocks, or allow more leeway"
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
