internal import Synchronization

/// Tells of option names that mean nothing here, each once: a misspelt one would otherwise go unseen.
final class UnknownOptions: Sendable {
    private let told = Mutex<Set<String>>([])

    func tell(_ name: String) {
        let isNew = told.withLock { told in told.count < 20 && told.insert(name).inserted }
        if isNew { Output.complain("bulla check: option '\(name)' is not known, and says nothing") }
    }
}
