internal import Synchronization

extension RemoteDocument {
    /// What time alone brings about: what is held grows stale and old, keys that were kept go, waits end, fetches fall due.
    func pass(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        guard !state.isClosed else { return }
        if let value = state.value {
            if let taken = reader.change(value, &state.memory, at: now) {
                state.value = taken.value
                state.generation += 1
                state.counters.rotations += 1
                effects.events += taken.events
            }
            tellAge(&state, &effects, now)
        }
        for waiter in state.endWaits(at: now) {
            state.counters.waitsEnded += 1
            effects.resumed.append((waiter.continuation, .timedOut))
        }
        if let flight = state.flight, now >= flight.giveUpAt {
            if let task = flight.task { effects.cancelled.append(task) }
            fail(&state, &effects, .transport(.deadlineExceeded), retryAfter: nil, now)
        }
        if state.isUsed, state.flight == nil, now >= state.pace.due { begin(&state, &effects, now) }
    }

    /// The alarms on what is held, once each.
    func tellAge(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        guard state.value != nil else { return }
        if !state.hasToldExpired, now >= state.usableUntil {
            state.hasToldExpired = true
            state.hasToldStale = true
            effects.events.append(.expired)
        } else if !state.hasToldStale, now >= state.staleAt(options) {
            state.hasToldStale = true
            effects.events.append(.stale(servedFor: state.usableUntil - now))
        }
    }

    /// One task asleep a document, however much there is to wait for. A timer that rings too early is left as it is.
    func setTimer(_ state: inout DocumentState<Reader>, _ effects: inout Effects) {
        let next = state.nextTime(reader, options)
        guard next < .infinity else { return }
        if let timer = state.timer {
            guard next < timer.at else { return }
            if let task = timer.task { effects.cancelled.append(task) }
        }
        state.timers += 1
        state.timer = DocumentState.Timer(number: state.timers, at: next)
        effects.timer = (state.timers, next)
    }

    /// The task holds the document only while it does something.
    func startTimer(_ number: Int, at first: Double) {
        let sleep = surroundings.sleep
        let task = Task.detached { [weak self] in
            var next = first
            while true {
                do {
                    try await sleep(next)
                } catch {
                    return
                }
                guard let then = self?.ring(number) else { return }
                next = then
            }
        }
        let isWanted = state.withLock { state in
            guard state.timer?.number == number else { return false }
            state.timer?.task = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// When to ring again; nil: never.
    private func ring(_ number: Int) -> Double? {
        transact { state, effects, now in
            guard !state.isClosed, state.timer?.number == number else { return nil }
            pass(&state, &effects, now)
            let next = state.nextTime(reader, options)
            guard next < .infinity else {
                state.timer = nil
                return nil
            }
            state.timer?.at = next
            return next
        }
    }
}
