/// The reason why a key, a signature or an encryption was rejected. It contains nothing of the token or the key.
@nonexhaustive public enum JOSEError: Error, Equatable, Sendable {
    /// The input does not have the required form.
    case malformed(ParseFailure)
    /// The input exceeds a bound of ``ParsingLimits``.
    case limitExceeded(ParsingLimit)
    /// The header is well-formed JSON, but has a missing, invalid or disallowed member.
    case headerInvalid(HeaderFault)
    /// The algorithm is not in the policy's list. A name that the library does not know is never in it.
    case algorithmNotAllowed(AlgorithmRole)
    /// `crit` names an extension that the policy does not list as understood (RFC 7515, 4.1.11).
    case criticalHeaderUnknown
    /// No key matches the header's `kid`, or no signature is by a key that the policy requires. The error is final: a source
    /// whose refresh has failed or is under way reports `keysUnavailable(.refreshIncomplete)` instead.
    case keyNotFound
    /// The source of the keys has none that may be used, or lacks the token's key while a refresh has failed or is under way. It
    /// is an outage, not a fault of the token, and retryable.
    case keysUnavailable(KeysUnavailableReason)
    /// The key was found, but must not or cannot be used for this operation.
    case keyUnsuitable(KeyMismatch)
    /// The key itself is invalid.
    case keyInvalid(KeyFault)
    /// A certificate, or its path to a root, is invalid.
    case certificateInvalid(CertificateFault)
    /// The signature or MAC is invalid. Every signature that does not verify has this one error.
    case signatureInvalid
    /// The decryption failed. Every failure from unwrapping the key on has this one error.
    case decryptionFailed
    /// The content was decrypted, but is not exactly one DEFLATE stream.
    case decompressionFailed
    /// A key outside the process failed or returned an unusable result. The error is retryable where the key service failed.
    case externalKey(ExternalKeyFault)
    /// The limit on concurrent private-key operations was reached. It is not a fault of the token, and retryable: the same token
    /// may be sent again.
    case overloaded(OverloadReason)
    /// Memory ran out, or the cryptographic library failed. It is not a fault of the input, and retryable.
    case backend
}

/// The part of an input that is malformed, and what is wrong with it.
public struct ParseFailure: Equatable, Sendable {
    /// A part of a compact token, or a member of the JSON serialization.
    @nonexhaustive public enum Part: Equatable, Sendable {
        /// The part or member with that name. `key` and `keySet` are the texts that keys are read from, `claims` is the payload
        /// of a JWT.
        case token, header, payload, encryptedKey, initializationVector, ciphertext, tag, signature, key, keySet, claims
        /// A certificate of `x5c`, or of a file.
        case certificate
    }
    /// The kind of fault of a malformed part.
    @nonexhaustive public enum Reason: Equatable, Sendable {
        /// The number of parts is wrong, or a part is empty that must not be, or is not empty and must be.
        case parts
        /// The text is not canonical base64url: it has a character outside the alphabet, padding, or non-zero bits behind the
        /// last byte (RFC 4648, 3.5).
        case base64URL
        /// A value of `x5c` is not base64 with padding (RFC 7515, 4.1.6).
        case base64
        /// The text is not strict JSON: its syntax, its UTF-8, a lone surrogate, a number that is no finite `Double`, or text
        /// behind the end.
        case json
        /// A name is a duplicate within one object, at any depth (RFC 7515, 4; RFC 7519, 4).
        case duplicateName
        /// The length is not the one that the algorithm allows.
        case length
        /// The payload is signed without base64url encoding, and has bytes that this serialization does not allow in such a
        /// payload (RFC 7797, 5.2).
        case unencoded
        /// The text is not exactly one PEM block of a supported kind.
        case pem
        /// The bytes are not DER of a supported kind, or have further bytes behind their end.
        case der
        /// The URI has no scheme before its first colon, or contains a NUL.
        case uri
    }
    /// The part that is malformed.
    public let part: Part
    /// The fault of the part.
    public let reason: Reason
    /// The offset in bytes from the start of the part, where it is known; 0 otherwise.
    public let offset: Int

    package init(_ part: Part, _ reason: Reason, at offset: Int = 0) {
        self.part = part
        self.reason = reason
        self.offset = offset
    }
}

/// The reason why a header is rejected although it is well-formed JSON.
@nonexhaustive public enum HeaderFault: Equatable, Sendable {
    /// The protected header has no `alg`; in a JSON serialization, no header that the policy allows it in has one.
    case algorithmMissing
    /// The header of a JWE has no `enc`.
    case contentEncryptionMissing
    /// The recipients of a JWE do not have the same `enc` (RFC 7516, 7.2.1).
    case contentEncryptionDiffers
    /// A registered member has another JSON type than its RFC specifies.
    case memberType
    /// `crit` is empty, has a duplicate, or names a member that is absent or must not be critical (RFC 7515, 4.1.11).
    case critical
    /// `b64` is not listed in `crit`, is not a boolean, or is false in a JWT (RFC 7797, 6 and 7).
    case b64
    /// `epk` is not a public key on the curve of the recipient's key.
    case ephemeralKey
    /// `apu` or `apv` is not base64url.
    case agreementInfo
    /// `iv` or `tag` of a wrapped key is missing or not base64url, or the `iv` does not have 12 bytes (RFC 7518, 4.7.1).
    case keyWrap
    /// `p2s` is missing, not base64url or shorter than 8 bytes, or `p2c` is missing, not an integer or below
    /// `ParsingLimits.iterationFloor` (RFC 7518, 4.8.1).
    case password
    /// `zip` is not `DEF` or not protected, or the policy does not allow compression (RFC 7516, 4.1.3).
    case compression
    /// `zip` is present and allowed, but the package was built without its trait `Zip`.
    case compressionNotBuilt
    /// `typ` is not what the policy requires.
    case type
    /// `cty` is not what the policy requires.
    case contentType
}

/// The list of the policy that an algorithm is missing from.
@nonexhaustive public enum AlgorithmRole: Equatable, Sendable {
    /// `SignaturePolicy.algorithms`, `EncryptionPolicy.keyManagement` and `EncryptionPolicy.contentEncryption`, in this order.
    case signature, keyManagement, contentEncryption
    /// The algorithm is allowed, but signs the whole message and not its hash, so that it cannot sign or verify a payload in
    /// pieces.
    case streamedSignature
}

/// The reason why a key does not fit an algorithm or operation (RFC 8725, 3.1).
@nonexhaustive public enum KeyMismatch: Equatable, Sendable {
    /// The algorithm takes another kind of key.
    case kind
    /// The kind of key is right, but the algorithm takes another curve.
    case curve
    /// The key's `use` does not allow the operation.
    case use
    /// The key's `key_ops` do not include the operation.
    case operations
    /// The key's `alg` names another algorithm.
    case algorithm
    /// The key is too small: an RSA key under 2048 bits, or an HMAC key shorter than its hash.
    case tooSmall
    /// An AES key has another length than the algorithm takes.
    case size
    /// More keys fit the token than are tried.
    case ambiguous
    /// The token's `x5t` or `x5t#S256` does not identify the certificate of the key.
    case certificate
}

/// The reason why a key is rejected when it is read or created.
@nonexhaustive public enum KeyFault: Equatable, Sendable {
    /// The `kty` or `crv` is not supported by the library, or not by the OpenSSL that was loaded.
    case unsupportedKind
    /// A member that this kind of key requires is missing.
    case missingMember
    /// A member has another JSON type, or is not canonical base64url.
    case memberValue
    /// `use` and `key_ops` contradict each other, or an operation is a duplicate (RFC 7517, 4.3).
    case inconsistentUse
    /// `key_ops` has more than 32 values; RFC 7517, 4.3 registers eight.
    case tooManyOperations
    /// The key parameters are invalid: a point off the curve or of small order, a value out of range, or inconsistent CRT values.
    case numbers
    /// The modulus has the fingerprint of the generator behind ROCA. It is looked for where `KeyChecks.roca` is given.
    case roca
    /// An RSA key has more than 8192 bits, or an exponent that is even or not within 3 to 2^33; or a symmetric key is too long.
    case outOfBounds
    /// A set that must contain public keys only contains a private or symmetric one.
    case privateInPublicSet
    /// The key is encrypted, and the passphrase is missing or wrong.
    case passphrase
    /// The key is public where a private one is required, or the reverse.
    case wrongHalf
    /// The text is a key set where one key is required, or the file has several keys.
    case keySet
    /// The text is one key where a key set is required.
    case singleKey
    /// A PKCS #12 file is protected by weak or unknown ciphers, or has no MAC.
    case encryption
    /// The requested form (PKCS #1, SEC 1) does not exist for this kind of key.
    case form
    /// `x5c`, `x5t` or `x5t#S256` is invalid, or does not belong to this key (RFC 7517, 4.7 to 4.9).
    case certificate
    /// The key cannot be exported: it is in a device behind an OpenSSL provider.
    case notExportable
    /// The URI leads to nothing that can be read as a key.
    case absent
    /// There are several keys at the URI.
    case several
    /// OpenSSL has no store for the scheme of the URI: the provider that implements it is not installed or not configured.
    case noStore(scheme: String)
}

/// The reason why a certificate, or its path to a root, is rejected.
@nonexhaustive public enum CertificateFault: Equatable, Sendable {
    /// A certificate is not followed by that of its issuer, or the list is empty (RFC 7515, 4.1.6).
    case order
    /// No path leads to a trusted root.
    case untrusted
    /// A certificate of the path, the root included, has expired.
    case expired
    /// A certificate of the path, the root included, is not valid yet.
    case notYetValid
    /// `keyUsage` or `extKeyUsage` restricts the key to another use.
    case usage
    /// An issuer is not allowed to issue the certificate: its basic constraints, path length or `keyCertSign` forbid it.
    case authority
    /// An issuer is not allowed to certify the name (RFC 5280, 4.2.1.10).
    case nameConstraint
    /// An issuer's key or signature has less than 112 bits of security; a signature over SHA-1, for instance.
    case weak
    /// A critical extension is unknown to the library.
    case criticalExtension
    /// A signature of the path does not verify.
    case signature
    /// The leaf does not have the DNS name or the subject that is required.
    case name
    /// The token's `x5t` or `x5t#S256` does not identify the first certificate of its `x5c`.
    case thumbprint
    /// The certificate violates RFC 5280 in another way.
    case profile
}
