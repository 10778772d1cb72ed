import Foundation
import TestSupport

/// A file of Wycheproof's `testvectors_v1`: groups with common keys or parameters, and cases with a result each.
struct WycheproofFile: Sendable {
    struct Case: Sendable {
        enum Result: String { case valid, invalid, acceptable }

        let id: Int
        let comment: String
        let result: Result
        let flags: Set<String>
        /// The members of the case.
        let fields: JSON
        let group: JSON

        /// Returns a value in hexadecimal, in which the files have all binary values except tokens.
        func bytes(_ name: String) -> [UInt8]? { fields[name]?.string.flatMap(octets(hex:)) }
    }

    let cases: [Case]
    /// The number of cases that the file announces.
    let announced: Int

    init(_ text: some Sequence<UInt8>) throws {
        let json = try JSON(text)
        guard case .array(let groups)? = json["testGroups"], case .number(let announced)? = json["numberOfTests"] else {
            throw Fault.form
        }
        self.announced = Int(announced)
        cases = try groups.flatMap { group -> [Case] in
            guard case .array(let tests)? = group["tests"] else { throw Fault.form }
            let shared = group.without("tests")
            return try tests.map { try Case($0, in: shared) }
        }
    }

    enum Fault: Error { case form }
}

extension WycheproofFile.Case {
    init(_ json: JSON, in group: JSON) throws {
        guard case .number(let id)? = json["tcId"], let result = json["result"]?.string.flatMap(Result.init),
            case .array(let flags)? = json["flags"]
        else { throw WycheproofFile.Fault.form }
        self.id = Int(id)
        comment = json["comment"]?.string ?? ""
        self.result = result
        self.flags = Set(flags.compactMap(\.string))
        fields = json
        self.group = group
    }
}

extension JSON {
    fileprivate func without(_ name: String) -> JSON {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}

/// Decodes hexadecimal digits without white space. It is faster than `bytes(hex:)`, which accepts the format of RFCs.
func octets(hex text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}
