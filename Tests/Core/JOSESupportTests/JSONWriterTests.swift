import Foundation
import JOSESupport
import TestSupport
import Testing

@Suite("JSON writer: output") struct JSONWriterTests {
    @Test("writes compact JSON with members in the order of the calls")
    func order() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("typ", "JWT")
        writer.member("exp", 1_763_670_000)
        writer.name("aud")
        writer.beginArray()
        writer.string("a")
        writer.string("b")
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        writer.name("o")
        writer.beginObject()
        writer.name("t")
        writer.bool(true)
        writer.name("f")
        writer.bool(false)
        writer.name("n")
        writer.null()
        writer.endObject()
        let x: [UInt8] = [3, 236, 255, 224, 193]
        writer.member("x", base64URL: x.span)
        let raw = Array("[1, 2]".utf8)
        writer.name("raw")
        writer.raw(raw.span)
        writer.member("d", -1)
        writer.endObject()
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text == #"{"typ":"JWT","exp":1763670000,"aud":["a","b",{},[]],"o":{"t":true,"f":false,"n":null},"#
                + #""x":"A-z_4ME","raw":[1, 2],"d":-1}"#)
        #expect(fault(text) == nil)
    }

    @Test("escapes only the characters that must be escaped (RFC 8259, 7)")
    func escapes() {
        #expect(written { $0.string("\"\\\u{8}\t\n\u{C}\r\0\u{1F}") } == #""\"\\\b\t\n\f\r\u0000\u001f""#)
        #expect(written { $0.string("/é😀\u{7F}\u{2028}e\u{301}") } == "\"/é😀\u{7F}\u{2028}e\u{301}\"")
        #expect(written { $0.string("") } == "\"\"")
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a\"b", "c")
        writer.endObject()
        #expect(writer.bytes == Array(#"{"a\"b":"c"}"#.utf8))
    }

    @Test("numbers survive a round trip")
    func numbers() throws {
        for (value, text) in [
            (0, "0"), (1, "1"), (-1, "-1"), (1_763_670_000, "1763670000"), (1.5, "1.5"), (-0.25, "-0.25"),
            (0x1p53, "9007199254740992"), (-0x1p53, "-9007199254740992"),
        ] as [(Double, String)] {
            #expect(written { $0.number(value) } == text)
        }
        for value in [
            0x1p54, 1e19, 1e300, -1e300, .leastNonzeroMagnitude, 0.1, .greatestFiniteMagnitude, .leastNormalMagnitude,
            1e-7,
        ] {
            let text = written { $0.number(value) }
            #expect(try OneValue(text).number == value, "\(text)")
        }
        for value in [Double.nan, .infinity, -.infinity] { #expect(written { $0.number(value) } == "null") }
        for value in [Int64.min, -1, 0, .max] {
            let text = written { $0.integer(value) }
            #expect(try OneValue(text).integer == value)
        }
    }

    @Test("strings survive a round trip, through this parser and Foundation's")
    func roundTrip() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<1_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let top: UInt32 = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &random) ?? 0x80
                let scalar = Unicode.Scalar(UInt32.random(in: 0..<top, using: &random))
                text.unicodeScalars.append(scalar ?? "\u{FFFD}")
            }
            let json = written { $0.string(text) }
            let value = try OneValue(json)
            #expect(value.stringBytes == Array(text.utf8) && value.equals(text))
            let other = try JSONSerialization.jsonObject(with: Data("[\(json)]".utf8)) as? [String]
            #expect(other?.first.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
