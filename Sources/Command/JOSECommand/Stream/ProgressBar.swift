import JOSESettings
import JOSESupport

/// A progress bar on standard error. If that is not a terminal, nothing is written.
struct ProgressBar: Sendable {
    private let isShown: Bool
    private let label: String
    /// The value of `done` at the end, or nil if it is unknown.
    private let total: Int?
    private let begun = ContinuousClock.now
    private var drawn: ContinuousClock.Instant?

    init(_ label: String, total: Int?, isQuiet: Bool = false) {
        self.label = label
        self.total = total
        isShown = !isQuiet && Descriptor.errors.isTerminal
    }

    /// Draws the bar.
    ///
    /// - Parameters:
    ///   - done: The work that is done, in the unit of `total`.
    ///   - count: The number of tokens or lines that are done.
    mutating func show(done: Int, count: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < .milliseconds(100) { return }
        drawn = now
        draw(done: done, count: count, now)
    }

    /// Erases the bar.
    func clear() {
        guard isShown, drawn != nil else { return }
        _ = Descriptor.errors.tryWrite("\r\u{1B}[K".utf8.span)
    }

    private func draw(done: Int, count: Int, _ now: ContinuousClock.Instant) {
        var text = "\r\(label) "
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let filled = Int(share * 30)
            text += "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled) + "] "
            text += Output.decimal(share * 100, 0) + " % "
        }
        let rate = Double(count) / max(0.001, (now - begun).inSeconds)
        text += "\(count.grouped)  \(Int(rate).grouped) a second\u{1B}[K"
        _ = Descriptor.errors.tryWrite(text.utf8.span)
    }
}
