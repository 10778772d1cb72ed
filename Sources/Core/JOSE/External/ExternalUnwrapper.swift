/// A key that is kept elsewhere and gives back the content encryption keys that were wrapped by it: RSA-OAEP, AES key wrap,
/// AES-GCM key wrap.
///
/// Never RSA1_5: nobody here can see that its failures look alike.
public protocol ExternalUnwrapper: Sendable {
    /// What is known of it here. Does not change.
    var key: ExternalKeyName { get }
    /// The content encryption key; nil where the encrypted key does not hold (PKCS#11 `CKR_ENCRYPTED_DATA_INVALID`, AWS
    /// `InvalidCiphertextException`). Nil, a wrong length and a wrong key are one error for the caller, `decryptionFailed`, by
    /// one path; so a service that cannot be reached must throw, and a bad ciphertext must not.
    ///
    /// Called from any task, also at once, for tokens whose shape, header and lengths have held; anyone can write those. A
    /// task that is cancelled should end it.
    func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret?
}

/// A private key that is kept elsewhere and agrees on secrets there: ECDH-ES, alone and with key wrap.
public protocol ExternalAgreement: Sendable {
    /// The other half, on P-256, P-384, P-521, X25519 or X448. Does not change.
    var publicKey: PublicKey { get }
    /// The shared secret Z as the curve gives it: for EC the x coordinate, as long as the field, without a KDF (PKCS#11
    /// `CKD_NULL`). The ephemeral key is on our curve. Nil where there is none, as with a point of small order: that is
    /// `decryptionFailed`, as is a secret of another length, and one of zeros alone.
    func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret?
}

/// A key outside the process that an `ExternalKeyDecrypter` may use.
public enum ExternalDecryptionKey: Sendable {
    /// Gives back what was wrapped.
    case unwrapper(any ExternalUnwrapper)
    /// Agrees on a secret.
    case agreement(any ExternalAgreement)
}

/// By what an unwrapping key is found for a header's `kid` and `alg`.
@nonexhaustive public enum ExternalKeyName: Sendable {
    /// An RSA key, by its public half; that one's `kid`, `alg`, `use` and `key_ops` bind.
    case rsa(PublicKey)
    /// An AES key of 128, 192 or 256 bits. `algorithm`: the only one that it may be used with.
    case aes(bits: Int, keyID: String?, algorithm: KeyManagementAlgorithm? = nil)
}

/// What is to be unwrapped.
public struct UnwrapRequest: Sendable {
    /// That of the header, allowed by the policy and fit for the key.
    public let algorithm: KeyManagementAlgorithm
    /// Of RSA as long as the modulus, of AES key wrap 8 bytes longer than the key, of AES-GCM as long as the key.
    public let encryptedKey: [UInt8]
    /// Of AES-GCM key wrap: 12 bytes. Empty for the others.
    public let initializationVector: [UInt8]
    /// Of AES-GCM key wrap: 16 bytes. Empty for the others.
    public let tag: [UInt8]
    /// Bytes that the content encryption key must have: 16, 24, 32, 48 or 64.
    public let keyBytes: Int
}
