import Foundation
import TestSupport
import Testing

/// The elements of a sample, read without the library: each attribute by `path@name` and each text by its path, such as
/// `Response/Assertion/Subject/NameID`. Prefixes and declarations of namespaces are left out.
struct SampleXML {
    let members: [String: String]

    init(_ text: String) throws {
        var members: [String: String] = [:]
        var path: [String] = []
        for tag in text.matches(of: try Regex("<([^>]*)>([^<]*)", as: (Substring, Substring, Substring).self)) {
            let (head, content) = (tag.output.1, tag.output.2.trimmingCharacters(in: .whitespacesAndNewlines))
            if head.hasPrefix("?") { continue }
            if head.hasPrefix("/") {
                path.removeLast()
                continue
            }
            let name = head.split(whereSeparator: { " /".contains($0) }).first ?? ""
            path.append(String(name.split(separator: ":").last ?? ""))
            let address = path.joined(separator: "/")
            for attribute in head.matches(
                of: try Regex(#"(\S+)="([^"]*)""#, as: (Substring, Substring, Substring).self))
            where !attribute.output.1.hasPrefix("xmlns") {
                members["\(address)@\(attribute.output.1)"] = String(attribute.output.2)
            }
            if !content.isEmpty { members[address] = content }
            if head.hasSuffix("/") { path.removeLast() }
        }
        self.members = members
    }
}
