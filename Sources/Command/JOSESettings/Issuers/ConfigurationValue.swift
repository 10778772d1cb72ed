import JOSE
import JOSESupport

/// A value of a configuration file, with its path in the file for error messages.
package struct ConfigurationValue {
    /// The path, such as `policies[0].path`; empty for the outermost object.
    package let path: String
    private let text: [UInt8]
    private let value: JSONValue

    /// Parses a file, which must be one JSON object, and returns its members.
    package static func members(
        ofFile text: [UInt8], allowing names: [String]
    ) throws(CommandFailure) -> [String: Self] {
        let object: JSONObject
        do throws(JSONFault) { object = try JSONObject(parsing: text.span) } catch {
            let line = text.prefix(error.offset).count { $0 == 0x0A } + 1
            throw CommandFailure(
                "line \(line): not a JSON object (\(error.reason)); correct the text at byte \(error.offset)")
        }
        return try members(object.members, at: "", in: text, allowing: names)
    }

    private static func members(
        _ members: [JSONMember], at path: String, in text: [UInt8], allowing names: [String]?
    ) throws(CommandFailure) -> [String: Self] {
        var values: [String: Self] = [:]
        for member in members {
            let name = member.name(in: text.span)
            let inner = path.isEmpty ? name : path + "." + name
            if let names, !names.contains(where: { bytesEqual($0, name) }) {
                throw CommandFailure(
                    "\(inner): unknown member" + Suggestion.hint(for: name, among: names) + "; accepted are "
                        + names.joined(separator: ", "))
            }
            values[name] = Self(path: inner, text: text, value: member.value)
        }
        return values
    }

    /// Returns a failure that names the path of the value.
    package func failure(_ message: String) -> CommandFailure { CommandFailure("\(path): \(message)") }

    /// Returns the members of an object.
    ///
    /// - Parameter names: The accepted names; nil for an object whose names are data.
    package func members(allowing names: [String]?) throws(CommandFailure) -> [String: Self] {
        guard let members = value.object(in: text.span) else { throw failure("must be an object: {…}") }
        return try Self.members(members, at: path, in: text, allowing: names)
    }

    /// Returns the names of an object's members in the order of the file.
    package func names() throws(CommandFailure) -> [String] {
        guard let members = value.object(in: text.span) else { throw failure("must be an object: {…}") }
        return members.map { $0.name(in: text.span) }
    }

    package func list() throws(CommandFailure) -> [Self] {
        guard let values = value.array(in: text.span) else { throw failure("must be an array: […]") }
        return values.enumerated().map { Self(path: "\(path)[\($0.offset)]", text: text, value: $0.element) }
    }

    package func string() throws(CommandFailure) -> String {
        guard let string = value.string(in: text.span), !string.isEmpty else {
            throw failure("must be a string that is not empty")
        }
        guard !string.utf8.contains(0) else { throw failure("must not contain U+0000") }
        return string
    }

    /// Returns the strings of an array, or the only one in place of an array.
    package func strings() throws(CommandFailure) -> [String] {
        if value.kind == .string { return [try string()] }
        return try list().map { (value) throws(CommandFailure) in try value.string() }
    }

    package func one<Choice: RawRepresentable & CaseIterable>(of: Choice.Type) throws(CommandFailure) -> Choice
    where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue)
        let word = try string()
        guard let choice = Choice(rawValue: word) else {
            throw failure("must be \(words.joined(separator: " or "))" + Suggestion.hint(for: word, among: words))
        }
        return choice
    }

    package func bool() throws(CommandFailure) -> Bool {
        guard let bool = value.bool() else { throw failure("must be true or false") }
        return bool
    }

    package func count(_ range: ClosedRange<Int>) throws(CommandFailure) -> Int {
        guard let number = value.integer(in: text.span), range.contains(Int(number)) else {
            throw failure("must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(number)
    }

    package func seconds(_ range: ClosedRange<Double>) throws(CommandFailure) -> Duration {
        guard let number = value.number(in: text.span), range.contains(number) else {
            throw failure("must be a number of seconds from \(range.words)")
        }
        return Duration(saturatingSeconds: number)
    }

    /// Returns the value as the values of an option of the command line; nil for false, which is the same as no option.
    func option(_ spec: OptionSpec) throws(CommandFailure) -> [String]? {
        if let bool = value.bool() {
            guard spec.placeholder == nil else { throw failure("must be a value: \(spec.placeholder ?? "")") }
            return bool ? [] : nil
        }
        guard spec.placeholder != nil else { throw failure("must be true or false") }
        if value.kind == .number { return [String(decoding: value.slice(in: text.span), as: UTF8.self)] }
        let strings = try strings()
        guard spec.repeats else {
            guard strings.count == 1, value.kind == .string else { throw failure("must be a string, not an array") }
            return strings
        }
        // The option takes a list in which a comma separates elements unless it is escaped.
        return strings.map { $0.flatMap { $0 == "," || $0 == "\\" ? "\\\($0)" : "\($0)" } }.map { String($0) }
    }
}

extension ClosedRange<Double> {
    /// The bounds as texts name them, such as `0.001 to 10`.
    package var words: String { "\(Self.word(lowerBound)) to \(Self.word(upperBound))" }

    /// Returns a number, without a fraction of zero.
    package static func word(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
