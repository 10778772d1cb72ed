internal import CJOSEOpenSSL

/// The hashes of JOSE. SHA-1 is here for RSA-OAEP and for `x5t` alone.
package enum Hash: UInt8, Sendable, CaseIterable {
    case sha1, sha256, sha384, sha512

    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    package func digest(_ input: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(byteCount) { out, _ in
            unsafe input.withUnsafeBytes { unsafe cjose_digest(shim, $0.baseAddress, $0.count, out) }
        }
    }

    var shim: cjose_hash {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
