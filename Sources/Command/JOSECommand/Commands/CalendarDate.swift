/// Formats seconds since 1970 as a date (ISO 8601), without Foundation.
enum CalendarDate {
    static func text(_ seconds: Int64) -> String {
        let day = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        // Years are counted from March, so that a leap day is the last day of a year.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let ofMonth = ofYear - (153 * month + 2) / 5 + 1
        let civil = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civil <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(civil))-\(two(ofMonth))"
    }
}
