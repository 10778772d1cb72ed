internal import JOSECrypto
internal import JOSESupport

/// Converts a payload that arrives in pieces into the form in which it is signed: unchanged, or base64url across the
/// borders of the pieces. It buffers a few kilobytes at most.
struct PayloadFeed {
    private let isUnencoded: Bool
    /// Fewer than three bytes, which are not a whole group yet.
    private var carry: [UInt8] = []
    private var text: [UInt8] = []

    /// The largest number of bytes that are encoded at once, in whole groups.
    private static let maximumBytes = 3 * 4096

    init(isUnencoded: Bool) { self.isUnencoded = isUnencoded }

    mutating func add(_ bytes: Span<UInt8>, to digests: [DigestStream]) throws(CryptoError) {
        if isUnencoded {
            for digest in digests { try digest.add(bytes) }
            return
        }
        var at = 0
        if !carry.isEmpty {
            while carry.count < 3, at < bytes.count {
                carry.append(bytes[at])
                at += 1
            }
            guard carry.count == 3 else { return }
            let group = carry
            try encode(group.span, to: digests)
            carry.removeAll(keepingCapacity: true)
        }
        while bytes.count - at >= 3 {
            let count = min((bytes.count - at) / 3 * 3, Self.maximumBytes)
            try encode(bytes.extracting(at..<at + count), to: digests)
            at += count
        }
        while at < bytes.count {
            carry.append(bytes[at])
            at += 1
        }
    }

    /// Encodes the bytes that are left over.
    mutating func finish(_ digests: [DigestStream]) throws(CryptoError) {
        let remainder = carry
        carry = []
        if !remainder.isEmpty { try encode(remainder.span, to: digests) }
    }

    private mutating func encode(_ bytes: Span<UInt8>, to digests: [DigestStream]) throws(CryptoError) {
        text.removeAll(keepingCapacity: true)
        Base64URL.append(bytes, to: &text)
        for digest in digests { try digest.add(text.span) }
    }
}
