internal import JOSECrypto
internal import JOSESupport
internal import Synchronization

extension RemoteDocument {
    /// Begins a fetch, in place of the one in progress, if any.
    func begin(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double,
        for reason: DocumentState<Reader>.FetchReason = .requested
    ) {
        state.flights += 1
        state.isFetchExpected = false
        state.isSignatureFetchExpected = false
        state.counters.fetches += 1
        // The time covers discovery and two URLs, each with its own deadline, and the wait for another process.
        let turnLimit = sharing == nil ? 0 : options.turnLimit.inSeconds
        let giveUpAt = now + 4 * options.deadline.inSeconds + 2 + turnLimit
        state.flight = DocumentState.Flight(
            number: state.flights, startedAt: now, giveUpAt: giveUpAt, reason: reason)
        effects.flight = state.flights
    }

    func startFlight(_ number: Int) {
        // The task is detached, because the priority and the task-local values of the first caller do not belong to the
        // fetch.
        let task = Task.detached { await self.fetchAndApply(number) }
        let isWanted = state.withLock { state in
            guard state.flight?.number == number else { return false }
            state.flight?.task = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func isCurrent(_ number: Int) -> Bool { state.withLock { $0.flight?.number == number } }

    private func fetchAndApply(_ number: Int) async {
        guard let sharing else { return await fetch(number) }
        let turn = await sharing.takeTurn()
        if let copy = sharing.copy(), takeCopy(copy, number) {
            sharing.adopt(copy)
        } else {
            await fetch(number)
        }
        sharing.end(turn)
    }

    /// Applies what another process has saved, if it is as good as a response of the server, and returns whether it
    /// did.
    private func takeCopy(_ copy: SharedCopy, _ number: Int) -> Bool {
        let lifetime = min(max(copy.document.lifetime, 0), options.ceiling.inSeconds)
        let isWanted = state.withLock { state in
            // A document from before a purge must not return.
            guard let flight = state.flight, flight.number == number, state.purges == 0 else { return false }
            if copy.age < min(lifetime, options.cooldown.inSeconds) { return true }
            // A key that a token lacks may have been published since the document was saved.
            let isDue = flight.reason == .scheduled || state.value == nil
            return isDue && copy.age < lifetime * options.refreshPoint.lowerBound
        }
        guard isWanted, copy.document.body.count <= options.bodyLimit else { return false }
        var bounded = copy
        bounded.document.lifetime = lifetime
        let response = TransportResponse(status: 200, body: copy.document.body)
        do throws(FetchFailure) {
            try apply(Answer(content: .body(response), url: copy.document.url, delay: 0, copy: bounded), number)
            return true
        } catch {
            return false
        }
    }

    private func fetch(_ number: Int) async {
        var reported: FetchFailure?
        do throws(KeySetError) {
            for url in try await locate() {
                guard isCurrent(number) else { return }
                if let reported {
                    guard fallback.allows(reported.error) else { break }
                    count { $0.secondSource += 1 }
                    events?.send([.secondSource(reported.error)])
                }
                do throws(FetchFailure) {
                    let answer = try await exchange(url)
                    try apply(answer, number)
                    return
                } catch {
                    if reported == nil || fallback == .absence { reported = error }
                }
            }
        } catch {
            reported = FetchFailure(error)
        }
        let failure = reported ?? FetchFailure(.urlInvalid)
        if isCurrent(number) { recordMisses(nil) }
        transact { state, effects, now in
            guard state.flight?.number == number else { return }
            fail(&state, &effects, failure.error, retryAfter: failure.retryAfter, now)
        }
    }

    /// Ends the fetch with an error.
    func fail(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ error: KeySetError, retryAfter: Double?,
        _ now: Double
    ) {
        let isForSignature = state.flight?.reason == .failedSignature
        state.flight = nil
        state.endedAt = now
        state.hasFailedSignature = false
        state.counters.failed += 1
        state.lastFailure = DocumentState.Failure(error: error, at: now)
        state.schedule.failed(
            at: now, retryAfter: retryAfter, isServing: state.isServing(at: now), chance: environment.chance(),
            isForSignature: isForSignature)
        if state.warmUps > 0 {
            // The warm-up repeats the fetch before the schedule does, so that the time of the next fetch is not known
            // here.
            state.hasUnreportedFailure = true
        } else {
            effects.events.append(.failed(error, retryIn: Duration(saturatingSeconds: state.schedule.due - now)))
        }
        if !state.hasReportedUnreached, state.value == nil, state.confirmedAt == -.infinity {
            state.hasReportedUnreached = true
            effects.events.append(.unreached(error))
        }
        reportAge(&state, &effects, now)
        wake(&state, &effects, .ended(error))
    }

    func count(_ change: (inout KeySetCounters) -> Void) { state.withLock { change(&$0.counters) } }

    /// Records which requested names `value` lacks. If nil, the fetch brought no value.
    private func recordMisses(_ value: Value?) {
        let now = environment.now()
        misses.withLock { misses in
            misses.tracker.fetchEnded(at: now, hasSet: value != nil) { name in
                value.map { reader.contains(name, in: $0) } ?? false
            }
        }
    }

    private struct Receipt: Sendable {
        /// The digest of the body.
        let digest: [UInt8]
        let header: StoredHeader
        let lifetime: Double
        let purges: Int
    }

    private enum ApplyOutcome: Sendable {
        case applied(Receipt)
        case rejected
        /// Another fetch has replaced this one, or the source was shut down.
        case superseded
        /// The value changed meanwhile.
        case retry
    }

    /// Applies the response to the state, or rejects it.
    private func apply(_ answer: Answer, _ number: Int) throws(FetchFailure) {
        guard case .body(let response) = answer.content else { return confirm(answer, number) }
        let digest = (try? Hash.sha256.digest(response.body.span)) ?? []
        while true {
            let current = state.withLock { ($0.value, $0.memory, $0.generation, $0.digest) }
            if current.0 != nil, !digest.isEmpty, current.3 == digest { return confirm(answer, number) }
            var memory = current.1
            var outcome: Result<Taken<Value>, KeySetError>
            do throws(KeySetError) {
                outcome = .success(try reader.take(response.body, over: current.0, &memory, at: environment.now()))
            } catch {
                outcome = .failure(error)
            }
            if case .success(let taken) = outcome { recordMisses(taken.value) }
            let applied: ApplyOutcome = transact { state, effects, now in
                guard state.flight?.number == number else { return .superseded }
                // The value changed while the body was parsed: the body must be merged with the new value.
                guard state.generation == current.2 else { return .retry }
                state.memory = memory
                state.generation += 1
                switch outcome {
                case .success(let taken):
                    state.digest = digest
                    state.value = taken.value
                    if taken.isNew, current.0 != nil { state.counters.rotations += 1 }
                    let lifetime = renew(&state, &effects, answer, now)
                    let event = received(
                        &state, answer, bytes: response.body.count, keys: reader.count(taken.value),
                        skipped: taken.skipped, lifetime)
                    effects.events += [event] + taken.events
                    wake(&state, &effects, .ended(nil))
                    return receipt(state, lifetime)
                case .failure(let error):
                    state.counters.refused += 1
                    if case .refused(let rejection) = error {
                        effects.events += reader.rejectionEvents(memory) + [.refused(rejection)]
                    }
                    return .rejected
                }
            }
            if case .retry = applied { continue }
            if case .failure(let error) = outcome { throw FetchFailure(error) }
            if case .applied(let receipt) = applied, answer.copy == nil {
                let kept = KeptDocument(
                    body: response.body, header: receipt.header, lifetime: receipt.lifetime, url: answer.url)
                reportKept(receipt, .taken(kept))
            }
            return
        }
    }

    /// Ends a fetch that confirmed the value.
    private func confirm(_ answer: Answer, _ number: Int) {
        recordMisses(state.withLock { $0.value })
        let applied: ApplyOutcome = transact { state, effects, now in
            guard state.flight?.number == number else { return .superseded }
            reader.confirm(&state.memory, at: now)
            state.generation += 1
            let lifetime = renew(&state, &effects, answer, now)
            switch answer.content {
            case .notModified:
                state.counters.notModified += 1
                effects.events.append(.notModified(freshFor: Duration(saturatingSeconds: lifetime)))
            case .body(let response):
                let keys = state.value.map(reader.count) ?? 0
                effects.events.append(
                    received(&state, answer, bytes: response.body.count, keys: keys, skipped: 0, lifetime))
            }
            wake(&state, &effects, .ended(nil))
            return receipt(state, lifetime)
        }
        if case .applied(let receipt) = applied, answer.copy == nil {
            reportKept(
                receipt, .confirmed(digest: receipt.digest, header: receipt.header, lifetime: receipt.lifetime))
        }
    }

    /// Counts an accepted body, and returns the event that reports it.
    private func received(
        _ state: inout DocumentState<Reader>, _ answer: Answer, bytes: Int, keys: Int, skipped: Int, _ lifetime: Double
    ) -> KeySetEvent {
        if let copy = answer.copy { return .restored(age: Duration(saturatingSeconds: copy.age)) }
        state.counters.accepted += 1
        return .fetched(
            KeySetFetch(
                bytes: bytes, keys: keys, skipped: skipped, freshFor: Duration(saturatingSeconds: lifetime),
                duration: Duration(saturatingSeconds: answer.delay)))
    }

    private func receipt(_ state: DocumentState<Reader>, _ lifetime: Double) -> ApplyOutcome {
        .applied(Receipt(digest: state.digest, header: state.header, lifetime: lifetime, purges: state.purges))
    }

    private func reportKept(_ receipt: Receipt, _ keeping: DocumentKeeping) {
        guard let onKept else { return }
        self.keeping.withLock { purges in
            if purges <= receipt.purges { onKept(keeping) }
        }
    }

    /// Ends a successful fetch, and returns the seconds for which the value is fresh from now on.
    private func renew(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ answer: Answer, _ now: Double
    ) -> Double {
        let startedAt = state.flight?.startedAt ?? -.infinity
        let isForSignature = state.flight?.reason == .failedSignature
        state.flight = nil
        state.endedAt = now
        state.hasFailedSignature = false
        switch answer.content {
        case .notModified(let response): state.header = state.header.updated(by: response)
        case .body(let response): state.header = StoredHeader(response)
        }
        state.url = answer.url
        let lifetime: Double
        if let copy = answer.copy {
            state.header = copy.document.header
            lifetime = copy.document.lifetime
        } else {
            lifetime = freshness.lifetime(state.header, ageFields: answer.ageFields, delay: answer.delay)
        }
        let receivedAt = now - (answer.copy?.age ?? 0)
        state.confirmedAt = receivedAt
        // What another process saved was requested up to one time limit earlier.
        if answer.copy == nil {
            state.confirmedFrom = startedAt
        } else {
            state.confirmedFrom = max(state.confirmedFrom, receivedAt - options.deadline.inSeconds)
        }
        state.freshUntil = receivedAt + lifetime
        state.usableUntil = state.freshUntil + options.outageLimit.inSeconds
        state.hasReportedStale = false
        state.hasReportedExpired = false
        if state.schedule.failures > 0 { effects.events.append(.recovered) }
        state.schedule.succeeded(
            at: receivedAt, lifetime: lifetime, chance: environment.chance(), isForSignature: isForSignature)
        return lifetime
    }
}
