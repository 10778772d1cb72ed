internal import CJOSEOpenSSL

/// The hash functions of JOSE. SHA-1 is there for RSA-OAEP and for `x5t` only.
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

    /// Writes the digest into the first `byteCount` bytes of `out`, which may be longer.
    package func digest(_ input: Span<UInt8>, into out: inout MutableSpan<UInt8>) throws(CryptoError) {
        precondition(out.count >= byteCount)
        let status = unsafe input.withUnsafeBytes { data in
            unsafe out.withUnsafeMutableBytes { output in
                guard let start = output.baseAddress else { return cjose_status.backend }
                return unsafe cjose_digest(shim, data.baseAddress, data.count, start)
            }
        }
        try check(status)
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
