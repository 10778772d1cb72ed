/// Suggests the nearest accepted word for a misspelt one.
package enum Suggestion {
    /// Returns a hint with the nearest word, or an empty string if no word is near. Case is ignored: rs256 suggests
    /// RS256.
    package static func hint(for word: String, among words: [String]) -> String {
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
