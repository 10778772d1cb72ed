/// Why a key, a signature or an encryption was refused. Holds nothing of the token or the key.
@nonexhaustive public enum JOSEError: Error, Equatable, Sendable {
    /// Not the text that it should be.
    case malformed(ParseFailure)
    /// Larger than `ParsingLimits` allows.
    case limitExceeded(ParsingLimit)
    /// A header that says what it may not say.
    case headerInvalid(HeaderFault)
    /// Not in the policy's list. Names that the library does not know are never in it.
    case algorithmNotAllowed(AlgorithmRole)
    /// `crit` names an extension that the policy does not list as understood (RFC 7515, 4.1.11).
    case criticalHeaderUnknown
    /// No key fits the header's `kid`, or there is no signature by a key that the policy asks for. Final: a source whose refresh
    /// has failed or is under way reports `keysUnavailable(.refreshIncomplete)` instead.
    case keyNotFound
    /// The source that the keys come from has none that may be used, or lacks the token's key while a refresh has failed or is
    /// under way: an outage, and not the token's fault. Retryable.
    case keysUnavailable(KeysUnavailableReason)
    /// The key is there, and may not or cannot do this.
    case keyUnsuitable(KeyMismatch)
    /// The key itself does not hold.
    case keyInvalid(KeyFault)
    /// A certificate, or its path to a root, does not hold.
    case certificateInvalid(CertificateFault)
    /// The one answer to every signature or MAC that does not verify.
    case signatureInvalid
    /// The one answer to everything that fails from unwrapping the key on.
    case decryptionFailed
    /// Decrypted, and not one whole stream of DEFLATE.
    case decompressionFailed
    /// A key outside the process did not do its part. Retryable where the key service failed.
    case externalKey(ExternalKeyFault)
    /// The bound on private-key operations was met: too many tokens, and not this token's fault. Retryable: the same token may be
    /// sent again.
    case overloaded(OverloadReason)
    /// Out of memory or a fault of the cryptographic library: not the caller's data. Retryable.
    case backend
}

/// Where a text stops being what it should be.
public struct ParseFailure: Equatable, Sendable {
    /// Which text it is: of a compact token the part, of the JSON serialization the member.
    @nonexhaustive public enum Part: Equatable, Sendable {
        /// `key` and `keySet` are texts that keys are read from, `claims` the payload of a JWT.
        case token, header, payload, encryptedKey, initializationVector, ciphertext, tag, signature, key, keySet, claims
        /// One of `x5c`, or of a file.
        case certificate
    }
    /// What is wrong with it.
    @nonexhaustive public enum Reason: Equatable, Sendable {
        /// Not the number of parts, or a part that must be empty or must not be.
        case parts
        /// A letter outside the alphabet, padding, or bits that are not zero behind the last byte (RFC 4648, 3.5).
        case base64URL
        /// In `x5c`: base64 with padding (RFC 7515, 4.1.6).
        case base64
        /// Not strict JSON: syntax, UTF-8, lone surrogates, a number that is no finite `Double`, or text behind the
        /// end.
        case json
        /// A name that stands twice in one object, at any depth (RFC 7515, 4; RFC 7519, 4).
        case duplicateName
        /// Not of the one length that the algorithm allows.
        case length
        /// A payload that may not stand unencoded where it does (RFC 7797, 5.2).
        case unencoded
        /// Not exactly one PEM block of a kind that is read here.
        case pem
        /// Not DER of a kind that is read here, or bytes behind its end.
        case der
        /// No scheme before the first colon, or a NUL.
        case uri
    }
    /// Which text it is.
    public let part: Part
    /// What is wrong with it.
    public let reason: Reason
    /// Bytes from the start of the part, where known; 0 otherwise.
    public let offset: Int

    package init(_ part: Part, _ reason: Reason, at offset: Int = 0) {
        self.part = part
        self.reason = reason
        self.offset = offset
    }
}

/// A header that is JSON but not a header that can be honoured.
@nonexhaustive public enum HeaderFault: Equatable, Sendable {
    /// No `alg` in the protected header, or in a JSON serialization nowhere that the policy looks.
    case algorithmMissing
    /// No `enc` in the header of a JWE.
    case contentEncryptionMissing
    /// Another `enc` for one recipient than for the others (RFC 7516, 7.2.1).
    case contentEncryptionDiffers
    /// A registered member with another JSON type than its RFC gives it.
    case memberType
    /// `crit` is empty, repeats or names what it may not, or names an absent member.
    case critical
    /// `b64` without `crit`, not a boolean, or false in a JWT (RFC 7797, 6 and 7).
    case b64
    /// `epk` is not a public key on the curve of our key.
    case ephemeralKey
    /// `apu` or `apv` is not base64url.
    case agreementInfo
    /// `iv` or `tag` of a wrapped key is missing, not base64url, or the `iv` not of 12 bytes (RFC 7518, 4.7.1).
    case keyWrap
    /// `p2s` is missing, not base64url or under 8 bytes; `p2c` is missing, not an integer or under
    /// `ParsingLimits.iterationFloor` (RFC 7518, 4.8.1).
    case password
    /// `zip` is not `DEF`, or not protected, or the policy does not allow it (RFC 7516, 4.1.3).
    case compression
    /// `zip` is asked for and allowed, and the package is built without its trait `Zip`.
    case compressionNotBuilt
    /// `typ` is not what the policy wants.
    case type
    /// `cty` is not what the policy wants.
    case contentType
}

/// Which list of the policy an algorithm is missing from.
@nonexhaustive public enum AlgorithmRole: Equatable, Sendable {
    /// `SignaturePolicy.algorithms`, `EncryptionPolicy.keyManagement`, `EncryptionPolicy.contentEncryption`.
    case signature, keyManagement, contentEncryption
    /// It is allowed, but signs the whole message and not its hash: a payload that comes in pieces is not for it.
    case streamedSignature
}

/// Why a key does not fit what is asked of it (RFC 8725, 3.1).
@nonexhaustive public enum KeyMismatch: Equatable, Sendable {
    /// Another kind of key than the algorithm takes.
    case kind
    /// The right kind on another curve than the algorithm's.
    case curve
    /// The key's `use` says something else.
    case use
    /// The key's `key_ops` lack the operation.
    case operations
    /// The key's `alg` says something else.
    case algorithm
    /// RSA under 2048 bits, or an HMAC key shorter than its hash.
    case tooSmall
    /// An AES key of another length than the algorithm's.
    case size
    /// More keys fit than are tried.
    case ambiguous
    /// The token's `x5t` or `x5t#S256` is of another certificate than the key's.
    case certificate
}

/// Why a key was not taken in.
@nonexhaustive public enum KeyFault: Equatable, Sendable {
    /// `kty` or `crv` that is not built here, or that the OpenSSL that was loaded lacks.
    case unsupportedKind
    /// A member that the kind needs is missing.
    case missingMember
    /// A member of another JSON type, or not canonical base64url.
    case memberValue
    /// `use` and `key_ops` contradict each other, or an operation is repeated (RFC 7517, 4.3).
    case inconsistentUse
    /// `key_ops` has more than 32 values, of which RFC 7517, 4.3 registers eight.
    case tooManyOperations
    /// The numbers are not a key: off the curve, out of range, of small order, CRT values that do not agree.
    case numbers
    /// The modulus has the mark of the generator behind ROCA; only where `KeyChecks.roca` asks for that.
    case roca
    /// RSA over 8192 bits, or an exponent that is even or not within 3 to 2^33.
    case outOfBounds
    /// A private or symmetric key in a set that is to be public.
    case privateInPublicSet
    /// Encrypted, and the passphrase is missing or wrong.
    case passphrase
    /// A public key where a private one is asked for, or the reverse.
    case wrongHalf
    /// A key set where one key is asked for.
    case keySet
    /// One key where a key set is asked for.
    case singleKey
    /// A file of PKCS#12 that is protected by weak or unknown ciphers, or by no MAC.
    case encryption
    /// The form (PKCS#1, SEC1) does not exist for this kind.
    case form
    /// `x5c`, `x5t` or `x5t#S256` is no certificate, or is not of this key (RFC 7517, 4.7 to 4.9).
    case certificate
    /// It stays where it is: in a device behind a provider of OpenSSL.
    case notExportable
    /// At the URI there is nothing that can be read as a key.
    case absent
    /// At the URI there are several keys.
    case several
    /// OpenSSL has no store for the scheme of the URI: the provider that brings it is not installed or not configured.
    case noStore(scheme: String)
}

/// Why a certificate, or its path to a root, does not hold.
@nonexhaustive public enum CertificateFault: Equatable, Sendable {
    /// Not each followed by its issuer's, or none at all (RFC 7515, 4.1.6).
    case order
    /// No path leads to one of the roots.
    case untrusted
    /// One of the path, the root included.
    case expired
    /// One of the path, the root included.
    case notYetValid
    /// `keyUsage` or `extKeyUsage` says that the key is for something else.
    case usage
    /// An issuer that may not issue this: basic constraints, path length, `keyCertSign`.
    case authority
    /// A name that an issuer may not certify (RFC 5280, 4.2.1.10).
    case nameConstraint
    /// An issuer's key or signature of less than 112 bits of security, such as one over SHA-1.
    case weak
    /// A critical extension that is not known here.
    case criticalExtension
    /// A signature of the path does not verify.
    case signature
    /// Not the DNS name or the subject asked for.
    case name
    /// The token's `x5t` or `x5t#S256` is of another certificate than its `x5c`.
    case thumbprint
    /// Otherwise not as RFC 5280 wants it.
    case profile
}
