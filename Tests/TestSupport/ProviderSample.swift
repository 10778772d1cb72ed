package import Foundation

/// One message as a provider's or a standard's own document prints it: a file below `Tests/Vectors/Providers`.
package struct ProviderSample: Decodable, Sendable {
    /// The document and its section.
    package let source: String
    /// The message: a JSON object, or the text of a URL, a form, a query or XML.
    package let message: JSON

    package static let folder = VectorFile.folder.appending(path: "Providers")

    /// Reads a sample. `name` is that of its file below the folder, without its extension, such as `itsme/userinfo`.
    package init(_ name: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: name + ".json"))
        self = try JSONDecoder().decode(Self.self, from: data)
    }

    /// The names of all samples, sorted. Recordings of whole logins, which are beside the folders, are left out.
    package static var names: [String] {
        get throws {
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            return paths.filter { $0.contains("/") && $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
        }
    }

    /// The bytes of the message.
    package var bytes: [UInt8] { Array((message.string ?? message.text).utf8) }

    /// Each member of the message by its path, such as `address/country`, with its value as text. The members of a URL are the
    /// parameters of its query, those of a form its fields.
    package var members: [String: String] {
        guard let text = message.string else { return Self.leaves(message, "") }
        let query = text.split(separator: "?", maxSplits: 1).last.map(String.init) ?? text
        return query.split(separator: "&").reduce(into: [:]) { members, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
            }
            members[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
    }

    /// Returns the members of a JSON object, in the form of ``members``.
    package static func members(of json: JSON) -> [String: String] { leaves(json, "") }

    private static func leaves(_ value: JSON, _ path: String) -> [String: String] {
        switch value {
        case .object(let object) where !object.isEmpty || path.isEmpty:
            return object.reduce(into: [:]) { members, member in
                let below = leaves(member.value, path.isEmpty ? member.key : path + "/" + member.key)
                members.merge(below) { first, _ in first }
            }
        case .array(let values) where values.contains { if case .object = $0 { true } else { false } }:
            return values.enumerated().reduce(into: [:]) { members, value in
                members.merge(leaves(value.element, "\(path)[\(value.offset)]")) { first, _ in first }
            }
        case .array(let values): return [path: values.map { text($0) }.joined(separator: " ")]
        default: return [path: text(value)]
        }
    }

    private static func text(_ value: JSON) -> String { value.string ?? value.text }
}

/// The values that a reader of the library gave for a message, member by member.
package struct SampleReading: Sendable {
    /// The path of each member that the reader surfaces, with the value that it gives, as text; nil where it gives none.
    package var read: [String: String?]
    /// The path of each member that the reader does not surface, with the reason.
    package var notSurfaced: [String: String]
    /// The path of each member for which the reader or the sender has another value than the sample, with that value and the
    /// reason.
    package var differs: [String: (value: String?, reason: String)]

    package init(
        _ read: [String: (any CustomStringConvertible)?], notSurfaced: [String: String] = [:],
        differs: [String: (value: String?, reason: String)] = [:]
    ) {
        self.read = read.mapValues { $0.map { "\($0)" } }
        self.notSurfaced = notSurfaced
        self.differs = differs
    }

    /// Returns the faults in the reading of a sample: members that it omits, values that are not the sample's, paths that the
    /// sample does not have, and members that it names more than once.
    package func faults(_ sample: ProviderSample) -> [String] { faults(sample.members) }

    /// Returns the faults in the reading of a message with these members.
    package func faults(_ members: [String: String]) -> [String] {
        var faults: [String] = []
        for (path, value) in members.sorted(by: { $0.key < $1.key }) {
            let places = [read[path] != nil, notSurfaced[path] != nil, differs[path] != nil].count { $0 }
            if places != 1 { faults.append("\(path) is named \(places) times") }
            if let given = read[path], given != value { faults.append("\(path) is \(given ?? "nil"), not \(value)") }
            if let other = differs[path], other.value == value { faults.append("\(path) does not differ") }
        }
        let named = Set(read.keys).union(notSurfaced.keys).union(differs.keys)
        faults += named.subtracting(members.keys).sorted().map { "\($0) is not in the sample" }
        let reasons = Array(notSurfaced.values) + differs.values.map(\.reason)
        if reasons.contains(where: { $0.split(separator: " ").count < 3 }) { faults.append("a reason is missing") }
        return faults
    }
}
