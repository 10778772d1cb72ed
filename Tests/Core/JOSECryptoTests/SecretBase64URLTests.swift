import JOSECrypto
import JOSESupport
import Testing

@Suite("Base64url of secrets in constant time") struct SecretBase64URLTests {
    @Test(
        "accepts exactly the texts that the ordinary decoder accepts, for every byte at every offset (RFC 4648, 5)"
    )
    func everyByte() {
        var differing: [[UInt8]] = []
        for count in 0...7 {
            let plain = [UInt8](repeating: UInt8(ascii: "A"), count: count)
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var text = plain
                    text[place] = byte
                    let expected = Base64URL.decode(text.span)
                    let secret = SecretBase64URL.decodeBytes(text.span)?.withBytes { Array(copying: $0) }
                    let guarded = byte.isMultiple(of: 5) ? SecretBase64URL.decode(text.span) : nil
                    let same = !byte.isMultiple(of: 5) || guarded?.withBytes { Array(copying: $0) } == expected
                    if secret != expected || !same { differing.append(text) }
                }
            }
        }
        #expect(differing.isEmpty)
    }

    @Test("encodes what it decoded, for every length up to 200")
    func lengths() {
        for count in 0...200 {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = SecretBase64URL.encode(octets.span)
            #expect(text == Base64URL.encode(octets.span))
            let back = SecretBase64URL.decodeBytes(text.span)?.withBytes { Array(copying: $0) }
            #expect(back == octets, "\(count)")
        }
    }
}

extension [UInt8] {
    fileprivate init(copying span: Span<UInt8>) {
        self = []
        for index in span.indices { append(span[index]) }
    }
}
