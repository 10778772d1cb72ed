internal import JOSECrypto

/// A key that signs or decrypts. It leaves only through `exportPrivateJWK`, `exportPrivatePEM` and `exportPrivateDER`, prints
/// its kind and name alone, and equals another where the public halves do.
public struct PrivateKey: Sendable {
    package let record: KeyRecord<PrivateNumbers>

    package init(_ record: KeyRecord<PrivateNumbers>) { self.record = record }

    package init(_ material: PrivateMaterial, _ binding: KeyBinding = KeyBinding()) throws(JOSEError) {
        do throws(CryptoError) {
            let numbers = try PrivateNumbers(material)
            record = KeyRecord(numbers, binding.of(numbers.publicHalf.members))
        } catch {
            throw JOSEError(importing: error)
        }
    }

    /// A fresh key, bound to no use, nor to an algorithm unless its kind is one. Throws `keyInvalid(.unsupportedKind)` for a
    /// kind that the OpenSSL that was loaded lacks.
    public static func generate(_ kind: GeneratedKind, keyID: String? = nil) throws(JOSEError) -> PrivateKey {
        if case .rsa(let bits) = kind {
            guard bits >= 2048 else { throw .keyUnsuitable(.tooSmall) }
            guard bits <= 8192, bits % 8 == 0 else { throw .keyInvalid(.outOfBounds) }
        }
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
                }
        } catch {
            throw error == .unsupported ? .keyInvalid(.unsupportedKind) : .backend
        }
        var key = try PrivateKey(material)
        key.keyID = keyID
        return key
    }

    /// Whether the exports give it out. False for a key that a provider of OpenSSL keeps in a device: it signs and decrypts
    /// like any other, and its exports throw `keyInvalid(.notExportable)`.
    public var isExportable: Bool {
        if case .asymmetric(let key) = material { key.isExportable } else { true }
    }

    /// With its size, where the kind has several.
    public var kind: KeyKind { record.material.publicHalf.kind }

    /// The other half, under the same name and `alg`; its `key_ops` are the counterparts of this key's.
    public var publicKey: PublicKey {
        PublicKey(KeyRecord(record.material.publicHalf, record.binding.ofPublicHalf))
    }

    /// `kid`. Setting it, as any of the next three, changes this copy alone.
    public var keyID: String? {
        get { record.binding.keyID }
        set { self = Self(record.with(\.keyID, newValue)) }
    }
    /// `alg`: the only algorithm that the key may be used with.
    public var algorithm: String? {
        get { record.binding.algorithm }
        set { self = Self(record.with(\.algorithm, newValue)) }
    }
    /// `use`: for signatures or for encryption alone.
    public var use: KeyUse? {
        get { record.binding.use }
        set { self = Self(record.with(\.use, newValue)) }
    }
    /// `key_ops`: the only operations that the key may be used for.
    public var operations: KeyOperations? {
        get { record.binding.operations }
        set { self = Self(record.with(\.operations, newValue)) }
    }

    package var material: PrivateMaterial { record.material.material }
    package var members: PublicMembers { record.material.publicHalf.members }
    package var keyIDBytes: [UInt8]? { record.binding.keyIDBytes }
}

extension PrivateKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.members == b.members }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { KeyDescription.text("PrivateKey", kind, keyID) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
