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
        let numbers = try importing(PublicNumbers(material, members))
        record = KeyRecord(numbers, binding.of(numbers.members))
    }

    /// The kind of the key, which includes its curve or size.
    public var kind: KeyKind { record.material.kind }

    /// The members of the key besides its parameters.
    package var storedBinding: KeyBinding {
        get { record.binding }
        set {
            let key = self
            self = Self(KeyRecord(record.material, newValue.replacing(record.binding, of: key)))
        }
    }

    package var material: PublicMaterial { record.material.material }
    package var members: PublicMembers { record.material.members }
    package var keyIDBytes: [UInt8]? { record.binding.keyIDBytes }
}

extension PublicKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.members == b.members }
}

extension PublicKey: Redacted {
    package var summary: String { KeyDescription.text("PublicKey", kind, keyID) }
}
