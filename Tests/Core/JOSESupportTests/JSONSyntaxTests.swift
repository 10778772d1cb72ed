import JOSESupport
import Testing

/// A text that is accepted, and one that is rejected, with the reason and the position.
struct Pair: Sendable, CustomTestStringConvertible {
    let accepted: String
    let refused: [UInt8]
    let fault: JSONFault

    init(_ accepted: String, _ refused: String, _ reason: JSONFault.Reason, at offset: Int) {
        self.init(accepted, Array(refused.utf8), reason, at: offset)
    }

    init(_ accepted: String, _ refused: [UInt8], _ reason: JSONFault.Reason, at offset: Int) {
        self.accepted = accepted
        self.refused = refused
        fault = JSONFault(reason, at: offset)
    }

    var testDescription: String { String(decoding: refused, as: UTF8.self).debugDescription }

    func check() {
        #expect(JOSESupportTests.fault(accepted) == nil, "\(accepted.debugDescription)")
        #expect(JOSESupportTests.fault(refused) == fault, "\(testDescription)")
    }
}

@Suite("JSON syntax") struct JSONSyntaxTests {
    @Test("accepts the published examples (RFC 8259, 13)")
    func examples() throws {
        let image = """
            {
              "Image": {
                  "Width":  800,
                  "Height": 600,
                  "Title":  "View from 15th Floor",
                  "Thumbnail": {
                      "Url":    "http://www.example.com/image/481989943",
                      "Height": 125,
                      "Width":  100
                  },
                  "Animated" : false,
                  "IDs": [116, 943, 234, 38793]
                }
            }
            """
        #expect(fault(image) == nil)
        let places = Array(
            #"[{"precision":"zip","Latitude":37.7668,"Longitude":-122.3959},{"Latitude":37.371991,"Address":""}]"#.utf8)
        #expect(try JSONArray(parsing: places.span).values.count == 2)
    }

    @Test("accepts the four white space characters of JSON and no others (RFC 8259, 2)")
    func whiteSpace() {
        let spaced = " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n} \t\r\n"
        #expect(fault(spaced) == nil)
        for other in ["\u{0B}", "\u{0C}", "\u{A0}", "\u{2028}", "\u{3000}", "\u{85}", "\0", "\u{FEFF}"] {
            Pair(" {}", other + "{}", .syntax, at: 0).check()
            Pair("{ }", "{" + other + "}", .syntax, at: 1).check()
            Pair("{} ", "{}" + other, .trailingText, at: 2).check()
            Pair(#"{"a":1 }"#, #"{"a":1"# + other + "}", .syntax, at: 6).check()
        }
    }

    @Test(
        "rejects text that is not exactly one object",
        arguments: [
            Pair("{}", "", .syntax, at: 0), Pair("{}", "   ", .syntax, at: 3), Pair("{}", "[]", .notAnObject, at: 0),
            Pair("{}", " \"{}\"", .notAnObject, at: 1), Pair("{}", "1", .notAnObject, at: 0),
            Pair("{}", "-1", .notAnObject, at: 0), Pair("{}", "true", .notAnObject, at: 0),
            Pair("{}", "null", .notAnObject, at: 0), Pair("{}", "}", .syntax, at: 0), Pair("{}", "NaN", .syntax, at: 0),
            Pair("{}", "{}{}", .trailingText, at: 2), Pair("{}", "{} x", .trailingText, at: 3),
            Pair("{}", "{},", .trailingText, at: 2), Pair("{}", "{}}", .trailingText, at: 2),
            Pair("{}", "{}\0", .trailingText, at: 2),
        ])
    func oneObject(pair: Pair) { pair.check() }

    @Test(
        "rejects objects and arrays with malformed structure (RFC 8259, 4 and 5)",
        arguments: [
            Pair("{}", "{", .syntax, at: 1), Pair(#"{"a":1}"#, #"{"a":1"#, .syntax, at: 6),
            Pair(#"{"a":1}"#, #"{"a":1]"#, .syntax, at: 6), Pair(#"{"a":1}"#, #"{"a"}"#, .syntax, at: 4),
            Pair(#"{"a":1}"#, #"{"a":}"#, .syntax, at: 5), Pair(#"{"a":1}"#, #"{"a" 1}"#, .syntax, at: 5),
            Pair(#"{"a":1}"#, #"{"a"::1}"#, .syntax, at: 5), Pair(#"{"a":1}"#, #"{a:1}"#, .syntax, at: 1),
            Pair(#"{"a":1}"#, #"{'a':1}"#, .syntax, at: 1), Pair(#"{"1":1}"#, #"{1:1}"#, .syntax, at: 1),
            Pair(#"{"a":1}"#, #"{:1}"#, .syntax, at: 1), Pair(#"{"a":1}"#, #"{"a":1,}"#, .syntax, at: 7),
            Pair(#"{"a":1}"#, #"{,"a":1}"#, .syntax, at: 1), Pair(#"{"a":1}"#, #"{,}"#, .syntax, at: 1),
            Pair(#"{"a":1,"b":2}"#, #"{"a":1,,"b":2}"#, .syntax, at: 7),
            Pair(#"{"a":1,"b":2}"#, #"{"a":1 "b":2}"#, .syntax, at: 7),
            Pair(#"{"a":1,"b":2}"#, #"{"a":1;"b":2}"#, .syntax, at: 6),
            Pair(#"{"a":[1]}"#, #"{"a":[1,]}"#, .syntax, at: 8), Pair(#"{"a":[1]}"#, #"{"a":[,1]}"#, .syntax, at: 6),
            Pair(#"{"a":[1,2]}"#, #"{"a":[1 2]}"#, .syntax, at: 8), Pair(#"{"a":[]}"#, #"{"a":[,]}"#, .syntax, at: 6),
            Pair(#"{"a":[]}"#, #"{"a":[}"#, .syntax, at: 6), Pair(#"{"a":[]}"#, #"{"a":[}]"#, .syntax, at: 6),
            Pair(#"{"a":[{}]}"#, #"{"a":[{]}}"#, .syntax, at: 7),
            Pair(#"{"a":[1]}"#, #"{"a":["b":1]}"#, .syntax, at: 9),
            Pair(#"{"a":{}}"#, #"{"a":{"b"}}"#, .syntax, at: 9), Pair(#"{"a":[]}"#, #"{"a":]}"#, .syntax, at: 5),
            Pair(#"{"a":[[]]}"#, #"{"a":[[]}"#, .syntax, at: 8), Pair(#"{"a":{}}"#, #"{"a":{}"#, .syntax, at: 7),
            Pair(#"{"a":[]}"#, #"{"a":["#, .syntax, at: 6), Pair(#"{"a":[1]}"#, #"{"a":[1,"#, .syntax, at: 8),
            Pair(#"{"a":1}"#, #"{"a":1,"#, .syntax, at: 7), Pair(#"{"a":1}"#, #"{"a":"#, .syntax, at: 5),
            Pair(#"{"a":1}"#, #"{"a""#, .syntax, at: 4), Pair(#"{"a":1}"#, #"{"a"#, .syntax, at: 3),
        ])
    func structure(pair: Pair) { pair.check() }

    @Test(
        "rejects comments, NaN, single quotes and UTF-16, which lenient parsers accept (T48)",
        arguments: [
            Pair("{}", "{}//", .trailingText, at: 2), Pair("{}", "{/**/}", .syntax, at: 1),
            Pair(#"{"a":1}"#, "{\"a\":1 #\n}", .syntax, at: 7), Pair(#"{"a":1}"#, #"{"a":NaN}"#, .syntax, at: 5),
            Pair(#"{"a":1}"#, #"{"a":Infinity}"#, .syntax, at: 5),
            Pair(#"{"a":1}"#, #"{"a":-Infinity}"#, .syntax, at: 6),
            Pair(#"{"a":null}"#, #"{"a":undefined}"#, .syntax, at: 5),
            Pair(#"{"a":null}"#, #"{"a":None}"#, .syntax, at: 5),
            Pair(#"{"a":true}"#, #"{"a":True}"#, .syntax, at: 5), Pair(#"{"a":true}"#, #"{"a":TRUE}"#, .syntax, at: 5),
            Pair(#"{"a":"b"}"#, #"{"a":'b'}"#, .syntax, at: 5), Pair(#"{"a":"b"}"#, #"{"a":`b`}"#, .syntax, at: 5),
            Pair("{}", [0xEF, 0xBB, 0xBF] + Array("{}".utf8), .syntax, at: 0),
            Pair("{}", [0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D], .syntax, at: 0),
            Pair("{}", [0x7B, 0x00, 0x7D, 0x00], .syntax, at: 1), Pair("{}", [0x00, 0x7B, 0x00, 0x7D], .syntax, at: 0),
            Pair("{}", [0x7B, 0, 0, 0, 0x7D, 0, 0, 0], .syntax, at: 1),
        ])
    func lenience(pair: Pair) { pair.check() }

    @Test(
        "rejects literals other than true, false and null (RFC 8259, 3)",
        arguments: [
            Pair(#"{"a":true}"#, #"{"a":tru}"#, .syntax, at: 5), Pair(#"{"a":true}"#, #"{"a":truE}"#, .syntax, at: 5),
            Pair(#"{"a":true}"#, #"{"a":truee}"#, .syntax, at: 9),
            Pair(#"{"a":true}"#, #"{"a":true1}"#, .syntax, at: 9),
            Pair(#"{"a":false}"#, #"{"a":fals}"#, .syntax, at: 5),
            Pair(#"{"a":false}"#, #"{"a":falsee}"#, .syntax, at: 10),
            Pair(#"{"a":null}"#, #"{"a":nul}"#, .syntax, at: 5), Pair(#"{"a":null}"#, #"{"a":nulll}"#, .syntax, at: 9),
            Pair(#"{"a":null}"#, #"{"a":n"#, .syntax, at: 5), Pair(#"{"a":true}"#, #"{"a":t"#, .syntax, at: 5),
        ])
    func words(pair: Pair) { pair.check() }

    @Test("rejects every truncated prefix of a text, and accepts the whole")
    func everyPrefix() {
        let whole = Array(
            #" {"a":[1,-2.5e+3,{"b":"\u00e9\ud83d\ude00\n","é":"😀"},[],{}],"c":true,"d":false,"e":null} "#.utf8)
        #expect(fault(whole) == nil)
        #expect(fault(Array(whole.dropLast())) == nil)
        for count in 0..<(whole.count - 1) {
            #expect(fault(Array(whole.prefix(count))) != nil, "\(count)")
        }
    }

    @Test("reads every element where there are more than the length of the text suggests (RFC 8259, 5)")
    func denseArrays() throws {
        // Sixteen bytes for each element are expected, and each element here has two or three.
        for count in [1, 3, 4, 5, 31, 32, 33, 34, 300, 2_100, 20_000] {
            let text = Array(("[" + Array(repeating: "7", count: count).joined(separator: ",") + "]").utf8)
            let values = try JSONArray(parsing: text.span).values
            #expect(values.count == count)
            #expect(values.map { Int($0.start) } == (0..<count).map { 1 + 2 * $0 }, "\(count)")
            let empty = Array(("[" + Array(repeating: "{}", count: count).joined(separator: ",") + "]").utf8)
            let ends = try JSONArray(parsing: empty.span).values.map { Int($0.end) }
            #expect(ends == (0..<count).map { 3 + 3 * $0 }, "\(count)")
            let unclosed = Array(text.dropLast()) + [0x7D]
            #expect(throws: JSONFault(.syntax, at: text.count - 1)) { try JSONArray(parsing: unclosed.span) }
        }
        let deep = Array((String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)).utf8)
        let outermost = try JSONArray(parsing: deep.span, limits: JSONLimits(depth: 1_000)).values
        #expect(outermost.count == 1)
    }

    @Test("the array parser accepts an array, and rejects an object")
    func arrays() throws {
        for text in ["[]", " [ ] ", "[1,\"a\",[],{},true,null]"] {
            let text = Array(text.utf8)
            _ = try JSONArray(parsing: text.span)
        }
        for (text, expected) in [
            ("{}", JSONFault(.notAnArray, at: 0)), ("[1,]", JSONFault(.syntax, at: 3)),
            ("[", JSONFault(.syntax, at: 1)),
            ("[]]", JSONFault(.trailingText, at: 2)), ("[1 2]", JSONFault(.syntax, at: 3)),
            (#"[{"a":1,"a":2}]"#, JSONFault(.duplicateName, at: 9)),
        ] {
            let text = Array(text.utf8)
            #expect(throws: expected) { try JSONArray(parsing: text.span) }
        }
    }
}
