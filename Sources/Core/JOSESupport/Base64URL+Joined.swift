internal import CJOSEBytes

extension Base64URL {
    /// Decodes two texts into one array, with one allocation, and returns it with the length of the first part.
    package static func decode(_ first: Span<UInt8>, _ second: Span<UInt8>) -> (bytes: [UInt8], firstCount: Int)? {
        guard let bytes = decode(first, second, Span()) else { return nil }
        return (bytes.bytes, bytes.firstCount)
    }

    /// Decodes three texts into one array, with one allocation, and returns it with the lengths of the first two parts.
    package static func decode(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>
    ) -> (bytes: [UInt8], firstCount: Int, secondCount: Int)? {
        guard let a = decodedCount(first.count), let b = decodedCount(second.count), let c = decodedCount(third.count)
        else { return nil }
        var isValid = false
        let bytes = unsafe [UInt8](filling: a + b + c) { out, written in
            let base = UnsafeMutableRawPointer(out.baseAddress)
            isValid =
                unsafe decode(first, at: base)
                && decode(second, at: base.map { unsafe $0 + a })
                && decode(third, at: base.map { unsafe $0 + a + b })
            written = isValid ? a + b + c : 0
        }
        return isValid ? (bytes, a, b) : nil
    }

    static func decode(_ text: Span<UInt8>, at out: UnsafeMutableRawPointer?) -> Bool {
        unsafe text.withUnsafeBytes { unsafe cjose_base64url_decode($0.baseAddress, $0.count, out) }
    }
}
