import Foundation
import JOSESupport
import TestSupport
import Testing

@Suite("JSON compared with Foundation") struct JSONPropertyTests {
    @Test("reads random texts as Foundation does, member by member")
    func agreement() throws {
        var maker = JSONMaker(seed: 4)
        for round in 0..<1_500 {
            let text = Array(maker.object(depth: 0).utf8)
            let object = try JSONObject(parsing: text.span)
            let other = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
            let dictionary = try #require(other)
            let isAgreed = agrees(object.members, with: dictionary, in: text)
            #expect(isAgreed, "round \(round): \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("accepts nothing that Foundation rejects, and never crashes, after random changes of a text")
    func mutation() throws {
        var maker = JSONMaker(seed: 5)
        var taken = 0
        let rounds = 20_000
        var seeds = (0..<40).map { _ in Array(maker.object(depth: 0).utf8) }
        seeds.append(
            Array(#"{"iss":"https://op.example.com","aud":["a","b"],"exp":1763670000,"o":{"é":"\ud83d\ude00"}}"#.utf8))
        for _ in 0..<rounds {
            var text = seeds[Int.random(in: 0..<seeds.count, using: &maker.random)]
            for _ in 0..<Int.random(in: 1...3, using: &maker.random) { change(&text, &maker.random) }
            // Every reader of every value runs, whatever text was accepted.
            guard let object = try? JSONObject(parsing: text.span) else { continue }
            taken += 1
            _ = object.members.map { describe($0.value, text) }
            if (try? JSONSerialization.jsonObject(with: Data(text))) == nil {
                Issue.record("taken: \(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(taken > rounds / 50 && taken < rounds)
    }

    private func change(_ text: inout [UInt8], _ random: inout SeededRandom) {
        let signs = Array("{}[]\",:\\/ue0-+.E19 \n\u{7F}".utf8) + [0, 0x1F, 0x80, 0xC3, 0xED, 0xFF]
        guard let place = text.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: text[place] = signs.randomElement(using: &random) ?? 0
        case 1: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: text.remove(at: place)
        case 3: text.insert(signs.randomElement(using: &random) ?? 0, at: place)
        case 4: text.removeSubrange(place..<min(place + 5, text.count))
        default:
            let end = min(place + Int.random(in: 1...12, using: &random), text.count)
            text.insert(contentsOf: text[place..<end], at: text.indices.randomElement(using: &random) ?? 0)
        }
    }

    private func describe(_ value: JSONValue, _ text: [UInt8]) -> Int {
        let inner =
            (value.array(in: text.span) ?? []).map { describe($0, text) }
            + (value.object(in: text.span) ?? []).map { $0.name(in: text.span).count + describe($0.value, text) }
        return inner.reduce(value.slice(in: text.span).count, +) + (value.string(in: text.span)?.count ?? 0)
            + (value.number(in: text.span) == nil ? 0 : 1) + (value.integer(in: text.span) == nil ? 0 : 1)
    }

    private func agrees(_ members: [JSONMember], with other: [String: Any], in text: [UInt8]) -> Bool {
        members.count == other.count
            && members.allSatisfy { member in
                other[member.name(in: text.span)].map { agrees(member.value, with: $0, in: text) } ?? false
            }
    }

    private func agrees(_ value: JSONValue, with other: Any, in text: [UInt8]) -> Bool {
        switch value.kind {
        case .string:
            let string = value.string(in: text.span)
            return string.map { Array($0.utf8) } == (other as? String).map { Array($0.utf8) }
                && value.stringBytes(in: text.span) == string.map { Array($0.utf8) }
        case .number:
            // Foundation converts through Decimal and misses the last bits; another test covers the nearest Double.
            guard let number = value.number(in: text.span), let other = other as? NSNumber else { return false }
            return abs(number - other.doubleValue) <= abs(number) * 0x1p-50
        case .true, .false: return value.bool() == (other as? NSNumber)?.boolValue
        case .null: return other is NSNull
        case .object:
            guard let members = value.object(in: text.span), let other = other as? [String: Any] else { return false }
            return agrees(members, with: other, in: text)
        case .array:
            guard let values = value.array(in: text.span), let other = other as? [Any] else { return false }
            return values.count == other.count && zip(values, other).allSatisfy { agrees($0, with: $1, in: text) }
        }
    }
}

/// Random JSON text of every kind and spelling.
struct JSONMaker {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func object(depth: Int) -> String {
        let count = pick([0, 1, 2, 3, 5, 40][..<(depth == 0 ? 6 : 4)])
        let members = (0..<count).map { index in
            // The number makes the name unique, also for Foundation.
            let name = string(ending: "-\(index)")
            return space() + name + space() + ":" + space() + value(depth: depth) + space()
        }
        return space() + "{" + space() + members.joined(separator: ",") + "}" + space()
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 5 ? 10 : 8), using: &random) {
        case 0: return "true"
        case 1: return "false"
        case 2: return "null"
        case 3...4: return number()
        case 5...7: return string(ending: "")
        case 8: return object(depth: depth + 1)
        default:
            let count = Int.random(in: 0...4, using: &random)
            return "[" + (0..<count).map { _ in space() + value(depth: depth + 1) }.joined(separator: ",") + "]"
        }
    }

    private mutating func number() -> String {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return String(Int32.random(in: .min...(.max), using: &random))
        case 1: return String(UInt8.random(in: 0...9, using: &random))
        case 2: return String(Double.random(in: -1e6...1e6, using: &random))
        case 3: return "\(Int.random(in: -99...99, using: &random))\(pick(["e", "E"]))\(pick(["", "+", "-"]))2"
        default: return "-0.\(Int.random(in: 0...999_999, using: &random))"
        }
    }

    private mutating func string(ending: String) -> String {
        var text = "\""
        for _ in 0..<pick([0, 1, 3, 8, 20, 40]) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: text += pick([#"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#])
            case 1: text += pick([#"\u00e9"#, #"\u20AC"#, #"\ud83d\uDE00"#, #"\u0041"#, #"\u0001"#])
            case 2: text += pick(["é", "€", "😀", "ж", "e\u{301}", "\u{7F}", "/"])
            default:
                text.unicodeScalars.append(pick(Array("abcdefghijklmnopqrstuvwxyz0123456789 :,{}[]".unicodeScalars)))
            }
        }
        return text + ending + "\""
    }

    private mutating func space() -> String { pick(["", "", "", " ", "\n", "\t", "\r\n "]) }

    private mutating func pick<C: Collection>(_ choices: C) -> C.Element {
        choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &random))]
    }
}
