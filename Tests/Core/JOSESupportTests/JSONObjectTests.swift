import Foundation
import JOSESupport
import TestSupport
import Testing

@Suite("JSON objects") struct JSONObjectTests {
    @Test("members are read in order with their values, and found by name")
    func members() throws {
        let text = Array(#" { "s" : "a\nb" , "n":-12,"l":[1,"x",{"y":[]}],"t":true,"":{"p":{"q":1},"r":null} } "#.utf8)
        let object = try JSONObject(parsing: text.span)
        #expect(object.members.count == 5)
        #expect(names(object.members, text) == ["s", "n", "l", "t", ""])
        #expect(
            object.members.map { slice($0.value, text) } == [
                #""a\nb""#, "-12", #"[1,"x",{"y":[]}]"#, "true", #"{"p":{"q":1},"r":null}"#,
            ])
        #expect(object.members.map(\.value.kind) == [.string, .number, .array, .true, .object])
        #expect(object.first("s", in: text.span)?.string(in: text.span) == "a\nb")
        #expect(object.first("t", in: text.span)?.bool() == true)
        let hasOther = object.first("S", in: text.span) != nil || object.first("p", in: text.span) != nil
        #expect(!hasOther)

        let innerMembers = object.first("", in: text.span)?.object(in: text.span)
        let inner = try #require(innerMembers)
        #expect(names(inner, text) == ["p", "r"])
        #expect(inner.first("r", in: text.span)?.kind == .null)
        let innermost = inner.first("p", in: text.span)?.object(in: text.span)
        #expect(innermost?.first("q", in: text.span)?.integer(in: text.span) == 1)

        let values = object.first("l", in: text.span)?.array(in: text.span)
        let list = try #require(values)
        #expect(list.map { slice($0, text) } == ["1", #""x""#, #"{"y":[]}"#])
        let listed = list[2].object(in: text.span)?.first("y", in: text.span)?.array(in: text.span)
        #expect(listed?.isEmpty == true)
    }

    @Test("returns nil for a value of another JSON type")
    func kinds() throws {
        for (text, kind) in [
            ("\"1\"", JSONKind.string), ("1", .number), ("{}", .object), ("[]", .array), ("true", .true),
            ("false", .false), ("null", .null),
        ] {
            let value = try OneValue(text)
            #expect(value.value.kind == kind)
            #expect((value.string != nil) == (kind == .string))
            #expect((value.stringBytes != nil) == (kind == .string))
            #expect((value.number != nil) == (kind == .number))
            #expect((value.integer != nil) == (kind == .number))
            #expect(value.value.bool() == (kind == .true ? true : kind == .false ? false : nil))
            #expect((value.array != nil) == (kind == .array))
            #expect((value.object != nil) == (kind == .object))
        }
    }

    @Test(
        "rejects a duplicate member name, at any depth and in any escaping (RFC 7515, 4; T47)",
        arguments: [
            Pair(#"{"a":1,"b":1}"#, #"{"a":1,"a":1}"#, .duplicateName, at: 8),
            Pair(#"{"a":1,"A":1}"#, #"{"a":1,"b":2,"a":3}"#, .duplicateName, at: 14),
            Pair(#"{"":1,"a":1}"#, #"{"":1,"":1}"#, .duplicateName, at: 7),
            Pair(#"{"a":1,"\u0062":1}"#, #"{"a":1,"\u0061":1}"#, .duplicateName, at: 8),
            Pair(#"{"\u0062":1,"a":1}"#, #"{"\u0061":1,"a":1}"#, .duplicateName, at: 13),
            Pair(#"{"\u0061":1,"\u0062":1}"#, #"{"\u0061":1,"\u0061":1}"#, .duplicateName, at: 13),
            Pair(#"{"/":1,"\\":1}"#, #"{"/":1,"\/":1}"#, .duplicateName, at: 8),
            Pair(#"{"\u00e9":1,"e":1}"#, #"{"\u00e9":1,"é":1}"#, .duplicateName, at: 13),
            Pair(#"{"\ud83d\ude00":1,"😁":1}"#, #"{"\ud83d\ude00":1,"😀":1}"#, .duplicateName, at: 19),
            Pair(#"{"\u0000":1,"":1}"#, #"{"\u0000":1,"\u0000":1}"#, .duplicateName, at: 13),
            Pair(#"{"alg":1,"al":1,"algs":1}"#, #"{"alg":1,"al\u0067":1}"#, .duplicateName, at: 10),
            Pair(#"{"x":{"a":1},"a":1}"#, #"{"x":{"a":1,"a":1}}"#, .duplicateName, at: 13),
            Pair(#"{"x":[{"a":1},{"a":1}]}"#, #"{"x":[{"a":1},{"a":1,"a":1}]}"#, .duplicateName, at: 22),
            Pair(#"{"x":{"x":{"x":1}}}"#, #"{"x":{"x":{"x":1},"x":1}}"#, .duplicateName, at: 19),
            Pair(#"{"x":{"y":1},"y":1}"#, #"{"x":{"y":1},"x":1}"#, .duplicateName, at: 14),
            Pair(#"{"x":[[{}]],"y":1}"#, #"{"x":[[{}]],"x":1}"#, .duplicateName, at: 13),
            Pair(#"{"x":{},"y":{},"z":1}"#, #"{"x":{},"y":{},"x":1}"#, .duplicateName, at: 16),
        ])
    func duplicates(pair: Pair) { pair.check() }

    @Test("accepts names that are canonically equal and differ in bytes (RFC 8259, 8.3; X01)")
    func canonical() throws {
        for text in ["{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{212A}\":1,\"K\":2}", #"{"\u00e9":1,"e\u0301":2}"#] {
            #expect(fault(text) == nil)
        }
        let text = Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)
        let object = try JSONObject(parsing: text.span)
        #expect(object.first("\u{E9}", in: text.span)?.integer(in: text.span) == 1)
        #expect(object.first("e\u{301}", in: text.span)?.integer(in: text.span) == 2)
    }

    @Test("finds every duplicate name in objects of up to 80 members (T47)")
    func everyPair() {
        let escaped = { (name: String) in "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst() }
        for count in 2...80 {
            let names = (0..<count).map { "n\($0)" }
            #expect(fault(object(names)) == nil)
            for (one, other) in [
                (0, count - 1), (count / 2, count - 1), (count - 2, count - 1), (0, 1), (0, count / 2),
            ]
            where one != other {
                for change in [{ $0 }, escaped] {
                    var twice = names
                    twice[other] = change(names[one])
                    let text = object(twice)
                    // The fault is at the second of the two, wherever that is.
                    let place = text.utf8.count - object(Array(twice[other...])).utf8.count + 2
                    #expect(fault(text) == JSONFault(.duplicateName, at: place), "\(count), \(one), \(other)")
                    #expect(fault("{\"x\":[\(text)]}") == JSONFault(.duplicateName, at: place + 6))
                }
            }
        }
    }

    @Test("rejects an object with more members than the limit, at any depth (T36)")
    func memberLimit() {
        let limits = JSONLimits(members: 40)
        let full = object((0..<40).map { "n\($0)" })
        let over = object((0..<41).map { "n\($0)" })
        let place = over.utf8.count - 7
        #expect(fault(full, limits) == nil)
        #expect(fault(over, limits) == JSONFault(.tooManyMembers, at: place))
        #expect(fault("{\"x\":[\(full),\(full)],\"y\":\(full)}", limits) == nil)
        #expect(fault("{\"x\":[\(over)]}", limits) == JSONFault(.tooManyMembers, at: place + 6))
        #expect(fault(object((0..<1_000).map { "n\($0)" })) == nil)
        #expect(fault(object((0..<1_001).map { "n\($0)" }))?.reason == .tooManyMembers)
        #expect(fault("{}", JSONLimits(members: 0)) == nil)
        #expect(fault("{\"a\":1}", JSONLimits(members: 0)) == JSONFault(.tooManyMembers, at: 2))
        // Elements are not members.
        let elements = Array(repeating: "1", count: 5_000).joined(separator: ",")
        #expect(fault("{\"x\":[\(elements)]}", limits) == nil)
    }

    @Test("accepts 200 000 members in linear time (T36)")
    func manyMembers() {
        let limits = JSONLimits(members: .max)
        // The names begin alike, which is the worst case for comparing them, and would have equal hashes, were they hashed.
        let names = (0..<200_000).map { "name-that-is-like-the-others-\(($0 &* 7_919) % 200_000)" }
        let all = object(names)
        let tenth = object(Array(names[..<20_000]))
        let tenthTime = cpuSeconds { #expect(fault(tenth, limits) == nil) }
        let time = cpuSeconds { #expect(fault(all, limits) == nil) }
        #expect(time < tenthTime * 30 + 0.2)
        let twice = object(names[..<20_000] + [names[0]])
        #expect(fault(twice, limits) == JSONFault(.duplicateName, at: twice.utf8.count - names[0].utf8.count - 4))
        #expect(fault(all)?.reason == .tooManyMembers)
    }

    @Test("rejects JSON nested deeper than the limit, counted from the outermost object (T35)")
    func depthLimit() {
        let nested = { (depth: Int) in
            "{\"a\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(fault(nested(32)) == nil)
        #expect(fault(nested(33)) == JSONFault(.tooDeep, at: 36))
        let objects = { (depth: Int) in
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        }
        #expect(fault(objects(32)) == nil)
        #expect(fault(objects(33)) == JSONFault(.tooDeep, at: 32 * 5))
        #expect(fault("{\"a\":1}", JSONLimits(depth: 1)) == nil)
        #expect(fault("{\"a\":[]}", JSONLimits(depth: 1)) == JSONFault(.tooDeep, at: 5))
        #expect(fault("{}", JSONLimits(depth: 0)) == JSONFault(.tooDeep, at: 0))
        // The depth is the number of open containers.
        #expect(fault("{\"a\":[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]}") == nil)
    }

    @Test("parses 100 000 levels on a stack of 512 kB (T35, X04)")
    func deep() {
        let depth = 100_000
        let arrays =
            Array("{\"a\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: depth)
            + [UInt8](repeating: UInt8(ascii: "]"), count: depth) + Array("}".utf8)
        let objects = Array(
            (String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)).utf8)
        let unclosed = Array("{\"a\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: depth)
        onSmallStack {
            let limits = JSONLimits(depth: .max)
            for text in [arrays, objects] {
                #expect(fault(text)?.reason == .tooDeep)
                #expect(fault(text, limits) == nil)
                let members = try? JSONObject(parsing: text.span, limits: limits).members
                let value = members?.first?.value
                let inner = value.map { $0.array(in: text.span)?.count ?? $0.object(in: text.span)?.count } ?? nil
                #expect(inner == 1)
            }
            #expect(fault(unclosed)?.reason == .tooDeep)
            #expect(fault(unclosed, limits) == JSONFault(.syntax, at: unclosed.count))
        }
    }

    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }

    private func names(_ members: [JSONMember], _ text: [UInt8]) -> [String] { members.map { $0.name(in: text.span) } }

    private func slice(_ value: JSONValue, _ text: [UInt8]) -> String {
        String(decoding: value.slice(in: text.span), as: UTF8.self)
    }
}

private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
}
