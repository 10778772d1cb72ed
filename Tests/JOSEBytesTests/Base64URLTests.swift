import JOSEBytes
import Testing

@Suite("Base64url") struct Base64URLTests {
    @Test(
        "writes and reads the vectors of RFC 4648, 10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        let encoded = Array(text.utf8)
        let written = Base64URL.encode(bytes.span)
        let read = Base64URL.decode(encoded.span)
        #expect(written == encoded)
        #expect(read == bytes)
    }
}
