package import JOSESupport

#if Zip
    internal import CJOSEZip
#endif

/// Raw DEFLATE (RFC 1951), in builds with the package trait `Zip`.
package enum Deflate {
    package enum Fault: Error, Equatable, Sendable {
        /// The data is not exactly one complete stream.
        case invalid
        /// The text has more bytes than allowed.
        case tooLong
        /// Memory ran out, or the build has no compression.
        case backend
    }

    #if Zip
        package static let isBuilt = true

        /// Returns the decompressed text of at most `maximum` bytes. It takes no more memory than `maximum`, or than
        /// four times the stream and then what the text needs: a longer text is read once more for its length only.
        package static func inflate(_ stream: Span<UInt8>, maximum: Int) throws(Fault) -> SecretBytes {
            let usual = max(1024, stream.count > Int.max / 4 ? maximum : 4 * stream.count)
            do throws(Fault) {
                return try text(of: stream, capacity: min(maximum, usual))
            } catch {
                guard error == .tooLong, usual < maximum else { throw error }
            }
            var count = 0
            try check(
                unsafe stream.withUnsafeBytes {
                    unsafe cjose_zip_inflate($0.baseAddress, $0.count, nil, maximum, &count)
                })
            return try text(of: stream, capacity: count)
        }

        private static func text(of stream: Span<UInt8>, capacity: Int) throws(Fault) -> SecretBytes {
            // Zlib requires memory for an empty text too.
            var text = SecretBytes(capacity: max(1, capacity))
            var count = 0
            try check(
                unsafe text.withMutableBytes { out in
                    unsafe stream.withUnsafeBytes {
                        unsafe cjose_zip_inflate($0.baseAddress, $0.count, out.baseAddress, capacity, &count)
                    }
                })
            text.setCount(count)
            return text
        }

        package static func deflate(_ text: Span<UInt8>) throws(Fault) -> SecretBytes {
            let bound = cjose_zip_bound(text.count)
            guard bound > 0 else { throw .tooLong }
            var stream = SecretBytes(capacity: bound)
            var count = 0
            try check(
                unsafe stream.withMutableBytes { out in
                    guard let start = out.baseAddress else { return .backend }
                    return unsafe text.withUnsafeBytes { text in
                        unsafe cjose_zip_deflate(text.baseAddress, text.count, start, out.count, &count)
                    }
                })
            stream.setCount(count)
            return stream
        }

        private static func check(_ status: cjose_zip) throws(Fault) {
            switch status {
            case .ok: return
            case .invalid: throw .invalid
            case .too_long: throw .tooLong
            case .backend: throw .backend
            }
        }
    #else
        package static let isBuilt = false
        package static func inflate(_ stream: Span<UInt8>, maximum: Int) throws(Fault) -> SecretBytes { throw .backend }
        package static func deflate(_ text: Span<UInt8>) throws(Fault) -> SecretBytes { throw .backend }
    #endif
}
