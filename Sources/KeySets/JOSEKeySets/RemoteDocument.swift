package import JOSE
internal import JOSESupport
internal import Synchronization

/// A remote document that may change, cached in memory. The value is protected by a lock that is never held across a
/// wait. Fetches run one at a time, in a task of their own.
///
/// `locate` returns the URLs, the preferred one first. It is called before each fetch, because the URL may have to be
/// looked up in another document. `fallback` is the rule for the failures after which the next one is tried. `onKept`
/// is called for each body that is accepted, confirmed or dropped, so that it can be saved on disk; `restore` reads it
/// back.
package final class RemoteDocument<Reader: DocumentReader>: Sendable {
    package typealias Value = Reader.Value
    package typealias Locate = @Sendable () async throws(KeySetError) -> [String]
    package typealias Keep = @Sendable (DocumentKeeping) -> Void

    let reader: Reader
    let options: KeySetOptions
    let transport: any HTTPTransport
    let locate: Locate
    let fallback: FallbackRule
    let environment: FetchEnvironment
    let freshness: Freshness
    let onKept: Keep?
    let sharing: (any DocumentSharing)?
    let events: EventQueue?
    let state: Mutex<DocumentState<Reader>>
    /// The missing names. They are apart from `state`, so that a flood of made-up names does not delay readers.
    let misses: Mutex<Misses>
    let waits = Atomic<Int>(0)
    /// The number of purges reported to `onKept`: nothing from before a purge may be saved after it.
    let keeping = Mutex(0)

    package init(
        _ name: String, reader: Reader, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)? = nil, environment: FetchEnvironment = .system, onKept: Keep? = nil,
        sharing: (any DocumentSharing)? = nil, fallback: FallbackRule = .anyFailure, locate: @escaping Locate
    ) {
        self.reader = reader
        self.options = options
        self.transport = transport
        self.locate = locate
        self.fallback = fallback
        self.environment = environment
        self.onKept = onKept
        self.sharing = sharing
        freshness = Freshness(options)
        events = observer.map { EventQueue(name, $0) }
        state = Mutex(DocumentState(reader, options))
        misses = Mutex(Misses(options))
    }

    deinit { close() }

    /// Returns the value. Never waits; begins a fetch if one is due. Throws `keysUnavailable`.
    package func current() throws(JOSEError) -> Value {
        let now = environment.now()
        if let value = state.withLock({ now < $0.lookAt ? $0.value : nil }) { return value }
        return try look()
    }

    private func look() throws(JOSEError) -> Value {
        let (value, outage): (Value?, KeysUnavailableReason) = transact { state, effects, now in
            if state.isClosed { return (nil, .closed) }
            state.isUsed = true
            advance(&state, &effects, now)
            guard let value = state.value else { return (nil, .notFetched) }
            return state.isServing(at: now) ? (value, .notFetched) : (nil, .expired)
        }
        guard let value else { throw .keysUnavailable(outage) }
        return value
    }

    /// Drops the value and fetches a new one regardless of any cooldown. A fetch in progress is discarded, because the
    /// server may have answered it before this call.
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
            state.schedule.dropped()
            if let task = state.flight?.task { effects.cancelled.append(task) }
            effects.events.append(.purged)
            begin(&state, &effects, now)
        }
        keeping.withLock { purges in
            purges += 1
            onKept?(.dropped)
        }
    }

    /// Shuts the document down without waiting: reads throw, waiting tasks are resumed, and the fetch is cancelled.
    package func close() { _ = closing() }

    /// Shuts the document down, and waits for the fetch to end for 0.9 seconds at most.
    package func shutdown() async {
        guard let task = closing() else { return }
        // A task of its own, because the cancellation of the caller does not end this wait.
        await Task.detached {
            let wait = Wait(cancelled: ())
            await wait.value(within: .milliseconds(900), orElse: ()) {
                Task.detached {
                    await task.value
                    wait.end(())
                }
            }
        }.value
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

    /// Changes the state under the lock, and performs the effects after the lock is released.
    func transact<Result: Sendable>(
        _ body: (inout DocumentState<Reader>, inout Effects, Double) -> Result
    ) -> Result {
        let now = environment.now()
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
        for (wait, end) in effects.resumed { wait.end(end) }
    }

    /// Resumes all waiters with the same result.
    func wake(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ end: WaitEnd) {
        effects.resumed += state.endAllWaits().map { ($0, end) }
    }
}

/// The failures of a URL of a ``RemoteDocument`` after which the next one is tried.
package enum FallbackRule: Sendable {
    /// Any failure: each URL serves the same document. The first failure is reported.
    case anyFailure
    /// The status 404 or 410: the document is at one of the URLs, and any other failure says nothing of its location.
    /// The last failure is reported.
    case absence

    func allows(_ error: KeySetError) -> Bool { self == .anyFailure || error == .status(404) || error == .status(410) }
}
