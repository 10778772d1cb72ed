extension JOSEError: CustomStringConvertible {
    /// One line for a person; safe to log, for it holds nothing of the token or the key.
    public var description: String {
        switch self {
        case .malformed(let fault): "malformed: the \(fault.part.text) \(fault.reason.text)"
        case .limitExceeded(let limit): "too large: \(limit.text)"
        case .headerInvalid(let fault): "header invalid: \(fault.text)"
        case .algorithmNotAllowed(.streamedSignature): "algorithm not allowed: alg signs the message as a whole"
        case .algorithmNotAllowed(let role): "algorithm not allowed: \(role.text) is not in the policy's list"
        case .criticalHeaderUnknown: "crit names an extension that the policy does not understand"
        case .keyNotFound: "no key fits the token's kid"
        case .keysUnavailable(let outage): "no keys to use: \(outage.text)"
        case .keyUnsuitable(let reason): "the key does not fit: \(reason.text)"
        case .keyInvalid(let fault): "the key is invalid: \(fault.text)"
        case .certificateInvalid(let fault): "the certificate is not believed: \(fault.text)"
        case .signatureInvalid: "the signature does not verify"
        case .decryptionFailed: "decryption failed"
        case .decompressionFailed: "the content is not one whole DEFLATE stream"
        case .overloaded(let overload): "overloaded: \(overload.text)"
        case .externalKey(let fault): "the external key \(fault.text)"
        case .backend: "the cryptographic library failed"
        }
    }
}

extension KeysUnavailableReason {
    fileprivate var text: String {
        switch self {
        case .notFetched: "none were fetched yet"
        case .expired: "those that were fetched are too old, and no newer ones came"
        case .closed: "their source was shut down"
        case .noSigningKey: "none of ours signs at this time"
        case .refreshIncomplete: "the set lacks the token's key, and its refresh has failed or is under way"
        }
    }
}

extension OverloadReason {
    fileprivate var text: String {
        switch self {
        case .busy: "as many decryptions run as may"
        case .queueFull: "as many decryptions run as may, and as many wait"
        case .timedOut: "no decryption ended in time for this one"
        }
    }
}

extension ParseFailure.Part {
    fileprivate var text: String {
        switch self {
        case .token: "token"
        case .header: "header"
        case .payload: "payload"
        case .encryptedKey: "encrypted key"
        case .initializationVector: "initialization vector"
        case .ciphertext: "ciphertext"
        case .tag: "authentication tag"
        case .signature: "signature"
        case .key: "key"
        case .keySet: "key set"
        case .claims: "claims set"
        case .certificate: "certificate"
        }
    }
}

extension ParseFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .parts: "has not the parts that it must have"
        case .base64URL: "is not base64url"
        case .base64: "is not base64 with padding"
        case .json: "is not JSON of the right shape"
        case .duplicateName: "repeats a member name"
        case .length: "has a wrong length"
        case .unencoded: "has bytes that may not stand there unencoded"
        case .pem: "is not one PEM block"
        case .der: "is not DER of a known form"
        case .uri: "is not at a URI with a scheme"
        }
    }
}

extension ParsingLimit {
    fileprivate var text: String {
        switch self {
        case .tokenBytes: "the token has more bytes than allowed"
        case .headerBytes: "the header has more bytes than allowed"
        case .plaintextBytes: "the plaintext has more bytes than allowed"
        case .jsonDepth: "JSON is nested deeper than allowed"
        case .objectMembers: "a JSON object has more members than allowed"
        case .keysInSet: "the key set has more keys than allowed"
        case .signatures: "there are more signatures than allowed"
        case .recipients: "there are more recipients than allowed"
        case .iterations: "a passphrase takes more rounds than allowed (p2c)"
        case .certificates: "there are more certificates than allowed"
        case .certificateBytes: "a certificate has more bytes than allowed"
        }
    }
}

extension HeaderFault {
    fileprivate var text: String {
        switch self {
        case .algorithmMissing: "alg is missing"
        case .contentEncryptionMissing: "enc is missing"
        case .contentEncryptionDiffers: "enc is not the same for all recipients"
        case .memberType: "a registered member has a wrong type"
        case .critical: "crit is not a list of present extension names"
        case .b64: "b64 is not allowed like this"
        case .ephemeralKey: "epk is not a public key on our key's curve"
        case .agreementInfo: "apu or apv is not base64url"
        case .keyWrap: "iv or tag is not what the key was wrapped with"
        case .password: "p2s or p2c is missing or too small"
        case .compression: "zip is not DEF, or not allowed"
        case .compressionNotBuilt: "zip needs a build with the package's trait Zip"
        case .type: "typ is not the one asked for"
        case .contentType: "cty is not the one asked for"
        }
    }
}

extension AlgorithmRole {
    fileprivate var text: String {
        switch self {
        case .signature, .streamedSignature: "alg (signature)"
        case .keyManagement: "alg (key management)"
        case .contentEncryption: "enc"
        }
    }
}

extension KeyMismatch {
    fileprivate var text: String {
        switch self {
        case .kind: "another kind of key than the algorithm takes"
        case .curve: "another curve than the algorithm takes"
        case .use: "its use says otherwise"
        case .operations: "its key_ops lack the operation"
        case .algorithm: "its alg says otherwise"
        case .tooSmall: "it is too small: RSA needs 2048 bits, a secret 128, for HMAC as many as the hash"
        case .size: "it has not the size that the algorithm takes"
        case .ambiguous: "too many keys fit"
        case .certificate: "x5t names another certificate than the key's"
        }
    }
}

extension ExternalKeyFault {
    fileprivate var text: String {
        switch self {
        case .failed: "failed"
        case .signatureForm: "gave a signature of another form than its algorithm's"
        case .signatureInvalid: "gave a signature that does not verify under its public key"
        }
    }
}

extension KeyFault {
    fileprivate var text: String {
        switch self {
        case .unsupportedKind: "its kind is not supported"
        case .missingMember: "a member is missing"
        case .memberValue: "a member has a wrong type or is not canonical"
        case .inconsistentUse: "use and key_ops contradict each other"
        case .tooManyOperations: "key_ops has more than 32 values"
        case .numbers: "its numbers are not a key"
        case .roca: "its modulus has the mark of the ROCA generator"
        case .outOfBounds: "its size or exponent is out of bounds"
        case .privateInPublicSet: "a set of public keys holds a private or symmetric one"
        case .passphrase: "the passphrase is missing or wrong"
        case .wrongHalf: "it is public where a private one is asked for, or the reverse"
        case .keySet: "it is a key set, not a key"
        case .singleKey: "it is a key, not a key set"
        case .encryption: "it is encrypted in a way that is not taken, or without a MAC"
        case .form: "this form does not exist for its kind"
        case .certificate: "its x5c or x5t is not of this key"
        case .notExportable: "it stays in its device and cannot be exported"
        case .absent: "nothing at the URI can be read as a key"
        case .several: "there are several keys at the URI"
        case .noStore(let scheme):
            "OpenSSL has no store for '\(KeyDescription.escaped(scheme)):' URIs: is its provider installed and configured?"
        }
    }
}

extension CertificateFault {
    fileprivate var text: String {
        switch self {
        case .order: "not each is followed by its issuer's"
        case .untrusted: "no path leads to a root that is trusted"
        case .expired: "it or an issuer's has expired"
        case .notYetValid: "it or an issuer's is not valid yet"
        case .usage: "its key is for another use"
        case .authority: "an issuer may not issue it"
        case .nameConstraint: "an issuer may not issue for this name"
        case .weak: "an issuer's key or signature is too weak"
        case .criticalExtension: "a critical extension is unknown"
        case .signature: "a signature of its path does not verify"
        case .name: "it is of another name than asked for"
        case .thumbprint: "x5t is of another certificate than x5c"
        case .profile: "it is not as RFC 5280 wants it"
        }
    }
}
