internal import JOSECrypto
internal import Synchronization

/// A key of P-256 or Ed25519 that counts its verifications, and has a table of its multiples once there were enough of
/// them for one to pay off. It can be shared between threads.
final class HotKey: Sendable {
    /// The number of tokens after which a table is requested. Making one takes as long as some dozens of verifications
    /// without; a key that has verified this many is likely to verify as many again.
    static let threshold = 300

    /// The part that the registry references. It may outlive the key until the registry has removed it.
    final class Place: Sendable {
        let table: Mutex<KernelKey?> = Mutex(nil)
        /// Whether there is a table, which is read before the lock is taken.
        let isReady = Atomic<Bool>(false)
        /// Whether the table was used since the registry last looked.
        let wasUsed = Atomic<Bool>(false)
        let uses = Atomic<Int>(0)
    }

    let key: TableKey
    let place = Place()
    private let registry: HotKeyRegistry

    init(_ key: TableKey, _ registry: HotKeyRegistry) {
        self.key = key
        self.registry = registry
    }

    deinit { registry.forget(place) }

    /// Returns the table for this many tokens, or nil where there is none, or none yet.
    func table(uses: Int = 1) -> KernelKey? {
        if place.isReady.load(ordering: .relaxed) {
            if !place.wasUsed.load(ordering: .relaxed) { place.wasUsed.store(true, ordering: .relaxed) }
            return place.table.withLock { $0 }
        }
        let counted = place.uses.add(uses, ordering: .relaxed)
        if counted.oldValue < Self.threshold, counted.newValue >= Self.threshold { registry.ask(for: self) }
        return nil
    }
}
