import JOSE
import JOSETesting
import JOSETokens

/// The counts of all results, and the findings.
struct Tally {
    private(set) var counts: [String: [String: Int]] = [:]
    private(set) var mutatedBefore = 0
    private(set) var mutatedAfter = 0
    private(set) var tokens = 0
    private(set) var findings: [String] = []
    var currentCase = 0

    mutating func count(_ family: String, _ outcome: Refusal?) {
        counts[family, default: [:]][outcome?.rawValue ?? "accepted", default: 0] += 1
        if outcome == .other { find("\(family): a fault that is not the input's") }
    }

    mutating func countToken(before: Bool, after: Bool) {
        tokens += 1
        if before { mutatedBefore += 1 }
        if after { mutatedAfter += 1 }
    }

    mutating func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds { find(text()) }
    }

    mutating func find(_ text: String) { findings.append("case \(currentCase): \(text)") }

    var summary: String {
        let share = tokens == 0 ? 0 : 100 * mutatedBefore / tokens
        return
            "\(tokens) tokens: \(mutatedBefore) (\(share) %) mutated before they were signed or encrypted, \(mutatedAfter) after"
    }

    var report: String {
        var lines = [summary]
        for (family, outcomes) in counts.sorted(by: { $0.key < $1.key }) {
            let total = outcomes.values.reduce(0, +)
            let texts = outcomes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
            lines.append("\(family): \(total)\n    \(texts.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }
}

/// Runs the body and returns its refusal, or nil and its result if it succeeds.
func outcome<R>(_ body: () throws(JOSEError) -> R) -> (Refusal?, R?) {
    do throws(JOSEError) { return (nil, try body()) } catch { return (Refusal(error), nil) }
}

/// Runs the body and returns its refusal, or nil and its result if it succeeds.
func outcome<R>(ofToken body: () throws(TokenError) -> R) -> (Refusal?, R?) {
    do throws(TokenError) {
        return (nil, try body())
    } catch {
        precondition(!"\(error)".isEmpty)
        return (Refusal(error), nil)
    }
}
