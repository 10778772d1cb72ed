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
        let place = firstPlace { $0.lowerBound > end }
        return place > 0 && intervals[place - 1].upperBound >= end
    }

    mutating func insert(_ end: Double) {
        let place = firstPlace { $0.upperBound + Self.gap >= end }
        guard place < intervals.count, intervals[place].lowerBound - Self.gap <= end else {
            intervals.insert(end...end, at: place)
            if intervals.count > Self.limit { joinClosest() }
            return
        }
        let found = intervals[place]
        intervals[place] = min(found.lowerBound, end)...max(found.upperBound, end)
        // The interval may have reached the next one.
        if place + 1 < intervals.count, intervals[place + 1].lowerBound - intervals[place].upperBound <= Self.gap {
            join(place)
        }
    }

    /// Returns the index of the first interval that fulfils the condition, which all later ones fulfil as well.
    private func firstPlace(_ condition: (ClosedRange<Double>) -> Bool) -> Int {
        var (low, high) = (0, intervals.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(intervals[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func joinClosest() {
        let places = intervals.indices.dropLast()
        let closest = places.min { distance(after: $0) < distance(after: $1) }
        if let closest { join(closest) }
    }

    private func distance(after place: Int) -> Double { intervals[place + 1].lowerBound - intervals[place].upperBound }

    private mutating func join(_ place: Int) {
        intervals[place] = intervals[place].lowerBound...intervals[place + 1].upperBound
        intervals.remove(at: place + 1)
    }
}
