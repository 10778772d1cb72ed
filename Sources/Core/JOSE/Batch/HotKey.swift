internal import JOSECrypto
internal import Synchronization

/// A P-256 key that counts what it verifies, and has a table of its multiples once that was enough for one to pay. Any number of
/// threads share it.
final class HotKey: Sendable {
    /// Tokens after which a table is asked for. To make one takes as long as some dozens of verifications without; a key that
    /// has seen this many will see as many again.
    static let threshold = 300

    /// What the registry keeps hold of: it may outlive the key, until that has told the registry.
    final class Place: Sendable {
        let table: Mutex<KernelKey?> = Mutex(nil)
        /// Whether `table` is worth a look: read before the lock is taken.
        let isReady = Atomic<Bool>(false)
        /// Since the registry last looked.
        let wasUsed = Atomic<Bool>(false)
        let uses = Atomic<Int>(0)
    }

    let key: AsymmetricKey
    let place = Place()
    private let registry: HotKeyRegistry

    init(_ key: AsymmetricKey, _ registry: HotKeyRegistry) {
        self.key = key
        self.registry = registry
    }

    deinit { registry.forget(place) }

    /// The table, for one more token or so many. Nil: there is none, or none yet.
    func lanes(uses: Int = 1) -> KernelKey? {
        if place.isReady.load(ordering: .relaxed) {
            if !place.wasUsed.load(ordering: .relaxed) { place.wasUsed.store(true, ordering: .relaxed) }
            return place.table.withLock { $0 }
        }
        let counted = place.uses.add(uses, ordering: .relaxed)
        if counted.oldValue < Self.threshold, counted.newValue >= Self.threshold { registry.ask(for: self) }
        return nil
    }
}
