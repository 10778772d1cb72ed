/// Changes the members of a JSON object, so that most results are still JSON and reach the code that reads the members.
struct JSONMutator {
    let names: [String]

    static let header = JSONMutator(names: [
        "alg", "enc", "kid", "typ", "cty", "crit", "zip", "epk", "apu", "apv", "b64", "jku", "jwk", "x5u", "x5c", "x5t",
        "x5t#S256", "iv", "tag", "p2s", "p2c", "iss", "sub", "aud", "exp", "x", "",
    ])
    static let claims = JSONMutator(names: [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "azp", "acr", "auth_time", "at_hash", "c_hash",
        "email", "x", "",
    ])
    static let key = JSONMutator(names: [
        "kty", "use", "key_ops", "alg", "kid", "crv", "x", "y", "d", "n", "e", "p", "q", "dp", "dq", "qi", "oth", "k",
        "x5c", "x5t",
        "keys", "priv",
    ])

    /// Valid values of claims and header parameters, some of them at their bounds.
    private static let values: [String] = [
        "0", "-0", "1", "-1", "1.5", "1e3", "1E-3", "1e308", "9007199254740992", "9007199254740994",
        "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "1700000000", "1700000000.5", "1699999939", "1699999940",
        "1700000060", "1700000061", "1700000300", "true", "false", "null", "\"\"", "\"a\"", "\"n\"", "\"2\"", "\"JWT\"",
        "\"jwt\"",
        "\"application/jwt\"", "\"https://issuer.test\"", "\"https:\\/\\/issuer.test\"", "\"audience.test\"",
        "[\"audience.test\"]", "[\"x\",\"audience.test\"]", "[\"audience.test\",1]", "\"somebody\"",
        "\"\\u0061\\u0000\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\u{e9}\"", "\"e\u{301}\"", "\"\u{1F600}\"",
        "[]", "{}",
        "[[]]", "[{}]", "[1,2,3]", "[\"x\"]", "[\"exp\"]", "[\"b64\"]", "[\"\"]", "[\"x\",\"x\"]", "[\"alg\"]",
        "[null]", "{\"x\":1}",
        "{\"a\":[{\"b\":[{}]}]}", "\"HS256\"", "\"none\"", "\"RS256\"", "\"dir\"", "\"A128KW\"", "\"A128GCM\"",
        "\"A256CBC-HS512\"", "\"ECDH-ES\"", "\"EdDSA\"", "\"DEF\"", "\"test-signature\"", "\"test-encryption\"",
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"\(zeros)\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(zeros)\",\"y\":\"\(zeros)\"}", "\"EC\"", "\"RSA\"", "\"OKP\"",
        "\"oct\"",
        "\"P-256\"", "\"P-521\"", "\"Ed25519\"", "\"X25519\"", "\"AQAB\"", "\"AA\"", "\"AB\"", "\"sig\"", "\"enc\"",
        "[\"sign\",\"verify\"]", "[\"verify\",\"verify\"]", "[\"decrypt\",\"unwrapKey\",\"other\"]",
    ]
    private static let zeros = String(repeating: "A", count: 43)
    /// Values that are not JSON, or that the parser rejects.
    private static let faults: [String] = [
        "1e400", "-1e400", "01", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "True", "\"\\ud800\"",
        "\"\\udc00\\ud800\"", "\"\\u12\"", "\"\\x\"", "\"\u{0}\"", "\"\t\"", "{\"x\":1,\"x\":2}",
        "{\"x\":1,\"\\u0078\":2}",
        "[1,]", "{\"x\"}", "{,}", "", "\"", "[", "}",
    ]

    /// Makes one to four changes of members, and sometimes changes bytes as well.
    func change(_ text: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var members = Self.split(text)
        for _ in 0...dice.below(4) { changeMembers(&members, &dice) }
        var result = Self.join(members, &dice)
        if dice.once(in: 6) { for _ in 0...dice.below(3) { ByteMutator.change(&result, &dice) } }
        return result
    }

    private func changeMembers(_ members: inout [(name: String, value: String)], _ dice: inout Dice) {
        guard !members.isEmpty else {
            members.append((quoted(dice.pick(names)), value(&dice)))
            return
        }
        let place = dice.below(members.count)
        switch dice.below(12) {
        case 0, 1, 2: members[place].value = value(&dice)
        case 3, 4: members.append((quoted(dice.pick(names)), value(&dice)))
        case 5: if dice.once(in: 4) { members.append(members[place]) }
        case 6: members.remove(at: place)
        case 7: members.swapAt(place, dice.below(members.count))
        case 8: members[place].name = escaped(members[place].name, &dice)
        case 9:
            members[place].value = dice.once(in: 2) ? "[\(members[place].value)]" : "{\"x\":\(members[place].value)}"
        case 10: members[place].name = quoted(dice.pick(names))
        default: members[place].value = members[dice.below(members.count)].value
        }
    }

    private func quoted(_ name: String) -> String { "\"\(name)\"" }

    private func value(_ dice: inout Dice) -> String {
        if dice.once(in: 16) { return dice.pick(Self.faults) }
        guard dice.once(in: 24) else { return dice.pick(Self.values) }
        switch dice.below(4) {
        case 0:
            let depth = dice.pick([29, 30, 31, 32, 33, 64, 1000])
            return String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        case 1:
            let depth = dice.pick([29, 30, 31, 32, 33, 64])
            return String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        case 2: return "\"" + String(repeating: "x", count: dice.pick([255, 4_096, 16_384, 65_536])) + "\""
        default:
            let count = dice.pick([31, 32, 33, 34, 100, 998, 1_000, 1_001])
            return "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        }
    }

    /// Returns the name with one character escaped or changed.
    private func escaped(_ name: String, _ dice: inout Dice) -> String {
        let letters = Array(name.dropFirst().dropLast().unicodeScalars)
        guard !letters.isEmpty else { return "\"\\u0000\"" }
        let place = dice.below(letters.count)
        var result = "\""
        for (index, letter) in letters.enumerated() {
            guard index == place else {
                result.unicodeScalars.append(letter)
                continue
            }
            let hex = String(letter.value, radix: 16, uppercase: dice.once(in: 2))
            switch dice.below(4) {
            case 0: result += "\(letter)".uppercased()
            case 1: result += "\(letter)\\u0000"
            default: result += "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
            }
        }
        return result + "\""
    }

    /// Returns the top-level members of an object as text, and none for any other input.
    static func split(_ text: [UInt8]) -> [(name: String, value: String)] {
        var members: [(name: String, value: String)] = []
        var depth = 0
        var isString = false
        var isEscaped = false
        var start = 1
        var colon: Int?
        func end(_ place: Int) {
            if let colon, colon > start {
                members.append(
                    (
                        String(decoding: text[start..<colon], as: UTF8.self),
                        String(decoding: text[(colon + 1)..<place], as: UTF8.self)
                    ))
            }
            start = place + 1
        }
        for (place, byte) in text.enumerated() {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { end(place) }
            case UInt8(ascii: ":") where depth == 1 && colon ?? 0 < start: colon = place
            case UInt8(ascii: ",") where depth == 1: end(place)
            default: break
            }
        }
        return members
    }

    private static func join(_ members: [(name: String, value: String)], _ dice: inout Dice) -> [UInt8] {
        let isOdd = dice.once(in: 64)
        let space =
            isOdd ? dice.pick(["\u{B}", "\0", "/**/"]) : dice.once(in: 8) ? dice.pick([" ", "\n", "\t\r"]) : ""
        let comma = dice.once(in: 64) ? dice.pick([",,", ";", ""]) : ","
        let texts = members.map { $0.name + space + ":" + $0.value }
        let tail = dice.once(in: 64) ? dice.pick([",}", "}}", "", "}{", "} x", "}\0"]) : "}"
        return Array((space + "{" + texts.joined(separator: comma + space) + tail).utf8)
    }
}
