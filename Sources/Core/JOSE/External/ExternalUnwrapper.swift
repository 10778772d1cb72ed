/// A key outside the process that unwraps content encryption keys: RSA-OAEP, AES key wrap or AES-GCM key wrap.
///
/// RSA1_5 is not supported, because the library cannot ensure that its failures are indistinguishable.
public protocol ExternalUnwrapper: Sendable {
    /// The known part of the key, which must not change.
    var key: ExternalKeyName { get }
    /// Returns the content encryption key, or nil where the encrypted key is invalid (PKCS #11 `CKR_ENCRYPTED_DATA_INVALID`, AWS
    /// `InvalidCiphertextException`).
    ///
    /// Nil, a wrong length and a wrong key are one error for the caller, `decryptionFailed`, on one path. The function must
    /// therefore throw where the service cannot be reached, and must not throw for an invalid ciphertext. It is called from any
    /// task, and concurrently, for tokens whose structure, header and lengths are valid; anyone can make those. It should end
    /// when its task is cancelled.
    func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret?
}

/// A private key outside the process that agrees on secrets there: `ECDH-ES`, with or without key wrap.
public protocol ExternalAgreement: Sendable {
    /// The public half of the key, on P-256, P-384, P-521, X25519 or X448, which must not change.
    var publicKey: PublicKey { get }
    /// Returns the shared secret Z without a key derivation function (PKCS #11 `CKD_NULL`): for EC curves the x coordinate, as
    /// long as the field.
    ///
    /// - Parameter ephemeralKey: The sender's ephemeral key, which is on the curve of this key.
    /// - Returns: The secret, or nil where there is none, as for a point of small order. Nil, a secret of another length and one
    ///   of zeros are `decryptionFailed` for the caller.
    func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret?
}

/// A key outside the process that an ``ExternalKeyDecrypter`` may use.
public enum ExternalDecryptionKey: Sendable {
    /// A key that unwraps content encryption keys.
    case unwrapper(any ExternalUnwrapper)
    /// A key that agrees on secrets.
    case agreement(any ExternalAgreement)
}

/// The known part of an unwrapping key, by which it is found for a header's `kid` and `alg`.
@nonexhaustive public enum ExternalKeyName: Sendable {
    /// An RSA key, described by its public half, whose `kid`, `alg`, `use` and `key_ops` apply.
    case rsa(PublicKey)
    /// An AES key of 128, 192 or 256 bits. `algorithm` is the only algorithm that it may be used with; nil stands for any.
    case aes(bits: Int, keyID: String?, algorithm: KeyManagementAlgorithm? = nil)
}

/// An encrypted key to unwrap.
public struct UnwrapRequest: Sendable {
    /// The `alg` of the header, which the policy allows and the key fits.
    public let algorithm: KeyManagementAlgorithm
    /// The encrypted key. It is as long as the modulus for RSA, 8 bytes longer than the content encryption key for AES key wrap,
    /// and as long as that for AES-GCM key wrap.
    public let encryptedKey: [UInt8]
    /// The initialization vector of AES-GCM key wrap, which has 12 bytes; empty for other algorithms.
    public let initializationVector: [UInt8]
    /// The authentication tag of AES-GCM key wrap, which has 16 bytes; empty for other algorithms.
    public let tag: [UInt8]
    /// The length in bytes that the content encryption key must have: 16, 24, 32, 48 or 64.
    public let keyBytes: Int
}
