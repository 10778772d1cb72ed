import Testing

@testable import JOSETokens

/// Callers of a heuristic, whose calls take as long alone and in groups as a test says.
private struct Load {
    var heuristic = CoalescingHeuristic(fullGroup: 8, maximumLimit: 65_536)
    var now = ContinuousClock.now
    var alone: Duration
    var grouped: Duration
    /// The number of calls in each group.
    var size = 8
    private var inGroup = 0

    init(alone: Duration, grouped: Duration, size: Int = 8) {
        (self.alone, self.grouped, self.size) = (alone, grouped, size)
    }

    /// Makes calls, and returns how many of them could wait.
    mutating func calls(_ count: Int) -> Int {
        var waited = 0
        var free = 0
        for _ in 0..<count {
            if free > 0 {
                free -= 1
                now += alone
                continue
            }
            switch heuristic.begin(at: now) {
            case .free(let others): (free, now) = (others, now + alone)
            case .alone: now += alone
            case .mayWait:
                waited += 1
                inGroup += 1
                now += grouped
                guard inGroup >= size else { continue }
                heuristic.recordGroup(of: inGroup)
                inGroup = 0
            }
        }
        return waited
    }
}

@Suite("Coalescing heuristic") struct CoalescingHeuristicTests {
    private static let timed = Load(alone: .zero, grouped: .zero).heuristic.timed

    @Test("groups that gain are used for twice as many calls each time, between short measurements of both ways")
    func gains() {
        var load = Load(alone: .microseconds(12), grouped: .microseconds(6))
        #expect(load.calls(1024 + Self.timed) == 0)
        #expect(load.calls(Self.timed) == Self.timed)
        var limit = 1024
        for _ in 0..<8 {
            #expect(load.calls(limit) == limit)
            #expect(load.calls(Self.timed) == 0)
            #expect(load.calls(Self.timed) == Self.timed)
            limit = min(2 * limit, load.heuristic.maximumLimit)
        }
        #expect(limit == load.heuristic.maximumLimit)
    }

    @Test(
        "where groups gain less than one part in twenty, they are tried ever less often",
        arguments: [Duration.nanoseconds(11_500), .microseconds(12), .microseconds(40)])
    func gainsNothing(grouped: Duration) {
        var load = Load(alone: .microseconds(12), grouped: grouped)
        var limit = 1024
        for _ in 0..<8 {
            #expect(load.calls(limit + Self.timed) == 0)
            #expect(load.calls(Self.timed) == Self.timed)
            limit = min(2 * limit, load.heuristic.maximumLimit)
        }
        #expect(load.calls(load.heuristic.maximumLimit) == 0)
        // They are used as soon as they are faster.
        load.grouped = .microseconds(6)
        _ = load.calls(2 * Self.timed)
        #expect(load.calls(1024) == 1024)
    }

    @Test("eight groups of one call end a measurement, however long it would take") func nobodyElse() {
        var load = Load(alone: .microseconds(12), grouped: .microseconds(6), size: 1)
        #expect(load.calls(1024 + Self.timed) == 0)
        #expect(load.calls(Self.timed) == 8)
        // Groups of two may gain.
        var pairs = Load(alone: .microseconds(12), grouped: .microseconds(6), size: 2)
        #expect(pairs.calls(1024 + Self.timed) == 0)
        #expect(pairs.calls(Self.timed) == Self.timed)
    }

    @Test("waiting ends after a few groups when fewer calls arrive than before") func fewer() {
        var load = Load(alone: .microseconds(12), grouped: .microseconds(6))
        _ = load.calls(1024 + 2 * Self.timed)
        #expect(load.calls(512) == 512)
        load.size = 6
        #expect(load.calls(60) == 60)
        load.size = 1
        #expect(load.calls(100) < 12)
    }
}
