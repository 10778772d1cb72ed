/// A date of the Gregorian calendar.
struct CivilDate: Sendable {
    let year, month, day: Int

    /// Creates the date of a number of days since 1970-01-01.
    init(day number: Int) {
        // Eras of 400 years begin on March 1, so that a leap day is the last of its year.
        let shifted = number + 719_468
        let era = shifted / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the date of a time in seconds since 1970.
    init(_ time: Double) { self.init(day: Int(time / 86_400)) }

    /// Returns a time in seconds since 1970 as text (RFC 3339).
    static func text(_ time: Double) -> String {
        let date = CivilDate(time)
        let seconds = Int(time) % 86_400
        let parts = [date.month, date.day, seconds / 3_600, seconds / 60 % 60, seconds % 60].map {
            ($0 < 10 ? "0" : "") + String($0)
        }
        return "\(date.year)-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])Z"
    }
}
