internal import CRaw
internal import Foundation

/// The report that `--json` writes. Times are in nanoseconds for each call.
struct Report: Encodable {
    struct Line: Encodable {
        let group, name: String
        let nanoseconds, bestNanoseconds, perSecond: Double
        let allCoresPerSecond, p50Nanoseconds, p99Nanoseconds: Double?
        let rawNanoseconds, rawBestNanoseconds, ratio, bestRatio: Double?
        let allocations, libcryptoAllocations, rawLibcryptoAllocations: Double?
        let opensslSpeedPerSecond: Double?
        let badBaseline: Bool
        let goals: [Mark]
        let note: String?
    }
    struct Mark: Encodable {
        let goal: String
        let reached: Bool?
    }
    struct Gain: Encodable {
        let name: String
        let ours, raw, ratio: Double
        let reached: Bool
    }
    let rows: [Line]
    let twoCores: [Gain]
    let cores: Int
    let memory: MemoryReport?

    init(_ results: [Result], _ gains: [TwoCoreResult], _ memory: MemoryReport?) {
        cores = Int(craw_cores())
        self.memory = memory
        rows = results.map { result in
            Line(
                group: result.row.group, name: result.row.name, nanoseconds: result.ours,
                bestNanoseconds: result.oursBest, perSecond: 1e9 / result.ours, allCoresPerSecond: result.allCores,
                p50Nanoseconds: result.spread?.p50, p99Nanoseconds: result.spread?.p99, rawNanoseconds: result.raw,
                rawBestNanoseconds: result.rawBest,
                ratio: result.ratio, bestRatio: result.bestRatio, allocations: result.allocations?.ours,
                libcryptoAllocations: result.allocations?.libcrypto,
                rawLibcryptoAllocations: result.rawAllocations?.libcrypto, opensslSpeedPerSecond: result.speed,
                badBaseline: result.isBadBaseline,
                goals: result.row.goals.map { Mark(goal: $0.text, reached: $0.isReached(result)) },
                note: result.row.note)
        }
        twoCores = gains.map {
            Gain(name: $0.name, ours: $0.ours, raw: $0.raw, ratio: $0.ratio, reached: $0.ratio >= TwoCoreResult.goal)
        }
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}
