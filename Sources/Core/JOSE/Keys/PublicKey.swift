package import JOSECrypto

/// A public key, which verifies signatures or encrypts. Two public keys are equal if their parameters are, even if
/// their `kid` or other members differ.
public struct PublicKey: Sendable {
    package let record: KeyRecord<PublicNumbers>

    package init(_ record: KeyRecord<PublicNumbers>) { self.record = record }

    /// Creates a key. `members` are the parameters of `material`, where they are known.
    package init(
        _ material: PublicMaterial, _ binding: KeyBinding = KeyBinding(), members: PublicMembers? = nil
    ) throws(JOSEError) {
        do throws(CryptoError) {
            let numbers = try PublicNumbers(material, members)
            record = KeyRecord(numbers, binding.of(numbers.members))
        } catch {
            throw JOSEError(importing: error)
        }
    }

    /// The kind of the key, which includes its curve or size.
    public var kind: KeyKind { record.material.kind }

    /// The key ID `kid`. Setting it changes this copy of the key only.
    public var keyID: String? {
        get { record.binding.keyID }
        set { self = Self(record.with(\.keyID, newValue)) }
    }
    /// The only algorithm that the key may be used with, `alg`. Setting it changes this copy of the key only.
    public var algorithm: String? {
        get { record.binding.algorithm }
        set { self = Self(record.with(\.algorithm, newValue)) }
    }
    /// The intended use, `use`, which restricts the key to signatures or to encryption. Setting it changes this copy of
    /// the key only.
    public var use: KeyUse? {
        get { record.binding.use }
        set { self = Self(record.with(\.use, newValue)) }
    }
    /// The only operations that the key may be used for, `key_ops`. Setting them changes this copy of the key only.
    public var operations: KeyOperations? {
        get { record.binding.operations }
        set { self = Self(record.with(\.operations, newValue)) }
    }

    package var material: PublicMaterial { record.material.material }
    package var members: PublicMembers { record.material.members }
    package var keyIDBytes: [UInt8]? { record.binding.keyIDBytes }
}

extension PublicKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.members == b.members }
}

extension PublicKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { KeyDescription.text("PublicKey", kind, keyID) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
