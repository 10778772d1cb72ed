import JOSESettings

/// The demo's report.
struct DemoTable {
    let count: Int
    let jobs: Int
    let bytes: Int
    let tally: Tally
    let made: [(fault: Fault, count: Int)]
    let seconds: Double
    let rawRate: Double
    /// The rate of the same tokens in batches with vectorized private keys, or nil where the processor or the build
    /// lacks them.
    let vectorizedRate: Double?

    /// Whether exactly the broken tokens were rejected, each with its own error.
    var isAsExpected: Bool {
        let broken = made.filter { $0.count > 0 }
        let reasons = tally.reasons
        return tally.valid == count - broken.reduce(0) { $0 + $1.count } && reasons.count == broken.count
            && broken.allSatisfy { wanted in
                reasons.contains { $0.fault == wanted.fault && $0.count == wanted.count }
            }
    }

    var text: String {
        let rate = Double(count) / seconds
        let cores = "\(jobs) \(jobs == 1 ? "thread" : "threads")"
        var text = """

            \(count.grouped) nested tokens: RS256 within RSA-OAEP and A128CBC-HS256, \((bytes / count).grouped) bytes

            """
        func row(_ name: String, _ value: String, _ note: String = "") {
            let gap = String(repeating: " ", count: max(1, 46 - name.utf8.count - value.utf8.count))
            text += "  \(name)\(gap)\(value)\(note.isEmpty ? "" : "   " + note)\n"
        }
        row("verified", tally.valid.grouped)
        row("rejected", (tally.invalid + tally.retry).grouped)
        for (fault, wanted) in made {
            let got = tally.reasons.first { $0.fault == fault }?.count ?? 0
            row("  " + fault.code, got.grouped, got == wanted ? "as made" : "but made: \(wanted)")
        }
        for (fault, got) in tally.reasons where !made.contains(where: { $0.fault == fault }) {
            row("  " + fault.code, got.grouped, "but made: 0")
        }
        row("seconds", Output.decimal(seconds, 2), "on \(cores)")
        row("tokens a second", Int(rate.rounded()).grouped)
        row(
            "microseconds a token", Output.decimal(1e6 / rate, 1),
            jobs == 1 ? "" : "\(Output.decimal(1e6 / rate * Double(jobs), 1)) on each thread")
        row(
            "raw OpenSSL, tokens a second", Int(rawRate.rounded()).grouped,
            "the same cryptography alone, \(cores)")
        row("share of the raw rate", Output.decimal(rate / rawRate, 3))
        if let vectorizedRate {
            let rate = Int(vectorizedRate.rounded()).grouped
            row("in batches, with vectorized private keys", rate, "tokens a second")
            row("share of the raw rate", Output.decimal(vectorizedRate / rawRate, 3))
            text += """

                Vectorized private keys are an option, --vectorized-private-keys or EncryptionPolicy.privateKeyOperations, by which this
                package's own code decrypts the keys of four tokens at a time; by default OpenSSL decrypts each alone.

                """
        }
        return text
    }
}
