package import JOSECrypto

/// A private key, which signs or decrypts.
///
/// Only `exportPrivateJWK`, `exportPrivatePEM` and `exportPrivateDER` return its private parameters, and its
/// description contains only its kind and `kid`. Two private keys are equal if their public keys are.
public struct PrivateKey: Sendable {
    package let record: KeyRecord<PrivateNumbers>

    package init(_ record: KeyRecord<PrivateNumbers>) { self.record = record }

    package init(_ material: PrivateMaterial, _ binding: KeyBinding = KeyBinding()) throws(JOSEError) {
        let numbers = try importing(PrivateNumbers(material))
        record = KeyRecord(numbers, binding.of(numbers.publicHalf.members))
    }

    /// Generates a private key. It has neither `use` nor `key_ops`, and no `alg` unless it is an ML-DSA key (`AKP`).
    ///
    /// - Parameters:
    ///   - kind: The kind. An RSA key has 2048 to 8192 bits, a multiple of 8, and the exponent 65537. An ML-DSA key needs
    ///     OpenSSL 3.5 or later at run time.
    ///   - keyID: The `kid`.
    /// - Throws: `keyInvalid(.unsupportedKind)` for a kind that the loaded OpenSSL does not implement; `keyUnsuitable`
    ///   for an RSA key of less than 2048 bits; `keyInvalid` for another unsupported size, or for `octets`, which
    ///   ``SecretKey`` generates.
    public static func generate(_ kind: KeyKind, keyID: String? = nil) throws(JOSEError) -> PrivateKey {
        if case .rsa(let bits) = kind {
            guard bits >= 2048 else { throw .keyUnsuitable(.tooSmall) }
            guard bits <= 8192, bits % 8 == 0 else { throw .keyInvalid(.outOfBounds) }
        }
        if case .octets = kind { throw .keyInvalid(.privateKeyRequired) }
        let material: PrivateMaterial
        do throws(CryptoError) {
            material =
                switch kind {
                case .rsa(let bits): .asymmetric(try .generateRSA(bits: bits))
                case .p256: .asymmetric(try .generateEC(.p256))
                case .p384: .asymmetric(try .generateEC(.p384))
                case .p521: .asymmetric(try .generateEC(.p521))
                case .secp256k1: .asymmetric(try .generateEC(.secp256k1))
                case .ed25519: .ed25519(try .generate())
                case .x25519: .x25519(try .generate())
                case .ed448: .asymmetric(try .generate(.ed448))
                case .x448: .asymmetric(try .generate(.x448))
                case .mlDSA44: .asymmetric(try .generate(.mlDSA44))
                case .mlDSA65: .asymmetric(try .generate(.mlDSA65))
                case .mlDSA87: .asymmetric(try .generate(.mlDSA87))
                // Rejected above.
                case .octets: throw .unsupported
                }
        } catch {
            throw error == .unsupported ? .keyInvalid(.unsupportedKind) : .backend
        }
        var key = try PrivateKey(material)
        key.keyID = keyID
        return key
    }

    /// A Boolean value that indicates whether the key can be exported. It is false for a key in a device behind an
    /// OpenSSL provider, whose exports throw `keyInvalid(.notExportable)`.
    public var isExportable: Bool {
        if case .asymmetric(let key) = material { key.isExportable } else { true }
    }

    /// The kind of the key, which includes its curve or size.
    public var kind: KeyKind { record.material.publicHalf.kind }

    /// The public key that belongs to this key, with the same `kid` and `alg`. Its `key_ops` are the counterparts of
    /// those of this key, such as `verify` for `sign`.
    public var publicKey: PublicKey {
        PublicKey(KeyRecord(record.material.publicHalf, record.binding.ofPublicHalf))
    }

    /// The members of the key besides its parameters.
    package var storedBinding: KeyBinding {
        get { record.binding }
        set {
            let key = self
            self = Self(KeyRecord(record.material, newValue.replacing(record.binding, of: key.publicKey)))
        }
    }

    package var material: PrivateMaterial { record.material.material }
    package var members: PublicMembers { record.material.publicHalf.members }
}

extension PrivateKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.members == b.members }
}

extension PrivateKey: Redacted {
    package var summary: String { KeyDescription.text("PrivateKey", kind, keyID) }
}
