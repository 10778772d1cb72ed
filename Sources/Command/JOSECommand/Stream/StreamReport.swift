import JOSESupport
import Synchronization

/// The counts of a run, and its progress bar.
final class StreamReport: Sendable {
    private struct State: Sendable {
        var tally = Tally()
        var bar: ProgressBar
        var hasWaited = false
    }
    private let state: Mutex<State>
    private let begun = ContinuousClock.now

    /// Creates the report of a run.
    ///
    /// - Parameter total: The size of the stream in bytes, or nil if it is unknown.
    init(_ label: String, total: Int?, isQuiet: Bool) {
        state = Mutex(State(bar: ProgressBar(label, total: total, isQuiet: isQuiet)))
    }

    /// Whether this is the first reading of the property, which a run makes when it waits for keys.
    var isFirstWait: Bool {
        state.withLock { state in
            defer { state.hasWaited = true }
            return !state.hasWaited
        }
    }

    func add(_ batch: borrowing Batch) {
        let tally = batch.tally
        let position = batch.position
        state.withLock { state in
            state.tally.add(tally)
            state.bar.show(done: position, count: state.tally.total)
        }
    }

    func end() -> Tally {
        state.withLock { state in
            state.bar.clear()
            return state.tally
        }
    }

    var seconds: Double { (ContinuousClock.now - begun).inSeconds }
}
