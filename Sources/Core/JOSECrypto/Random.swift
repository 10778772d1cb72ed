internal import CJOSEOpenSSL

/// The random generator of OpenSSL for secrets; each thread has its own.
package enum Random {
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        unsafe try written(count) { out, _ in unsafe cjose_random(out, count) }
    }

    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let base = buffer.baseAddress else { return }
        try unsafe check(cjose_random(base, buffer.count))
    }
}
