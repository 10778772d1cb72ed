internal import CRaw

/// Runs our work and the raw call in turn, in short slices on one core, so that a disturbance affects both.
struct Harness {
    let rounds: Int
    /// The length of a slice in nanoseconds.
    let slice: Double

    static let full = Harness(rounds: 60, slice: 3e6)
    static let short = Harness(rounds: 5, slice: 4e5)

    func measure(_ row: Row) -> Result {
        var result = Result(row: row)
        let raw = row.raw?()
        let ours = Side(row.title, slice, row.ours, lot: row.lot)
        let other = raw.map { raw in Side(row.title + ", raw", slice, raw.run) }
        var ourTimes: [Double] = []
        var rawTimes: [Double] = []
        for round in 0..<rounds {
            // The first work of a round finds the caches as the other left them, so the two take turns.
            if round % 2 == 0 { ourTimes.append(ours.time()) }
            if let other { rawTimes.append(other.time()) }
            if round % 2 == 1 { ourTimes.append(ours.time()) }
        }
        result.ours = ourTimes.median
        result.oursBest = ourTimes.min() ?? 0
        // A key requests its table after some dozens of tokens. The request is made before the count, because it is made only once.
        _ = row.ours(64)
        result.allocations = .perCall(max(64, row.lot), row.ours)
        guard let raw else { return result }
        result.raw = rawTimes.median
        result.rawBest = rawTimes.min()
        result.ratio = zip(rawTimes, ourTimes).map { $0 / $1 }.median
        result.bestRatio = (rawTimes.min() ?? 0) / result.oursBest
        result.rawAllocations = .perCall(64, raw.run)
        return result
    }
}

/// One of the two works, and the number of its calls that fill a slice.
private struct Side {
    let title: String
    let work: Work
    let count: Int

    init(_ title: String, _ slice: Double, _ work: @escaping Work, lot: Int = 1) {
        self.title = title
        self.work = work
        var count = lot
        while true {
            let nanoseconds = Self.time(title, count, work)
            if nanoseconds * Double(count) > slice / 8 || count > 1 << 24 {
                self.count = max(1, Int(slice / nanoseconds) / lot) * lot
                return
            }
            count *= 2
        }
    }

    func time() -> Double { Self.time(title, count, work) }

    /// Returns the thread's own processor time of the work, without that of other programs.
    private static func time(_ title: String, _ count: Int, _ work: Work) -> Double {
        let begun = craw_thread_time()
        let good = work(count)
        let ended = craw_thread_time()
        // Failed calls would make the measurement meaningless.
        guard good == count else { fatalError("\(title): \(count - good) of \(count) failed") }
        return Double(ended - begun) / Double(count)
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : (sorted[middle - 1] + (middle < sorted.count ? sorted[middle] : last)) / 2
    }
}
