internal import CJOSEOpenSSL

package enum Curve: UInt8, Sendable, CaseIterable {
    case p256, p384, p521, secp256k1

    package var fieldBytes: Int {
        switch self {
        case .p256, .secp256k1: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// Whether keys on the curve are used for key agreement; secp256k1 is for signatures only (RFC 8812, 3.1).
    package var agrees: Bool { self != .secp256k1 }

    var shim: cjose_key_kind {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .secp256k1: .secp256k1
        }
    }
}

package enum AsymmetricKeyKind: Sendable, Equatable {
    case rsa(bits: Int)
    case ec(Curve)
    case raw(RawKeyKind)
}

package enum KeyPart: UInt8, Sendable {
    case n, e, d, p, q, dp, dq, qi, x, y, ecD, point, rawPublic, rawSecret

    var shim: cjose_key_part {
        switch self {
        case .n: .rsa_n
        case .e: .rsa_e
        case .d: .rsa_d
        case .p: .rsa_p
        case .q: .rsa_q
        case .dp: .rsa_dp
        case .dq: .rsa_dq
        case .qi: .rsa_qi
        case .x: .ec_x
        case .y: .ec_y
        case .ecD: .ec_d
        case .point: .ec_point
        case .rawPublic: .raw_public
        case .rawSecret: .raw_private
        }
    }
}

/// A key of libcrypto, public or private, with contexts kept ready for each algorithm that it was used with. Any number
/// of threads may share one.
@safe package final class AsymmetricKey: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    package let kind: AsymmetricKeyKind
    package let isPrivate: Bool

    /// Creates a key from `handle` and takes it over. The result is nil for a key of libsodium or of an unknown kind.
    init?(owning handle: OpaquePointer) {
        switch unsafe cjose_key_kind_of(handle) {
        case .rsa: kind = .rsa(bits: Int(unsafe cjose_key_bits(handle)))
        case .p256: kind = .ec(.p256)
        case .p384: kind = .ec(.p384)
        case .p521: kind = .ec(.p521)
        case .secp256k1: kind = .ec(.secp256k1)
        case .ed448: kind = .raw(.ed448)
        case .x448: kind = .raw(.x448)
        case .ml_dsa_44: kind = .raw(.mlDSA44)
        case .ml_dsa_65: kind = .raw(.mlDSA65)
        case .ml_dsa_87: kind = .raw(.mlDSA87)
        case .other, .ed25519, .x25519:
            unsafe cjose_key_free(handle)
            return nil
        }
        unsafe self.handle = handle
        isPrivate = unsafe cjose_key_is_private(handle)
    }

    deinit { unsafe cjose_key_free(handle) }

    /// Whether the private numbers can be read; false where they stay with a provider of libcrypto.
    package var isExportable: Bool { unsafe cjose_key_is_exportable(handle) }

    static func made(
        _ make: (inout OpaquePointer?) -> cjose_status
    ) throws(CryptoError) -> AsymmetricKey {
        guard let key = try unsafe AsymmetricKey(owning: newHandle(make)) else { throw .backend }
        return key
    }

    /// Creates an RSA key; a public one where `d` is nil. The five CRT values are all given, or all nil: then they are
    /// recovered from `n`, `e` and `d`.
    package static func rsa(
        n: [UInt8], e: [UInt8], d: [UInt8]? = nil, p: [UInt8]? = nil, q: [UInt8]? = nil, dp: [UInt8]? = nil,
        dq: [UInt8]? = nil, qi: [UInt8]? = nil
    ) throws(CryptoError) -> AsymmetricKey {
        let given = [d, p, q, dp, dq, qi]
        // An empty value is not an absent one.
        guard !given.contains([]) else { throw .keyInvalid }
        return unsafe try made { handle in
            unsafe withParts([n, e] + given.map { $0 ?? [] }) { part in
                unsafe cjose_key_rsa_new(
                    part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7], &handle)
            }
        }
    }

    /// Creates a key from coordinates of exactly the field's size. The point must lie on the curve and belong to `d`.
    package static func ec(
        _ curve: Curve, x: [UInt8], y: [UInt8], d: [UInt8]? = nil
    ) throws(CryptoError) -> AsymmetricKey {
        guard let d else { return try ec(curve, x: x.span, y: y.span) }
        guard !d.isEmpty else { throw .keyInvalid }
        return unsafe try made { handle in
            unsafe withParts([x, y, d]) { part in
                unsafe cjose_key_ec_new(curve.shim, part[0], part[1], part[2], &handle)
            }
        }
    }

    /// Creates a public key. Its coordinates are passed as they are, because a token may bring its own key.
    private static func ec(_ curve: Curve, x: Span<UInt8>, y: Span<UInt8>) throws(CryptoError) -> AsymmetricKey {
        unsafe try made { handle in
            unsafe x.withUnsafeBytes { x in
                unsafe y.withUnsafeBytes { y in
                    unsafe cjose_key_ec_new(
                        curve.shim, cjose_bytes(at: x.baseAddress, count: x.count),
                        cjose_bytes(at: y.baseAddress, count: y.count), cjose_bytes(at: nil, count: 0), &handle)
                }
            }
        }
    }

    package static func generateRSA(bits: Int) throws(CryptoError) -> AsymmetricKey {
        guard let bits = Int32(exactly: bits) else { throw .keyInvalid }
        return unsafe try made { unsafe cjose_key_rsa_generate(bits, &$0) }
    }

    package static func generateEC(_ curve: Curve) throws(CryptoError) -> AsymmetricKey {
        unsafe try made { unsafe cjose_key_ec_generate(curve.shim, &$0) }
    }

    /// Returns a part of the key, big-endian; parts of EC keys are as long as the field.
    ///
    /// - Throws: `keyInvalid` for a part that the key does not have.
    package func part(_ part: KeyPart) throws(CryptoError) -> [UInt8] {
        unsafe try written(part == .rawPublic ? 2592 : 1100) { out, count in
            unsafe cjose_key_part_get(handle, part.shim, out, count, &count)
        }
    }

    /// Returns the coordinates of an EC key, both as long as the field.
    package func point() throws(CryptoError) -> (x: [UInt8], y: [UInt8]) {
        let both = try part(.point)
        return (Array(both[..<(both.count / 2)]), Array(both[(both.count / 2)...]))
    }

    package func publicHalf() throws(CryptoError) -> AsymmetricKey {
        guard isPrivate else { return self }
        switch kind {
        case .rsa: return try .rsa(n: part(.n), e: part(.e))
        case .ec(let curve):
            let (x, y) = try point()
            return try .ec(curve, x: x, y: y)
        case .raw(let kind):
            let bytes = try part(.rawPublic)
            return try .raw(kind, bytes.span, isPrivate: false)
        }
    }
}

/// Passes the arrays to C for the duration of the call, and wipes the copies.
private func withParts<R>(_ parts: [[UInt8]], _ body: (UnsafeBufferPointer<cjose_bytes>) -> R) -> R {
    let total = parts.reduce(0) { $0 + $1.count }
    return unsafe withUnsafeTemporaryAllocation(byteCount: max(1, total), alignment: 1) { bytes in
        defer { unsafe cjose_cleanse(bytes.baseAddress, bytes.count) }
        return unsafe withUnsafeTemporaryAllocation(of: cjose_bytes.self, capacity: parts.count) { views in
            var offset = 0
            for (index, part) in parts.enumerated() {
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + part.count])
                unsafe target.copyBytes(from: part)
                unsafe views.initializeElement(
                    at: index, to: cjose_bytes(at: UnsafeRawPointer(target.baseAddress), count: part.count))
                offset += part.count
            }
            return unsafe body(UnsafeBufferPointer(views))
        }
    }
}
