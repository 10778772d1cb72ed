internal import CJOSEBytes

/// Base64url without padding (RFC 7515, 2), for public values: its time depends on the bytes.
package enum Base64URL {
    package static func encodedCount(_ count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
    }

    /// Returns the number of bytes that `count` characters encode; nil for a length of 4k+1, which no bytes encode to.
    package static func decodedCount(_ count: Int) -> Int? {
        switch count % 4 {
        case 0: count / 4 * 3
        case 1: nil
        default: count / 4 * 3 + count % 4 - 1
        }
    }

    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        let count = encodedCount(bytes.count)
        return unsafe [UInt8](filling: count) { out, written in
            unsafe bytes.withUnsafeBytes { unsafe cjose_base64url_encode($0.baseAddress, $0.count, out.baseAddress) }
            written = count
        }
    }

    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        let count = encodedCount(bytes.count)
        guard count > 0 else { return }
        text.append(addingCapacity: count) { (output: inout OutputSpan<UInt8>) in
            unsafe output.withUnsafeMutableBufferPointer { out, written in
                unsafe bytes.withUnsafeBytes {
                    unsafe cjose_base64url_encode($0.baseAddress, $0.count, out.baseAddress)
                }
                written = count
            }
        }
    }

    /// Decodes text; nil for padding, white space, `+` and `/`, any other byte, a length of 4k+1, and unused bits that
    /// are not zero.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let count = decodedCount(text.count) else { return nil }
        var isValid = false
        let bytes = unsafe [UInt8](filling: count) { out, written in
            isValid = unsafe decode(text, at: out.baseAddress)
            written = isValid ? count : 0
        }
        return isValid ? bytes : nil
    }

    /// Decodes text into all of `out`. It returns false, with `out` undefined, where the text is not valid or encodes
    /// another number of bytes.
    package static func decode(_ text: Span<UInt8>, filling out: UnsafeMutableRawBufferPointer) -> Bool {
        guard decodedCount(text.count) == out.count else { return false }
        return unsafe decode(text, at: out.baseAddress)
    }

    /// Decodes text into `bytes`. It returns false, with a count of 0, where the text is not valid or does not fit.
    package static func decode(_ text: Span<UInt8>, into bytes: inout SecretBytes) -> Bool {
        bytes.setCount(0)
        guard let count = decodedCount(text.count), count <= bytes.capacity else { return false }
        let isValid = unsafe bytes.withMutableBytes { unsafe decode(text, at: $0.baseAddress) }
        if isValid { bytes.setCount(count) }
        return isValid
    }
}
