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

/// A fault in the form of an input. Its description names the part and what is wrong with it.
public struct ParseFailure: Equatable, Sendable, CustomStringConvertible {
    /// A part of a compact token, or a member of the JSON serialization.
    package enum Part: Equatable, Sendable {
        /// The part or member with this name. `token` is the whole token, `claims` the payload of a JWT, and `key` and
        /// `keySet` are texts that keys are read from.
        case token, header, payload, encryptedKey, initializationVector, ciphertext, tag, signature, key, keySet, claims
        /// A certificate in `x5c` or in a file.
        case certificate
        /// A certificate revocation list or an OCSP response in a ``CertificateRevocation``.
        case revocationList, statusResponse
    }
    /// The kind of fault of a malformed part.
    package enum Reason: Equatable, Sendable {
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
    package let part: Part
    /// The fault of the part.
    package let reason: Reason
    /// The offset of the fault from the start of the part, in bytes, or 0 if it is not known.
    public let offset: Int

    /// A Boolean value that indicates whether the text lacks the number of parts of the expected compact serialization:
    /// three for a JWS, five for a JWE (RFC 7515, 3.1; RFC 7516, 3.1). In a JSON serialization it is true for members
    /// of another form, for a dot in an unknown member, and for a number of signatures or recipients that the form does
    /// not allow.
    ///
    /// The text may be a token of another kind. A service that accepts opaque access tokens as well asks their issuer
    /// about it (RFC 7662), and rejects every other malformed text.
    public var hasWrongParts: Bool { part == .token && reason == .parts }

    package init(_ part: Part, _ reason: Reason, at offset: Int = 0) {
        self.part = part
        self.reason = reason
        self.offset = offset
    }
}

/// The reason why a header is rejected although it is well-formed JSON. Its code, description and remedy say what is
/// wrong; it has names for the conditions on which a program acts.
public struct HeaderFault: CodedReason, Equatable {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case algorithmMissing, contentEncryptionMissing, contentEncryptionDiffers, memberType(String), memberText
        case critical, b64, ephemeralKey, agreementInfo, keyWrap, password, compression, compressionNotBuilt
        case reservedName, type, contentType
    }
    package let condition: Condition

    /// The policy allows `zip`, but the package was built without its trait `Zip`.
    public static var compressionNotBuilt: Self { Self(condition: .compressionNotBuilt) }
    /// `typ` does not have the value that the policy requires.
    public static var type: Self { Self(condition: .type) }
    /// `alg` is missing from the protected header or, in a JSON serialization, from every header in which the policy
    /// allows it.
    package static var algorithmMissing: Self { Self(condition: .algorithmMissing) }
    /// The header of a JWE has no `enc`.
    package static var contentEncryptionMissing: Self { Self(condition: .contentEncryptionMissing) }
    /// The recipients of a JWE do not have the same `enc` (RFC 7516, 7.2.1).
    package static var contentEncryptionDiffers: Self { Self(condition: .contentEncryptionDiffers) }
    /// Creates the condition that a registered member does not have the JSON type that its RFC specifies. The value is
    /// the name of the member, which is taken from the registry and never from a token.
    package static func memberType(_ name: String) -> Self { Self(condition: .memberType(name)) }
    /// The text of a member to write is not exactly one JSON value.
    package static var memberText: Self { Self(condition: .memberText) }
    /// `crit` is empty, contains a name twice, or names a member that is absent or must not be critical (RFC 7515,
    /// 4.1.11).
    package static var critical: Self { Self(condition: .critical) }
    /// `b64` is not listed in `crit`, is not a boolean, or is false in a JWT (RFC 7797, 6 and 7).
    package static var b64: Self { Self(condition: .b64) }
    /// `epk` is not a public key on the curve of the recipient's key.
    package static var ephemeralKey: Self { Self(condition: .ephemeralKey) }
    /// `apu` or `apv` is not base64url.
    package static var agreementInfo: Self { Self(condition: .agreementInfo) }
    /// `iv` or `tag` of a wrapped key is missing or not base64url, or the `iv` does not have 12 bytes (RFC 7518,
    /// 4.7.1).
    package static var keyWrap: Self { Self(condition: .keyWrap) }
    /// `p2s` is missing, not base64url or shorter than 8 bytes, or `p2c` is missing, not an integer or below
    /// `ParsingLimits.iterationFloor` (RFC 7518, 4.8.1).
    package static var password: Self { Self(condition: .password) }
    /// `zip` is not `DEF`, is not in the protected header, or is not allowed by the policy (RFC 7516, 4.1.3).
    package static var compression: Self { Self(condition: .compression) }
    /// A header to write has a member set by its name that has a property of its own, such as
    /// ``HeaderParameters/keyID`` for `kid`, or that the algorithm determines, such as `alg`.
    package static var reservedName: Self { Self(condition: .reservedName) }
    /// `cty` does not have the value that the policy requires.
    package static var contentType: Self { Self(condition: .contentType) }
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

/// The reason why a key does not fit an algorithm or operation (RFC 8725, 3.1). Its description says what is wrong; it
/// has names for the conditions on which a program acts.
public struct KeyMismatch: Equatable, Sendable, CustomStringConvertible {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case kind, publicKey, curve, use, operations, algorithm, tooSmall, secretTooShort, secretEmpty
        case generatedTooShort, size, ambiguous, certificate, issuer
    }
    package let condition: Condition

    /// The secret is shorter than the hash of the HMAC algorithm (RFC 7518, 3.2).
    public static var secretTooShort: Self { Self(condition: .secretTooShort) }
    /// More keys fit the token than ``ParsingLimits/candidateKeys`` allows, and none is tried.
    public static var ambiguous: Self { Self(condition: .ambiguous) }
    /// The algorithm requires another kind of key.
    package static var kind: Self { Self(condition: .kind) }
    /// The key is a public key, and the operation, signing or decrypting, requires the private key.
    package static var publicKey: Self { Self(condition: .publicKey) }
    /// The kind of key is right, but the algorithm requires another curve.
    package static var curve: Self { Self(condition: .curve) }
    /// The key's `use` does not allow the operation.
    package static var use: Self { Self(condition: .use) }
    /// The key's `key_ops` do not include the operation.
    package static var operations: Self { Self(condition: .operations) }
    /// The key's `alg` names another algorithm.
    package static var algorithm: Self { Self(condition: .algorithm) }
    /// An RSA key has less than 2048 bits.
    package static var tooSmall: Self { Self(condition: .tooSmall) }
    /// The secret has no bytes, as where an environment variable is not set.
    package static var secretEmpty: Self { Self(condition: .secretEmpty) }
    /// A secret key of less than 128 bits was to be generated.
    package static var generatedTooShort: Self { Self(condition: .generatedTooShort) }
    /// An AES key does not have the length that the algorithm requires.
    package static var size: Self { Self(condition: .size) }
    /// The token's `x5t` or `x5t#S256` does not identify the certificate of the key.
    package static var certificate: Self { Self(condition: .certificate) }
    /// The key's member `issuer` does not name the issuer of the token, or is absent where the issuer is one of a
    /// template.
    package static var issuer: Self { Self(condition: .issuer) }
}

/// The reason why a key is rejected when it is read or created. Its description says what is wrong, with the member of
/// a JWK; it has names for the conditions on which a program acts.
public struct KeyFault: Equatable, Sendable, CustomStringConvertible {
    /// All conditions. The static members of the same names describe them.
    package indirect enum Condition: Equatable, Sendable {
        case member(String, KeyMemberFault), notObject, unsupportedKind, inconsistentUse, tooManyOperations, numbers
        case roca, outOfBounds, privateInPublicSet, passphrase, publicKeyRequired, privateKeyRequired
        case symmetricKeyRequired, keySet, singleKey, encryption, form, certificate, notExportable, absent, several
        case noStore(scheme: String)
    }
    package let condition: Condition

    /// The kind of the key is not supported by the loaded OpenSSL or, in a file, by the library. A JWK whose `kty` or
    /// `crv` the library does not support has another condition, which names the member; ``isUnsupported`` is true for
    /// both.
    public static var unsupportedKind: Self { Self(condition: .unsupportedKind) }
    /// The RSA modulus has the ROCA fingerprint (CVE-2017-15361). Only `KeyChecks.roca` makes this check.
    public static var roca: Self { Self(condition: .roca) }
    /// A key set in which only public keys are allowed contains a private or symmetric key.
    public static var privateInPublicSet: Self { Self(condition: .privateInPublicSet) }
    /// The key is encrypted, and the passphrase is missing or wrong.
    public static var passphrase: Self { Self(condition: .passphrase) }
    /// The key cannot be exported: it is in a device behind an OpenSSL provider.
    public static var notExportable: Self { Self(condition: .notExportable) }
    /// A Boolean value that indicates whether the key is of a kind that the library or the loaded OpenSSL does not
    /// support: ``unsupportedKind``, or a JWK whose `kty` or `crv`, or whose `alg` in an AKP key (RFC 9964, 3), names
    /// no supported value.
    ///
    /// Such a key need not be broken. A service with remote key sets ignores keys of newer kinds, and raises an alarm
    /// for malformed ones, for which this is false.
    public var isUnsupported: Bool {
        switch condition {
        case .unsupportedKind, .member(_, .unsupported): true
        default: false
        }
    }

    /// Creates the condition that a member of the JWK, which is named by its registered name, is missing or cannot be
    /// used.
    package static func member(_ name: String, _ fault: KeyMemberFault) -> Self {
        Self(condition: .member(name, fault))
    }
    /// The element of a key set is not a JSON object.
    package static var notObject: Self { Self(condition: .notObject) }
    /// `use` and `key_ops` contradict each other, or `key_ops` contains an operation twice (RFC 7517, 4.3).
    package static var inconsistentUse: Self { Self(condition: .inconsistentUse) }
    /// `key_ops` has more than 32 values; RFC 7517, 4.3 registers eight.
    package static var tooManyOperations: Self { Self(condition: .tooManyOperations) }
    /// The key parameters are invalid: a point off the curve or of small order, a value out of range, or inconsistent
    /// CRT values.
    package static var numbers: Self { Self(condition: .numbers) }
    /// A key that is created from bytes or generated is larger than the library allows.
    package static var outOfBounds: Self { Self(condition: .outOfBounds) }
    /// A public key is required, and the key is private or symmetric.
    package static var publicKeyRequired: Self { Self(condition: .publicKeyRequired) }
    /// A private key is required, and the key is public or symmetric.
    package static var privateKeyRequired: Self { Self(condition: .privateKeyRequired) }
    /// A symmetric key is required, and the key is public or private.
    package static var symmetricKeyRequired: Self { Self(condition: .symmetricKeyRequired) }
    /// One key is required, but the text is a key set or the file has several keys.
    package static var keySet: Self { Self(condition: .keySet) }
    /// A key set is required, but the text is a single key.
    package static var singleKey: Self { Self(condition: .singleKey) }
    /// A PKCS #12 file is protected by weak or unknown ciphers, or has no MAC.
    package static var encryption: Self { Self(condition: .encryption) }
    /// The requested form (PKCS #1, SEC 1) does not exist for this kind of key.
    package static var form: Self { Self(condition: .form) }
    /// The certificate does not belong to this key (RFC 7517, 4.7).
    package static var certificate: Self { Self(condition: .certificate) }
    /// The URI or the file has nothing that can be read as a key.
    package static var absent: Self { Self(condition: .absent) }
    /// The URI identifies several keys.
    package static var several: Self { Self(condition: .several) }
    /// Creates the condition that OpenSSL has no store for the scheme of the URI: the provider that implements it is
    /// not installed or not configured.
    package static func noStore(scheme: String) -> Self { Self(condition: .noStore(scheme: scheme)) }
}

/// The reason why a certificate, or its path to a root, is rejected. Its code, description and remedy say what is
/// wrong; it has names for the conditions on which a program acts.
public struct CertificateFault: CodedReason, Equatable {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case order, untrusted, expired, notYetValid, usage, authority, nameConstraint, weak, criticalExtension
        case signature, name, thumbprint, profile, revoked, statusUnknown, statusOutdated, statusUntrusted
    }
    package let condition: Condition

    /// There is no path to a trusted root.
    public static var untrusted: Self { Self(condition: .untrusted) }
    /// A certificate of the path, the root included, has expired.
    public static var expired: Self { Self(condition: .expired) }
    /// A certificate of the path, the root included, is not valid yet.
    public static var notYetValid: Self { Self(condition: .notYetValid) }
    /// An issuer of the path has revoked its certificate.
    public static var revoked: Self { Self(condition: .revoked) }
    /// The ``CertificateRevocation`` has no data about a certificate of the path, and its rule requires some; or the
    /// OCSP responder does not know the certificate.
    public static var statusUnknown: Self { Self(condition: .statusUnknown) }
    /// A revocation list or OCSP response about a certificate of the path is outdated, or not valid yet.
    public static var statusOutdated: Self { Self(condition: .statusOutdated) }
    /// `keyUsage` or `extKeyUsage` restricts the key to another use.
    public static var usage: Self { Self(condition: .usage) }
    /// The leaf does not have the DNS name or the subject that is required.
    public static var name: Self { Self(condition: .name) }
    /// A certificate is not followed by that of its issuer, or the list is empty (RFC 7515, 4.1.6).
    package static var order: Self { Self(condition: .order) }
    /// An issuer is not allowed to issue the certificate: its basic constraints, path length or `keyCertSign` forbid
    /// it.
    package static var authority: Self { Self(condition: .authority) }
    /// An issuer is not allowed to certify the name (RFC 5280, 4.2.1.10).
    package static var nameConstraint: Self { Self(condition: .nameConstraint) }
    /// An issuer's key or signature has less than 112 bits of security, as a signature with SHA-1 does.
    package static var weak: Self { Self(condition: .weak) }
    /// A certificate has a critical extension that the library does not support.
    package static var criticalExtension: Self { Self(condition: .criticalExtension) }
    /// A signature on the path does not verify.
    package static var signature: Self { Self(condition: .signature) }
    /// The token's `x5t` or `x5t#S256` does not identify the first certificate of its `x5c`.
    package static var thumbprint: Self { Self(condition: .thumbprint) }
    /// The certificate violates RFC 5280 in another way.
    package static var profile: Self { Self(condition: .profile) }
    /// A revocation list about a certificate of the path is not signed by its issuer, or an OCSP response neither by
    /// its issuer nor by a responder that the issuer authorized.
    package static var statusUntrusted: Self { Self(condition: .statusUntrusted) }
}
