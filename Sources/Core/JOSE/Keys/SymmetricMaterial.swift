package import JOSECrypto
internal import Synchronization

/// The octets of a symmetric key and the values prepared from them, without a lock: two threads that race prepare a
/// value twice, and one result is kept.
package final class SymmetricMaterial: Sendable {
    package let octets: GuardedBytes
    private let sha256 = AtomicLazyReference<MACKey>()
    private let sha384 = AtomicLazyReference<MACKey>()
    private let sha512 = AtomicLazyReference<MACKey>()
    private let wrap = AtomicLazyReference<WrapKey>()
    private let gcmWrap = AtomicLazyReference<GCMWrapKey>()

    package init(_ octets: GuardedBytes) { self.octets = octets }

    func macKey(_ hash: Hash) throws(JOSEError) -> MACKey {
        guard octets.count >= hash.byteCount else { throw .keyUnsuitable(.secretTooShort) }
        switch hash {
        case .sha1: throw .keyUnsuitable(.algorithm)
        case .sha256: return try Self.prepared(sha256) { () throws(CryptoError) in try MACKey(hash, octets) }
        case .sha384: return try Self.prepared(sha384) { () throws(CryptoError) in try MACKey(hash, octets) }
        case .sha512: return try Self.prepared(sha512) { () throws(CryptoError) in try MACKey(hash, octets) }
        }
    }

    func wrapKey() throws(JOSEError) -> WrapKey {
        guard [16, 24, 32].contains(octets.count) else { throw .keyUnsuitable(.size) }
        return try Self.prepared(wrap) { () throws(CryptoError) in try WrapKey(octets) }
    }

    func gcmWrapKey() throws(JOSEError) -> GCMWrapKey {
        guard [16, 24, 32].contains(octets.count) else { throw .keyUnsuitable(.size) }
        return try Self.prepared(gcmWrap) { () throws(CryptoError) in try GCMWrapKey(octets) }
    }

    /// Returns the stored value, which is made and stored if there is none.
    @inline(__always)
    private static func prepared<Value: AnyObject>(
        _ storage: borrowing AtomicLazyReference<Value>, _ make: () throws(CryptoError) -> Value
    ) throws(JOSEError) -> Value {
        if let ready = storage.load() { return ready }
        return storage.storeIfNil(try calling(make()))
    }
}
