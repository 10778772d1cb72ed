/// The reason why a key or a token was rejected. It contains no data of the token or the key.
///
/// The errors `keysUnavailable`, `overloaded`, `cancelled`, `backend`, `externalKey(.failed)` and
/// `externalKey(.timedOut)` are retryable: keys, capacity, memory or a key service were unavailable, and the token may
/// be valid. Every other error is not.
@nonexhaustive public enum JOSEError: CodedError, Equatable {
    /// The input does not have the required form.
    case malformed(ParseFailure)
    /// The input exceeds one of the ``ParsingLimits``.
    case limitExceeded(ParsingLimit)
    /// The header is well-formed JSON, but a member is missing, invalid or not allowed.
    case headerInvalid(HeaderFault)
    /// The algorithm is not in the policy's list, or the library does not know it.
    case algorithmNotAllowed(AlgorithmRole)
    /// `crit` names an extension that the policy does not list as understood (RFC 7515, 4.1.11).
    case criticalHeaderUnknown
    /// No key matches the header's `kid`, or the policy requires a signature by a key, and the token has none. The
    /// error is not retryable: while a key source refreshes its keys, or after that failed,
    /// `keysUnavailable(.refreshIncomplete)` is thrown instead.
    case keyNotFound
    /// The key source has no usable keys, or lacks the token's key while a refresh is in progress or after it failed.
    /// The error is retryable: the token may be valid.
    case keysUnavailable(KeysUnavailableReason)
    /// The key was found, but must not or cannot be used for this operation.
    case keyUnsuitable(KeyMismatch)
    /// A verifier or decrypter was to be created whose policy and keys could accept no token, or an issuer whose policy
    /// lists no algorithm.
    case configurationInvalid(ConfigurationFault)
    /// The key itself is invalid.
    case keyInvalid(KeyFault)
    /// A certificate, or its path to a root, is invalid.
    case certificateInvalid(CertificateFault)
    /// The signature or MAC is invalid. The cause is deliberately not reported.
    case signatureInvalid
    /// The decryption failed, at any step from unwrapping the key to verifying the authentication tag. The step is
    /// deliberately not reported.
    case decryptionFailed
    /// The content was decrypted, but is not exactly one DEFLATE stream.
    case decompressionFailed
    /// A key outside the process failed, returned an unusable result, or is to be awaited. The error is retryable if it
    /// is `externalKey(.failed)` or `externalKey(.timedOut)`.
    case externalKey(ExternalKeyFault)
    /// The limit on concurrent private-key operations was reached. The error is retryable: the token may be valid.
    case overloaded(OverloadReason)
    /// The task was cancelled while the call waited for the limiter or for a key outside the process. The error is
    /// retryable.
    case cancelled
    /// Memory ran out, or the cryptographic library failed. The error is retryable: the input may be valid.
    case backend
}

/// The part of an input that is malformed, and what is wrong with it.
public struct ParseFailure: Equatable, Sendable {
    /// A part of a compact token, or a member of the JSON serialization.
    @nonexhaustive public enum Part: Equatable, Sendable {
        /// The part or member with this name. `token` is the whole token, `claims` the payload of a JWT, and `key` and
        /// `keySet` are texts that keys are read from.
        case token, header, payload, encryptedKey, initializationVector, ciphertext, tag, signature, key, keySet, claims
        /// A certificate in `x5c` or in a file.
        case certificate
        /// A certificate revocation list or an OCSP response in a ``CertificateRevocation``.
        case revocationList, statusResponse
    }
    /// The kind of fault of a malformed part.
    @nonexhaustive public enum Reason: Equatable, Sendable {
        /// The number of parts is wrong, a required part is empty, or a part that must be empty is not.
        case parts
        /// The token begins or ends with white space, such as the line end of a file, or with another control
        /// character.
        case whiteSpace
        /// The text is not canonical base64url: it has a character outside the alphabet, padding, or non-zero bits
        /// after the last byte (RFC 4648, 3.5).
        case base64URL
        /// An element of `x5c` is not base64 with padding (RFC 7515, 4.1.6).
        case base64
        /// The text is not strict JSON: it has a syntax error, invalid UTF-8, a lone surrogate, a number that is not a
        /// finite `Double`, or text after the end.
        case json
        /// Two members of one object, at any depth, have the same name (RFC 7515, 4; RFC 7519, 4).
        case duplicateName
        /// The length is not the one that the algorithm requires.
        case length
        /// The payload is unencoded (`b64` is false) and contains bytes that this serialization does not allow in such
        /// a payload (RFC 7797, 5.2).
        case unencoded
        /// The text is not exactly one PEM block of a supported kind.
        case pem
        /// The text has no line `-----BEGIN …-----`, and is the base64 of PEM alone, or PEM whose beginning was cut
        /// off.
        case pemBegin
        /// The text has a line `-----BEGIN …-----` and no line `-----END …-----`: its end was cut off.
        case pemEnd
        /// The text is a key in a format of OpenSSH.
        case openSSH
        /// The text begins with a byte order mark, which JSON must not have (RFC 8259, 8.1).
        case byteOrderMark
        /// The text begins as HTML or XML does, as where a login page takes the place of a key set.
        case markup
        /// The text is a JSON object whose members are PEM texts, and not a JWK Set.
        case mapOfPEM
        /// The JSON object has no member `keys` that is an array, as a JWK Set has (RFC 7517, 5).
        case keysMissing
        /// The bytes are not DER of a supported kind, or are followed by further bytes.
        case der
        /// The URI has no scheme before its first colon, or contains a NUL.
        case uri
    }
    /// The part that is malformed.
    public let part: Part
    /// The fault of the part.
    public let reason: Reason
    /// The offset of the fault from the start of the part, in bytes, or 0 if it is not known.
    public let offset: Int

    package init(_ part: Part, _ reason: Reason, at offset: Int = 0) {
        self.part = part
        self.reason = reason
        self.offset = offset
    }
}

/// The reason why a header is rejected although it is well-formed JSON.
@nonexhaustive public enum HeaderFault: CodedReason, Equatable {
    /// `alg` is missing from the protected header or, in a JSON serialization, from every header in which the policy
    /// allows it.
    case algorithmMissing
    /// The header of a JWE has no `enc`.
    case contentEncryptionMissing
    /// The recipients of a JWE do not have the same `enc` (RFC 7516, 7.2.1).
    case contentEncryptionDiffers
    /// A registered member does not have the JSON type that its RFC specifies. The value is the name of the member,
    /// which is taken from the registry and never from a token.
    case memberType(String)
    /// The text of a member to write is not exactly one JSON value.
    case memberText
    /// `crit` is empty, contains a name twice, or names a member that is absent or must not be critical (RFC 7515,
    /// 4.1.11).
    case critical
    /// `b64` is not listed in `crit`, is not a boolean, or is false in a JWT (RFC 7797, 6 and 7).
    case b64
    /// `epk` is not a public key on the curve of the recipient's key.
    case ephemeralKey
    /// `apu` or `apv` is not base64url.
    case agreementInfo
    /// `iv` or `tag` of a wrapped key is missing or not base64url, or the `iv` does not have 12 bytes (RFC 7518,
    /// 4.7.1).
    case keyWrap
    /// `p2s` is missing, not base64url or shorter than 8 bytes, or `p2c` is missing, not an integer or below
    /// `ParsingLimits.iterationFloor` (RFC 7518, 4.8.1).
    case password
    /// `zip` is not `DEF`, is not in the protected header, or is not allowed by the policy (RFC 7516, 4.1.3).
    case compression
    /// The policy allows `zip`, but the package was built without its trait `Zip`.
    case compressionNotBuilt
    /// A header to write has a member set by its name that has a property of its own, such as
    /// ``HeaderParameters/keyID`` for `kid`, or that the algorithm determines, such as `alg`.
    case reservedName
    /// `typ` does not have the value that the policy requires.
    case type
    /// `cty` does not have the value that the policy requires.
    case contentType
}

/// The reason why the policy and the keys of a verifier or decrypter could accept no token.
@nonexhaustive public enum ConfigurationFault: Equatable, Sendable {
    /// The policy lists no algorithm, or no content encryption.
    case noAlgorithms
    /// There are no keys. Keys of a source that may change, such as a remote JWKS, are not examined.
    case noKeys
    /// There are keys, but none that fits an algorithm of the policy. The value is the reason for the first key.
    case noSuitableKey(KeyMismatch)
}

/// The kind of algorithm that is not allowed.
@nonexhaustive public enum AlgorithmRole: Equatable, Sendable {
    /// An algorithm that is missing from `SignaturePolicy.algorithms`, `EncryptionPolicy.keyManagement` or
    /// `EncryptionPolicy.contentEncryption`, respectively.
    case signature, keyManagement, contentEncryption
    /// An allowed signature algorithm that cannot process a payload in pieces, because it signs the whole message
    /// rather than its hash.
    case streamedSignature
}

/// The reason why a key does not fit an algorithm or operation (RFC 8725, 3.1).
@nonexhaustive public enum KeyMismatch: Equatable, Sendable {
    /// The algorithm requires another kind of key.
    case kind
    /// The key is a public key, and the operation, signing or decrypting, requires the private key.
    case publicKey
    /// The kind of key is right, but the algorithm requires another curve.
    case curve
    /// The key's `use` does not allow the operation.
    case use
    /// The key's `key_ops` do not include the operation.
    case operations
    /// The key's `alg` names another algorithm.
    case algorithm
    /// An RSA key has less than 2048 bits.
    case tooSmall
    /// The secret is shorter than the hash of the HMAC algorithm (RFC 7518, 3.2).
    case secretTooShort
    /// The secret has no bytes, as where an environment variable is not set.
    case secretEmpty
    /// A secret key of less than 128 bits was to be generated.
    case generatedTooShort
    /// An AES key does not have the length that the algorithm requires.
    case size
    /// More keys fit the token than ``ParsingLimits/candidateKeys`` allows, and none is tried.
    case ambiguous
    /// The token's `x5t` or `x5t#S256` does not identify the certificate of the key.
    case certificate
    /// The key's member `issuer` does not name the issuer of the token, or is absent where the issuer is one of a
    /// template.
    case issuer
}

/// The reason why a key is rejected when it is read or created.
@nonexhaustive public enum KeyFault: Equatable, Sendable {
    /// A member of the JWK, which is named by its registered name, is missing or cannot be used.
    indirect case member(String, KeyMemberFault)
    /// The element of a key set is not a JSON object.
    case notObject
    /// The kind of the key is not supported by the loaded OpenSSL or, in a file, by the library. A JWK whose `kty` or
    /// `crv` the library does not support has the fault ``KeyMemberFault/unsupported`` of that member.
    case unsupportedKind
    /// `use` and `key_ops` contradict each other, or `key_ops` contains an operation twice (RFC 7517, 4.3).
    case inconsistentUse
    /// `key_ops` has more than 32 values; RFC 7517, 4.3 registers eight.
    case tooManyOperations
    /// The key parameters are invalid: a point off the curve or of small order, a value out of range, or inconsistent
    /// CRT values.
    case numbers
    /// The RSA modulus has the ROCA fingerprint (CVE-2017-15361). Only `KeyChecks.roca` makes this check.
    case roca
    /// A key that is created from bytes or generated is larger than the library allows.
    case outOfBounds
    /// A key set in which only public keys are allowed contains a private or symmetric key.
    case privateInPublicSet
    /// The key is encrypted, and the passphrase is missing or wrong.
    case passphrase
    /// A public key is required, and the key is private or symmetric.
    case publicKeyRequired
    /// A private key is required, and the key is public or symmetric.
    case privateKeyRequired
    /// A symmetric key is required, and the key is public or private.
    case symmetricKeyRequired
    /// One key is required, but the text is a key set or the file has several keys.
    case keySet
    /// A key set is required, but the text is a single key.
    case singleKey
    /// A PKCS #12 file is protected by weak or unknown ciphers, or has no MAC.
    case encryption
    /// The requested form (PKCS #1, SEC 1) does not exist for this kind of key.
    case form
    /// The certificate does not belong to this key (RFC 7517, 4.7).
    case certificate
    /// The key cannot be exported: it is in a device behind an OpenSSL provider.
    case notExportable
    /// The URI or the file has nothing that can be read as a key.
    case absent
    /// The URI identifies several keys.
    case several
    /// OpenSSL has no store for the scheme of the URI: the provider that implements it is not installed or not
    /// configured.
    case noStore(scheme: String)
}

/// The reason why a certificate, or its path to a root, is rejected.
@nonexhaustive public enum CertificateFault: CodedReason, Equatable {
    /// A certificate is not followed by that of its issuer, or the list is empty (RFC 7515, 4.1.6).
    case order
    /// There is no path to a trusted root.
    case untrusted
    /// A certificate of the path, the root included, has expired.
    case expired
    /// A certificate of the path, the root included, is not valid yet.
    case notYetValid
    /// `keyUsage` or `extKeyUsage` restricts the key to another use.
    case usage
    /// An issuer is not allowed to issue the certificate: its basic constraints, path length or `keyCertSign` forbid
    /// it.
    case authority
    /// An issuer is not allowed to certify the name (RFC 5280, 4.2.1.10).
    case nameConstraint
    /// An issuer's key or signature has less than 112 bits of security, as a signature with SHA-1 does.
    case weak
    /// A certificate has a critical extension that the library does not support.
    case criticalExtension
    /// A signature on the path does not verify.
    case signature
    /// The leaf does not have the DNS name or the subject that is required.
    case name
    /// The token's `x5t` or `x5t#S256` does not identify the first certificate of its `x5c`.
    case thumbprint
    /// The certificate violates RFC 5280 in another way.
    case profile
    /// An issuer of the path has revoked its certificate.
    case revoked
    /// The ``CertificateRevocation`` has no data about a certificate of the path, and its rule requires some; or the
    /// OCSP responder does not know the certificate.
    case statusUnknown
    /// A revocation list or OCSP response about a certificate of the path is outdated, or not valid yet.
    case statusOutdated
    /// A revocation list about a certificate of the path is not signed by its issuer, or an OCSP response neither by
    /// its issuer nor by a responder that the issuer authorized.
    case statusUntrusted
}
