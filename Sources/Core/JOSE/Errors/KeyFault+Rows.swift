extension KeyMismatch: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let kind = "use a key of the kind, curve and size that the algorithm requires"
        let use = "correct the key's use, key_ops or alg, or use a key for this algorithm"
        return switch condition {
        case .kind: row("the algorithm takes another kind of key", remedy: kind)
        case .publicKey:
            row("it is a public key; signing and decrypting take the private key", remedy: "give the private key")
        case .curve: row("the algorithm takes another curve", remedy: kind)
        case .use: row("its use does not allow the operation", remedy: use)
        case .operations: row("its key_ops do not include the operation", remedy: use)
        case .algorithm: row("its alg names another algorithm", remedy: use)
        case .tooSmall:
            row("it is too small: an RSA key needs 2048 bits", remedy: "generate an RSA key of at least 2048 bits")
        case .secretTooShort:
            row(
                "the secret is too short: HS256 needs 32 bytes, HS384 48 and HS512 64",
                remedy:
                    "generate a random secret that is as long as the hash, such as SecretKey.generate(bits: 256) for HS256; a password is not a key"
            )
        case .secretEmpty:
            row("the secret is empty", remedy: "set the variable or the file from which the secret was read")
        case .generatedTooShort:
            row(
                "a generated secret key needs 128 bits",
                remedy: "generate at least 128 bits, and for HMAC as many as the hash has")
        case .size: row("the algorithm takes a key of another size", remedy: kind)
        case .ambiguous:
            row(
                "more keys match the token than ParsingLimits.candidateKeys allows; give each its own kid",
                remedy: "give each key a kid, and set it in the token, or raise ParsingLimits.candidateKeys")
        case .certificate:
            row(
                "x5t does not identify the certificate of the key",
                remedy: "send the x5t of the key's certificate, or omit it")
        case .issuer:
            row(
                "its issuer is not that of the token",
                remedy: "sign with a key that is published for the issuer of the token")
        }
    }
}

extension KeyFault: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch condition {
        case .member(let name, let fault): fault.row(row, of: name)
        case .notObject: row("it is not a JSON object", remedy: "write each key of the set as a JSON object")
        case .unsupportedKind:
            row(
                "its kind is not supported",
                remedy: "use a key of a supported kind and curve, or an OpenSSL that supports it")
        case .inconsistentUse:
            row(
                "use and key_ops contradict each other, or key_ops has a value twice",
                remedy: "correct use and key_ops, or omit one of them")
        case .tooManyOperations:
            row("key_ops has more than 32 values", remedy: "correct use and key_ops, or omit one of them")
        case .numbers:
            row(
                "invalid key parameters: out of range, not on the curve, or not of one key",
                remedy: "read the key again from its source; if it is unchanged there, generate another")
        case .roca:
            row(
                "its modulus has the ROCA fingerprint (CVE-2017-15361)",
                remedy: "revoke the key, and generate another with other software")
        case .outOfBounds:
            row("its size is out of bounds", remedy: "generate a key within the bounds of this kind of key")
        case .privateInPublicSet:
            row(
                "a set of public keys contains a private or symmetric key",
                remedy:
                    "publish public keys alone, as KeySet.jwks() writes them; revoke a private key that was published")
        case .passphrase: row("the passphrase is missing or wrong", remedy: "give the passphrase of the key")
        case .publicKeyRequired:
            row(
                "a public key is required, and it is a private or symmetric key",
                remedy: "give the public key; publicKey of a private key is its public key")
        case .privateKeyRequired:
            row(
                "a private key is required, and it is a public or symmetric key",
                remedy: "give the private key; a public key verifies and encrypts only")
        case .symmetricKeyRequired:
            row("a symmetric key is required, and it is a public or private key", remedy: "give a key of the kind oct")
        case .keySet: row("it is a key set, not a key", remedy: "read it with KeySet, or give one key of the set")
        case .singleKey:
            row(
                "it is a key, not a key set",
                remedy: "read it with JWK, which takes the place of a key set, or write it as a member of keys")
        case .encryption:
            row(
                "its encryption is not supported, or it has no MAC",
                remedy: "write the file again with AES, PBKDF2 and a MAC")
        case .form:
            row(
                "the requested format (PKCS #1 or SEC 1) does not exist for this kind of key",
                remedy: "choose a form that this kind of key has, such as PKCS #8")
        case .certificate:
            row(
                "its certificate does not belong to this key",
                remedy: "give the key the certificate that was issued for it, or none")
        case .notExportable:
            row(
                "it is in a device and cannot be exported", remedy: "use the key in its device, or write its public key"
            )
        case .absent:
            row(
                "there is nothing that can be read as a key",
                remedy: "give the URI of exactly one key, or a file with one")
        case .several:
            row("there are several keys at the URI", remedy: "give the URI of exactly one key, or a file with one")
        case .noStore(let scheme):
            row(
                "OpenSSL has no store for '\(KeyDescription.escaped(scheme)):' URIs: is its provider installed and configured?",
                remedy: "install the OpenSSL provider for the scheme, and configure it")
        }
    }
}

extension CertificateFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let replace = "get a certificate for this use from a trusted issuer"
        let refresh = "give the verifier current CRLs or OCSP responses of the issuers"
        return switch condition {
        case .order:
            row(
                "certificate_invalid", "a certificate is not followed by that of its issuer",
                remedy: "send the key's certificate first, and after each one that of its issuer")
        case .untrusted:
            row(
                "certificate_invalid", "no path leads to a trusted root",
                remedy: "send the certificates up to a root that the verifier trusts, or add the root there")
        case .expired:
            row("certificate_invalid", "it or a certificate of its path has expired", remedy: "renew the certificate")
        case .notYetValid:
            row(
                "certificate_invalid", "it or a certificate of its path is not valid yet",
                remedy: "synchronize the clocks")
        case .usage: row("certificate_invalid", "its key usage does not allow this use", remedy: replace)
        case .authority: row("certificate_invalid", "an issuer is not a certificate authority for it", remedy: replace)
        case .nameConstraint:
            row("certificate_invalid", "an issuer is not allowed to certify its name", remedy: replace)
        case .weak: row("certificate_invalid", "an issuer's key or signature is too weak", remedy: replace)
        case .criticalExtension: row("certificate_invalid", "a critical extension is unknown", remedy: replace)
        case .signature: row("certificate_invalid", "a signature of its path does not verify", remedy: replace)
        case .name: row("certificate_invalid", "it does not have the required name", remedy: replace)
        case .thumbprint:
            row(
                "certificate_invalid", "x5t does not identify the first certificate of x5c",
                remedy: "send the x5t of the first certificate of x5c, or omit it")
        case .profile: row("certificate_invalid", "it violates RFC 5280", remedy: replace)
        case .revoked:
            row(
                "certificate_revoked", "it or a certificate of its path was revoked",
                remedy: "use a key with a certificate that is not revoked")
        case .statusUnknown:
            row(
                "certificate_unknown", "there is no CRL or OCSP response for it or a certificate of its path",
                remedy: refresh)
        case .statusOutdated:
            row(
                "certificate_status_stale", "a CRL or OCSP response for it or a certificate of its path is outdated",
                remedy: refresh)
        case .statusUntrusted:
            row(
                "responder_not_authorized",
                "a CRL or OCSP response for it or a certificate of its path is not signed by the issuer",
                remedy: refresh)
        }
    }
}

extension ExternalKeyFault: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let remedy = "check the service or device that holds the key, and that the configured public key belongs to it"
        return switch self {
        case .awaitRequired:
            row("must be awaited: call the method with a timeout", remedy: "call the method with a timeout")
        case .timedOut:
            row(
                "did not answer within the timeout",
                remedy: "retry, with a longer timeout if the service or device needs it")
        case .failed: row("failed", remedy: remedy)
        case .signature(let mistake):
            row("returned a signature that \(mistake)", remedy: mistake.remedyOfSigner)
        case .signatureInvalid: row("returned a signature that its public key does not verify", remedy: remedy)
        }
    }

    /// Whether the same call may succeed later.
    var isRetryable: Bool {
        switch self {
        case .failed, .timedOut: true
        case .awaitRequired, .signature, .signatureInvalid: false
        }
    }
}
