internal import JOSEBytes
internal import JOSECrypto
internal import Synchronization

extension RemoteDocument {
    /// A fetch begins, in place of the one that is under way, if any.
    func begin(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        state.flights += 1
        state.counters.fetches += 1
        // For finding the address, and two addresses, each by its own deadline.
        let giveUpAt = now + 4 * options.deadline.inSeconds + 2
        state.flight = DocumentState.Flight(number: state.flights, startedAt: now, giveUpAt: giveUpAt)
        effects.flight = state.flights
    }

    func startFlight(_ number: Int) {
        // Detached: neither the priority nor the local values of whoever asked first are its own.
        let task = Task.detached { await self.fetchAndApply(number) }
        let isWanted = state.withLock { state in
            guard state.flight?.number == number else { return false }
            state.flight?.task = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func isFlying(_ number: Int) -> Bool { state.withLock { $0.flight?.number == number } }

    private func fetchAndApply(_ number: Int) async {
        var first: FetchFailure?
        do throws(KeySetError) {
            for url in try await locate() {
                guard isFlying(number) else { return }
                if let first {
                    count { $0.secondSource += 1 }
                    events?.send([.secondSource(first.error)])
                }
                do throws(FetchFailure) {
                    let answer = try await exchange(url)
                    try apply(answer, number)
                    return
                } catch {
                    // Of two failures the first is told.
                    if first == nil { first = error }
                }
            }
        } catch {
            first = FetchFailure(error)
        }
        let failure = first ?? FetchFailure(.urlInvalid)
        if isFlying(number) { settleMisses(nil) }
        transact { state, effects, now in
            guard state.flight?.number == number else { return }
            fail(&state, &effects, failure.error, retryAfter: failure.retryAfter, now)
        }
    }

    /// The fetch is over and brought nothing.
    func fail(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ error: KeySetError, retryAfter: Double?,
        _ now: Double
    ) {
        state.flight = nil
        state.endedAt = now
        state.counters.failed += 1
        state.lastFailure = DocumentState.Failure(error: error, at: now)
        state.pace.failed(
            at: now, retryAfter: retryAfter, isServing: state.isServing(at: now), chance: surroundings.chance())
        effects.events.append(.failed(error, retryIn: state.pace.due - now))
        tellAge(&state, &effects, now)
        wake(&state, &effects, .ended(error))
    }

    func count(_ change: (inout KeySetCounters) -> Void) { state.withLock { change(&$0.counters) } }

    /// What was asked for and is not in `value` is known to be missing; nil: nothing came.
    private func settleMisses(_ value: Value?) {
        let now = surroundings.now()
        misses.withLock { misses in
            misses.book.settle(at: now, hasSet: value != nil) { name in
                value.map { reader.holds(name, in: $0) } ?? false
            }
        }
    }

    private struct Receipt: Sendable {
        let header: StoredHeader
        let lifetime: Double
        let purges: Int
    }

    private enum Landing: Sendable {
        case landed(Receipt)
        case refused
        /// Another fetch has taken its place, or the source was shut down.
        case tooLate
        case again
    }

    /// What the server gave becomes what is held, or is refused.
    private func apply(_ answer: Answer, _ number: Int) throws(FetchFailure) {
        guard case .body(let response) = answer.content else { return confirm(answer, number) }
        let digest = (try? Hash.sha256.digest(response.body.span)) ?? []
        while true {
            let held = state.withLock { ($0.value, $0.memory, $0.generation, $0.digest) }
            if held.0 != nil, !digest.isEmpty, held.3 == digest { return confirm(answer, number) }
            var memory = held.1
            var outcome: Result<Taken<Value>, KeySetError>
            do throws(KeySetError) {
                outcome = .success(try reader.take(response.body, over: held.0, &memory, at: surroundings.now()))
            } catch {
                outcome = .failure(error)
            }
            if case .success(let taken) = outcome { settleMisses(taken.value) }
            let landing: Landing = transact { state, effects, now in
                guard state.flight?.number == number else { return .tooLate }
                // While it was read the value became another: it is to be settled with that.
                guard state.generation == held.2 else { return .again }
                state.memory = memory
                state.generation += 1
                switch outcome {
                case .success(let taken):
                    state.digest = digest
                    state.value = taken.value
                    if taken.isNew, held.0 != nil { state.counters.rotations += 1 }
                    state.counters.accepted += 1
                    let lifetime = renew(&state, &effects, answer, now)
                    let fetched = KeySetFetch(
                        bytes: response.body.count, keys: reader.count(taken.value), skipped: taken.skipped,
                        freshFor: lifetime, seconds: answer.delay)
                    effects.events += [.fetched(fetched)] + taken.events
                    wake(&state, &effects, .ended(nil))
                    return receipt(state, lifetime)
                case .failure(let error):
                    state.counters.refused += 1
                    if case .refused(let refusal) = error { effects.events.append(.refused(refusal)) }
                    return .refused
                }
            }
            if case .again = landing { continue }
            if case .failure(let error) = outcome { throw FetchFailure(error) }
            if case .landed(let receipt) = landing {
                let kept = KeptDocument(
                    body: response.body, header: receipt.header, lifetime: receipt.lifetime, url: answer.url)
                tellKept(receipt, .taken(kept))
            }
            return
        }
    }

    /// What is held holds still.
    private func confirm(_ answer: Answer, _ number: Int) {
        settleMisses(state.withLock { $0.value })
        let landing: Landing = transact { state, effects, now in
            guard state.flight?.number == number else { return .tooLate }
            reader.confirm(&state.memory, at: now)
            state.generation += 1
            let lifetime = renew(&state, &effects, answer, now)
            switch answer.content {
            case .notModified:
                state.counters.notModified += 1
                effects.events.append(.notModified(freshFor: lifetime))
            case .body(let response):
                state.counters.accepted += 1
                let keys = state.value.map(reader.count) ?? 0
                effects.events.append(
                    .fetched(
                        KeySetFetch(
                            bytes: response.body.count, keys: keys, skipped: 0, freshFor: lifetime,
                            seconds: answer.delay)))
            }
            wake(&state, &effects, .ended(nil))
            return receipt(state, lifetime)
        }
        if case .landed(let receipt) = landing {
            tellKept(receipt, .confirmed(header: receipt.header, lifetime: receipt.lifetime))
        }
    }

    private func receipt(_ state: DocumentState<Reader>, _ lifetime: Double) -> Landing {
        .landed(Receipt(header: state.header, lifetime: lifetime, purges: state.purges))
    }

    private func tellKept(_ receipt: Receipt, _ keeping: DocumentKeeping) {
        guard let onKept else { return }
        self.keeping.withLock { told in
            if told <= receipt.purges { onKept(keeping) }
        }
    }

    /// A fetch went well: what is held is fresh from now on. Returns for how long.
    private func renew(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ answer: Answer, _ now: Double
    ) -> Double {
        state.flight = nil
        state.endedAt = now
        switch answer.content {
        case .notModified(let response): state.header = state.header.updated(by: response)
        case .body(let response): state.header = StoredHeader(response)
        }
        state.url = answer.url
        let lifetime = freshness.lifetime(state.header, ageFields: answer.ageFields, delay: answer.delay)
        state.confirmedAt = now
        state.freshUntil = now + lifetime
        state.usableUntil = state.freshUntil + options.outageLimit.inSeconds
        state.hasToldStale = false
        state.hasToldExpired = false
        if state.pace.failures > 0 { effects.events.append(.recovered) }
        state.pace.succeeded(at: now, lifetime: lifetime, chance: surroundings.chance())
        return lifetime
    }
}
