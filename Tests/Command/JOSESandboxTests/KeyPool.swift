import JOSE
import Synchronization
import TestSupport

/// The RSA keys of one sandbox, all different. Each sandbox of the process gets those of the first one again, because libcrypto takes half a
/// second for one of 2048 bits.
final class KeyPool: Sendable {
    private static let made = Mutex<[Int: [PrivateKey]]>([:])
    private let used = Mutex<[Int: Int]>([:])

    /// Returns the next key of that many bits.
    @Sendable func next(_ bits: Int) throws -> PrivateKey {
        let place = used.withLock { used in
            defer { used[bits, default: 0] += 1 }
            return used[bits, default: 0]
        }
        return try Self.made.withLock { made in
            while made[bits, default: []].count <= place {
                made[bits, default: []].append(try PrivateKey.stored(bits: bits))
            }
            return made[bits, default: []][place]
        }
    }
}
