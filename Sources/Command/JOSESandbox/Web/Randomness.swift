internal import JOSECrypto
internal import JOSESupport

package enum Randomness {
    /// Returns 256 random bits in base64url.
    package static func text() -> String {
        String(decoding: Base64URL.encode(bytes(32).span), as: UTF8.self)
    }

    /// Returns a random UUID (RFC 9562, 5.4).
    package static func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(bytes.hexadecimal)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Returns eight random decimal digits, which a person can type.
    package static func digits() -> String {
        String(decoding: bytes(8).map { UInt8(ascii: "0") + $0 % 10 }, as: UTF8.self)
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        guard let bytes = try? Random.bytes(count) else { fatalError("no random numbers") }  // none is safe
        return bytes
    }

    /// Returns the SHA-256 in base64url (RFC 7636, 4.2).
    package static func digest(_ text: String) -> String {
        guard let digest = try? Hash.sha256.digest(text.utf8.span) else { fatalError("no SHA-256") }  // never
        return String(decoding: Base64URL.encode(digest.span), as: UTF8.self)
    }

    package static func isSame(_ a: String, _ b: String) -> Bool { constantTimeEquals(a.utf8.span, b.utf8.span) }
}
