extension JOSEError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .malformed(let fault) where fault.reason == .parts && fault.part != .token:
            row(
                "malformed", "malformed: the \(fault.part.text) is missing, or is not allowed here",
                remedy: fault.remedy)
        case .malformed(let fault): row("malformed", "malformed: ", fault)
        case .limitExceeded(let limit): row("limit_exceeded", "limit exceeded: ", limit)
        case .headerInvalid(let fault): row("header invalid: ", of: fault)
        case .algorithmNotAllowed(let role): row("algorithm_not_allowed", "algorithm not allowed: ", role)
        case .criticalHeaderUnknown:
            row(
                "critical_header_unknown", "crit names an extension that is not in the policy's understoodCritical",
                remedy: "omit the extension, or add it to understoodCritical if your code processes it")
        case .keyNotFound:
            row(
                "key_not_found", "no key matches the token's kid",
                remedy: "publish the key under the token's kid, or refresh the issuer's key set")
        case .keysUnavailable(let outage): row("keys_unavailable", "keys unavailable: ", outage, retryable: true)
        case .keyUnsuitable(let reason): row("key_unsuitable", "the key does not fit: ", reason)
        case .configurationInvalid(let fault): row("configuration_invalid", "no token could be accepted: ", fault)
        case .keyInvalid(let fault): row("key_invalid", "the key is invalid: ", fault)
        case .certificateInvalid(let fault): row("the certificate is not trusted: ", of: fault)
        case .signatureInvalid:
            row(
                "signature_invalid", "the signature does not verify",
                remedy:
                    "compare the verifier's key with the one that the issuer publishes, and the token with the one that was issued; if both are equal, have the issuer sign the bytes that it sends"
            )
        case .decryptionFailed:
            row(
                "decryption_failed", "decryption failed",
                remedy:
                    "compare the decryption key with the public key that the sender encrypts to, and the token with the one that was issued"
            )
        case .decompressionFailed:
            row(
                "decompression_failed", "the content is not exactly one DEFLATE stream",
                remedy: "compress as raw DEFLATE, without a zlib or gzip header, and send it whole")
        case .externalKey(.awaitRequired): row("await_required", "the external key ", ExternalKeyFault.awaitRequired)
        case .externalKey(let fault):
            row("external_key_failure", "the external key ", fault, retryable: fault.isRetryable)
        case .overloaded(let overload): row("overloaded", "overloaded: ", overload, retryable: true)
        case .cancelled:
            row("task_cancelled", "the task was cancelled while it waited", remedy: "repeat the call", retryable: true)
        case .backend:
            row(
                "backend_failure", "the cryptographic library failed",
                remedy: "check the available memory and the installation of libcrypto", retryable: true)
        }
    }

    /// Whether another key set of the same source may change the outcome, so that waiting for a refresh that is under
    /// way is of use. Every caller that waits for keys applies this rule.
    package var mayChangeWithKeys: Bool {
        switch self {
        case .keyNotFound, .keysUnavailable, .keyUnsuitable, .signatureInvalid, .keyInvalid: true
        default: false
        }
    }
}

extension HeaderFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch condition {
        case .algorithmMissing:
            row("header_alg_missing", "alg is missing", remedy: "have the issuer set alg in the protected header")
        case .contentEncryptionMissing:
            row("header_enc_missing", "enc is missing", remedy: "have the sender set enc in the protected header")
        case .contentEncryptionDiffers:
            row(
                "header_enc_differs", "enc is not the same for all recipients",
                remedy: "have the sender use one enc for all recipients")
        case .memberType(let name):
            row(
                "header_member_type_invalid", "\(name) has the wrong JSON type",
                remedy: "have the issuer write \(name) with the JSON type that its RFC specifies")
        case .memberText:
            row(
                "header_member_not_json", "the text of a member to write is not exactly one JSON value",
                remedy: "set the member to exactly one JSON value")
        case .critical:
            row(
                "header_crit_invalid", "crit is not a list of names of members that are present",
                remedy: "have the issuer list in crit the names of extensions that are present, each once")
        case .b64:
            row(
                "header_b64_invalid", "b64 is not in crit, not a boolean, or not allowed here",
                remedy: "have the issuer omit b64, which a JWT cannot have as false, or list it in crit")
        case .ephemeralKey:
            row(
                "header_epk_invalid", "epk is not a public key on our key's curve",
                remedy: "have the sender use a new public key on the curve of the recipient's key as epk")
        case .agreementInfo:
            row(
                "header_apu_apv_invalid", "apu or apv is not base64url",
                remedy: "have the sender write apu and apv as base64url")
        case .keyWrap:
            row(
                "header_iv_tag_invalid", "iv or tag of the wrapped key is missing or malformed",
                remedy: "have the sender set iv and tag of the wrapped key as base64url")
        case .password:
            row(
                "header_p2s_p2c_invalid", "p2s or p2c is missing, malformed or too small",
                remedy: "have the sender set p2s, of at least 8 bytes, and a p2c of enough iterations")
        case .compression:
            row(
                "header_zip_not_allowed", "zip is not DEF, or not allowed",
                remedy: "have the sender omit zip, or allow it in the policy")
        case .compressionNotBuilt:
            row(
                "header_zip_not_built", "zip is not available: build the package with its trait Zip",
                remedy: "build the package with its trait Zip")
        case .reservedName:
            row(
                "header_member_reserved",
                "a member that has a property of its own, such as kid or typ, or that the signer writes, such as alg, was set by its name",
                remedy: "set the property of HeaderParameters, such as keyID")
        case .type:
            row(
                "header_typ_mismatch", "typ is not the one that the policy requires",
                remedy:
                    "have the issuer set the typ that the policy requires, or set the type of the policy to the one that the issuer writes; a profile requires the typ of its specification"
            )
        case .contentType:
            row(
                "header_cty_mismatch", "cty is not the one that the policy requires",
                remedy: "have the issuer set the cty that the policy requires: JWT if the content is a signed token")
        }
    }
}

extension AlgorithmRole: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let remedy = "use an algorithm that the policy allows, or allow this one if both sides agreed on it"
        return switch self {
        case .signature: row("alg (signature) is not in the policy's list", remedy: remedy)
        case .keyManagement: row("alg (key management) is not in the policy's list", remedy: remedy)
        case .contentEncryption: row("enc is not in the policy's list", remedy: remedy)
        case .streamedSignature:
            row(
                "alg signs the whole message at once and cannot be streamed",
                remedy: "verify the whole message in one call, or use an algorithm that signs a hash, such as ES256")
        }
    }
}

extension KeysUnavailableReason: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let retry = "retry, or check the health of the key source"
        return switch self {
        case .notFetched:
            row(
                "no key set has been fetched yet",
                remedy: "call warmUp when the service starts, or verify with a timeout")
        case .expired: row("the key set is too old, and no newer one could be fetched", remedy: retry)
        case .closed: row("the key source was shut down", remedy: "shut the key source down after the last token")
        case .noSigningKey:
            row("there is no current signing key", remedy: "start the key rotation, or generate a signing key")
        case .refreshIncomplete:
            row("the key set lacks the token's key, and its refresh has failed or is under way", remedy: retry)
        case .replacementUnknown:
            row("the signature failed, and no fetch has shown yet that the key was not replaced", remedy: retry)
        }
    }
}

extension ConfigurationFault: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .noAlgorithms:
            row(
                "the policy lists no algorithm",
                remedy: "list the algorithms that the issuer uses in the policy")
        case .noKeys:
            row(
                "there are no keys",
                remedy: "give the verifier the keys of the issuer, or the decrypter its own keys")
        case .noSuitableKey(let reason):
            row("no key fits an algorithm of the policy: \(reason.text)", remedy: reason.remedy)
        }
    }
}

extension OverloadReason: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let remedy = "retry later, or raise the limiter's bounds if processor cores are idle"
        return switch self {
        case .busy: row("the maximum number of decryptions is running", remedy: remedy)
        case .queueFull: row("the maximum number of decryptions is running, and the queue is full", remedy: remedy)
        case .timedOut: row("timed out while waiting for another decryption to end", remedy: remedy)
        }
    }
}

extension ParsingLimit: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let remedy = "send a smaller token, or raise the limit in the policy"
        return switch condition {
        case .tokenBytes: row("the token has more bytes than ParsingLimits.tokenBytes allows", remedy: remedy)
        case .headerBytes: row("the header has more bytes than ParsingLimits.headerBytes allows", remedy: remedy)
        case .plaintextBytes:
            row("the plaintext has more bytes than ParsingLimits.plaintextBytes allows", remedy: remedy)
        case .signatureBytes:
            row("the signature has more bytes than ParsingLimits.signatureBytes allows", remedy: remedy)
        case .jsonDepth: row("JSON is nested deeper than ParsingLimits.jsonDepth allows", remedy: remedy)
        case .objectMembers:
            row("a JSON object has more members than ParsingLimits.objectMembers allows", remedy: remedy)
        case .keysInSet:
            row(
                "the key set has more keys than ParsingLimits.keysInSet allows",
                remedy: "give a set with fewer keys, or raise ParsingLimits.keysInSet")
        case .signatures: row("there are more signatures than ParsingLimits.signatures allows", remedy: remedy)
        case .recipients: row("there are more recipients than ParsingLimits.recipients allows", remedy: remedy)
        case .iterations:
            row(
                "PBES2 needs more iterations than ParsingLimits.maxPBKDF2Iterations allows (p2c)",
                remedy: "use fewer iterations, set kid if several keys fit, or raise ParsingLimits.maxPBKDF2Iterations")
        case .certificates: row("there are more certificates than ParsingLimits.certificates allows", remedy: remedy)
        case .revocationData:
            row("there is more revocation data than a CertificateRevocation may have", remedy: remedy)
        case .certificateBytes:
            row("a certificate has more bytes than ParsingLimits.certificateBytes allows", remedy: remedy)
        }
    }
}
