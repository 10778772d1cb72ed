internal import JOSE

extension JOSEError {
    /// What would mend it, for a person.
    var remedy: String {
        switch self {
        case .malformed(let fault):
            switch (fault.part, fault.reason) {
            case (.token, .parts):
                "send the compact form that the policy expects: three parts signed, five parts encrypted"
            case (_, .base64URL): "encode without padding, in the URL-safe alphabet, unused bits zero"
            case (_, .duplicateName): "write each member once"
            case (.claims, _): "sign a JSON object of claims"
            case (.encryptedKey, _): "leave the encrypted key empty with dir and ECDH-ES"
            default: "write it as its RFC says"
            }
        case .limitExceeded(.iterations): "ask for fewer rounds, give a kid where several keys fit, or raise the cap"
        case .limitExceeded: "send less, or raise the limit in the policy"
        case .headerInvalid(.type): "set the typ that the policy asks for"
        case .headerInvalid(.contentType): "set the cty that the policy asks for: JWT around a signed token"
        case .headerInvalid(.compression): "send without zip, or allow it in the policy"
        case .headerInvalid(.compressionNotBuilt): "build with the package's trait Zip"
        case .headerInvalid: "correct the header where the token is made"
        case .algorithmNotAllowed: "use an algorithm of the policy's list, or add this one if both sides agreed on it"
        case .criticalHeaderUnknown: "leave the extension out, or list it as understood if your code honours it"
        case .keyNotFound: "publish the key under the token's kid, or fetch the issuer's keys anew"
        case .keysUnavailable: "ask again, or look at the health of the key source"
        case .keyUnsuitable(.tooSmall): "use a larger key"
        case .keyUnsuitable(.ambiguous): "give the keys a kid, and set it in the token"
        case .keyUnsuitable: "use a key made for the algorithm, or correct its alg, use or key_ops"
        case .certificateInvalid(.expired): "renew the certificate"
        case .certificateInvalid(.notYetValid): "set the clocks right"
        case .certificateInvalid(.order): "send the key's certificate first, each followed by its issuer's"
        case .certificateInvalid: "get a certificate for this use from an issuer that the policy trusts"
        case .keyInvalid: "make the key anew, or correct how it is written"
        case .signatureInvalid: "sign with the private half of the key that is published, over the bytes that are sent"
        case .decryptionFailed: "encrypt to the public half of the key that is held here"
        case .decompressionFailed: "compress as raw DEFLATE, without a zlib or gzip header, and send it whole"
        case .externalKey: "look at the service or the device that holds the key, and at which public key it goes by"
        case .overloaded: "send it again later, or raise the limiter's bounds if the machine has cores to spare"
        case .backend: "look at memory and at the installation of libcrypto"
        }
    }
}

extension ClaimFailure {
    /// What would mend it, for a person.
    var remedy: String {
        switch self {
        case .issuerMismatch: "take tokens of the issuer asked for, or correct the policy's issuer, byte by byte"
        case .audienceMismatch: "ask the issuer for a token meant for this audience"
        case .expired: "get a new token; if it is new, set the clocks right"
        case .notYetValid: "set the clocks right, or allow more leeway"
        case .missing(let name): "have the issuer set \(name)"
        case .invalid(let name): "have the issuer set \(name) to the value and type asked for"
        case .forbidden(let name): "have the issuer leave \(name) out"
        case .tooOld(let name): "get a new token; \(name) must be recent"
        case .lifetimeTooLong: "have the issuer set an earlier exp, or raise maximumLifetime if both sides agreed on it"
        case .headerCopyDiffers(let name):
            "repeat \(name) in the outer header just as the claims have it, or not at all"
        }
    }
}
