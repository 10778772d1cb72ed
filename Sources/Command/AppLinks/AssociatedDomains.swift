/// The associated domains in the entitlements of an iOS app: `applinks:host`, or `applinks:*.host` for all subdomains
/// of a host.
package struct AssociatedDomains: Equatable, Sendable {
    /// The entries of the entitlement, such as `applinks:example.com`.
    package var entries: [String]

    /// Creates the list from the entries of the entitlement.
    package init(_ entries: [String]) { self.entries = entries }

    /// Checks the entries and returns an error or warning for each fault. More than 20 entries result in a warning.
    ///
    /// - Parameter isStrict: Whether more than 30 entries result in an error and not in a warning.
    package func check(isStrict: Bool = false) -> [LinkFinding] {
        var findings: [LinkFinding] = []
        if entries.count > 20 {
            let severity: LinkFinding.Severity = isStrict && entries.count > 30 ? .error : .warning
            findings.append(LinkFinding(severity: severity, problem: .entitlementCount(entries.count), location: ""))
        }
        var seen: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            if Self.host(of: entry) == nil {
                findings.append(.error(.entitlement, at: "[\(index)]"))
            } else if !seen.insert(Array(entry.utf8)).inserted {
                findings.append(.warning(.repeated, at: "[\(index)]"))
            }
        }
        return findings
    }

    /// Returns the entry that applies to a host, or nil if none does. An exact entry takes precedence, then the longest
    /// one with a wildcard. `*.example.com` matches all subdomains of `example.com`, but not `example.com` itself.
    package func entry(for host: String) -> String? {
        let host = host.lowercased()
        guard LinkHost.isName(host) else { return nil }
        var best: (entry: String, count: Int)?
        for entry in entries {
            guard let claimed = Self.host(of: entry) else { continue }
            if claimed == host { return entry }
            guard claimed.hasPrefix("*."), host.hasSuffix(claimed.dropFirst()), host.utf8.count > claimed.utf8.count - 1
            else {
                continue
            }
            if claimed.utf8.count > best?.count ?? 0 { best = (entry, claimed.utf8.count) }
        }
        return best?.entry
    }

    private static func host(of entry: String) -> String? {
        let prefix = "applinks:"
        guard entry.hasPrefix(prefix) else { return nil }
        let host = entry.dropFirst(prefix.count).lowercased()
        return LinkHost.isName(host.hasPrefix("*.") ? String(host.dropFirst(2)) : host) ? host : nil
    }
}
