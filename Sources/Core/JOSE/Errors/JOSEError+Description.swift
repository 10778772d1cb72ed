extension JOSEError: CustomStringConvertible {
    /// A one-line description. It is safe to log, because it contains no data of the token or the key.
    public var description: String {
        switch self {
        case .malformed(let fault) where fault.reason == .parts && fault.part != .token:
            "malformed: the \(fault.part.text) is missing, or is not allowed here"
        case .malformed(let fault): "malformed: \(fault)"
        case .limitExceeded(let limit): "limit exceeded: \(limit.text)"
        case .headerInvalid(let fault): "header invalid: \(fault.text)"
        case .algorithmNotAllowed(.streamedSignature):
            "algorithm not allowed: alg signs the whole message at once and cannot be streamed"
        case .algorithmNotAllowed(let role): "algorithm not allowed: \(role.text) is not in the policy's list"
        case .criticalHeaderUnknown: "crit names an extension that is not in the policy's understoodCritical"
        case .keyNotFound: "no key matches the token's kid"
        case .keysUnavailable(let outage): "keys unavailable: \(outage.text)"
        case .keyUnsuitable(let reason): "the key does not fit: \(reason.text)"
        case .configurationInvalid(let fault): "no token could be accepted: \(fault.text)"
        case .keyInvalid(let fault): "the key is invalid: \(fault.text)"
        case .certificateInvalid(let fault): "the certificate is not trusted: \(fault.text)"
        case .signatureInvalid: "the signature does not verify"
        case .decryptionFailed: "decryption failed"
        case .decompressionFailed: "the content is not exactly one DEFLATE stream"
        case .overloaded(let overload): "overloaded: \(overload.text)"
        case .externalKey(let fault): "the external key \(fault.text)"
        case .cancelled: "the task was cancelled while it waited"
        case .backend: "the cryptographic library failed"
        }
    }
}

extension ParseFailure: CustomStringConvertible {
    /// A clause that names the part and its fault. It contains nothing of the input.
    public var description: String { "the \(part.text) \(reason.text)" }
}

extension KeysUnavailableReason {
    fileprivate var text: String {
        switch self {
        case .notFetched: "no key set has been fetched yet"
        case .expired: "the key set is too old, and no newer one could be fetched"
        case .closed: "the key source was shut down"
        case .noSigningKey: "there is no current signing key"
        case .refreshIncomplete: "the key set lacks the token's key, and its refresh has failed or is under way"
        case .replacementUnknown: "the signature failed, and no fetch has shown yet that the key was not replaced"
        }
    }
}

extension ConfigurationFault {
    fileprivate var text: String {
        switch self {
        case .noAlgorithms: "the policy lists no algorithm"
        case .noKeys: "there are no keys"
        case .noSuitableKey(let reason): "no key fits an algorithm of the policy: \(reason.text)"
        }
    }
}

extension OverloadReason {
    fileprivate var text: String {
        switch self {
        case .busy: "the maximum number of decryptions is running"
        case .queueFull: "the maximum number of decryptions is running, and the queue is full"
        case .timedOut: "timed out while waiting for another decryption to end"
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
        case .revocationList: "certificate revocation list"
        case .statusResponse: "OCSP response"
        }
    }
}

extension ParseFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .parts: "has the wrong number of parts"
        case .whiteSpace: "begins or ends with white space, such as a line end"
        case .base64URL: "is not base64url"
        case .base64: "is not base64 with padding"
        case .json: "is not valid JSON of the required structure"
        case .duplicateName: "has a duplicate member name"
        case .length: "has the wrong length"
        case .unencoded: "has bytes that are not allowed without base64url encoding (b64 false)"
        case .pem: "is not exactly one PEM block of a supported kind"
        case .pemBegin: "has no line with -----BEGIN, as PEM has"
        case .pemEnd: "has a line with -----BEGIN and none with -----END: it was cut off"
        case .openSSH: "is in a format of OpenSSH"
        case .byteOrderMark: "begins with a byte order mark"
        case .markup: "is HTML or XML, not JSON"
        case .mapOfPEM: "is a map of PEM texts, not a JWK Set"
        case .keysMissing: #"has no member "keys" that is an array"#
        case .der: "is not DER of a supported kind"
        case .uri: "has a URI without a scheme"
        }
    }
}

extension ParsingLimit {
    fileprivate var text: String {
        switch self {
        case .tokenBytes: "the token has more bytes than ParsingLimits.tokenBytes allows"
        case .headerBytes: "the header has more bytes than ParsingLimits.headerBytes allows"
        case .plaintextBytes: "the plaintext has more bytes than ParsingLimits.plaintextBytes allows"
        case .signatureBytes: "the signature has more bytes than ParsingLimits.signatureBytes allows"
        case .jsonDepth: "JSON is nested deeper than ParsingLimits.jsonDepth allows"
        case .objectMembers: "a JSON object has more members than ParsingLimits.objectMembers allows"
        case .keysInSet: "the key set has more keys than ParsingLimits.keysInSet allows"
        case .signatures: "there are more signatures than ParsingLimits.signatures allows"
        case .recipients: "there are more recipients than ParsingLimits.recipients allows"
        case .iterations: "PBES2 needs more iterations than ParsingLimits.maxPBKDF2Iterations allows (p2c)"
        case .certificates: "there are more certificates than ParsingLimits.certificates allows"
        case .revocationData: "there is more revocation data than a CertificateRevocation may have"
        case .certificateBytes: "a certificate has more bytes than ParsingLimits.certificateBytes allows"
        }
    }
}

extension HeaderFault {
    fileprivate var text: String {
        switch self {
        case .algorithmMissing: "alg is missing"
        case .contentEncryptionMissing: "enc is missing"
        case .contentEncryptionDiffers: "enc is not the same for all recipients"
        case .memberType(let name): "\(name) has the wrong JSON type"
        case .memberText: "the text of a member to write is not exactly one JSON value"
        case .critical: "crit is not a list of names of members that are present"
        case .b64: "b64 is not in crit, not a boolean, or not allowed here"
        case .ephemeralKey: "epk is not a public key on our key's curve"
        case .agreementInfo: "apu or apv is not base64url"
        case .keyWrap: "iv or tag of the wrapped key is missing or malformed"
        case .password: "p2s or p2c is missing, malformed or too small"
        case .compression: "zip is not DEF, or not allowed"
        case .compressionNotBuilt: "zip is not available: build the package with its trait Zip"
        case .reservedName:
            "a member that has a property of its own, such as kid or typ, or that the signer writes, such as alg, was set by its name"
        case .type: "typ is not the one that the policy requires"
        case .contentType: "cty is not the one that the policy requires"
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
        case .kind: "the algorithm takes another kind of key"
        case .publicKey: "it is a public key; signing and decrypting take the private key"
        case .curve: "the algorithm takes another curve"
        case .use: "its use does not allow the operation"
        case .operations: "its key_ops do not include the operation"
        case .algorithm: "its alg names another algorithm"
        case .tooSmall: "it is too small: an RSA key needs 2048 bits"
        case .secretTooShort:
            "the secret is too short: HS256 needs 32 bytes, HS384 48 and HS512 64"
        case .secretEmpty: "the secret is empty"
        case .generatedTooShort: "a generated secret key needs 128 bits"
        case .size: "the algorithm takes a key of another size"
        case .ambiguous: "more keys match the token than ParsingLimits.candidateKeys allows; give each its own kid"
        case .certificate: "x5t does not identify the certificate of the key"
        case .issuer: "its issuer is not that of the token"
        }
    }
}

extension ExternalKeyFault {
    fileprivate var text: String {
        switch self {
        case .failed: "failed"
        case .signature(let mistake): "returned a signature that \(mistake)"
        case .signatureInvalid: "returned a signature that its public key does not verify"
        }
    }
}

extension KeyFault {
    fileprivate var text: String {
        switch self {
        case .member(let name, let fault): fault.text(of: name)
        case .notObject: "it is not a JSON object"
        case .unsupportedKind: "its kind is not supported"
        case .inconsistentUse: "use and key_ops contradict each other, or key_ops has a value twice"
        case .tooManyOperations: "key_ops has more than 32 values"
        case .numbers: "invalid key parameters: out of range, not on the curve, or not of one key"
        case .roca: "its modulus has the ROCA fingerprint (CVE-2017-15361)"
        case .outOfBounds: "its size is out of bounds"
        case .privateInPublicSet: "a set of public keys contains a private or symmetric key"
        case .passphrase: "the passphrase is missing or wrong"
        case .publicKeyRequired: "a public key is required, and it is a private or symmetric key"
        case .privateKeyRequired: "a private key is required, and it is a public or symmetric key"
        case .symmetricKeyRequired: "a symmetric key is required, and it is a public or private key"
        case .keySet: "it is a key set, not a key"
        case .singleKey: "it is a key, not a key set"
        case .encryption: "its encryption is not supported, or it has no MAC"
        case .form: "the requested format (PKCS #1 or SEC 1) does not exist for this kind of key"
        case .certificate: "its certificate does not belong to this key"
        case .notExportable: "it is in a device and cannot be exported"
        case .absent: "there is nothing that can be read as a key"
        case .several: "there are several keys at the URI"
        case .noStore(let scheme):
            "OpenSSL has no store for '\(KeyDescription.escaped(scheme)):' URIs: is its provider installed and configured?"
        }
    }
}

extension CertificateFault {
    fileprivate var text: String {
        switch self {
        case .order: "a certificate is not followed by that of its issuer"
        case .untrusted: "no path leads to a trusted root"
        case .expired: "it or a certificate of its path has expired"
        case .notYetValid: "it or a certificate of its path is not valid yet"
        case .usage: "its key usage does not allow this use"
        case .authority: "an issuer is not a certificate authority for it"
        case .nameConstraint: "an issuer is not allowed to certify its name"
        case .weak: "an issuer's key or signature is too weak"
        case .criticalExtension: "a critical extension is unknown"
        case .signature: "a signature of its path does not verify"
        case .name: "it does not have the required name"
        case .thumbprint: "x5t does not identify the first certificate of x5c"
        case .profile: "it violates RFC 5280"
        case .revoked: "it or a certificate of its path was revoked"
        case .statusUnknown: "there is no CRL or OCSP response for it or a certificate of its path"
        case .statusOutdated: "a CRL or OCSP response for it or a certificate of its path is outdated"
        case .statusUntrusted: "a CRL or OCSP response for it or a certificate of its path is not signed by the issuer"
        }
    }
}
