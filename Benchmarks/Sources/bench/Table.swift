internal import Foundation

extension Double {
    func formatted(places: Int) -> String { String(format: "%.\(places)f", self) }

    /// The nanoseconds as microseconds with three significant digits.
    var microseconds: String {
        let value = self / 1000
        return value.formatted(places: value < 1 ? 3 : value < 100 ? 2 : 1)
    }
}

/// The results as rows of cells.
struct Table {
    static let head = [
        "operation", "µs", "raw µs", "ratio", "best", "per s", "all cores", "p50", "p99", "alloc", "libcrypto",
        "openssl/s", "goal",
    ]

    static func cells(_ result: Result) -> [String] {
        let allocations = result.allocations
        return [
            result.row.title, result.ours.microseconds, result.raw?.microseconds ?? "–",
            result.ratio?.formatted(places: 3) ?? "–", result.bestRatio?.formatted(places: 3) ?? "–",
            perSecond(1e9 / result.ours), result.allCores.map(perSecond) ?? "–",
            result.spread?.p50.microseconds ?? "–", result.spread?.p99.microseconds ?? "–",
            allocations.map { whole($0.ours) } ?? "–",
            allocations.map { whole($0.libcrypto) } ?? "–", speed(result), verdict(result),
        ]
    }

    static func whole(_ count: Double) -> String {
        count == count.rounded() ? "\(Int(count))" : count.formatted(places: 1)
    }

    static func perSecond(_ rate: Double) -> String {
        rate < 10_000 ? "\(Int(rate))" : "\((rate / 1000).formatted(places: rate < 100_000 ? 1 : 0)) k"
    }

    private static func speed(_ result: Result) -> String {
        guard let speed = result.speed else { return "–" }
        return perSecond(speed) + (result.isBadBaseline ? " BAD BASELINE" : "")
    }

    private static func verdict(_ result: Result) -> String {
        result.row.goals.map { goal in
            switch goal.isReached(result) {
            case true?: "\(goal.text) ✓"
            case false?: "\(goal.text) MISSED"
            case nil: "\(goal.text) ?"
            }
        }.joined(separator: ", ")
    }

    static func text(_ results: [Result]) -> String {
        columns([head] + results.map(cells))
    }

    /// Returns the lines in columns. The first line is the header.
    static func columns(_ lines: [[String]]) -> String {
        let widths = (lines.first ?? []).indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line(cells: $0, widths) }.joined(separator: "\n")
    }

    private static func line(cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let space = String(repeating: " ", count: widths[column] - cell.count)
            let isText = column == 0 || column == widths.count - 1
            text += (isText ? cell + space : space + cell) + "  "
        }
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    static func markdown(_ results: [Result]) -> String {
        let rule = ["---"] + Array(repeating: "--:", count: head.count - 2) + ["---"]
        return ([head, rule] + results.map(cells)).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    static func twoCores(_ results: [TwoCoreResult]) -> String {
        results.map { result in
            let mark = result.ratio >= TwoCoreResult.goal ? "✓" : "MISSED"
            return "two cores, \(result.name): ours ×\(result.ours.formatted(places: 3)),"
                + " raw ×\(result.raw.formatted(places: 3)), ratio \(result.ratio.formatted(places: 3)),"
                + " goal ≥ \(TwoCoreResult.goal) \(mark)"
        }.joined(separator: "\n")
    }
}
