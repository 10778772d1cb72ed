internal import Synchronization

/// A verified path of an `x5c`: its key, and the time for which it may be used without being verified again.
final class VerifiedPath: Sendable {
    /// The bytes of the value of `x5c`, and their hash.
    let text: [UInt8]
    let hash: Int
    let key: VerificationKey
    /// The time from which and until which the path is used, in seconds since 1970; the end is not included.
    private let from: Double
    private let until: Double
    /// The number of the cache's last use of the path.
    let lastUse = Atomic<Int>(0)
    /// Whether a signature by the key was valid. It changes under the cache's lock.
    let isConfirmed = Atomic<Bool>(false)
    /// Whether the cache has nothing more to keep of tokens under this path.
    let isSettled = Atomic<Bool>(false)

    init(_ text: [UInt8], hash: Int, _ key: VerificationKey, from: Double, until: Double) {
        self.text = text
        self.hash = hash
        self.key = key
        self.from = from
        self.until = until
    }

    /// Returns whether the path may be used at a time. It is false for a time that is not a number.
    func isValid(at now: Double) -> Bool { from <= now && now < until }
}

/// The path whose key is to verify a token, and the keys that are notified when it did.
struct CertifiedOrigin: Sendable {
    let keys: CertifiedKeys
    let path: VerifiedPath

    /// Reports that the key verified a token with this header.
    @inline(__always)
    func confirm(_ header: AllowedHeader) {
        if !path.isSettled.load(ordering: .relaxed) { keys.confirm(path, header) }
    }
}
