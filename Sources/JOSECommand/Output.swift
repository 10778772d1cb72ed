/// What is said, and where.
enum Output {
    static func standard(_ text: String) { Descriptor.output.write(text.utf8.span) }
    static func standard(_ bytes: [UInt8]) { Descriptor.output.write(bytes.span) }

    /// One line on standard error, whatever is in the text.
    static func complain(_ text: String) {
        let line = printable(text) + "\n"
        Descriptor.errors.write(line.utf8.span)
    }

    /// What a terminal shows as it is; the rest, such as its control codes and what turns the direction of text, as `\u{…}`.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Digits in groups of three.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += " " }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// With so many places behind the point.
    static func decimal(_ number: Double, _ places: Int) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "-" }
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((number.magnitude * Double(scale)).rounded())
        let fraction = String(scaled % scale + scale).dropFirst()
        return (number < 0 ? "-" : "") + String(scaled / scale) + (places == 0 ? "" : "." + fraction)
    }
}
