import JOSE

/// The demo's report.
struct DemoTable {
    let count: Int
    let jobs: Int
    let bytes: Int
    let answers: DemoAnswers
    let rate: Double
    let rawRate: Double
    /// The rate of the same tokens in batches with vectorized private keys, or nil where the processor or the build
    /// lacks them.
    let vectorizedRate: Double?

    var text: String {
        let cores = "\(jobs) \(jobs == 1 ? "thread" : "threads")"
        var text = """
            \(Self.grouped(count)) nested tokens: RS256 within RSA-OAEP and A128CBC-HS256, \(Self.grouped(bytes / count)) bytes

            """
        func row(_ name: String, _ value: String, _ note: String = "") {
            let gap = String(repeating: " ", count: max(1, 46 - name.utf8.count - value.utf8.count))
            text += "  \(name)\(gap)\(value)\(note.isEmpty ? "" : "   " + note)\n"
        }
        row("verified", Self.grouped(answers.valid))
        row("rejected", Self.grouped(count - answers.valid))
        let made = stride(from: 0, to: count, by: 1).reduce(into: [String: Int]()) { made, index in
            if let fault = DemoFault(of: index) { made[fault.error.code, default: 0] += 1 }
        }
        for code in Set(made.keys).union(answers.rejected.keys).sorted() {
            let (wanted, got) = (made[code] ?? 0, answers.rejected[code] ?? 0)
            row("  " + code, Self.grouped(got), got == wanted ? "as made" : "but made: \(wanted)")
        }
        row("tokens a second", Self.grouped(rate), "on \(cores)")
        row("microseconds a token, on each thread", Self.decimal(1e6 / rate * Double(jobs), 1))
        row("raw OpenSSL, tokens a second", Self.grouped(rawRate), "the same cryptography alone, on \(cores)")
        row("share of the raw rate", Self.decimal(rate / rawRate, 3))
        if let vectorizedRate {
            row("in batches, with vectorized private keys", Self.grouped(vectorizedRate), "tokens a second")
            row("share of the raw rate", Self.decimal(vectorizedRate / rawRate, 3))
            text += """

                Vectorized private keys are an option, --vectorized-private-keys or EncryptionPolicy.privateKeyOperations, by which this
                package's own code decrypts the keys of four tokens at a time; by default OpenSSL decrypts each alone.

                """
        }
        return text
    }

    /// Returns a number that is not negative, with its digits in groups of three.
    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().reduce(into: "") { result, element in
            if element.offset > 0, (digits.count - element.offset) % 3 == 0 { result += " " }
            result.append(element.element)
        }
    }
    private static func grouped(_ rate: Double) -> String { rate.isFinite ? grouped(Int(rate.rounded())) : "-" }

    /// Returns the number with `digits` digits after the decimal point.
    private static func decimal(_ number: Double, _ digits: Int) -> String {
        guard number.isFinite else { return "-" }
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let scaled = Int((number * Double(scale)).rounded())
        return "\(scaled / scale)." + String(scaled % scale + scale).dropFirst()
    }
}
