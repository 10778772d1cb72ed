internal import JOSESupport

/// An https URL as app links match it: the host in lower case and the path as it was written, without query and
/// fragment.
struct LinkURL {
    let host: String
    let path: String
    let hasQuery: Bool

    /// Creates a URL from a text, or nil for another scheme, user information, or characters other than visible ASCII.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
        let scheme = "https://"
        guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
        let address = text.dropFirst(scheme.count)
        let authority = address.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = address.dropFirst(authority.count)
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard !authority.contains("@"), let name = parts.first, LinkHost.isName(name.lowercased()), parts.count <= 2
        else {
            return nil
        }
        if parts.count == 2 { guard UInt16(parts[1]) != nil else { return nil } }
        host = name.lowercased()
        let path = String(tail.prefix { $0 != "?" && $0 != "#" })
        self.path = path.isEmpty ? "/" : path
        hasQuery = tail.contains("?") || tail.contains("#")
    }
}

enum LinkHost {
    /// Returns whether the text is a host name: labels of lower-case letters, digits and inner hyphens.
    static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
    }
}

/// A pattern in which `*` matches any number of bytes and `?` matches one. Matching is case-sensitive.
enum LinkPattern {
    static func matches(_ pattern: String, _ path: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let path = Array(path.utf8)
        var (at, index) = (0, 0)
        // If what follows the last star does not match, the star takes one byte more. Earlier stars are not
        // reconsidered, so that the time is not exponential.
        var star: (pattern: Int, path: Int)?
        while index < path.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, index)
                at += 1
            } else if at < pattern.count, pattern[at] == path[index] || pattern[at] == UInt8(ascii: "?") {
                at += 1
                index += 1
            } else if let last = star {
                star = (last.pattern, last.path + 1)
                at = last.pattern + 1
                index = last.path + 1
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
