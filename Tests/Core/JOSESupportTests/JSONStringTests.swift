import JOSESupport
import Testing

@Suite("JSON strings") struct JSONStringTests {
    @Test("decodes every escape (RFC 8259, 7)")
    func escapes() throws {
        let value = try OneValue(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u00E9\u20ac\ud83d\ude00\uD83D\uDE00\u0000\u007f""#)
        let expected = "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{E9}\u{20AC}\u{1F600}\u{1F600}\0\u{7F}"
        #expect(value.string == expected)
        #expect(value.stringBytes == Array(expected.utf8))
        #expect(value.equals(expected))
        #expect(!value.equals(expected + "x"))
        #expect(!value.equals(String(expected.dropLast())))
        #expect(value.value.escaped)
    }

    @Test("decodes escapes of the first and last character of each UTF-8 length (RFC 3629, 3)")
    func edges() throws {
        for (escape, scalar) in [
            (#"\u0000"#, "\u{0}"), (#"\u007F"#, "\u{7F}"), (#"\u0080"#, "\u{80}"), (#"\u07FF"#, "\u{7FF}"),
            (#"\u0800"#, "\u{800}"), (#"\uD7FF"#, "\u{D7FF}"), (#"\uE000"#, "\u{E000}"), (#"\uFFFF"#, "\u{FFFF}"),
            (#"\uD800\uDC00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uFEFF"#, "\u{FEFF}"),
        ] {
            #expect(try OneValue("\"\(escape)\"").stringBytes == Array(scalar.utf8), "\(escape)")
        }
    }

    @Test("characters without an escape are returned unchanged, at every offset of a string")
    func raw() throws {
        for piece in ["\u{7F}", "é", "€", "😀", "\u{2028}", "\u{FFFF}", "/", "'"] {
            for place in 0..<40 {
                let text = String(repeating: "a", count: place) + piece + String(repeating: "b", count: 40 - place)
                let value = try OneValue("\"\(text)\"")
                #expect(value.string == text && value.equals(text) && !value.value.escaped)
            }
        }
    }

    @Test("rejects control characters that are not escaped (RFC 8259, 7)")
    func controls() {
        for byte in UInt8(0)..<0x20 {
            for place in [0, 5, 15, 16, 17, 33] {
                let start = Array("{\"a\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: place)
                let accepted =
                    String(decoding: start, as: UTF8.self) + "\\u00" + (byte < 16 ? "0" : "")
                    + String(byte, radix: 16) + "\"}"
                Pair(accepted, start + [byte] + Array("\"}".utf8), .controlCharacter, at: start.count).check()
            }
        }
        Pair(#"{"\n":1}"#, "{\"\n\":1}", .controlCharacter, at: 2).check()
    }

    @Test(
        "rejects unknown and malformed escapes (RFC 8259, 7)",
        arguments: [
            Pair(#"{"a":"\t"}"#, #"{"a":"\a"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\t"}"#, #"{"a":"\v"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\t"}"#, #"{"a":"\T"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\t"}"#, #"{"a":"\0"}"#, .badEscape, at: 6),
            Pair(#"{"a":"'"}"#, #"{"a":"\'"}"#, .badEscape, at: 6),
            Pair(#"{"a":"A"}"#, #"{"a":"\x41"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\U0041"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u{41}"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u004"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u004g"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u+041"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u 041"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u００４１"}"#, .badEscape, at: 6),
            Pair(#"{"a":"\n"}"#, "{\"a\":\"\\\n\"}", .badEscape, at: 6),
            Pair(#"{"a":"\""}"#, #"{"a":"\"#, .syntax, at: 7),
            Pair(#"{"a":"\\"}"#, #"{"a":"\"}"#, .syntax, at: 9),
            Pair(#"{"\u0061":1}"#, #"{"\u006":1}"#, .badEscape, at: 2),
            Pair(#"{"a":"\u0041"}"#, #"{"a":"\u00"#, .badEscape, at: 6),
        ])
    func badEscapes(pair: Pair) { pair.check() }

    @Test(
        "rejects an unpaired surrogate (RFC 8259, 8.2; T48)",
        arguments: [
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ude00"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ude00\ud83d"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d\ud83d"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83dx\ude00"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d\n"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d\u0041"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d\u"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d\ude0"}"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d"#, .loneSurrogate, at: 6),
            Pair(#"{"a":"\udbff\udfff"}"#, #"{"a":"xx\udbff\ue000"}"#, .loneSurrogate, at: 8),
            Pair(#"{"\ud83d\ude00":1}"#, #"{"\ud83d":1}"#, .loneSurrogate, at: 2),
        ])
    func surrogates(pair: Pair) { pair.check() }

    @Test("rejects ill-formed UTF-8 in values and names (RFC 8259, 8.1; T48)")
    func illFormed() {
        for bad: [UInt8] in [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] {
            for before in ["", "x", "é", "0123456789abcdef"] {
                let value = Array("{\"a\":\"\(before)".utf8)
                Pair("{\"a\":\"\(before)é\"}", value + bad + Array("\"}".utf8), .badUTF8, at: value.count).check()
                let name = Array("{\"\(before)".utf8)
                Pair("{\"\(before)é\":1}", name + bad + Array("\":1}".utf8), .badUTF8, at: name.count).check()
            }
        }
    }

    @Test("strings are compared by bytes after unescaping, without normalization or case folding (RFC 8259, 8.3; X01)")
    func comparison() throws {
        let composed = try OneValue(#""\u00e9""#)
        #expect(composed.equals("\u{E9}") && !composed.equals("e\u{301}"))
        let plain = try OneValue("\"RS256\"")
        #expect(plain.equals("RS256") && !plain.equals("rs256") && !plain.equals("RS256\0") && !plain.equals("RS25"))
        let text = plain.text
        let isLiteral = plain.value.equals("RS256", in: text.span)
        #expect(isLiteral)
        let withNUL = try OneValue(#""RS256\u0000""#)
        #expect(!withNUL.equals("RS256") && withNUL.equals("RS256\0"))
        #expect(try OneValue("\"\"").equals("") && !OneValue("\"a\"").equals("") && !OneValue("1").equals("1"))
    }
}
