internal import JOSEBytes
internal import JOSETokens

/// A tolerant reader of itsme's claims: what is not of its form is not there.
struct ItsmeClaims: Sendable {
    let sources: [Claims]

    /// All spellings that tokens have been seen with.
    static let prefixes = [
        "http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/", "tag:itsmetag:sixdots.be,2016-06:",
        "tag:sixdots.be,2016-06:", "tag:sixdots.be,2017-05:", "tag:sixdots.be,2017-05:2017-05:",
    ]

    func text(_ name: String) -> String? { sources.lazy.compactMap { $0.string(name) }.first }

    func text(_ names: [String]) -> String? { names.lazy.compactMap { text($0) }.first }

    func object(_ name: String) -> Object? {
        for source in sources {
            guard let members = source.value(name)?.object(in: source.payload.span) else { continue }
            return Object(bytes: source.payload, members: members)
        }
        return nil
    }

    func object(_ names: [String]) -> Object? { names.lazy.compactMap { object($0) }.first }

    /// A claim that is an object.
    struct Object: Sendable {
        let bytes: [UInt8]
        let members: [JSONMember]

        private func value(_ name: String) -> JSONValue? { members.first(name.utf8.span, in: bytes.span) }

        func text(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
        func integer(_ name: String) -> Int? { value(name)?.integer(in: bytes.span).flatMap { Int(exactly: $0) } }

        func flag(_ name: String) -> Bool? {
            if let flag = value(name)?.bool() { return flag }
            return switch text(name) {
            case "true", "True": true
            case "false", "False": false
            default: nil
            }
        }

        func level(_ name: String) -> String? {
            text(name).flatMap { ["SOFT_ONLY", "SIM_ONLY", "SIM_AND_SOFT"].contains($0) ? $0 : nil }
        }
    }

    static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 10
            && bytes.indices.allSatisfy { at in
                at == 4 || at == 7 ? bytes[at] == UInt8(ascii: "-") : (0x30...0x39).contains(bytes[at])
            }
    }

    /// Twelve digits, the last two the first ten modulo 97, where 0 is written 97.
    static func isCardNumber(_ text: String) -> Bool {
        guard text.utf8.count == 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else { return false }
        let rest = number / 100 % 97
        return number % 100 == (rest == 0 ? 97 : rest)
    }
}
