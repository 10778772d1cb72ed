#if SAML
    /// The conversion between seconds since 1970 and `xs:dateTime` in UTC, which is the format of times in SAML (SAML
    /// 2.0 Core, 1.3.3).
    package enum XMLTime {
        /// Returns a time as `xs:dateTime` in whole seconds, followed by `Z`.
        ///
        /// - Parameter time: The time in seconds since 1970.
        package static func text(_ time: Double) -> String {
            let seconds = Int64(time.rounded(.down))
            let (days, remainder) = seconds.quotientAndRemainderDown(by: 86_400)
            let (year, month, day) = civil(days)
            func padded(_ value: Int64, _ width: Int) -> String {
                let digits = String(value)
                return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
            }
            return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
                + "T\(padded(remainder / 3600, 2)):\(padded(remainder / 60 % 60, 2)):\(padded(remainder % 60, 2))Z"
        }

        /// Returns the seconds since 1970 for a text of the form `YYYY-MM-DDThh:mm:ss`, an optional fraction, and `Z`;
        /// nil for any other text.
        package static func seconds(_ text: String) -> Double? {
            let bytes = Array(text.utf8)
            let form = Array("dddd-dd-ddTdd:dd:dd".utf8)
            guard bytes.count >= 20, bytes.count <= 40, bytes.last == UInt8(ascii: "Z") else { return nil }
            var fields: [Int64] = []
            for (index, letter) in form.enumerated() {
                let byte = bytes[index]
                guard letter == UInt8(ascii: "d") ? isDigit(byte) : byte == letter else { return nil }
                if letter == UInt8(ascii: "d") {
                    if index == 0 || form[index - 1] != letter { fields.append(0) }
                    fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int64(byte - 0x30)
                }
            }
            let fraction = bytes[19..<(bytes.count - 1)]
            guard
                fraction.isEmpty
                    || (fraction.first == UInt8(ascii: ".") && fraction.count > 1
                        && fraction.dropFirst().allSatisfy(isDigit))
            else { return nil }
            guard (1970...9999).contains(fields[0]), (1...12).contains(fields[1]),
                (1...lastDay(fields[0], fields[1])).contains(fields[2]), fields[3] < 24, fields[4] < 60, fields[5] < 60
            else { return nil }
            var part = 0.0
            for byte in fraction.dropFirst().reversed() { part = (part + Double(byte - 0x30)) / 10 }
            let days = self.days(fields[0], fields[1], fields[2])
            return Double(days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]) + part
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        private static func lastDay(_ year: Int64, _ month: Int64) -> Int64 {
            if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
            return [4, 6, 9, 11].contains(month) ? 30 : 31
        }

        /// Returns the days since 1970 of a date of the Gregorian calendar. Years are counted from March, in eras of
        /// 400 years.
        private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let from = month <= 2 ? year - 1 : year
            let era = from / 400
            let ofEra = from - era * 400
            let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
            return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
        }

        private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
            let (era, ofEra) = (days + 719_468).quotientAndRemainderDown(by: 146_097)
            let years = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
            let ofYear = ofEra - (365 * years + years / 4 - years / 100)
            let shifted = (5 * ofYear + 2) / 153
            let month = shifted + (shifted < 10 ? 3 : -9)
            return (years + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shifted + 2) / 5 + 1)
        }
    }

    extension Int64 {
        fileprivate func quotientAndRemainderDown(by divisor: Int64) -> (Int64, Int64) {
            let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
            return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
        }
    }
#endif
