/// The expirations of marks that a replay store has removed, as a few disjoint intervals in ascending order.
///
/// While the clock only advances and tokens come at least every minute, there is one interval, which ends at the last
/// removed mark. A clock that jumps ahead and back leaves an interval of its own for the time that it showed, so that
/// tokens of the time between are not affected. Every expiration of a removed mark is in an interval, also after
/// intervals were joined to bound their number.
struct RemovedExpirations: Sendable {
    /// The largest number of intervals.
    static let limit = 32
    /// The seconds between two expirations that still belong to one interval.
    static let gap = 60.0

    private(set) var intervals: [ClosedRange<Double>] = []

    func contains(_ end: Double) -> Bool {
        // The last interval that begins at `end` or before it.
        let index = firstIndex { $0.lowerBound > end }
        return index > 0 && intervals[index - 1].upperBound >= end
    }

    mutating func insert(_ end: Double) {
        let index = firstIndex { $0.upperBound + Self.gap >= end }
        guard index < intervals.count, intervals[index].lowerBound - Self.gap <= end else {
            intervals.insert(end...end, at: index)
            if intervals.count > Self.limit { joinClosest() }
            return
        }
        let found = intervals[index]
        intervals[index] = min(found.lowerBound, end)...max(found.upperBound, end)
        // The interval may have reached the next one.
        if index + 1 < intervals.count, intervals[index + 1].lowerBound - intervals[index].upperBound <= Self.gap {
            join(index)
        }
    }

    /// Returns the index of the first interval that fulfils the condition, which all later ones fulfil as well.
    private func firstIndex(where condition: (ClosedRange<Double>) -> Bool) -> Int {
        var (low, high) = (0, intervals.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(intervals[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func joinClosest() {
        let indices = intervals.indices.dropLast()
        let closest = indices.min { distance(after: $0) < distance(after: $1) }
        if let closest { join(closest) }
    }

    private func distance(after index: Int) -> Double { intervals[index + 1].lowerBound - intervals[index].upperBound }

    private mutating func join(_ index: Int) {
        intervals[index] = intervals[index].lowerBound...intervals[index + 1].upperBound
        intervals.remove(at: index + 1)
    }
}
