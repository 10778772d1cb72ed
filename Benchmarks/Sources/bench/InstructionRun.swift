internal import CRaw
internal import Foundation

/// One run of this program under callgrind.
struct InstructionRun {
    struct Count {
        var ours = 0
        var raw = 0
    }
    let only: String?

    /// Returns the counts by row: the least of its batches, so that work which happens only in some calls, such as a new RSA
    /// blinding, is left out.
    func counts() throws -> [String: Count] {
        // The name has the same length in each run, because the arguments of a process move its heap.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bulla-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appendingPathComponent("bench").path
        // valgrind cannot read Swift's debugging information.
        try Self.run(["strip", "-g", "-o", program, CommandLine.arguments[0]])
        try Self.run(
            [
                "valgrind", "--tool=callgrind", "--quiet", "--instr-atstart=no",
                "--callgrind-out-file=\(folder.path)/out", program, "--instructions-here",
            ] + (only.map { ["--only", $0] } ?? []))
        var counts: [String: Count] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("out.") {
            guard let (title, side, total) = try Self.read(folder.appendingPathComponent(name)) else { continue }
            let calls = total / Self.calls
            func least(_ before: Int) -> Int { before == 0 ? calls : min(before, calls) }
            if side == "raw" {
                counts[title, default: Count()].raw = least(counts[title]?.raw ?? 0)
            } else {
                counts[title, default: Count()].ours = least(counts[title]?.ours ?? 0)
            }
        }
        return counts
    }

    private static let mark = "desc: Trigger: Client Request: "

    private static func read(_ file: URL) throws -> (title: String, side: String, total: Int)? {
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
        guard let title = lines.first(where: { $0.hasPrefix(mark) })?.dropFirst(mark.count),
            let bar = title.lastIndex(of: "|"),
            let total = lines.last(where: { $0.hasPrefix("totals: ") }).flatMap({ Int($0.dropFirst(8)) })
        else { return nil }
        return (String(title[..<bar]), String(title[title.index(after: bar)...]), total)
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = environment
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Options.Fault(description: "\(command[0]) failed: \(process.terminationStatus)")
        }
    }

    /// The environment, which is the same everywhere, because its size moves the heap too. Whether a `free` finds a full list and
    /// merges chunks, some three hundred instructions, depends on the heap; with longer lists none is full.
    private static var environment: [String: String] {
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        let fixed = ["SWIFT_DETERMINISTIC_HASHING": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=4096"]
        return inherited.merging(fixed) { $1 }
    }

    private static let calls = 2
    private static let batches = 3

    /// Counts the rows, in the child process. Returns false if callgrind does not run it, or was not available at build time.
    static func count(_ rows: [Row]) -> Bool {
        let sides = rows.filter(isCounted).map { (row: $0, raw: $0.raw?()) }
        guard craw_instructions_start() else { return false }
        for side in sides {
            count(side.row.title + "|ours", side.row.ours)
            if let raw = side.raw { count(side.row.title + "|raw", raw.run) }
        }
        return true
    }

    private static func count(_ title: String, _ work: Work) {
        for batch in 0...batches {
            craw_instructions_zero()
            // A count of failed calls would be meaningless.
            guard work(calls) == calls else { fatalError("\(title) failed") }
            // The first batch includes work that is done once.
            if batch > 0 { unsafe craw_instructions_dump(title) }
        }
    }

    /// Returns whether the row is counted. Rows are left out whose own part is small beside the raw call, because callgrind takes
    /// fifty times as long. The whole import of a key is counted for every kind.
    private static func isCounted(_ row: Row) -> Bool {
        if row.group == "key-cost" { return !row.name.contains("ML-DSA") }
        let slow = ["P-384", "P-521", "ES384", "ES512", "ES256K", "8 MB", "PEM", "RSA private", "ML-DSA", "PBES2"]
        // Batches are left out, because valgrind does not run their vector instructions.
        return !["raw", "generate", "batch", "hot"].contains(row.group) && !slow.contains { row.name.contains($0) }
            && !(row.name.contains("RSA") && row.group == "refuse")
    }
}
