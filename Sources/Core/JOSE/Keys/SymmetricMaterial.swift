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
        case .sha256: return try macKey(hash, sha256)
        case .sha384: return try macKey(hash, sha384)
        case .sha512: return try macKey(hash, sha512)
        }
    }

    private func macKey(_ hash: Hash, _ storage: borrowing AtomicLazyReference<MACKey>) throws(JOSEError) -> MACKey {
        if let ready = storage.load() { return ready }
        do throws(CryptoError) {
            return storage.storeIfNil(try MACKey(hash, octets))
        } catch {
            throw .backend
        }
    }

    func wrapKey() throws(JOSEError) -> WrapKey {
        guard [16, 24, 32].contains(octets.count) else { throw .keyUnsuitable(.size) }
        if let ready = wrap.load() { return ready }
        do throws(CryptoError) {
            return wrap.storeIfNil(try WrapKey(octets))
        } catch {
            throw .backend
        }
    }

    func gcmWrapKey() throws(JOSEError) -> GCMWrapKey {
        guard [16, 24, 32].contains(octets.count) else { throw .keyUnsuitable(.size) }
        if let ready = gcmWrap.load() { return ready }
        do throws(CryptoError) {
            return gcmWrap.storeIfNil(try GCMWrapKey(octets))
        } catch {
            throw .backend
        }
    }
}
