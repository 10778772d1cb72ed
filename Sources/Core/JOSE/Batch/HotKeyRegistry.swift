internal import JOSECrypto
internal import Synchronization

/// The tables of all P-256 keys of the process: so many, of so many bytes, and no more. A key that asks when there is no room
/// gets that of one which verified nothing since the last time anyone asked; where all did, it waits until it has verified as
/// many tokens again.
final class HotKeyRegistry: Sendable {
    static let shared = HotKeyRegistry(mostKeys: 256, mostBytes: 64 << 20)

    private struct State: Sendable {
        /// Those that have a table, in the order of the next looks.
        var held: [Held] = []
        var bytes = 0
        /// Those whose table is to be made, the first of them being made now.
        var waiting: [(key: AsymmetricKey, place: HotKey.Place)] = []
        var isMaking = false
    }

    private struct Held: Sendable {
        let place: HotKey.Place
        let bytes: Int
    }

    private let mostKeys: Int
    private let mostBytes: Int
    private let make: @Sendable (AsymmetricKey) -> KernelKey?
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Mutex<State> = Mutex(State())

    /// `later`: what does the work, of which no token waits for the end.
    init(
        mostKeys: Int, mostBytes: Int,
        make: @escaping @Sendable (AsymmetricKey) -> KernelKey? = { KernelKey.isAvailable ? KernelKey($0) : nil },
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            Task.detached(priority: .utility) { work() }
        }
    ) {
        self.mostKeys = mostKeys
        self.mostBytes = mostBytes
        self.make = make
        self.later = later
    }

    /// How many tables there are, and of how many bytes.
    var size: (keys: Int, bytes: Int) { state.withLock { ($0.held.count, $0.bytes) } }

    /// Returns at once; the table comes in the background, one at a time, or not at all.
    func ask(for hot: HotKey) {
        let starts = state.withLock { state in
            guard state.waiting.count < mostKeys else {
                // Too many at once: this one may ask again.
                hot.place.uses.store(0, ordering: .relaxed)
                return false
            }
            state.waiting.append((hot.key, hot.place))
            if state.isMaking { return false }
            state.isMaking = true
            return true
        }
        if starts { makeNext() }
    }

    /// A table is a piece of work of its own, so that others get their turn between two.
    private func makeNext() {
        later { [self] in
            guard let next = next() else { return }
            install(make(next.key), next.place)
            makeNext()
        }
    }

    private func next() -> (key: AsymmetricKey, place: HotKey.Place)? {
        state.withLock { state in
            guard let first = state.waiting.first else {
                state.isMaking = false
                return nil
            }
            return first
        }
    }

    private func install(_ lanes: KernelKey?, _ place: HotKey.Place) {
        state.withLock { state in
            // The key may have gone meanwhile.
            guard let index = state.waiting.firstIndex(where: { $0.place === place }) else { return }
            state.waiting.remove(at: index)
            // Not covered here: never asked for again.
            guard let lanes else { return }
            guard makeRoom(for: lanes.byteCount, &state) else {
                place.uses.store(0, ordering: .relaxed)
                return
            }
            state.held.append(Held(place: place, bytes: lanes.byteCount))
            state.bytes += lanes.byteCount
            place.table.withLock { $0 = lanes }
            place.wasUsed.store(true, ordering: .relaxed)
            place.isReady.store(true, ordering: .relaxed)
        }
    }

    /// Each that is looked at loses its mark; whose mark was gone already loses its table.
    private func makeRoom(for bytes: Int, _ state: inout State) -> Bool {
        guard bytes <= mostBytes, mostKeys > 0 else { return false }
        var looks = state.held.count
        while state.held.count >= mostKeys || state.bytes + bytes > mostBytes {
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

    /// Takes the table away; a verification that has it in hand ends with it.
    private func drop(_ place: HotKey.Place) {
        place.isReady.store(false, ordering: .relaxed)
        place.uses.store(0, ordering: .relaxed)
        place.table.withLock { $0 = nil }
    }

    /// The key is gone.
    func forget(_ place: HotKey.Place) {
        state.withLock { state in
            state.waiting.removeAll { $0.place === place }
            guard let index = state.held.firstIndex(where: { $0.place === place }) else { return }
            state.bytes -= state.held.remove(at: index).bytes
        }
    }
}
