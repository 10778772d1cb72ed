internal import CJOSEOpenSSL
internal import CJOSESodium

/// An Ed25519 public key: 32 bytes that were checked to be the canonical encoding of a point of prime order (RFC 8032,
/// 5.1.3).
package struct Ed25519PublicKey: Sendable, Equatable {
    package let raw: [UInt8]

    package init(_ raw: Span<UInt8>) throws(CryptoError) {
        guard raw.count == 32 else { throw .keyInvalid }
        guard cjose_sodium_ready() else { throw .backend }
        let isValid = unsafe raw.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe cjose_ed25519_key_valid(base) } else { false }
        }
        guard isValid else { throw .keyInvalid }
        self.raw = unsafe raw.withUnsafeBufferPointer { unsafe Array($0) }
    }

    package func verify(_ input: Span<UInt8>, signature: Span<UInt8>) throws(CryptoError) {
        let isValid = unsafe raw.span.withUnsafeBytes { key in
            unsafe input.withUnsafeBytes { data in
                unsafe signature.withUnsafeBytes { proof in
                    guard let key = key.baseAddress else { return false }
                    return unsafe cjose_ed25519_verify(
                        key, data.baseAddress, data.count, proof.baseAddress, proof.count)
                }
            }
        }
        guard isValid else { throw .invalid }
    }
}

/// An Ed25519 private key: the seed and the public key, in guarded memory.
@safe package final class Ed25519PrivateKey: Sendable {
    private let secret: GuardedBytes
    package let publicKey: Ed25519PublicKey

    package init(seed: Span<UInt8>) throws(CryptoError) {
        guard seed.count == 32 else { throw .keyInvalid }
        var point = [UInt8](repeating: 0, count: 32)
        secret = unsafe try GuardedBytes(
            count: 64,
            always: { secret in
                unsafe seed.withUnsafeBytes { seed in
                    unsafe point.withUnsafeMutableBytes { point in
                        guard let seed = seed.baseAddress, let point = point.baseAddress else { return }
                        unsafe cjose_ed25519_from_seed(seed, secret, point)
                    }
                }
            })
        publicKey = try Ed25519PublicKey(point.span)
    }

    package static func generate() throws(CryptoError) -> Ed25519PrivateKey {
        let seed = try GuardedBytes.random(count: 32)
        return try seed.withBytes { bytes throws(CryptoError) in try Ed25519PrivateKey(seed: bytes) }
    }

    package func sign(_ input: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(64) { out, _ in
            unsafe input.withUnsafeBytes {
                unsafe cjose_ed25519_sign(secret.base, $0.baseAddress, $0.count, out) ? .ok : .backend
            }
        }
    }

    package func withSeed<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try secret.withBytes { bytes throws(E) in try body(bytes.extracting(first: 32)) }
    }
}
