import Foundation

/// The table of the article Error codes, for tests that compare it with the errors.
package struct ErrorCodeTable {
    /// One row: a code, the errors that have it, such as `JOSEError.keyNotFound`, and "yes", "no" or "depends".
    package struct Row {
        package let code: String
        package let errors: [String]
        package let retryable: String

        /// The types of the errors.
        package var types: Set<String> {
            Set(errors.map { $0.contains(".") ? $0.split(separator: ".").dropLast().joined(separator: ".") : $0 })
        }
    }

    package let rows: [Row]

    /// Reads the article.
    package init() throws {
        let path = "Sources/Core/JOSETokens/JOSETokens.docc/ErrorCodes.md"
        let article = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        rows = article.components(separatedBy: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[0].hasPrefix("`") else { return nil }
            let errors = cells[1].components(separatedBy: ", ").map { $0.replacingOccurrences(of: "`", with: "") }
            let code = cells[0].replacingOccurrences(of: "`", with: "")
            return Row(code: code, errors: errors, retryable: cells[3])
        }
    }

    /// Compares the rows of the types with samples of their errors, and returns what differs.
    ///
    /// Every such row needs a sample. It must state "yes" or "no" where all samples agree, and "depends" where they differ. A row
    /// that other types have too may state "depends" in any case.
    package func differences(of types: Set<String>, from samples: [(code: String, isRetryable: Bool)]) -> [String] {
        var differences: [String] = []
        for row in rows where !row.types.isDisjoint(with: types) {
            let values = Set(samples.filter { $0.code == row.code }.map(\.isRetryable))
            let expected = values.count == 2 ? "depends" : values.contains(true) ? "yes" : "no"
            if values.isEmpty {
                differences.append("\(row.code): no sample")
            } else if row.retryable != expected, row.types.isSubset(of: types) || row.retryable != "depends" {
                differences.append("\(row.code): \(row.retryable) in the table, and \(expected) by the errors")
            }
        }
        let codes = Set(rows.map(\.code))
        differences += Set(samples.map(\.code)).subtracting(codes).sorted().map { "\($0): no row" }
        return differences
    }
}
