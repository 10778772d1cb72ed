internal import CRaw

/// The wall-clock times of single calls in nanoseconds, as a caller measures them, other load on the machine included.
struct Spread {
    let p50: Double
    let p99: Double

    /// Measures single calls, or returns nil if a call takes too long to measure enough of them for a 99th percentile.
    init?(_ work: Work, each nanoseconds: Double) {
        let count = min(5_000, Int(1.2e8 / max(1, nanoseconds)))
        guard count >= 300 else { return nil }
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let begun = craw_wall_time()
            guard work(1) == 1 else { return nil }
            times.append(craw_wall_time() - begun)
        }
        times.sort()
        p50 = Double(times[count / 2])
        p99 = Double(times[count * 99 / 100])
    }
}
