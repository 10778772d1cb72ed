import Testing

@testable import JOSETokens

@Suite("Expirations of removed marks") struct RemovedExpirationsTests {
    @Test("ends that follow each other are one interval, and a jump of the clock begins another") func intervals() {
        var removed = RemovedExpirations()
        #expect(!removed.contains(0))
        for end in stride(from: 0.0, through: 600, by: 30) { removed.insert(end) }
        for end in stride(from: 9_000.0, through: 9_600, by: 60) { removed.insert(end) }
        #expect(removed.intervals == [0...600, 9_000...9_600])
        #expect(removed.contains(0) && removed.contains(615 - 15) && removed.contains(9_600))
        #expect(!removed.contains(-1) && !removed.contains(601) && !removed.contains(8_999) && !removed.contains(9_601))
        // Ends between two intervals join them.
        for end in stride(from: 660.0, through: 8_940, by: 60) { removed.insert(end) }
        #expect(removed.intervals == [0...9_600])
    }

    @Test("every end that was inserted is contained, in any order, in a bounded number of intervals") func bounded() {
        var generator = SystemRandomNumberGenerator()
        for spread in [100.0, 10_000, 1e9] {
            var removed = RemovedExpirations()
            var ends: [Double] = []
            for _ in 0..<500 {
                let end = Double.random(in: 0..<spread, using: &generator)
                ends.append(end)
                removed.insert(end)
                #expect(removed.intervals.count <= RemovedExpirations.limit)
            }
            let missed = ends.filter { !removed.contains($0) }
            #expect(missed.isEmpty, "\(missed)")
            for (one, next) in zip(removed.intervals, removed.intervals.dropFirst()) {
                #expect(one.upperBound < next.lowerBound)
            }
        }
    }

    @Test("if intervals must be joined, those are that lie next to each other, and a jump far ahead stays apart")
    func joins() {
        var removed = RemovedExpirations()
        removed.insert(1e9)
        for hour in 0..<1_000 { removed.insert(Double(hour) * 3_600) }
        #expect(removed.intervals.count == RemovedExpirations.limit && removed.intervals.last == 1e9...1e9)
        #expect(!removed.contains(5e6))
    }
}
