internal import JOSECrypto
internal import Synchronization

/// The tables of all P-256 and Ed25519 keys of the process, limited in number and size. A key that requests a table
/// when the registry is full replaces one that verified nothing since the last request; where all did, it
/// waits until it has verified `HotKey.renewal` more tokens.
final class HotKeyRegistry: Sendable {
    static let shared = HotKeyRegistry(
        maximumKeys: KeyTables.defaultLimit, maximumBytes: KeyTables.bytes(KeyTables.defaultLimit))

    private struct State: Sendable {
        var maximumKeys: Int
        var maximumBytes: Int
        /// The keys that have a table, in the order in which they are examined next.
        var tables: [StoredTable] = []
        var bytes = 0
        /// The keys whose table is to be made. That of the first is being made.
        var waiting: [(key: TableKey, slot: HotKey.TableSlot)] = []
        var isMaking = false
    }

    private struct StoredTable: Sendable {
        let slot: HotKey.TableSlot
        let bytes: Int
    }

    private let make: @Sendable (TableKey) -> KernelKey?
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Mutex<State>

    /// Creates a registry. `later` runs the work in the background.
    init(
        maximumKeys: Int, maximumBytes: Int,
        make: @escaping @Sendable (TableKey) -> KernelKey? = { $0.table() },
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            Task.detached(priority: .utility) { work() }
        }
    ) {
        state = Mutex(State(maximumKeys: maximumKeys, maximumBytes: maximumBytes))
        self.make = make
        self.later = later
    }

    /// The number of tables, and their size in bytes.
    var size: (keys: Int, bytes: Int) { state.withLock { ($0.tables.count, $0.bytes) } }

    /// The largest number of tables.
    var limit: Int { state.withLock { $0.maximumKeys } }

    /// Sets the limits. Tables beyond them are freed at once, those that are examined next first.
    func setLimits(maximumKeys: Int, maximumBytes: Int) {
        state.withLock { state in
            (state.maximumKeys, state.maximumBytes) = (maximumKeys, maximumBytes)
            while state.tables.count > maximumKeys || state.bytes > maximumBytes {
                let first = state.tables.removeFirst()
                state.bytes -= first.bytes
                drop(first.slot)
            }
        }
    }

    /// Requests a table for a key. Tables are made one at a time.
    ///
    /// - Parameter isMadeNow: Whether the table is made before the function returns, unless another is being made;
    ///   otherwise it is made in the background.
    func ask(for hot: HotKey, isMadeNow: Bool = false) {
        let starts = state.withLock { state in
            guard state.waiting.count < state.maximumKeys else {
                // Too many keys are waiting. This one may request a table again.
                hot.slot.restart()
                return false
            }
            state.waiting.append((hot.key, hot.slot))
            if state.isMaking { return false }
            state.isMaking = true
            return true
        }
        guard starts else { return }
        if isMadeNow, makeFirst(), next() == nil { return }
        makeNext()
    }

    /// Makes the next table. Each is a job of its own, so that other work can run between two.
    private func makeNext() {
        later { [self] in
            if makeFirst() { makeNext() }
        }
    }

    /// Makes the table of the key that has waited longest. Returns false if none waits.
    private func makeFirst() -> Bool {
        guard let next = next() else { return false }
        install(make(next.key), next.slot)
        return true
    }

    /// Returns the key that has waited longest. If none waits, tables are no longer being made.
    private func next() -> (key: TableKey, slot: HotKey.TableSlot)? {
        state.withLock { state in
            guard let first = state.waiting.first else {
                state.isMaking = false
                return nil
            }
            return first
        }
    }

    private func install(_ table: KernelKey?, _ slot: HotKey.TableSlot) {
        state.withLock { state in
            // The key may have been removed meanwhile.
            guard let index = state.waiting.firstIndex(where: { $0.slot === slot }) else { return }
            state.waiting.remove(at: index)
            // The kernels do not support the key, and it makes no further request.
            guard let table else { return }
            guard makeRoom(for: table.byteCount, &state) else {
                slot.restart()
                return
            }
            state.tables.append(StoredTable(slot: slot, bytes: table.byteCount))
            state.bytes += table.byteCount
            slot.table.withLock { $0 = table }
            slot.wasUsed.store(true, ordering: .relaxed)
            slot.isReady.store(true, ordering: .relaxed)
        }
    }

    /// Frees tables until there is room. A table that is examined loses its mark; one without a mark is freed.
    private func makeRoom(for bytes: Int, _ state: inout State) -> Bool {
        guard bytes <= state.maximumBytes, state.maximumKeys > 0 else { return false }
        var looks = state.tables.count
        while state.tables.count >= state.maximumKeys || state.bytes + bytes > state.maximumBytes {
            guard looks > 0 else { return false }
            looks -= 1
            let oldest = state.tables.removeFirst()
            if oldest.slot.wasUsed.exchange(false, ordering: .relaxed) {
                state.tables.append(oldest)
            } else {
                state.bytes -= oldest.bytes
                drop(oldest.slot)
            }
        }
        return true
    }

    /// Removes a table. A verification that uses it ends with it.
    private func drop(_ slot: HotKey.TableSlot) {
        slot.isReady.store(false, ordering: .relaxed)
        slot.restart()
        slot.table.withLock { $0 = nil }
    }

    /// Removes a key that no longer exists.
    func forget(_ slot: HotKey.TableSlot) {
        state.withLock { state in
            state.waiting.removeAll { $0.slot === slot }
            guard let index = state.tables.firstIndex(where: { $0.slot === slot }) else { return }
            state.bytes -= state.tables.remove(at: index).bytes
        }
    }
}
