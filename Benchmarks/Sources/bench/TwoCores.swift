internal import CRaw

/// The gain of a second core for our work, and for the raw calls.
struct TwoCoreResult {
    let name: String
    let ours: Double
    let raw: Double
    /// The median over the rounds of our gain divided by that of the raw calls.
    let ratio: Double
    static let goal = 0.97
}

extension Harness {
    /// Measures a row on two cores. One verifier is shared; the raw calls have a context for each thread.
    func twoCores(_ row: Row) -> TwoCoreResult? {
        guard craw_cores() >= 2, let makeRaw = row.raw else { return nil }
        let raws = [makeRaw(), makeRaw()]
        let ours = Team(lot: row.lot) { _, count in row.ours(count) }
        let raw = Team { thread, count in raws[thread].run(count) }
        let oursCount = ours.count(filling: slice)
        let rawCount = raw.count(filling: slice)
        var gains: [(ours: Double, raw: Double)] = []
        for _ in 0..<rounds {
            gains.append((ours.gain(oursCount), raw.gain(rawCount)))
        }
        return TwoCoreResult(
            name: row.title, ours: gains.map(\.ours).median, raw: gains.map(\.raw).median,
            ratio: gains.map { $0.ours / $0.raw }.median)
    }
}

extension Harness {
    /// Returns the operations a second on all cores together, or nil if the row's work is not for several threads.
    func allCores(_ row: Row) -> Double? {
        guard Self.shareable.contains(row.group) else { return nil }
        let team = Team { _, count in row.ours(count) }
        let count = team.count(filling: slice)
        let threads = min(64, Int(craw_cores()))
        let times = (0..<5).map { _ in team.time(threads: threads, count, attempts: 4) }
        return Double(threads * count) * 1e9 / times.median
    }

    private static let shareable: Set = ["verify", "nested", "sign", "issue", "decrypt", "encrypt", "refuse"]
}

/// Runs the same work on one thread or several.
private final class Team {
    private let work: (_ thread: Int, _ count: Int) -> Int
    private let lot: Int
    private var perThread = 0

    init(lot: Int = 1, _ work: @escaping (Int, Int) -> Int) {
        self.lot = lot
        self.work = work
    }

    func count(filling nanoseconds: Double) -> Int {
        var count = lot
        while true {
            let taken = time(threads: 1, count)
            if taken > nanoseconds / 4 {
                return max(1, Int(Double(count) * nanoseconds / taken) / lot) * lot
            }
            count *= 2
        }
    }

    /// Returns the throughput of two threads divided by that of one.
    func gain(_ count: Int) -> Double { 2 * time(threads: 1, count) / time(threads: 2, count) }

    /// Returns the time of the work. It is measured again if the system took a core away, because other load is not to be
    /// measured.
    func time(threads: Int, _ count: Int, attempts: Int = 20) -> Double {
        perThread = count
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        let body: craw_body = { context, thread in
            let team = unsafe Unmanaged<Team>.fromOpaque(context).takeUnretainedValue()
            precondition(team.work(Int(thread), team.perThread) == team.perThread)
        }
        var time = 0.0
        for _ in 0..<attempts {
            var undisturbed = false
            time = Double(unsafe craw_threads(Int32(threads), body, me, &undisturbed))
            if undisturbed { break }
        }
        return time
    }
}
