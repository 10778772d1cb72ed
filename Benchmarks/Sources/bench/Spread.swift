internal import CRaw

/// How long single calls take, as a caller sees them: by the wall, whatever else the machine does meanwhile. Nanoseconds.
struct Spread {
    let p50: Double
    let p99: Double

    /// Nil where a call takes too long for so many of them that one in a hundred means something.
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
