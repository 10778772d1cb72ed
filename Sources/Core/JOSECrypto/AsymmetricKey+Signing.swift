internal import CJOSEOpenSSL

/// The signature algorithms of libcrypto: RSA and ECDSA (RFC 7518, 3.1), secp256k1 (RFC 8812, 3.2), Ed448 (RFC 8032,
/// 5.2), and ML-DSA with an empty context (FIPS 204; RFC 9964, 5).
package enum SignatureScheme: UInt8, Sendable, CaseIterable {
    case rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512, es256k, ed448
    case mlDSA44, mlDSA65, mlDSA87

    /// Whether the loaded libcrypto has the algorithm. ML-DSA came with OpenSSL 3.5.
    package var isAvailable: Bool { cjose_signature_available(shim) }

    var shim: cjose_signature {
        switch self {
        case .rs256: .rs256
        case .rs384: .rs384
        case .rs512: .rs512
        case .ps256: .ps256
        case .ps384: .ps384
        case .ps512: .ps512
        case .es256: .es256
        case .es384: .es384
        case .es512: .es512
        case .es256k: .es256k
        case .ed448: .ed448
        case .mlDSA44: .ml_dsa_44
        case .mlDSA65: .ml_dsa_65
        case .mlDSA87: .ml_dsa_87
        }
    }
}

extension AsymmetricKey {
    /// Verifies a signature.
    ///
    /// - Throws: `invalid` for every signature that is not valid, `keyInvalid` for a key of another algorithm.
    package func verify(
        _ scheme: SignatureScheme, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(CryptoError) {
        let status = unsafe input.withUnsafeBytes { data in
            unsafe signature.withUnsafeBytes { proof in
                unsafe cjose_verify(
                    handle, scheme.shim, data.baseAddress, data.count, proof.baseAddress, proof.count)
            }
        }
        try check(status)
    }

    /// Verifies a signature of RSASSA-PSS whose salt has another length than JOSE requires (RFC 7518, 3.5). It explains
    /// why `verify` rejects a signature, and never makes one valid.
    ///
    /// - Throws: `invalid` for every signature that is not valid with such a salt, `keyInvalid` for another scheme or
    ///   key.
    package func verify(
        _ scheme: SignatureScheme, saltCount: Int, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(CryptoError) {
        let status = unsafe input.withUnsafeBytes { data in
            unsafe signature.withUnsafeBytes { proof in
                unsafe cjose_verify_salt(
                    handle, scheme.shim, saltCount, data.baseAddress, data.count, proof.baseAddress, proof.count)
            }
        }
        try check(status)
    }

    package func sign(_ scheme: SignatureScheme, _ input: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(signatureCount) { out, count in
            unsafe input.withUnsafeBytes { data in
                unsafe cjose_sign(handle, scheme.shim, data.baseAddress, data.count, out, count, &count)
            }
        }
    }

    /// The number of bytes of every signature that the key makes.
    package var signatureCount: Int {
        switch kind {
        case .rsa(let bits): (bits + 7) / 8
        case .ec(let curve): 2 * curve.fieldBytes
        case .raw(let kind): kind.signatureBytes
        }
    }
}
