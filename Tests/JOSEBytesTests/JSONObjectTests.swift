import JOSEBytes
import Testing

func fault(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONFault? {
    fault(Array(text.utf8), limits)
}

func fault(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONFault? {
    do throws(JSONFault) {
        _ = try JSONObject(parsing: bytes.span, limits: limits)
        return nil
    } catch {
        return error
    }
}

@Suite("JSON objects") struct JSONObjectTests {
    @Test(
        "takes the objects of RFC 8259",
        arguments: [
            "{}", " \t\r\n{ } \n", #"{"a":1}"#, #"{"a":{"b":[]},"c":[{},[{"d":null}],true,false]}"#,
            #"{"a":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀"}"#, #"{"":-0.5e+10}"#,
        ])
    func takes(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "refuses what is none",
        arguments: [
            ("", JSONFault(.syntax, at: 0)), ("[]", JSONFault(.notAnObject, at: 0)),
            ("{} {", JSONFault(.trailingText, at: 3)),
            (#"{"a":1,}"#, JSONFault(.syntax, at: 7)), (#"{"a":1,"\u0061":2}"#, JSONFault(.duplicateName, at: 8)),
            (#"{"x":{"a":1,"a":2}}"#, JSONFault(.duplicateName, at: 13)),
            (#"{"x":1e400}"#, JSONFault(.numberOutOfRange, at: 5)),
            (#"{"x":01}"#, JSONFault(.syntax, at: 6)), (#"{"x":"\ud800"}"#, JSONFault(.loneSurrogate, at: 6)),
        ])
    func refuses(text: String, expected: JSONFault) {
        #expect(fault(text) == expected)
    }

    @Test("reads values at their places") func reads() throws {
        let text = Array(#"{"s":"a\nb","n":-12,"d":1.5,"l":[1,"x",{"y":[]}],"t":true,"o":{"p":{"q":1},"r":"z"}}"#.utf8)
        let object = try JSONObject(parsing: text.span)
        #expect(object.first("s", in: text.span)?.string(in: text.span) == "a\nb")
        #expect(object.first("n", in: text.span)?.integer(in: text.span) == -12)
        #expect(object.first("d", in: text.span)?.number(in: text.span) == 1.5)
        #expect(object.first("t", in: text.span)?.bool() == true)
        let list = object.first("l", in: text.span)?.array(in: text.span)
        #expect(list?.map { String(decoding: $0.slice(in: text.span), as: UTF8.self) } == ["1", #""x""#, #"{"y":[]}"#])
        let inner = object.first("o", in: text.span)?.object(in: text.span)
        #expect(inner?.map { $0.name(in: text.span) } == ["p", "r"])
        #expect(inner?.first("p", in: text.span)?.slice(in: text.span) == Array(#"{"q":1}"#.utf8))
    }
}
