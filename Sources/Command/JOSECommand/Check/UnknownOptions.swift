import JOSESettings
internal import Synchronization

/// Reports each unknown option name once, because a misspelt option would otherwise have no effect unnoticed.
final class UnknownOptions: Sendable {
    private let told = Mutex<Set<String>>([])

    func tell(_ name: String) {
        let isNew = told.withLock { told in told.count < 20 && told.insert(name).inserted }
        if isNew { Output.complain("bulla check: unknown option '\(name)' is ignored") }
    }
}
