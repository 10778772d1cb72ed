/// Suggests the nearest accepted word for a misspelt one, and the option for the name that it has elsewhere.
enum Suggestion {
    /// The names of options in other tools and in the RFCs, each with those here: the first that the command has is suggested. The
    /// one without dashes is an operand.
    private static let aliases: [String: [String]] = [
        "algorithm": ["--alg"], "algorithms": ["--alg"], "audience": ["--aud"], "issuer": ["--iss"],
        "subject": ["--sub"], "jwk": ["--keys", "--key"], "jwks": ["--keys", "--key"], "jwks-uri": ["--keys"],
        "jwks-url": ["--keys"], "public-key": ["--keys", "--key"],
        "private-key": ["--key", "--decrypt-keys"], "secret": ["--secret-file", "--key"],
        "key-id": ["--kid"], "expires-in": ["--lifetime"], "exp": ["--lifetime"], "ttl": ["--lifetime"],
        "clock-skew": ["--leeway"], "clock-tolerance": ["--leeway"], "crv": ["KIND"], "curve": ["KIND"],
        "kty": ["KIND"],
    ]

    /// Returns a hint with the option that is known by another name, or else with the nearest one.
    static func hint(forOption word: String, of command: Command) -> String {
        let names = command.options.map { "--" + $0.name }
        let accepted = names + (command.operands == "[KIND]" ? ["KIND"] : [])
        let known = aliases[String(word.lowercased().drop { $0 == "-" })]?.first { accepted.contains($0) }
        switch known {
        case "KIND": return "; give the kind alone, such as bulla \(command.name) P-256"
        case let known?: return "; did you mean '\(known)'?"
        case nil: return hint(for: word, among: names)
        }
    }

    /// Returns a hint with the nearest word, or an empty string if no word is near. Case is ignored: rs256 suggests RS256.
    static func hint(for word: String, among words: [String]) -> String {
        let written = Array(word.lowercased().utf8)
        let near = words.map { ($0, distance(written, Array($0.lowercased().utf8))) }.min { $0.1 < $1.1 }
        guard let (nearest, distance) = near, distance <= max(2, word.utf8.count / 4) else { return "" }
        return "; did you mean '\(nearest)'?"
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours between the two words.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard a.count <= 64, b.count <= 64 else { return .max }
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                let change = last[j] + (a[i] == b[j] ? 0 : 1)
                var best = min(change, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
