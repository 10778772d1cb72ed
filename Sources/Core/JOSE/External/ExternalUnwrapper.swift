/// A key outside the process that unwraps content encryption keys: RSA-OAEP, AES key wrap or AES-GCM key wrap.
///
/// RSA1_5 is not supported, because the library cannot ensure that its failures are indistinguishable.
public protocol ExternalUnwrapper: Sendable {
    /// The description of the key, which must not change.
    var key: ExternalKeyName { get }
    /// Unwraps an encrypted key and returns the content encryption key, or nil if the encrypted key is invalid (PKCS
    /// #11 `CKR_ENCRYPTED_DATA_INVALID`, AWS `InvalidCiphertextException`).
    ///
    /// Nil, a key of the wrong length and a wrong key all lead to the same error, `decryptionFailed`, so that an
    /// attacker cannot tell them apart. Throw an error if the service cannot be reached, and do not throw one for an
    /// invalid ciphertext. The function is called from any task, and concurrently, for every token whose structure,
    /// header and lengths are valid, which anyone can create. It should return early if its task is cancelled.
    func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret?
}

/// A private key that performs key agreement outside the process, for `ECDH-ES` with or without key wrap.
public protocol ExternalAgreement: Sendable {
    /// The public key, on P-256, P-384, P-521, X25519 or X448, which must not change.
    var publicKey: PublicKey { get }
    /// Computes the shared secret Z, without a key derivation function (PKCS #11 `CKD_NULL`). For EC curves it is the x
    /// coordinate, as long as the field.
    ///
    /// - Parameter ephemeralKey: The sender's ephemeral key, which is on the curve of this key.
    /// - Returns: The secret, or nil if there is none, for instance for a point of small order. Nil, a secret of the
    ///   wrong length and an all-zero secret lead to `decryptionFailed`.
    func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret?
}

/// A key outside the process with which a ``JWEDecrypter`` decrypts.
public enum ExternalDecryptionKey: Sendable {
    /// A key that unwraps content encryption keys.
    case unwrapper(any ExternalUnwrapper)
    /// A key that performs key agreement.
    case agreement(any ExternalAgreement)
}

/// A description of a key that unwraps content encryption keys. It decides for which `kid` and `alg` of a header the
/// key is used.
@nonexhaustive public enum ExternalKeyName: Sendable {
    /// An RSA key, described by its public key, whose `kid`, `alg`, `use` and `key_ops` apply.
    case rsa(PublicKey)
    /// An AES key of 128, 192 or 256 bits. `algorithm` is the only algorithm that it may be used with, or nil if any is
    /// allowed.
    case aes(bits: Int, keyID: String?, algorithm: KeyManagementAlgorithm? = nil)
}

/// An encrypted key to unwrap.
public struct UnwrapRequest: Sendable {
    /// The `alg` of the header. The policy allows it, and the key fits it.
    public let algorithm: KeyManagementAlgorithm
    /// The encrypted key. It is as long as the modulus for RSA, 8 bytes longer than the content encryption key for AES
    /// key wrap, and as long as the content encryption key for AES-GCM key wrap.
    public let encryptedKey: [UInt8]
    /// The initialization vector of AES-GCM key wrap, which has 12 bytes; empty for other algorithms.
    public let initializationVector: [UInt8]
    /// The authentication tag of AES-GCM key wrap, which has 16 bytes; empty for other algorithms.
    public let tag: [UInt8]
    /// The length in bytes that the content encryption key must have: 16, 24, 32, 48 or 64.
    public let keyBytes: Int
}
