internal import JOSEBytes
package import JOSECrypto

/// A shared secret (`oct`), in guarded memory. It leaves only through `exportSecretJWK`, and prints its size and name alone.
public struct SecretKey: Sendable {
    /// More is no key but a mistake, and guarded memory is scarce.
    static let mostBytes = 8192

    package let record: KeyRecord<SymmetricMaterial>

    package init(_ record: KeyRecord<SymmetricMaterial>) { self.record = record }

    package init(_ octets: GuardedBytes, _ binding: KeyBinding = KeyBinding()) throws(JOSEError) {
        guard octets.count > 0 else { throw .keyUnsuitable(.tooSmall) }
        guard octets.count <= Self.mostBytes else { throw .keyInvalid(.outOfBounds) }
        record = KeyRecord(SymmetricMaterial(octets), binding)
    }

    /// Copies `bytes`; the caller's own copy stays the caller's to wipe. An empty key is refused here, one too short for an
    /// algorithm where it meets that algorithm.
    public init(bytes: Span<UInt8>) throws(JOSEError) {
        guard bytes.count > 0 else { throw .keyUnsuitable(.tooSmall) }
        guard bytes.count <= Self.mostBytes else { throw .keyInvalid(.outOfBounds) }
        do throws(CryptoError) {
            record = KeyRecord(SymmetricMaterial(try GuardedBytes(copying: bytes)), KeyBinding())
        } catch {
            throw .backend
        }
    }

    /// The same of an array, which stays the caller's to wipe.
    public init(bytes: [UInt8]) throws(JOSEError) { try self.init(bytes: bytes.span) }

    /// A fresh key of 128 bits or more, a multiple of 8.
    public static func generate(bits: Int, keyID: String? = nil) throws(JOSEError) -> SecretKey {
        guard bits >= 128 else { throw .keyUnsuitable(.tooSmall) }
        guard bits % 8 == 0, bits / 8 <= mostBytes else { throw .keyInvalid(.outOfBounds) }
        do throws(CryptoError) {
            var key = SecretKey(KeyRecord(SymmetricMaterial(try .random(count: bits / 8)), KeyBinding()))
            key.keyID = keyID
            return key
        } catch {
            throw .backend
        }
    }

    /// `octets`, with the length in bits.
    public var kind: KeyKind { .octets(bits: material.count * 8) }

    /// `kid`. Setting it, as any of the next three, changes this copy alone.
    public var keyID: String? {
        get { record.binding.keyID }
        set { self = Self(record.with(\.keyID, newValue)) }
    }
    /// `alg`: the only algorithm that the key may be used with; for `dir` also the name of the content encryption.
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

    package var material: GuardedBytes { record.material.octets }
    package var keyIDBytes: [UInt8]? { record.binding.keyIDBytes }

    /// Made once for all copies of the key. Throws for a key shorter than the hash (RFC 7518, 3.2).
    package func macKey(_ hash: Hash) throws(JOSEError) -> MACKey { try record.material.macKey(hash) }
    /// Made once for all copies of the key. Throws for a key of no AES length.
    package func wrapKey() throws(JOSEError) -> WrapKey { try record.material.wrapKey() }
    package func gcmWrapKey() throws(JOSEError) -> GCMWrapKey { try record.material.gcmWrapKey() }
}

extension SecretKey: Equatable {
    public static func == (a: Self, b: Self) -> Bool {
        a.material.withBytes { left in b.material.withBytes { right in constantTimeEquals(left, right) } }
    }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { KeyDescription.text("SecretKey", kind, keyID) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
