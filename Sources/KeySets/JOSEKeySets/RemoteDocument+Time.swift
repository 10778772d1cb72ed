internal import JOSESupport
internal import Synchronization

extension RemoteDocument {
    /// Applies the effects of time: the value becomes stale or expires, grace periods and waits end, and fetches become
    /// due.
    func advance(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        guard !state.isClosed else { return }
        if let value = state.value {
            if let taken = reader.change(value, &state.memory, at: now) {
                state.value = taken.value
                state.generation += 1
                state.counters.rotations += 1
                effects.events += taken.events
            }
            reportAge(&state, &effects, now)
        }
        for waiter in state.endWaits(at: now) {
            state.counters.waitsEnded += 1
            effects.resumed.append((waiter, .timedOut))
        }
        if let flight = state.flight, now >= flight.giveUpAt {
            if let task = flight.task { effects.cancelled.append(task) }
            fail(&state, &effects, .transport(.deadlineExceeded), retryAfter: nil, now)
        }
        guard state.flight == nil else { return }
        if state.isFetchExpected, now >= state.schedule.missNotBefore {
            begin(&state, &effects, now)
        } else if state.isUsed, now >= state.schedule.due {
            begin(&state, &effects, now, for: .scheduled)
        } else if state.isSignatureFetchExpected, now >= state.schedule.signatureDue {
            beginForSignature(&state, &effects, now)
        }
    }

    /// Reports that the value is stale or has expired, once each.
    func reportAge(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        guard state.value != nil else { return }
        if !state.hasReportedExpired, now >= state.usableUntil {
            state.hasReportedExpired = true
            state.hasReportedStale = true
            effects.events.append(.expired)
        } else if !state.hasReportedStale, now >= state.staleAt(options) {
            state.hasReportedStale = true
            effects.events.append(.stale(servedFor: Duration(saturatingSeconds: state.usableUntil - now)))
        }
    }

    /// Sets the timer. There is one sleeping task for each document, however much there is to wait for. A timer that
    /// fires too early is kept.
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

    /// Starts the task of a timer. It retains the document only while it works on it.
    func startTimer(_ number: Int, at first: Double) {
        let sleep = environment.sleep
        let task = Task.detached { [weak self] in
            var next = first
            while true {
                do {
                    try await sleep(next)
                } catch {
                    return
                }
                guard let then = self?.timerFired(number) else { return }
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

    /// Advances the state and returns the time at which the timer fires next, or nil if it ends.
    private func timerFired(_ number: Int) -> Double? {
        transact { state, effects, now in
            guard !state.isClosed, state.timer?.number == number else { return nil }
            advance(&state, &effects, now)
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
