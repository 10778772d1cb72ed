import JOSESupport
import TestSupport
import Testing

@Suite("Base64url") struct Base64URLTests {
    @Test("encodes and decodes the vectors without their padding (RFC 4648, 10)")
    func vectors() {
        let pairs = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in pairs {
            #expect(encoded(Array(plain.utf8)) == text)
            #expect(decoded(text) == Array(plain.utf8))
        }
    }

    @Test("encodes and decodes the published example (RFC 7515, appendix C)")
    func appendixC() {
        #expect(encoded([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(decoded("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test("encodes and decodes as Foundation does, for every length from 0 to 300")
    func foundation() {
        var random = SeededRandom(seed: 1)
        for count in 0...300 {
            let bytes = random.bytes(count)
            let text = base64URL(bytes)
            #expect(encoded(bytes) == text, "\(count)")
            #expect(decoded(text) == bytes, "\(count)")
            #expect(Base64URL.encodedCount(count) == text.utf8.count)
            #expect(Base64URL.decodedCount(text.utf8.count) == count)
        }
    }

    @Test("rejects padding, the standard alphabet, white space and NUL (T49)")
    func lenience() {
        for (accepted, refused) in [
            ("Zg", "Zg=="), ("Zm8", "Zm8="), ("-_-_", "+/+/"), ("Zm9v", "Zm9v\n"), ("Zm9v", "Zm 9v"),
            ("Zm9v", "\r\nZm9v"), ("Zm9vYmFy", "Zm9v\0YmFy"), ("Zm9vYg", "Zm9v\tYg"), ("Zm9v", "Zm9vé"),
            ("Zm9vYg", "Zm9v.Yg"), ("Zm9vYg", "Zm9vYg\u{301}"),
        ] {
            #expect(decoded(accepted) != nil)
            #expect(decoded(refused) == nil, "\(refused.debugDescription)")
        }
    }

    @Test("rejects unused bits that are not zero, so that bytes have one encoding (RFC 4648, 3.5; T49)")
    func unusedBits() {
        for prefix in ["", "Zm9v", String(repeating: "Zm9v", count: 40)] {
            #expect(decoded(prefix + "Zg") != nil)
            for last in "hijklmnopqrstuv" { #expect(decoded(prefix + "Z\(last)") == nil) }
            #expect(decoded(prefix + "Zm8") != nil)
            for last in "9-_" { #expect(decoded(prefix + "Zm\(last)") == nil) }
        }
    }

    @Test("rejects lengths that no encoding has (RFC 7515, appendix C)")
    func impossibleLengths() {
        for groups in 0...70 {
            let text = String(repeating: "AAAA", count: groups)
            #expect(decoded(text)?.count == groups * 3)
            #expect(decoded(text + "A") == nil)
            #expect(Base64URL.decodedCount(groups * 4 + 1) == nil)
        }
    }

    @Test("appends the encoding to an array without a change of its content")
    func appends() {
        var text = Array("ab.".utf8)
        for bytes in [[1, 2, 3], [], [255]] as [[UInt8]] { Base64URL.append(bytes.span, to: &text) }
        #expect(text == Array("ab.AQID_w".utf8))
    }

    @Test("decodes all parts of a token, or none if one part is invalid (RFC 7515, 5.2)")
    func joined() {
        let parts = ["Zm9v", "", "Zg", "Zm8", "_w"].map { Array($0.utf8) }
        for first in parts {
            for second in parts {
                let pair = Base64URL.decode(first.span, second.span)
                #expect(pair?.bytes == plain(first) + plain(second) && pair?.firstCount == plain(first).count)
                let three = Base64URL.decode(first.span, second.span, first.span)
                #expect(three?.bytes == plain(first) + plain(second) + plain(first))
                #expect(three?.firstCount == plain(first).count && three?.secondCount == plain(second).count)
                for bad in ["Z", "Zh", "Zg==", "Z.9v"].map({ Array($0.utf8) }) {
                    let isTaken = [
                        Base64URL.decode(bad.span, first.span) != nil, Base64URL.decode(first.span, bad.span) != nil,
                        Base64URL.decode(bad.span, first.span, second.span) != nil,
                        Base64URL.decode(first.span, bad.span, second.span) != nil,
                        Base64URL.decode(first.span, second.span, bad.span) != nil,
                    ]
                    #expect(!isTaken.contains(true))
                }
            }
        }
    }

    @Test("decodes into memory that is wiped, and rejects input that exceeds its capacity")
    func intoSecret() {
        let text = Array("Zm9vYmFy".utf8)
        var room = SecretBytes(capacity: 6)
        let fits = Base64URL.decode(text.span, into: &room)
        #expect(fits && contents(of: room) == Array("foobar".utf8))

        let bad = Array("Zm9vYmF.".utf8)
        let isTaken = Base64URL.decode(bad.span, into: &room)
        #expect(!isTaken && room.count == 0)

        var small = SecretBytes(capacity: 5)
        let isSqueezed = Base64URL.decode(text.span, into: &small)
        #expect(!isSqueezed && small.count == 0)

        let nothing: [UInt8] = []
        var empty = SecretBytes(capacity: 0)
        let isNothing = Base64URL.decode(nothing.span, into: &empty)
        #expect(isNothing && empty.count == 0)
    }
}

private func encoded(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes.span), as: UTF8.self) }

private func plain(_ text: [UInt8]) -> [UInt8] { Base64URL.decode(text.span) ?? [] }

private func decoded(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    return Base64URL.decode(text.span)
}
