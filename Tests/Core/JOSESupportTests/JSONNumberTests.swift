import JOSESupport
import TestSupport
import Testing

@Suite("JSON numbers") struct JSONNumberTests {
    @Test("accepts the numbers of the JSON grammar, and returns the nearest Double (RFC 8259, 6)")
    func numbers() throws {
        for text in [
            "0", "-0", "1", "-1", "10", "1234567890", "0.5", "-0.5", "0.0", "1.0", "1e3", "1E3", "1e+3", "1e-3",
            "1.5e3",
            "0e0", "0E+00", "-0e-0", "1e00000000000000000000003", "1e308", "1.7976931348623157e308", "-1.797e308",
            "179769313486231570e291", "0.00017976931348623157e312", "1e-308", "5e-324", "1e-400",
            "1e-99999999999999999999",
            "0e400", "0.0e99999999999999999999", "-0e400", "0.000e+999", "9007199254740993", "0.1",
            "123456789.123456789",
            "1763670000", "1763670000.5", "999999999999999", "1000000000000000", "18446744073709551615", "1e19",
            "-1e30", "0." + String(repeating: "0", count: 400) + "1e400", String(repeating: "9", count: 308),
            "1" + String(repeating: "0", count: 308), String(repeating: "1", count: 400) + "e-100",
            "0." + String(repeating: "3", count: 1_000),
        ] {
            let value = try OneValue(text)
            let expected = try #require(Double(text))
            #expect(value.number?.bitPattern == expected.bitPattern, "\(text)")
            #expect(value.number?.isFinite == true)
        }
    }

    @Test(
        "rejects numbers outside the JSON grammar (RFC 8259, 6)",
        arguments: [
            Pair(#"{"a":1}"#, #"{"a":+1}"#, .syntax, at: 5), Pair(#"{"a":-1}"#, #"{"a":-}"#, .syntax, at: 6),
            Pair(#"{"a":-1}"#, #"{"a":--1}"#, .syntax, at: 6), Pair(#"{"a":1}"#, #"{"a":01}"#, .syntax, at: 6),
            Pair(#"{"a":0}"#, #"{"a":00}"#, .syntax, at: 6), Pair(#"{"a":-1}"#, #"{"a":-01}"#, .syntax, at: 7),
            Pair(#"{"a":1.0}"#, #"{"a":1.}"#, .syntax, at: 7), Pair(#"{"a":0.1}"#, #"{"a":.1}"#, .syntax, at: 5),
            Pair(#"{"a":0.1}"#, #"{"a":-.1}"#, .syntax, at: 6), Pair(#"{"a":1.5}"#, #"{"a":1.5.}"#, .syntax, at: 8),
            Pair(#"{"a":1e1}"#, #"{"a":1e}"#, .syntax, at: 7), Pair(#"{"a":1e1}"#, #"{"a":1e+}"#, .syntax, at: 8),
            Pair(#"{"a":1e1}"#, #"{"a":1e-}"#, .syntax, at: 8), Pair(#"{"a":1e1}"#, #"{"a":1.e1}"#, .syntax, at: 7),
            Pair(#"{"a":1e1}"#, #"{"a":1e1.0}"#, .syntax, at: 8), Pair(#"{"a":1e1}"#, #"{"a":1ee1}"#, .syntax, at: 7),
            Pair(#"{"a":16}"#, #"{"a":0x10}"#, .syntax, at: 6), Pair(#"{"a":10}"#, #"{"a":1_0}"#, .syntax, at: 6),
            Pair(#"{"a":10}"#, #"{"a":1,0}"#, .syntax, at: 7), Pair(#"{"a":1}"#, #"{"a":1 0}"#, .syntax, at: 7),
            Pair(#"{"a":1}"#, #"{"a":1a}"#, .syntax, at: 6), Pair(#"{"a":1}"#, #"{"a":- 1}"#, .syntax, at: 6),
            Pair(#"{"a":1}"#, #"{"a":１}"#, .syntax, at: 5), Pair(#"{"a":1}"#, #"{"a":1"#, .syntax, at: 6),
            Pair(#"{"a":1}"#, #"{"a":-"#, .syntax, at: 6), Pair(#"{"a":1.5}"#, #"{"a":1."#, .syntax, at: 7),
            Pair(#"{"a":1e5}"#, #"{"a":1e"#, .syntax, at: 7), Pair(#"{"a":1e-5}"#, #"{"a":1e-"#, .syntax, at: 8),
        ])
    func syntax(pair: Pair) { pair.check() }

    @Test("rejects numbers that are not finite as a Double (T36, T52)")
    func range() {
        // The number in the middle between the greatest Double and the next power of two: there rounding goes up, below it down.
        let below =
            "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963"
            + "3028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027"
            + "0069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497791"
        let middle =
            "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963"
            + "3028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027"
            + "0069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792"
        for (accepted, refused) in [
            ("1e308", "1e309"), ("1e308", "1e400"), ("-1e308", "-1e400"), ("1e-400", "1e99999999999999999999999"),
            ("1.7976931348623157e308", "1.7976931348623159e308"), ("1.797e308", "1.798e308"), ("9e307", "9e308"),
            (String(repeating: "9", count: 308), String(repeating: "9", count: 309)),
            ("1" + String(repeating: "0", count: 308), "1" + String(repeating: "0", count: 309)),
            (String(repeating: "7", count: 300), String(repeating: "7", count: 400)),
            ("-" + String(repeating: "7", count: 300), "-" + String(repeating: "7", count: 400)),
            ("0." + String(repeating: "0", count: 400) + "1e708", "0." + String(repeating: "0", count: 400) + "1e710"),
            ("12345e304", "12345e305"), ("0.012e310", "0.12e310"), (below, middle), (below + ".9", middle + ".0"),
        ] {
            Pair("{\"a\":\(accepted)}", "{\"a\":\(refused)}", .numberOutOfRange, at: 5).check()
        }
    }

    @Test("reads integers in the range of Int64 and rejects others without a trap (X03)")
    func integers() throws {
        for (text, expected) in [
            ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("18446744073709551616", nil), ("10000000000000000000", nil), ("92233720368547758070", nil),
            (String(repeating: "9", count: 308), nil), ("1.0", nil), ("1e3", nil), ("1.5", nil), ("0.0", nil),
        ] as [(String, Int64?)] {
            #expect(try OneValue(text).integer == expected, "\(text)")
        }
    }

    @Test("reads a long number in linear time (T36)")
    func long() throws {
        let digits = String(repeating: "123456789", count: 30_000)
        #expect(fault("{\"a\":\(digits)}") == JSONFault(.numberOutOfRange, at: 5))
        #expect(fault("{\"a\":0.\(digits)}") == nil)
        #expect(fault("{\"a\":1.\(digits)e308}") == nil)
        #expect(fault("{\"a\":1e\(digits)}") == JSONFault(.numberOutOfRange, at: 5))
        #expect(try OneValue("0.\(digits)").number == Double("0.\(digits)"))
    }

    @Test("random finite Doubles are read back exactly")
    func random() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<5_000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            let text = double.description
            #expect(try OneValue(text).number?.bitPattern == double.bitPattern, "\(text)")
            let seconds = Double(Int64.random(in: -(1 << 60)...(1 << 60), using: &random))
            #expect(try OneValue(String(Int64(seconds))).number == seconds)
        }
    }
}
