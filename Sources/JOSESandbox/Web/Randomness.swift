internal import JOSEBytes
internal import JOSECrypto

package enum Randomness {
    /// 256 bits, base64url.
    package static func text() -> String {
        guard let bytes = try? Random.bytes(32) else { fatalError("no random numbers") }  // none is safe
        return String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
    }

    /// SHA-256 in base64url, as RFC 7636, 4.2 has it.
    package static func digest(_ text: String) -> String {
        guard let digest = try? Hash.sha256.digest(text.utf8.span) else { fatalError("no SHA-256") }  // never
        return String(decoding: Base64URL.encode(digest.span), as: UTF8.self)
    }

    package static func isSame(_ a: String, _ b: String) -> Bool { constantTimeEquals(a.utf8.span, b.utf8.span) }
}
