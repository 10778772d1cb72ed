public import JOSE

extension JOSEError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing of the token or
    /// the key.
    public var remedy: String {
        switch self {
        case .malformed(let fault): fault.remedy
        case .limitExceeded(.iterations):
            "use fewer iterations, set kid if several keys fit, or raise ParsingLimits.maxPBKDF2Iterations"
        case .limitExceeded(.keysInSet): "give a set with fewer keys, or raise ParsingLimits.keysInSet"
        case .limitExceeded: "send a smaller token, or raise the limit in the policy"
        case .headerInvalid(let fault): fault.remedy
        case .algorithmNotAllowed(.streamedSignature):
            "verify the whole message in one call, or use an algorithm that signs a hash, such as ES256"
        case .algorithmNotAllowed:
            "use an algorithm that the policy allows, or allow this one if both sides agreed on it"
        case .criticalHeaderUnknown: "omit the extension, or add it to understoodCritical if your code processes it"
        case .keyNotFound: "publish the key under the token's kid, or refresh the issuer's key set"
        case .keysUnavailable(.notFetched): "call warmUp when the service starts, or verify with a timeout"
        case .keysUnavailable(.closed): "shut the key source down after the last token"
        case .keysUnavailable(.noSigningKey): "start the key rotation, or generate a signing key"
        case .keysUnavailable: "retry, or check the health of the key source"
        case .configurationInvalid(.noAlgorithms): "list the algorithms that the issuer uses in the policy"
        case .configurationInvalid(.noKeys): "give the verifier the keys of the issuer, or the decrypter its own keys"
        case .configurationInvalid(.noSuitableKey(let mismatch)), .keyUnsuitable(let mismatch): mismatch.remedy
        case .certificateInvalid(let fault): fault.remedy
        case .keyInvalid(let fault): fault.remedy
        case .signatureInvalid:
            "compare the verifier's key with the one that the issuer publishes, and the token with the one that was issued; if both are equal, have the issuer sign the bytes that it sends"
        case .decryptionFailed:
            "compare the decryption key with the public key that the sender encrypts to, and the token with the one that was issued"
        case .decompressionFailed: "compress as raw DEFLATE, without a zlib or gzip header, and send it whole"
        case .externalKey(.signature(let mistake)): mistake.remedyOfSigner
        case .externalKey:
            "check the service or device that holds the key, and that the configured public key belongs to it"
        case .overloaded: "retry later, or raise the limiter's bounds if processor cores are idle"
        case .cancelled: "repeat the call"
        case .backend: "check the available memory and the installation of libcrypto"
        }
    }
}

extension SignatureMistake {
    /// A description of how the issuer corrects the mistake.
    var remedy: String {
        switch self {
        case .der, .notDER: "have the issuer write r and s one after the other, each as long as the field of the curve"
        case .length(_, _, let algorithm?):
            "have the issuer sign with the algorithm that alg names, or name \(algorithm), if the policy allows it"
        case .length:
            "have the issuer write the whole signature, each number with its leading zeros, and sign with the key that kid names"
        case .pkcs1InPlaceOfPSS:
            "have the issuer sign with RSASSA-PSS, or name the algorithm with RS in place of PS, if the policy allows it"
        case .pssInPlaceOfPKCS1:
            "have the issuer sign with RSASSA-PKCS1-v1_5, or name the algorithm with PS in place of RS, if the policy allows it"
        case .saltLength: "have the issuer set the length of the salt to that of the hash"
        case .otherKey: "have the issuer write the kid of the key that it signs with"
        }
    }

    /// A description of how to correct the mistake of a signer outside the process.
    fileprivate var remedyOfSigner: String {
        switch self {
        case .der: "set ecdsaForm of the signer to der, or return r and s one after the other"
        case .notDER: "set ecdsaForm of the signer to joined, or return one DER structure"
        case .pkcs1InPlaceOfPSS:
            "ask the service for RSASSA-PSS, or create the signer for the algorithm with RS in place of PS"
        case .pssInPlaceOfPKCS1:
            "ask the service for RSASSA-PKCS1-v1_5, or create the signer for the algorithm with PS in place of RS"
        case .saltLength: "ask the service for a salt as long as the hash"
        default: "compare the algorithm and the public key of the signer with those of the service"
        }
    }
}

extension ParseFailure {
    fileprivate var remedy: String {
        switch (part, reason) {
        case (.token, .parts):
            "send the compact serialization that the policy requires: three parts if signed, five if encrypted"
        case (_, .whiteSpace):
            "remove the white space around the token, such as the line end of the file from which it was read"
        case (.header, .base64URL):
            "pass the token alone, without 'Bearer ' and white space; encode it with the URL-safe alphabet"
        case (_, .base64URL): "encode with the URL-safe alphabet, without padding, and with unused bits zero"
        case (_, .duplicateName): "remove the duplicate member"
        case (_, .pem): "give one block with its lines BEGIN and END, and with line ends between them"
        case (_, .pemBegin), (_, .pemEnd): "give the whole block, with its lines BEGIN and END"
        case (_, .openSSH):
            "convert the key: ssh-keygen -e -m PKCS8 for a public one, ssh-keygen -p -m PKCS8 for a private one"
        case (_, .byteOrderMark): "save the text as UTF-8 without a byte order mark"
        case (_, .markup): "check the URL or the file: a login or error page takes the place of the keys"
        case (_, .mapOfPEM): "give the issuer's JWK Set, which is at another URL: jwks_uri in its metadata"
        case (_, .keysMissing): #"give a JSON object with the member "keys", a list of JWKs, or with "kty", one JWK"#
        case (_, .der): "give one DER structure, without PEM or base64 around it"
        case (_, .uri): "begin the URI with a scheme, such as file: or pkcs11:"
        case (.key, .json): "give one JWK as a JSON object, or use the initializer for PEM"
        case (.keySet, .json): #"give a JSON object with the member "keys", a list of JWKs"#
        case (.claims, _): "sign a JSON object of claims"
        case (.encryptedKey, _): "leave the encrypted key empty with dir and ECDH-ES"
        default: "encode it as its RFC specifies"
        }
    }
}

extension HeaderFault {
    fileprivate var remedy: String {
        switch self {
        case .algorithmMissing: "have the issuer set alg in the protected header"
        case .contentEncryptionMissing: "have the sender set enc in the protected header"
        case .contentEncryptionDiffers: "have the sender use one enc for all recipients"
        case .memberType(let name): "have the issuer write \(name) with the JSON type that its RFC specifies"
        case .memberText: "set the member to exactly one JSON value"
        case .critical: "have the issuer list in crit the names of extensions that are present, each once"
        case .b64: "have the issuer omit b64, which a JWT cannot have as false, or list it in crit"
        case .ephemeralKey: "have the sender use a new public key on the curve of the recipient's key as epk"
        case .agreementInfo: "have the sender write apu and apv as base64url"
        case .keyWrap: "have the sender set iv and tag of the wrapped key as base64url"
        case .password: "have the sender set p2s, of at least 8 bytes, and a p2c of enough iterations"
        case .compression: "have the sender omit zip, or allow it in the policy"
        case .compressionNotBuilt: "build the package with its trait Zip"
        case .reservedName: "set the property of HeaderParameters, such as keyID"
        case .type:
            "have the issuer set the typ that the policy requires, or set the type of the policy to the one that the issuer writes; a profile requires the typ of its specification"
        case .contentType:
            "have the issuer set the cty that the policy requires: JWT if the content is a signed token"
        }
    }
}

extension KeyMismatch {
    fileprivate var remedy: String {
        switch self {
        case .publicKey: "give the private key"
        case .tooSmall: "generate an RSA key of at least 2048 bits"
        case .secretTooShort:
            "generate a random secret that is as long as the hash, such as SecretKey.generate(bits: 256) for HS256; a password is not a key"
        case .secretEmpty: "set the variable or the file from which the secret was read"
        case .generatedTooShort: "generate at least 128 bits, and for HMAC as many as the hash has"
        case .kind, .curve, .size: "use a key of the kind, curve and size that the algorithm requires"
        case .use, .operations, .algorithm: "correct the key's use, key_ops or alg, or use a key for this algorithm"
        case .ambiguous: "give each key a kid, and set it in the token, or raise ParsingLimits.candidateKeys"
        case .certificate: "send the x5t of the key's certificate, or omit it"
        case .issuer: "sign with a key that is published for the issuer of the token"
        }
    }
}

extension KeyFault {
    fileprivate var remedy: String {
        switch self {
        case .unsupportedKind: "use a key of a supported kind and curve, or an OpenSSL that supports it"
        case .member(let name, let fault): fault.remedy(of: name)
        case .notObject: "write each key of the set as a JSON object"
        case .form: "choose a form that this kind of key has, such as PKCS #8"
        case .inconsistentUse, .tooManyOperations: "correct use and key_ops, or omit one of them"
        case .numbers: "read the key again from its source; if it is unchanged there, generate another"
        case .roca: "revoke the key, and generate another with other software"
        case .outOfBounds: "generate a key within the bounds of this kind of key"
        case .privateInPublicSet:
            "publish public keys alone, as KeySet.jwks() writes them; revoke a private key that was published"
        case .passphrase: "give the passphrase of the key"
        case .publicKeyRequired: "give the public key; publicKey of a private key is its public key"
        case .privateKeyRequired: "give the private key; a public key verifies and encrypts only"
        case .symmetricKeyRequired: "give a key of the kind oct"
        case .keySet: "read it with KeySet, or give one key of the set"
        case .singleKey: "read it with JWK, which takes the place of a key set, or write it as a member of keys"
        case .encryption: "write the file again with AES, PBKDF2 and a MAC"
        case .certificate: "give the key the certificate that was issued for it, or none"
        case .notExportable: "use the key in its device, or write its public key"
        case .absent, .several: "give the URI of exactly one key, or a file with one"
        case .noStore: "install the OpenSSL provider for the scheme, and configure it"
        }
    }
}

extension KeyMemberFault {
    fileprivate func remedy(of member: String) -> String {
        switch self {
        case .missing: "write the key with all members of its kind"
        case .padding, .whiteSpace, .base64, .base64URL: "encode \(member) with the URL-safe alphabet, without padding"
        case .leadingZero: "write \(member) as an unsigned number, without zero octets before it (RFC 7518, 2)"
        case .certificates, .otherKey, .otherCertificate:
            "give the key the certificates that were issued for it, that of the key first, or none"
        case .letterCase(let registered): "write \(registered)"
        case .unsupported: "use a key of a supported kind and curve"
        case .outOfBounds: "generate a key within these bounds"
        case .type, .elementType, .empty, .length, .tooLong:
            "write \(member) as the RFC of this kind of key specifies"
        }
    }
}

extension CertificateFault {
    fileprivate var remedy: String {
        switch self {
        case .expired: "renew the certificate"
        case .notYetValid: "synchronize the clocks"
        case .order: "send the key's certificate first, and after each one that of its issuer"
        case .revoked: "use a key with a certificate that is not revoked"
        case .statusUnknown, .statusOutdated, .statusUntrusted:
            "give the verifier current CRLs or OCSP responses of the issuers"
        case .thumbprint: "send the x5t of the first certificate of x5c, or omit it"
        case .untrusted: "send the certificates up to a root that the verifier trusts, or add the root there"
        default: "get a certificate for this use from a trusted issuer"
        }
    }
}
