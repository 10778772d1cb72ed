package import JOSE
internal import Synchronization

/// A document that a server has and that may change, held so that reading it costs nothing: one value under a lock that is never
/// held while anything waits. Fetches run in a task of their own, one at a time, whoever asks for them and however many do.
///
/// `locate` says where it is, first choice first, and is asked before each fetch: it may have to look that up in another
/// document. `onKept` hears of each body that is taken, confirmed or dropped, so that it can be kept on disk; `restore` brings it
/// back.
package final class RemoteDocument<Reader: DocumentReader>: Sendable {
    package typealias Value = Reader.Value
    package typealias Locate = @Sendable () async throws(KeySetError) -> [String]
    package typealias Keep = @Sendable (DocumentKeeping) -> Void

    let reader: Reader
    let options: KeySetOptions
    let transport: any HTTPTransport
    let locate: Locate
    let surroundings: FetchEnvironment
    let freshness: Freshness
    let onKept: Keep?
    let events: EventQueue?
    let state: Mutex<DocumentState<Reader>>
    /// Apart from `state`, so that a flood of made-up names does not stand in the way of those who read.
    let misses: Mutex<Misses>
    let waits = Atomic<Int>(0)
    /// How many purges were told to `onKept`: nothing from before one may be kept after it.
    let keeping = Mutex(0)

    package init(
        _ name: String, reader: Reader, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)? = nil, surroundings: FetchEnvironment = .system, onKept: Keep? = nil,
        locate: @escaping Locate
    ) {
        self.reader = reader
        self.options = options
        self.transport = transport
        self.locate = locate
        self.surroundings = surroundings
        self.onKept = onKept
        freshness = Freshness(options)
        events = observer.map { EventQueue(name, $0) }
        state = Mutex(DocumentState(reader, options))
        misses = Mutex(Misses(options))
    }

    deinit { close() }

    /// What is held. Never waits; where something is due it is asked for. Throws `keysUnavailable`.
    package func current() throws(JOSEError) -> Value {
        let now = surroundings.now()
        if let value = state.withLock({ now < $0.lookAt ? $0.value : nil }) { return value }
        return try look()
    }

    private func look() throws(JOSEError) -> Value {
        let (value, outage): (Value?, KeysUnavailableReason) = transact { state, effects, now in
            if state.isClosed { return (nil, .closed) }
            state.isUsed = true
            pass(&state, &effects, now)
            guard let value = state.value else { return (nil, .notFetched) }
            return state.isServing(at: now) ? (value, .notFetched) : (nil, .expired)
        }
        guard let value else { throw .keysUnavailable(outage) }
        return value
    }

    /// The held value is dropped, and a new one fetched past every cooldown. A fetch that is under way is not believed: it may
    /// have been answered before.
    package func purge() {
        transact { state, effects, now in
            guard !state.isClosed else { return }
            state.purges += 1
            state.value = nil
            state.memory = reader.blank
            state.generation += 1
            state.digest = []
            state.header = StoredHeader()
            state.isUsed = true
            state.pace.dropped()
            if let task = state.flight?.task { effects.cancelled.append(task) }
            effects.events.append(.purged)
            begin(&state, &effects, now)
        }
        keeping.withLock { purges in
            purges += 1
            onKept?(.dropped)
        }
    }

    /// Everything ends: reads throw, those who wait are woken, the fetch is cancelled. What `shutdown()` does without waiting.
    package func close() { _ = closing() }

    /// The same, and waits for the fetch to end, no longer than most of a second.
    package func shutdown() async {
        guard let task = closing() else { return }
        let patience = Task.detached { try? await Task.sleep(for: .milliseconds(900)) }
        let end = Task.detached {
            await task.value
            patience.cancel()
        }
        await patience.value
        end.cancel()
    }

    private func closing() -> Task<Void, Never>? {
        transact { state, effects, _ in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.value = nil
            state.generation += 1
            let task = state.flight?.task
            if let task { effects.cancelled.append(task) }
            if let timer = state.timer?.task { effects.cancelled.append(timer) }
            state.flight = nil
            state.timer = nil
            effects.events.append(.closed)
            wake(&state, &effects, .ended(.closed))
            return task
        }
    }

    /// Changes the state under the lock, and does what follows from it when the lock is let go.
    func transact<Result: Sendable>(
        _ body: (inout DocumentState<Reader>, inout Effects, Double) -> Result
    ) -> Result {
        let now = surroundings.now()
        var effects = Effects()
        let result = state.withLock { state in
            let result = body(&state, &effects, now)
            state.setLookAt(reader)
            setTimer(&state, &effects)
            return result
        }
        perform(effects)
        return result
    }

    private func perform(_ effects: Effects) {
        events?.send(effects.events)
        for task in effects.cancelled { task.cancel() }
        if let number = effects.flight { startFlight(number) }
        if let timer = effects.timer { startTimer(timer.number, at: timer.at) }
        for (continuation, end) in effects.resumed { continuation.resume(returning: end) }
    }

    /// All that waits is told the same.
    func wake(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ end: WaitEnd) {
        effects.resumed += state.endAllWaits().map { ($0.continuation, end) }
    }
}
