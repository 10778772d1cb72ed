internal import Foundation

/// The largest numbers of our own allocations for each call: one file for each group of rows, with their names.
struct Budgets {
    let folder: URL

    static let standard = Budgets(
        folder: URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Budgets").standardizedFileURL)

    private func file(_ group: String) -> URL { folder.appendingPathComponent("\(group).json") }

    /// Returns one line for each row that exceeds its budget or has none.
    func violations(_ results: [Result]) throws -> [String] {
        var lines: [String] = []
        for (group, results) in Dictionary(grouping: results, by: \.row.group).sorted(by: { $0.key < $1.key }) {
            let budgets = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: file(group)))
            for result in results {
                guard let allocations = result.allocations?.ours else { continue }
                guard let budget = budgets[result.row.name] else {
                    lines.append("\(result.row.title): no budget")
                    continue
                }
                if allocations > budget {
                    lines.append(
                        "\(result.row.title): \(Table.whole(allocations)) allocations, budget \(Table.whole(budget))")
                }
            }
        }
        return lines
    }

    /// Writes the measured numbers as the budgets.
    ///
    /// - Parameter isPart: Whether rows that were not measured keep their budgets; otherwise these are removed.
    func write(_ results: [Result], isPart: Bool) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        for (group, results) in Dictionary(grouping: results, by: \.row.group) {
            var rows =
                isPart ? try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: file(group))) : [:]
            for result in results { rows[result.row.name] = result.allocations?.ours.rounded(.up) }
            var text = try encoder.encode(rows)
            text.append(UInt8(ascii: "\n"))
            try text.write(to: file(group))
        }
    }
}
