import CTiming

/// Two classes of input whose processing must take the same time.
struct Property {
    /// The expected result: no difference, or, for a deliberate leak, a difference.
    enum Expectation { case constant, leaks }

    let name: String
    let classes: (String, String)
    var expectation = Expectation.constant
    /// The inputs of each class, which all have one length.
    let inputs: ([[UInt8]], [[UInt8]])
    let samples: Int
    /// The operation that is timed.
    let run: ([UInt8]) -> Void

    struct Result {
        let samples: Int
        /// The t value with the largest magnitude, of all values or of those below one of the bounds.
        let t: Double
        /// The difference between the means of the fastest nine tenths, in nanoseconds.
        let difference: Double
        let median: Double
    }

    /// Measures like dudect: classes in random order; the slowest values, which are those of interrupts, are left out at several
    /// bounds, and the worst resulting t is returned.
    func measure(nanoseconds: Double) -> Result {
        var random = SystemRandomNumberGenerator()
        let warmUp = max(200, samples / 50)
        let count = min(inputs.0.count, inputs.1.count)
        let pool = (0..<count).flatMap { [inputs.0[$0], inputs.1[$0]] }
        var place = pool[0]
        precondition(pool.allSatisfy { $0.count == place.count })
        var early: [UInt64] = []
        early.reserveCapacity(warmUp)
        for _ in 0..<warmUp { early.append(once(&random, pool, &place).ticks) }
        early.sort()
        let bounds = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99].map { early[Int(Double(warmUp - 1) * $0)] } + [UInt64.max]
        var tests = [Welch](repeating: Welch(), count: bounds.count)
        for _ in 0..<samples {
            let (ticks, index) = once(&random, pool, &place)
            for place in bounds.indices where ticks <= bounds[place] {
                tests[place].add(Double(ticks), to: index)
            }
        }
        let worst = tests.compactMap(\.t).max { abs($0) < abs($1) } ?? 0
        return Result(
            samples: samples, t: worst, difference: tests[4].difference * nanoseconds,
            median: Double(early[warmUp / 2]) * nanoseconds)
    }

    /// Times one operation. The class decides no branch and no address of the timed code: the inputs alternate in one list, and
    /// are copied
    /// to one buffer.
    private func once(
        _ random: inout SystemRandomNumberGenerator, _ pool: [[UInt8]], _ place: inout [UInt8]
    ) -> (ticks: UInt64, index: Int) {
        let choice = Int(truncatingIfNeeded: random.next() >> 1) % pool.count
        pool[choice].withUnsafeBytes { from in place.withUnsafeMutableBytes { $0.copyMemory(from: from) } }
        let begun = timing_now()
        run(place)
        return (timing_now() &- begun, choice & 1)
    }
}
