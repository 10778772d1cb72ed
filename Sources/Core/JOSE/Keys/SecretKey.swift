package import JOSECrypto
internal import JOSESupport

/// A symmetric key (`oct`) in guarded memory.
///
/// Only `exportSecretJWK` returns its bytes, and its description contains only its size and `kid`.
public struct SecretKey: Sendable {
    /// The largest size in bytes. Longer values are not keys but mistakes, and guarded memory is scarce.
    static let maximumBytes = 8192

    package let record: KeyRecord<SymmetricMaterial>

    package init(_ record: KeyRecord<SymmetricMaterial>) { self.record = record }

    package init(_ octets: GuardedBytes, _ binding: KeyBinding = KeyBinding()) throws(JOSEError) {
        try Self.check(count: octets.count)
        record = KeyRecord(SymmetricMaterial(octets), binding)
    }

    private static func check(count: Int) throws(JOSEError) {
        guard count > 0 else { throw .keyUnsuitable(.secretEmpty) }
        guard count <= maximumBytes else { throw .keyInvalid(.outOfBounds) }
    }

    /// Creates a key from a copy of `bytes`. The original is not wiped.
    ///
    /// - Throws: `keyUnsuitable` for no bytes, and `keyInvalid` for more than 8192. A key that is too short for an
    ///   algorithm is rejected when a signer, verifier, encrypter or decrypter uses it.
    public init(bytes: borrowing some BorrowedBytes) throws(JOSEError) {
        let octets = try bytes.withBytes { bytes throws(JOSEError) in
            // The size is checked before the bytes are copied into guarded memory, which is scarce.
            try Self.check(count: bytes.count)
            return try calling(GuardedBytes(copying: bytes))
        }
        record = KeyRecord(SymmetricMaterial(octets), KeyBinding())
    }

    /// Creates no key: the text of a password or of an encoded key is not its bytes, and this unavailable initializer
    /// lets the compiler say so.
    @available(
        *, unavailable,
        message: "text is not the bytes of a key: decode base64 first, or pass Array(text.utf8) if its bytes are meant"
    )
    public init(bytes: String) throws(JOSEError) { throw .keyInvalid(.outOfBounds) }

    /// Generates a random key.
    ///
    /// - Parameters:
    ///   - bits: The size in bits: at least 128, and a multiple of 8.
    ///   - keyID: The `kid`.
    /// - Throws: `keyUnsuitable` for less than 128 bits, and `keyInvalid` for more than 65,536 bits or another number
    ///   than a multiple of 8.
    public static func generate(bits: Int, keyID: String? = nil) throws(JOSEError) -> SecretKey {
        guard bits >= 128 else { throw .keyUnsuitable(.generatedTooShort) }
        guard bits % 8 == 0, bits / 8 <= maximumBytes else { throw .keyInvalid(.outOfBounds) }
        var key = SecretKey(KeyRecord(SymmetricMaterial(try calling(.random(count: bits / 8))), KeyBinding()))
        key.keyID = keyID
        return key
    }

    /// The kind of the key, which is `octets` with the length in bits.
    public var kind: KeyKind { .octets(bits: material.count * 8) }

    /// The members of the key besides its parameters.
    package var storedBinding: KeyBinding {
        get { record.binding }
        set { self = Self(KeyRecord(record.material, newValue.replacing(record.binding, of: nil))) }
    }

    package var material: GuardedBytes { record.material.octets }

    /// Returns the MAC key, which all copies of the key share. Throws for a key shorter than the hash (RFC 7518, 3.2).
    package func macKey(_ hash: Hash) throws(JOSEError) -> MACKey { try record.material.macKey(hash) }
    /// Returns the AES key wrap key, which all copies of the key share. Throws for a key that does not have the length
    /// of an AES key.
    package func wrapKey() throws(JOSEError) -> WrapKey { try record.material.wrapKey() }
    package func gcmWrapKey() throws(JOSEError) -> GCMWrapKey { try record.material.gcmWrapKey() }
}

extension SecretKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool {
        a.material.withBytes { left in b.material.withBytes { right in constantTimeEquals(left, right) } }
    }
}

extension SecretKey: Redacted {
    package var summary: String { KeyDescription.text("SecretKey", kind, keyID) }
}
