import JOSESupport

extension Shapes {
    static var json: [Shape] {
        [
            object("members", 512) { list($0) { "\"m\($0)\":0" } },
            object("members with escaped names", 256) { list($0) { "\"\\u006d\($0)\":0" } },
            object("members with long names", 64) { count in
                list(count) { "\"\(times(64, "n"))\($0)\":0" }
            },
            object("duplicate name at the end", 256, isAccepted: false) {
                list($0) { "\"m\($0)\":0" } + ",\"m10000000\":0"
            },
            object("name of escapes", 512) { "\"\(times($0, "\\u00e9"))\":0" },
            object("names of escapes in small objects", 4) { count in
                "\"a\":[" + list(count) { _ in "{" + list(32) { "\"\\u006d\($0)\":0" } + "}" } + "]"
            },
            object("nested objects", 128) { times($0 - 1, "\"a\":{") + "\"b\":0" + times($0 - 1, "}") },
            object("nested arrays", 256) { "\"a\":" + times($0, "[") + times($0, "]") },
            object("elements", 512) { "\"a\":[" + list($0) { "\($0)" } + "]" },
            object("strings", 512) { "\"a\":[" + list($0) { "\"s\($0)\"" } + "]" },
            object("empty objects", 512) { "\"a\":[" + list($0) { _ in "{}" } + "]" },
            object("words", 512) { "\"a\":[" + list($0) { _ in "null" } + "]" },
            object("white space", 2_048) { times($0, " \n") + "\"a\":0" },
            object("white space around values", 256) { "\"a\":[" + list($0) { _ in "  0\t\r\n" } + "]" },
            object("ASCII in a string", 65_536) { "\"a\":\"" + times($0, "x") + "\"" },
            object("UTF-8 in a string", 1_024) { "\"a\":\"" + times($0, "é€") + "\"" },
            object("short escapes in a string", 1_024) { "\"a\":\"" + times($0, "\\n") + "\"" },
            object("escapes in a string", 512) { "\"a\":\"" + times($0, "\\u00e9") + "\"" },
            object("surrogate pairs in a string", 512) { "\"a\":\"" + times($0, "\\ud83d\\ude00") + "\"" },
            object("digits of a fraction", 1_024) { "\"a\":0." + times($0, "3") },
            object("zeros of a fraction", 1_024) { "\"a\":0." + times($0, "0") + "1" },
            object("digits of an exponent", 1_024) { "\"a\":1e-" + times($0, "9") },
            object("digits of a number out of range", 16_384, isAccepted: false) { "\"a\":1" + times($0, "0") },
            object("unterminated string", 1_024, isAccepted: false) { "\"a\":\"" + times($0, "x\\n") },
            Shape("json.levels beyond the limit", 512, isAccepted: false) { count in
                let text = Array(("{\"a\":" + times(count, "[") + times(count, "]") + "}").utf8)
                return { accepts { _ = try JSONObject(parsing: text.span) } }
            },
            Shape("json.members beyond the limit", 1_024, isAccepted: false) { count in
                let text = Array(("{" + list(count) { "\"m\($0)\":0" } + "}").utf8)
                return { accepts { _ = try JSONObject(parsing: text.span) } }
            },
        ] + reading
    }

    /// The shapes of values that are read after the whole text was scanned.
    private static var reading: [Shape] {
        [
            value("elements", 512, of: { "[" + list($0) { _ in "\"\\u00e9\"" } + "]" }) { value, bytes in
                value.array(in: bytes.span)?.allSatisfy { $0.string(in: bytes.span) != nil } ?? false
            },
            value("members", 256, of: { "{" + list($0) { "\"m\($0)\":0" } + "}" }) { value, bytes in
                value.object(in: bytes.span)?.allSatisfy { !$0.name(in: bytes.span).isEmpty } ?? false
            },
            value("escapes", 512, of: { "\"" + times($0, "\\u00e9") + "\"" }) { value, bytes in
                value.stringBytes(in: bytes.span) != nil
            },
            value("digits", 1_024, of: { "0." + times($0, "3") }) { value, bytes in value.number(in: bytes.span) != nil
            },
        ]
    }

    /// Returns the shape of an object, read without limits, so that the work of the reader is measured.
    private static func object(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ members: @escaping (Int) -> String
    ) -> Shape {
        Shape("json." + name, count, isAccepted: isAccepted) { count in
            let text = Array("{\(members(count))}".utf8)
            let limits = JSONLimits(depth: .max, members: .max)
            return { accepts { _ = try JSONObject(parsing: text.span, limits: limits) } }
        }
    }

    private static func value(
        _ name: String, _ count: Int, of text: @escaping (Int) -> String, _ read: @escaping (JSONValue, [UInt8]) -> Bool
    ) -> Shape {
        Shape("json value." + name, count) { count in
            let bytes = Array("{\"a\":\(text(count))}".utf8)
            let object = try JSONObject(parsing: bytes.span, limits: JSONLimits(depth: .max, members: .max))
            return { object.first("a", in: bytes.span).map { read($0, bytes) } ?? false }
        }
    }
}
