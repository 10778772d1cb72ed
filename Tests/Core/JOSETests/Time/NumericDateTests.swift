import Foundation
import JOSE
import JOSESupport
import Synchronization
import Testing

@Suite("NumericDate, durations and clocks") struct NumericDateTests {
    private let start: NumericDate = 1_700_000_000
    private let notANumber = NumericDate(secondsSince1970: .nan)
    private let infinite = NumericDate(secondsSince1970: .infinity)

    @Test("a NumericDate literal is a number of seconds since 1970 (RFC 7519, 2)") func literals() {
        let fraction: NumericDate = 1_700_000_000.25
        let early: NumericDate = -1
        #expect(start.secondsSince1970 == 1_700_000_000)
        #expect(fraction.secondsSince1970 == 1_700_000_000.25)
        #expect(early.secondsSince1970 == -1)
        #expect(start == NumericDate(secondsSince1970: 1_700_000_000))
        #expect(start != fraction)
        #expect(Set([start, fraction, start]).count == 2)
    }

    @Test("a duration can be added to a time, and the difference of two times is a duration") func arithmetic() {
        let later = start + .seconds(61)
        let earlier = start - .milliseconds(1_500)
        #expect(later.secondsSince1970 == 1_700_000_061)
        #expect(earlier.secondsSince1970 == 1_699_999_998.5)
        #expect(later - start == .seconds(61))
        #expect(start - later == .seconds(-61))
        #expect(start - earlier == .milliseconds(1_500))
        #expect(earlier - start == .milliseconds(-1_500))
        #expect(start - start == .zero)
        var moved = start
        moved += .seconds(10)
        #expect(moved.secondsSince1970 == 1_700_000_010)
        moved -= .seconds(20)
        #expect(moved.secondsSince1970 == 1_699_999_990)
    }

    @Test("the difference of two times is at most 2^53 seconds, and zero if either is NaN") func saturation() {
        let far = NumericDate(secondsSince1970: 0x1p60)
        let most = Duration.seconds(9_007_199_254_740_992)
        let least = Duration.seconds(-9_007_199_254_740_992)
        #expect(far - start == most)
        #expect(start - far == least)
        #expect(infinite - start == most)
        #expect(start - infinite == least)
        #expect(infinite - infinite == .zero)
        #expect(notANumber - start == .zero)
        #expect(start - notANumber == .zero)
        #expect((infinite + .seconds(1)).secondsSince1970 == .infinity)
        #expect((notANumber + .seconds(1)).secondsSince1970.isNaN)
    }

    @Test("times are ordered, and every comparison with NaN is false") func order() {
        let later = start + .seconds(1)
        let same = start
        #expect(start < later)
        #expect(start <= later)
        #expect(later > start)
        #expect(later >= start)
        #expect(start <= same)
        #expect(start >= same)
        #expect(!(later < start))
        #expect(!(start > later))
        for other in [start, infinite, notANumber] {
            #expect(!(notANumber < other))
            #expect(!(notANumber <= other))
            #expect(!(notANumber > other))
            #expect(!(notANumber >= other))
            #expect(!(other < notANumber))
            #expect(!(other <= notANumber))
            #expect(!(other > notANumber))
            #expect(!(other >= notANumber))
            #expect(notANumber != other)
        }
    }

    @Test("a time is valid within 2^53 seconds of 1970, inclusive") func validity() {
        #expect(NumericDate.bound == 9_007_199_254_740_992)
        for seconds in [0, 1_700_000_000.5, -1, NumericDate.bound, -NumericDate.bound] {
            #expect(NumericDate(secondsSince1970: seconds).isValid, "\(seconds)")
        }
        for seconds in [NumericDate.bound.nextUp, -NumericDate.bound.nextUp, .infinity, -.infinity, .nan] {
            #expect(!NumericDate(secondsSince1970: seconds).isValid, "\(seconds)")
        }
    }

    @Test("the description of a time is its number of seconds, without a fraction if there is none")
    func description() {
        let fraction: NumericDate = 1_700_000_000.25
        let early: NumericDate = -1
        #expect(start.description == "1700000000")
        #expect(fraction.description == "1700000000.25")
        #expect(early.description == "-1")
        #expect(NumericDate(secondsSince1970: -0.0).description == "0")
        #expect(NumericDate(secondsSince1970: NumericDate.bound).description == "9007199254740992")
        #expect(NumericDate(secondsSince1970: 0x1p60).description == "\(0x1p60 as Double)")
        #expect(infinite.description == "inf")
        #expect(notANumber.description == "nan")
    }

    @Test("a Date converts to a NumericDate and back") func foundation() {
        for seconds in [0, 1_700_000_000, 1_700_000_000.5, -1, -0x1p40] as [Double] {
            let date = NumericDate(secondsSince1970: seconds)
            #expect(Date(date) == Date(timeIntervalSince1970: seconds))
            #expect(NumericDate(Date(date)) == date)
        }
        #expect(NumericDate(Date(timeIntervalSince1970: 1_700_000_000)) == start)
    }

    @Test("seconds convert to a duration exactly to the microsecond, and a timer's duration is bounded")
    func durations() {
        let durations: [Duration] = [
            .zero, .microseconds(1), .milliseconds(100), .milliseconds(-1_500), .seconds(30), .seconds(31_536_000),
        ]
        for duration in durations { #expect(Duration(saturatingSeconds: duration.inSeconds) == duration) }
        #expect(Duration.seconds(30).inSeconds == 30)
        #expect(Duration(saturatingSeconds: .nan) == .zero)
        #expect(Duration(saturatingSeconds: .infinity) == .seconds(9_007_199_254_740_992))
        #expect(Duration(saturatingSeconds: -.infinity) == .seconds(-9_007_199_254_740_992))
        #expect(Duration(inSeconds: 1.5) == .milliseconds(1_500))
        #expect(Duration(inSeconds: -1) == .zero)
        #expect(Duration(inSeconds: .nan) == .zero)
        #expect(Duration(inSeconds: .infinity) == .seconds(1_000_000_000))
    }

    @Test("a fixed clock returns one time, a custom clock is called each time, and the system clock shows the present")
    func clocks() {
        #expect(WallClock.fixed(start).now == start)
        let readings = Readings()
        let custom = WallClock.custom { readings.next() }
        #expect(custom.now == 1)
        #expect(custom.now == 2)
        let system = Date().timeIntervalSince1970
        #expect(abs(WallClock.system.now.secondsSince1970 - system) < 60)
        #expect(abs(NumericDate.now.secondsSince1970 - system) < 60)
    }

    @Test("the system's clock has reached a time at once when a wait until that time ends")
    func exactness() {
        // Foundation reads the exact clock. A clock that lags by a tick would be behind nearly always.
        // Its seconds have another origin, so that the last bit may differ.
        for _ in 0..<1_000 {
            let reached = Date().timeIntervalSince1970 - 1e-6
            #expect(NumericDate.now.secondsSince1970 >= reached)
            let later = Date().timeIntervalSince1970 - 1e-6
            #expect(WallClock.system.now.secondsSince1970 >= later)
        }
    }

    @Test("the coarse time of the system's clock is that of the last tick, and other clocks have one time only")
    func coarseness() {
        for _ in 0..<1_000 {
            let earliest = Date().timeIntervalSince1970 - 60
            let coarse = WallClock.system.coarse.secondsSince1970
            #expect(earliest < coarse && coarse <= Date().timeIntervalSince1970 + 1e-6)
        }
        #expect(WallClock.fixed(start).coarse == start)
        let readings = Readings()
        #expect(WallClock.custom { readings.next() }.coarse == 1)
    }
}

/// A clock that is one second later at each reading.
private final class Readings: Sendable {
    private let count = Atomic<Int64>(0)

    func next() -> NumericDate {
        NumericDate(secondsSince1970: Double(count.add(1, ordering: .relaxed).newValue))
    }
}
