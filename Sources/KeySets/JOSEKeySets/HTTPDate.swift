/// The three date formats of HTTP (RFC 9110, 5.6.7).
package enum HTTPDate {
    /// Returns the seconds since 1970, or nil if the text has none of the formats. The day of the week is not checked.
    package static func seconds(_ text: String) -> Double? {
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true).map { Array($0) }
        let isPlain = words.joined().allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPlain else { return nil }
        switch words.count {
        case 6 where words[0].last == UInt8(ascii: ",") && isGMT(words[5]):
            return seconds(day: words[1], month: words[2], year: number(words[3], digits: 4...4), time: words[4])
        case 4 where words[0].last == UInt8(ascii: ",") && isGMT(words[3]):
            let parts = words[1].split(separator: UInt8(ascii: "-")).map { Array($0) }
            guard parts.count == 3, let short = number(parts[2], digits: 2...2) else { return nil }
            // A year of two digits means the nearer century.
            return seconds(day: parts[0], month: parts[1], year: short + (short < 70 ? 2000 : 1900), time: words[2])
        case 5: return seconds(day: words[2], month: words[1], year: number(words[4], digits: 4...4), time: words[3])
        default: return nil
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].map
    { Array($0.utf8) }
    private static let monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    private static func isGMT(_ word: [UInt8]) -> Bool { word == Array("GMT".utf8) }

    private static func number(_ digits: some Collection<UInt8>, digits count: ClosedRange<Int>) -> Int? {
        guard count.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func seconds(day: [UInt8], month: [UInt8], year: Int?, time: [UInt8]) -> Double? {
        let clock = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let year, year >= 1970, let day = number(day, digits: 1...2), let month = months.firstIndex(of: month),
            day >= 1, day <= monthDays[month], clock.count == 3, let hour = number(clock[0], digits: 2...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60, let second = number(clock[2], digits: 2...2),
            second <= 60
        else { return nil }
        // Years begin in March here, so that the leap day is the last one.
        let shifted = month < 2 ? year - 1 : year
        let fromMarch = (month + 10) % 12
        let days =
            shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (fromMarch * 306 + 5) / 10 + day - 1 - 719_468
        return Double(days) * 86_400 + Double(hour * 3600 + minute * 60 + second)
    }
}
