internal import CRaw
internal import Foundation

/// The instructions of each call, counted by callgrind: unlike times they are the same in each run. Stored and compared are the
/// instructions of our work beyond those of the raw call, because those are this package's own.
struct Instructions {
    let options: Options
    let file: URL

    static let file = Budgets.standard.folder.deletingLastPathComponent().appendingPathComponent("Instructions.json")

    struct Counts: Codable {
        /// The machine and the compiler that the numbers are for.
        let machine: String
        var rows: [String: Int]
    }

    init(_ options: Options) {
        self.options = options
        file = options.instructionsFile.map { URL(fileURLWithPath: $0) } ?? Self.file
    }

    /// Counts and compares the rows. Returns false if a row exceeds the stored number.
    func run() throws -> Bool {
        let counted = try InstructionRun(only: options.only).counts()
        guard !counted.isEmpty else { throw Options.Fault(description: "no such row") }
        let rows = counted.mapValues { $0.ours - $0.raw }
        if options.writesInstructions {
            var counts = Counts(machine: Self.machine, rows: rows)
            if options.only != nil { counts.rows.merge(try kept().rows) { now, _ in now } }
            try write(counts)
            return true
        }
        let kept = try self.kept()
        print(table(counted, kept))
        guard kept.machine == Self.machine else {
            print("\ncounted on \(Self.machine), kept for \(kept.machine): shown, not compared")
            return true
        }
        var slower = over(counted, kept.rows)
        if !slower.isEmpty {
            // Keys are generated in each run, so a row that exceeds its number by chance does not do so twice.
            let again = over(try InstructionRun(only: options.only).counts(), kept.rows)
            slower = slower.filter { again[$0.key] != nil }
        }
        slower.sorted { $0.key < $1.key }.forEach { print("\($0.key): \($0.value)") }
        if slower.isEmpty { print("\nall \(counted.count) rows within their instruction counts") }
        return slower.isEmpty
    }

    private func kept() throws -> Counts { try JSONDecoder().decode(Counts.self, from: Data(contentsOf: file)) }

    /// Returns a text for each row that exceeds its number.
    private func over(_ counted: [String: InstructionRun.Count], _ kept: [String: Int]) -> [String: String] {
        var slower: [String: String] = [:]
        for (title, count) in counted {
            let now = count.ours - count.raw
            guard let before = kept[title] else {
                slower[title] = "no count is kept"
                continue
            }
            if now - before > Self.slack(before, raw: count.raw) { slower[title] = "\(now), was \(before)" }
        }
        return slower
    }

    /// Returns the accepted difference. Counts repeat to some tenths of a percent; those of raw calls on random numbers to some
    /// thousandths of theirs. Where our work takes fewer instructions than the raw call, the two do different work, and random
    /// keys change their difference.
    static func slack(_ before: Int, raw: Int) -> Int { max(60, abs(before) / 50) + raw / (before < 0 ? 100 : 400) }

    private func write(_ counts: Counts) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var text = try encoder.encode(counts)
        text.append(UInt8(ascii: "\n"))
        try text.write(to: file)
    }

    private func table(_ counted: [String: InstructionRun.Count], _ kept: Counts) -> String {
        let head = ["operation", "ours", "raw", "beyond raw", "kept", "change"]
        let lines = counted.sorted { $0.key < $1.key }.map { title, count -> [String] in
            let own = count.ours - count.raw
            let before = kept.rows[title]
            let change = before.map { before in before == 0 ? 0 : 100 * Double(own - before) / Double(abs(before)) }
            return [
                title, "\(count.ours)", "\(count.raw)", "\(own)", before.map { "\($0)" } ?? "–",
                change.map { ($0 < 0 ? "" : "+") + $0.formatted(places: 1) + " %" } ?? "–",
            ]
        }
        return Table.columns([head] + lines)
    }

    /// The processor and the compiler, which determine the instructions.
    static var machine: String {
        #if arch(x86_64)
            let architecture = "x86_64" + (craw_has_avx2() ? " with AVX2" : "")
        #elseif arch(arm64)
            let architecture = "arm64"
        #else
            let architecture = "another processor"
        #endif
        #if compiler(>=6.4)
            return "\(architecture), Swift 6.4 or later"
        #elseif compiler(>=6.3)
            return "\(architecture), Swift 6.3"
        #else
            return "\(architecture), Swift 6.2"
        #endif
    }
}
