internal import CJOSEBytes
import JOSESupport
import TestSupport
import Testing

@Suite("Byte comparison and search") struct BytesTests {
    @Test("finds the dots of a token, and at most six of them (T33)")
    func dots() {
        #expect(dots("") == [0])
        #expect(dots("abc") == [0])
        #expect(dots(".") == [1, 0])
        #expect(dots("a.b.c") == [2, 1, 3])
        #expect(dots("a....") == [4, 1, 2, 3, 4])
        #expect(dots("a.b.c.d.e.f") == [5, 1, 3, 5, 7, 9])
        #expect(dots("a.b.c.d.e.f.g") == [6, 1, 3, 5, 7, 9])
    }

    @Test("five million dots take no longer than six (T33)")
    func manyDots() {
        let text = [UInt8](repeating: UInt8(ascii: "."), count: 5_000_000)
        let time = cpuSeconds {
            for _ in 0..<1_000 {
                var places = InlineArray<5, Int>(repeating: 0)
                if findDots(in: text.span, &places) != 6 { Issue.record("not six") }
            }
        }
        #expect(time < 0.5)
    }

    @Test("compares by bytes: text that is only canonically equal differs (X01)")
    func comparison() {
        let composed = Array("\u{E9}".utf8)
        let decomposed = Array("e\u{301}".utf8)
        let kelvin = Array("\u{212A}".utf8)
        let letter = Array("K".utf8)
        for equals in [{ bytesEqual($0, $1) }, { constantTimeEquals($0, $1) }] as [(Span<UInt8>, Span<UInt8>) -> Bool] {
            let same = equals(composed.span, composed.span)
            let canonical = equals(composed.span, decomposed.span)
            let compatible = equals(kelvin.span, letter.span)
            #expect(same && !canonical && !compatible)
        }
        let literal = bytesEqual(letter.span, "K")
        let longer = bytesEqual(letter.span, "KK")
        let array = bytesEqual(letter.span, letter)
        #expect(literal && !longer && array)
        let texts: [(String, String)] = [
            ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("a", "A"), ("a", "a\u{0}"), ("", "a"),
            ("a text that is not stored in place", "a text that is not stored in Place"),
        ]
        for (left, right) in texts {
            #expect(!bytesEqual(left, right) && !bytesEqual(right, left), "\(left)")
            #expect(
                bytesEqual(left, left) && bytesEqual(right, String(decoding: Array(right.utf8), as: UTF8.self)),
                "\(left)")
            let missing: String? = nil
            #expect(!bytesEqual(missing, right) && bytesEqual(Optional(right), right))
        }
    }

    @Test("comparison finds a difference at every offset of every length, and does not stop at NUL (X06)")
    func everyPlace() {
        for count in 0...70 {
            let one = [UInt8](repeating: 0, count: count)
            let isSame = constantTimeEquals(one.span, one.span)
            #expect(isSame)
            for place in 0..<count {
                var other = one
                other[place] = 0x80
                let isPlain = bytesEqual(one.span, other.span)
                let isConstant = constantTimeEquals(one.span, other.span)
                #expect(!isPlain && !isConstant, "\(count), \(place)")
            }
        }
    }

    @Test("every function accepts empty input (X07)")
    func empty() {
        let none: [UInt8] = []
        let isSame = bytesEqual(none.span, none.span) && constantTimeEquals(none.span, none.span)
        let isText = isUTF8(none.span)
        let text = Base64URL.encode(none.span)
        let back = Base64URL.decode(none.span)
        #expect(isSame && isText && text == [] && back == [])
        #expect(dots("") == [0])
        #expect(contents(of: SecretBytes(copying: none.span)) == [])
        #expect(fault(none) == JSONFault(.syntax, at: 0))
        cjose_wipe(nil, 0)
        let order = cjose_order(nil, 0, nil, 0)
        let runs = (cjose_json_run(nil, 0), cjose_digit_run(nil, 0), cjose_utf8_run(nil, 0))
        #expect(order == 0 && runs == (0, 0, 0))
    }

    @Test("accepts valid UTF-8 and rejects all other bytes (RFC 3629, 4)")
    func utf8() {
        // These are every sequence of up to two bytes, and the ends of each range of longer ones.
        for first in UInt8.min...UInt8.max {
            check([first])
            for second in UInt8.min...UInt8.max { check([first, second]) }
        }
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for first in [0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8] as [UInt8] {
            for second in edges {
                for third in edges {
                    check([first, second, third])
                    for fourth in edges { check([first, second, third, fourth]) }
                }
            }
        }
        // The sequence is put at every offset of a longer text, where words are compared.
        for place in 0..<80 {
            var text = [UInt8](repeating: UInt8(ascii: "a"), count: 80)
            text[place] = 0xC3
            check(text)
            if place < 79 {
                text[place + 1] = 0xA9
                check(text)
            }
        }
    }

    @Test("finds the end of every run of plain bytes, whatever surrounds it")
    func runs() {
        for count in 0...70 {
            for place in 0...count {
                for stop in [0x00, 0x1F, 0x22, 0x5C, 0x80, 0xFF] as [UInt8] {
                    var text = [UInt8](repeating: 0x7F, count: count)
                    if place < count { text[place] = stop }
                    let run = unsafe cjose_json_run(text, count)
                    if run != place { Issue.record("\(count), \(place), \(stop)") }
                }
                for stop in [0x2F, 0x3A, 0x00, 0xB5] as [UInt8] {
                    var text = [UInt8](repeating: 0x39, count: count)
                    if place < count { text[place] = stop }
                    let run = unsafe cjose_digit_run(text, count)
                    if run != place { Issue.record("digits \(count), \(place), \(stop)") }
                }
            }
        }
    }

    @Test("finds a registered name by all of its bytes, at every position in the table (X06)")
    func nameTable() {
        let registered: [StaticString] = ["", "a", "alg", "x5t#S256", "12345678", "123456781", "123456789012345"]
        let table = NameTable(registered)
        let others = ["\0", "a\0", "\0a", "A", "a\"", "al", "algs", "1234567", "1234567890123456", "123456789012346"]
        for (row, name) in registered.map(\.description).enumerated() + others.map({ (-1, $0) }) {
            for tail in ["", "\"", "\":1}", String(repeating: "z", count: 20)] {
                let text = Array("{\"\(name)\(tail)".utf8)
                let found = table.row(text.span, start: 2, end: 2 + name.utf8.count).map(Int.init)
                #expect(found == (row < 0 ? nil : row), "\(name.debugDescription), \(tail)")
            }
        }
    }

    @Test("bytes in hexadecimal have two lower-case digits each, with leading zeros") func hexadecimal() {
        #expect([UInt8]().hexadecimal == "")
        #expect(([0, 1, 0x0F, 0x10, 0x7F, 0xAB, 0xFF] as [UInt8]).hexadecimal == "00010f107fabff")
        let all = (0...255).map { UInt8($0) }
        #expect(bytes(hex: all.hexadecimal) == all)
    }

    @Test("letters and digits are those of ASCII, and other characters are those that are named") func alphanumeric() {
        for byte in UInt8(0)...127 {
            let text = String(decoding: [byte], as: UTF8.self)
            let isListed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8.contains(byte)
            #expect(text.isAlphanumeric(or: "") == isListed)
            #expect(text.isAlphanumeric(or: "._-") == (isListed || "._-".utf8.contains(byte)))
        }
        #expect("".isAlphanumeric(or: "") && "aZ0._-".isAlphanumeric(or: "._-"))
        for other in ["é", "e\u{301}", "\u{FF21}", "\u{0661}", "a b", "a\u{0}"] {
            #expect(!other.isAlphanumeric(or: "._-"))
        }
    }

    @Test("the system clock shows the present and does not go back") func clock() {
        let now = SystemClock.now()
        #expect(now > 1_700_000_000 && SystemClock.now() >= now)
    }

    private func dots(_ text: String) -> [Int] {
        let text = Array(text.utf8)
        var places = InlineArray<5, Int>(repeating: 0)
        let count = findDots(in: text.span, &places)
        return [count] + (0..<min(count, 5)).map { places[$0] }
    }

    private func check(_ bytes: [UInt8]) {
        let isTaken = isUTF8(bytes.span)
        if isTaken != (String(validating: bytes, as: UTF8.self) != nil) { Issue.record("\(bytes)") }
    }
}
