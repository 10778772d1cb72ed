/// A date of the Gregorian calendar.
package struct CivilDate: Sendable {
    package let year, month, day: Int

    /// Creates the date of a time in seconds since 1970.
    package init(_ time: Double) {
        // Eras of 400 years begin on March 1, so that a leap day is the last of its year.
        let shifted = Int((time / 86_400).rounded(.down)) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The date as text (ISO 8601).
    package var text: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// Returns a time in seconds since 1970 as text (RFC 3339).
    package static func text(_ time: Double) -> String {
        let seconds = Int(time) % 86_400
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map(two)
        return "\(CivilDate(time).text)T\(parts.joined(separator: ":"))Z"
    }
}
