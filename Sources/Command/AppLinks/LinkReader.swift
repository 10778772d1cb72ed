internal import JOSESupport

/// Reads a file and collects its faults, each with the path to the value.
struct LinkReader {
    let bytes: [UInt8]
    private(set) var findings: [LinkFinding]

    init(_ file: LinkFile) {
        bytes = file.body
        findings = file.servingFindings
    }

    mutating func note(_ finding: LinkFinding) { findings.append(finding) }

    mutating func note(_ fault: JSONFault) {
        switch fault.reason {
        case .duplicateName: note(.error(.duplicateMember(at: fault.offset)))
        case .notAnObject, .notAnArray: note(.error(.wrongType))
        default: note(.error(.notJSON(at: fault.offset)))
        }
    }

    /// Returns the value of a member, and notes a missing member if it is required.
    mutating func value(_ name: StaticString, of members: [JSONMember], at location: String, isRequired: Bool = true)
        -> JSONValue?
    {
        let found = members.first(name, in: bytes.span)
        if found == nil, isRequired { note(.error(.missing, at: Self.join(location, "\(name)"))) }
        return found
    }

    mutating func object(_ value: JSONValue?, at location: String) -> [JSONMember]? {
        guard let value else { return nil }
        let members = value.object(in: bytes.span)
        if members == nil { note(.error(.wrongType, at: location)) }
        return members
    }

    mutating func list(_ value: JSONValue?, at location: String) -> [JSONValue]? {
        guard let value else { return nil }
        let values = value.array(in: bytes.span)
        if values == nil { note(.error(.wrongType, at: location)) }
        return values
    }

    mutating func string(_ value: JSONValue?, at location: String) -> String? {
        guard let value else { return nil }
        let text = value.string(in: bytes.span)
        if text == nil { note(.error(.wrongType, at: location)) }
        return text
    }

    /// Returns the valid and unique strings of a list that must not be empty.
    mutating func strings(
        _ value: JSONValue?, at location: String, _ problem: LinkFinding.Problem, _ check: (String) -> Bool
    ) -> [String] {
        guard let values = list(value, at: location) else { return [] }
        if values.isEmpty { note(.error(.empty, at: location)) }
        var found: [String] = []
        var seen: Set<[UInt8]> = []
        for (index, value) in values.enumerated() {
            let inner = "\(location)[\(index)]"
            guard let text = string(value, at: inner) else { continue }
            if !check(text) {
                note(.error(problem, at: inner))
            } else if seen.insert(Array(text.utf8)).inserted {
                found.append(text)
            } else {
                note(.warning(.repeated, at: inner))
            }
        }
        return found
    }

    mutating func others(than known: [String], in members: [JSONMember], at location: String) {
        for member in members where !known.contains(member.name(in: bytes.span)) {
            // The name comes from the file, and is left out of the finding.
            note(.warning(.unknownMember, at: location))
            return
        }
    }

    static func join(_ location: String, _ name: String) -> String { location.isEmpty ? name : location + "." + name }
}
