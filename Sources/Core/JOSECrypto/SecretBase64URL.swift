internal import CJOSESodium
package import JOSESupport

/// Base64url of key material, in a time that depends on its length only.
package enum SecretBase64URL {
    package static func encode(_ secret: Span<UInt8>) -> [UInt8] {
        let count = (secret.count * 4 + 2) / 3
        return unsafe [UInt8](filling: count + 1) { out, written in
            guard let base = out.baseAddress else { return }
            unsafe secret.withUnsafeBytes { unsafe cjose_secret_base64url_encode($0.baseAddress, $0.count, base) }
            written = count
        }
    }

    /// Decodes as strictly as `Base64URL.decode`, and returns nil for text that is not valid.
    package static func decode(_ text: Span<UInt8>) -> GuardedBytes? {
        unsafe GuardedBytes(count: text.count * 3 / 4, ifWritten: { out in unsafe decode(text, to: out) })
    }

    package static func decodeBytes(_ text: Span<UInt8>) -> SecretBytes? {
        let count = text.count * 3 / 4
        var bytes = SecretBytes(capacity: count)
        let isDecoded = unsafe bytes.withMutableBytes { out in
            if let base = out.baseAddress { unsafe decode(text, to: base) } else { false }
        }
        guard isDecoded else { return nil }
        bytes.setCount(count)
        return bytes
    }

    private static func decode(_ text: Span<UInt8>, to out: UnsafeMutableRawPointer) -> Bool {
        guard cjose_sodium_ready() else { return false }
        return unsafe text.withUnsafeBytes { unsafe cjose_secret_base64url_decode($0.baseAddress, $0.count, out) }
    }
}
