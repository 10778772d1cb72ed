internal import CJOSEOpenSSL
internal import CJOSESodium

/// An X25519 public key. Any 32 bytes are one (RFC 7748, 5); points of small order are rejected at the agreement.
package struct X25519PublicKey: Sendable, Equatable {
    package let raw: [UInt8]

    package init(_ raw: Span<UInt8>) throws(CryptoError) {
        guard raw.count == 32 else { throw .keyInvalid }
        guard cjose_sodium_ready() else { throw .backend }
        self.raw = unsafe raw.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Generates a key pair, writes the 32 bytes of the secret that it agrees on with this key to `z`, and returns its
    /// public key.
    package func agreeFresh(into z: UnsafeMutableRawBufferPointer) throws(CryptoError) -> [UInt8] {
        guard let secret = z.baseAddress, z.count >= 32 else { throw .backend }
        return unsafe try written(32) { out, _ in
            unsafe raw.span.withUnsafeBytes { point in
                guard let point = point.baseAddress else { return .backend }
                return unsafe cjose_x25519_fresh(point, out, secret) ? .ok : .invalid
            }
        }
    }
}

/// An X25519 private key: the scalar, in guarded memory.
@safe package final class X25519PrivateKey: Sendable {
    private let scalar: GuardedBytes
    package let publicKey: X25519PublicKey

    package convenience init(scalar: Span<UInt8>) throws(CryptoError) {
        guard scalar.count == 32 else { throw .keyInvalid }
        try self.init(GuardedBytes(copying: scalar))
    }

    private init(_ scalar: GuardedBytes) throws(CryptoError) {
        self.scalar = scalar
        let point = unsafe try written(32) { out, _ in
            unsafe cjose_x25519_public(scalar.base, out)
            return .ok
        }
        publicKey = try X25519PublicKey(point.span)
    }

    package static func generate() throws(CryptoError) -> X25519PrivateKey {
        try X25519PrivateKey(GuardedBytes.random(count: 32))
    }

    /// Writes the secret that the two keys agree on to `z`.
    ///
    /// - Throws: `invalid` where the result is all zero (RFC 7748, 6.1), and for a point that is not 32 bytes long.
    package func agree(point: Span<UInt8>, into z: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard point.count == 32 else { throw .invalid }
        guard let out = z.baseAddress, z.count >= 32 else { throw .backend }
        let agreed = unsafe point.withUnsafeBytes { point in
            if let point = point.baseAddress { unsafe cjose_x25519(scalar.base, point, out) } else { false }
        }
        guard agreed else { throw .invalid }
    }

    package func withScalar<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try scalar.withBytes(body)
    }
}
