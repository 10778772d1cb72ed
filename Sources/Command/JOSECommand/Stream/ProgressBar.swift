/// A line on standard error that is drawn over and over; where that is no terminal, nothing.
struct ProgressBar: Sendable {
    private let isShown: Bool
    private let label: String
    /// What `done` runs up to; nil: unknown.
    private let total: Int?
    private let begun = ContinuousClock.now
    private var drawn: ContinuousClock.Instant?

    init(_ label: String, total: Int?, isQuiet: Bool = false) {
        self.label = label
        self.total = total
        isShown = !isQuiet && Descriptor.errors.isTerminal
    }

    /// - Parameters:
    ///   - done: in the unit of `total`
    ///   - count: of what is shown: tokens, lines
    mutating func show(done: Int, count: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < .milliseconds(100) { return }
        drawn = now
        draw(done: done, count: count, now)
    }

    /// Leaves an empty line behind.
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
        text += "\(Output.grouped(count))  \(Output.grouped(Int(rate))) a second\u{1B}[K"
        _ = Descriptor.errors.tryWrite(text.utf8.span)
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
