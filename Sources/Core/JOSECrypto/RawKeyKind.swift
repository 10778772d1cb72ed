internal import CJOSEOpenSSL

/// The kinds of keys that are byte strings, public and private, and that libcrypto computes with.
package enum RawKeyKind: UInt8, Sendable, CaseIterable {
    case ed448, x448
    /// The kinds of ML-DSA, where the loaded libcrypto has them.
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

    private var sizes: (publicKey: Int, secret: Int, signature: Int) {
        switch self {
        case .ed448: (57, 57, 114)
        case .x448: (56, 56, 0)
        case .mlDSA44: (1312, 32, 2420)
        case .mlDSA65: (1952, 32, 3309)
        case .mlDSA87: (2592, 32, 4627)
        }
    }

    package var publicBytes: Int { sizes.publicKey }
    /// The number of bytes of the seed or scalar.
    package var secretBytes: Int { sizes.secret }
    /// The number of bytes of a signature; 0 for a kind that does not sign.
    package var signatureBytes: Int { sizes.signature }
}

extension AsymmetricKey {
    /// Creates a key from the bytes of a public key, or of a seed or scalar.
    ///
    /// - Throws: `keyInvalid` for an Ed448 point that is not canonical, not on the curve or of small order;
    ///   `unsupported` for a kind that the loaded libcrypto lacks.
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
