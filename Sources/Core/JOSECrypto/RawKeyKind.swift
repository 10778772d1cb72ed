internal import CJOSEOpenSSL

/// Keys that are strings of bytes, public and private, and whose cryptography is libcrypto's.
package enum RawKeyKind: UInt8, Sendable, CaseIterable {
    case ed448, x448
    /// Where the loaded libcrypto has them.
    case mlDSA44, mlDSA65, mlDSA87

    var shim: cjose_key_kind {
        switch self {
        case .ed448: .ed448
        case .x448: .x448
        case .mlDSA44: .ml_dsa_44
        case .mlDSA65: .ml_dsa_65
        case .mlDSA87: .ml_dsa_87
        }
    }

    package var publicBytes: Int {
        switch self {
        case .ed448: 57
        case .x448: 56
        case .mlDSA44: 1312
        case .mlDSA65: 1952
        case .mlDSA87: 2592
        }
    }

    /// Of the seed or scalar.
    package var secretBytes: Int {
        switch self {
        case .ed448: 57
        case .x448: 56
        case .mlDSA44, .mlDSA65, .mlDSA87: 32
        }
    }

    /// 0: it does not sign.
    package var signatureBytes: Int {
        switch self {
        case .ed448: 114
        case .x448: 0
        case .mlDSA44: 2420
        case .mlDSA65: 3309
        case .mlDSA87: 4627
        }
    }
}

extension AsymmetricKey {
    /// Bytes of a public key, or of a seed or scalar. Of an Ed448 key a point that is not canonical, not on the curve, or of
    /// small order is `keyInvalid`; a kind that the
    /// loaded libcrypto lacks is `unsupported`.
    package static func raw(
        _ kind: RawKeyKind, _ bytes: Span<UInt8>, isPrivate: Bool
    ) throws(CryptoError) -> AsymmetricKey {
        unsafe try made { handle in
            unsafe bytes.withUnsafeBytes {
                unsafe cjose_key_raw_new(
                    kind.shim, cjose_bytes(at: $0.baseAddress, count: $0.count), isPrivate, &handle)
            }
        }
    }

    package static func generate(_ kind: RawKeyKind) throws(CryptoError) -> AsymmetricKey {
        let secret = try GuardedBytes.random(count: kind.secretBytes)
        return try secret.withBytes { bytes throws(CryptoError) in try .raw(kind, bytes, isPrivate: true) }
    }
}
