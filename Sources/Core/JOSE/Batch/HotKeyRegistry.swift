internal import JOSECrypto
internal import Synchronization

/// The tables of all P-256 and Ed25519 keys of the process, limited in number and size. A key that requests a table
/// when the registry is full gets the place of one that verified nothing since the last request; where all did, it
/// waits until it has verified `HotKey.renewal` more tokens.
final class HotKeyRegistry: Sendable {
    static let shared = HotKeyRegistry(
        mostKeys: KeyTables.defaultLimit, mostBytes: KeyTables.bytes(KeyTables.defaultLimit))

    private struct State: Sendable {
        var mostKeys: Int
        var mostBytes: Int
        /// The keys that have a table, in the order in which they are examined next.
        var held: [Held] = []
        var bytes = 0
        /// The keys whose table is to be made. That of the first is being made.
        var waiting: [(key: TableKey, place: HotKey.Place)] = []
        var isMaking = false
    }

    private struct Held: Sendable {
        let place: HotKey.Place
        let bytes: Int
    }

    private let make: @Sendable (TableKey) -> KernelKey?
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Mutex<State>

    /// Creates a registry. `later` runs the work in the background.
    init(
        mostKeys: Int, mostBytes: Int,
        make: @escaping @Sendable (TableKey) -> KernelKey? = { $0.table() },
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            Task.detached(priority: .utility) { work() }
        }
    ) {
        state = Mutex(State(mostKeys: mostKeys, mostBytes: mostBytes))
        self.make = make
        self.later = later
    }

    /// The number of tables, and their size in bytes.
    var size: (keys: Int, bytes: Int) { state.withLock { ($0.held.count, $0.bytes) } }

    /// The largest number of tables.
    var limit: Int { state.withLock { $0.mostKeys } }

    /// Sets the limits. Tables beyond them are freed at once, those that are examined next first.
    func setLimits(mostKeys: Int, mostBytes: Int) {
        state.withLock { state in
            (state.mostKeys, state.mostBytes) = (mostKeys, mostBytes)
            while state.held.count > mostKeys || state.bytes > mostBytes {
                let first = state.held.removeFirst()
                state.bytes -= first.bytes
                drop(first.place)
            }
        }
    }

    /// Requests a table for a key. Tables are made one at a time.
    ///
    /// - Parameter isMadeNow: Whether the table is made before the function returns, unless another is being made;
    ///   otherwise it is made in the background.
    func ask(for hot: HotKey, isMadeNow: Bool = false) {
        let starts = state.withLock { state in
            guard state.waiting.count < state.mostKeys else {
                // Too many keys are waiting. This one may request a table again.
                hot.place.restart()
                return false
            }
            state.waiting.append((hot.key, hot.place))
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
        install(make(next.key), next.place)
        return true
    }

    /// Returns the key that has waited longest. If none waits, tables are no longer being made.
    private func next() -> (key: TableKey, place: HotKey.Place)? {
        state.withLock { state in
            guard let first = state.waiting.first else {
                state.isMaking = false
                return nil
            }
            return first
        }
    }

    private func install(_ table: KernelKey?, _ place: HotKey.Place) {
        state.withLock { state in
            // The key may have been removed meanwhile.
            guard let index = state.waiting.firstIndex(where: { $0.place === place }) else { return }
            state.waiting.remove(at: index)
            // The kernels do not support the key, and it makes no further request.
            guard let table else { return }
            guard makeRoom(for: table.byteCount, &state) else {
                place.restart()
                return
            }
            state.held.append(Held(place: place, bytes: table.byteCount))
            state.bytes += table.byteCount
            place.table.withLock { $0 = table }
            place.wasUsed.store(true, ordering: .relaxed)
            place.isReady.store(true, ordering: .relaxed)
        }
    }

    /// Frees places. A table that is examined loses its mark; one without a mark is freed.
    private func makeRoom(for bytes: Int, _ state: inout State) -> Bool {
        guard bytes <= state.mostBytes, state.mostKeys > 0 else { return false }
        var looks = state.held.count
        while state.held.count >= state.mostKeys || state.bytes + bytes > state.mostBytes {
            guard looks > 0 else { return false }
            looks -= 1
            let oldest = state.held.removeFirst()
            if oldest.place.wasUsed.exchange(false, ordering: .relaxed) {
                state.held.append(oldest)
            } else {
                state.bytes -= oldest.bytes
                drop(oldest.place)
            }
        }
        return true
    }

    /// Removes a table. A verification that uses it ends with it.
    private func drop(_ place: HotKey.Place) {
        place.isReady.store(false, ordering: .relaxed)
        place.restart()
        place.table.withLock { $0 = nil }
    }

    /// Removes a key that no longer exists.
    func forget(_ place: HotKey.Place) {
        state.withLock { state in
            state.waiting.removeAll { $0.place === place }
            guard let index = state.held.firstIndex(where: { $0.place === place }) else { return }
            state.bytes -= state.held.remove(at: index).bytes
        }
    }
}
