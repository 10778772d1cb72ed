internal import JOSECrypto
internal import Synchronization

/// A key of P-256 or Ed25519 that counts its verifications, and has a table of its multiples once there were enough of
/// them for one to pay off. It can be shared between threads.
final class HotKey: Sendable {
    /// The number of tokens after which a key whose table was refused or freed requests one again, so that more keys
    /// than the registry has room for do not make tables all the time.
    static let renewal = 300

    /// The part that the registry references. It may outlive the key until the registry has removed it.
    final class TableSlot: Sendable {
        let table: Mutex<KernelKey?> = Mutex(nil)
        /// Whether there is a table, which is read before the lock is taken.
        let isReady = Atomic<Bool>(false)
        /// Whether the table was used since the registry last looked.
        let wasUsed = Atomic<Bool>(false)
        let uses = Atomic<Int>(0)
        /// The number of uses at which a table is requested.
        let threshold: Int

        init(threshold: Int) { self.threshold = threshold }

        /// Lets the key request a table again later.
        func restart() { uses.store(threshold - HotKey.renewal, ordering: .relaxed) }
    }

    let key: TableKey
    let slot: TableSlot
    private let registry: HotKeyRegistry

    init(_ key: TableKey, _ registry: HotKeyRegistry) {
        self.key = key
        self.registry = registry
        slot = TableSlot(threshold: key.usesForTable)
    }

    deinit { registry.forget(slot) }

    /// Returns the table for this many tokens, or nil where there is none, or none yet.
    ///
    /// - Parameter isBatch: Whether the tokens are part of a batch. The use that requests the table then makes it,
    ///   where that is quick: in the background it might be made after the batch.
    func table(uses: Int = 1, isBatch: Bool = false) -> KernelKey? {
        if let ready { return ready }
        let counted = slot.uses.add(uses, ordering: .relaxed)
        guard counted.oldValue < slot.threshold, counted.newValue >= slot.threshold else { return nil }
        let isMadeNow = isBatch && key.hasQuickTable
        registry.ask(for: self, isMadeNow: isMadeNow)
        return isMadeNow ? ready : nil
    }

    private var ready: KernelKey? {
        guard slot.isReady.load(ordering: .relaxed) else { return nil }
        if !slot.wasUsed.load(ordering: .relaxed) { slot.wasUsed.store(true, ordering: .relaxed) }
        return slot.table.withLock { $0 }
    }
}
