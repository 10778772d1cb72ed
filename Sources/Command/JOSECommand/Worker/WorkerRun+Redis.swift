#if Redis
    import JOSE
    import JOSESupport
    import JOSERedis
    import JOSESettings

    /// The calls of a worker. A failure that may pass is reported once, until Redis answers again; any other ends the
    /// process.
    extension WorkerRun {
        private var leaseTime: [UInt8] { Array("\(Int(settings.lease / .milliseconds(1)))".utf8) }
        private var me: [UInt8] { Array(consumer.utf8) }

        /// Creates the group, and waits for Redis if it has to. Returns false if that failed, or the process is to end.
        /// A user who may run scripts only by their text, or only by their digest, is refused here, whether or not
        /// Redis has the scripts.
        func begin() -> Bool {
            var run = RedisRun(WorkerScripts.begin, keys: queue.keys + [queue.lease(consumer)], [me, leaseTime])
            run.sendsText = true
            return persist([run], gracePeriod: .zero)[0] != nil && persist([renewal], gracePeriod: .zero)[0] != nil
        }

        private var renewal: RedisRun { RedisRun(WorkerScripts.live, keys: [queue.lease(consumer)], [leaseTime]) }

        /// Renews the lease. Returns false after a failure.
        func live() -> Bool { answers(to: [renewal])[0].reply != nil }

        /// Returns what is not finished to the queue, and removes this worker. Returns false after a failure.
        func leave() -> Bool {
            persist([RedisRun(WorkerScripts.leave, keys: [queue.stream, queue.working], [me])])[0] != nil
        }

        func isEmpty() -> Bool {
            let left = RedisRun(WorkerScripts.left, keys: [queue.stream, queue.later], [])
            return answers(to: [left])[0].reply?.number == 0
        }

        /// Takes entries. Nil after a failure.
        func take() -> [WorkerEntry]? {
            let (claims, taken) = state.change { state in
                // The first call that Redis answers after a failure claims nothing: no worker has renewed its lease
                // yet.
                let claims = !state.isTroubled && ContinuousClock.now >= state.nextClaim
                if claims { state.nextClaim = ContinuousClock.now + settings.lease / 4 }
                return (claims, state.taken)
            }
            // One thread takes at a time, so that an entry which Redis gave this worker and no thread has was in a
            // reply that was lost.
            let ids = taken.map { String(decoding: $0, as: UTF8.self) + " " }
            let words = [
                consumer, "\(settings.entries)", String(decoding: leaseTime, as: UTF8.self), claims ? "1" : "0",
                "\(settings.maximumEntryBytes)", "\(settings.maxDeliveries)", queue.lease(""), " " + ids.joined(),
            ]
            let run = RedisRun(
                WorkerScripts.take, keys: [queue.stream, queue.later, queue.working, queue.deadLetters],
                words.map { Array($0.utf8) })
            guard let reply = answers(to: [run])[0].reply else { return nil }
            guard let entries = WorkerEntry.all(reply.text, at: SystemClock.elapsed()) else {
                fail(CommandFailure("Redis at \(Output.printable(queue.server)): the server's answer cannot be read"))
                return nil
            }
            state.change { $0.taken += entries.map(\.id) }
            return entries
        }

        /// Records the row that is verified next. Returns false if the entry is another worker's, or is left to one.
        func mark(_ entry: WorkerEntry, next: Int, ended: Int) -> Bool {
            let stops = isOver()
            let words = [me, entry.id, Array("\(stops ? -1 : next)".utf8), Array("\(ended)".utf8), leaseTime]
            let run = RedisRun(
                WorkerScripts.mark, keys: [queue.stream, queue.working, queue.lease(consumer)], words)
            return persist([run])[0]?.reply.number == 0 && (next < 0 || !stops)
        }

        /// Finishes entries.
        func finish(_ outcomes: [WorkerOutcome]) {
            for (outcome, answer) in zip(outcomes, persist(outcomes.map(finishing))) {
                // The number 1 says that the entry was finished before: by another worker, or by a call whose reply was
                // lost.
                if let answer, answer.reply.number == 0 || answer.isRepeated { count(outcome) }
            }
        }

        private func finishing(_ outcome: WorkerOutcome) -> RedisRun {
            let entry = outcome.entry
            let delay = outcome.delay(Int(settings.retryDelay / .milliseconds(1)))
            return RedisRun(
                WorkerScripts.finish, keys: queue.keys,
                [
                    me, entry.id, outcome.answers, outcome.unfinished, Array("\(min(entry.tries + 1, 999))".utf8),
                    Array("\(delay)".utf8), outcome.deadLetters, entry.since,
                ])
        }

        private func count(_ outcome: WorkerOutcome) {
            let deadLetters = outcome.deadLetters.count { $0 == 0x0A }
            state.change { state in
                state.tally.add(outcome.tally)
                state.deadLetters += deadLetters
            }
        }

        private enum Answer {
            case reply(RedisScripts.Reply)
            /// The call failed, and the failure may pass.
            case transient
            case failed

            var reply: RedisScripts.Reply? { if case .reply(let reply) = self { reply } else { nil } }
        }

        /// Runs scripts once.
        private func answers(to runs: [RedisRun]) -> [Answer] {
            var trouble: RedisScripts.Failure?
            let answers = queue.scripts.run(runs).map { result -> Answer in
                switch result {
                case .success(let reply) where reply.text == Array("NOGROUP".utf8):
                    fail(
                        CommandFailure(
                            "the group of the stream has vanished: Redis has lost its data, or somebody deleted it"))
                    return .failed
                case .success(let reply): return .reply(reply)
                case .failure(let failure) where failure.isTransient:
                    trouble = failure
                    return .transient
                case .failure(let failure):
                    fail(queue.failure(failure))
                    return .failed
                }
            }
            note(trouble)
            return answers
        }

        /// Runs scripts until Redis answers each of them, or until `gracePeriod` after the process was told to end. A
        /// script without an answer has nil.
        private func persist(
            _ runs: [RedisRun], gracePeriod: Duration = .seconds(3)
        ) -> [(reply: RedisScripts.Reply, isRepeated: Bool)?] {
            var found = [(reply: RedisScripts.Reply, isRepeated: Bool)?](repeating: nil, count: runs.count)
            var waiting = Array(runs.indices)
            var isRepeated = false
            var last: ContinuousClock.Instant?
            while true {
                var failed: [Int] = []
                for (index, answer) in zip(waiting, answers(to: waiting.map { runs[$0] })) {
                    switch answer {
                    case .reply(let reply): found[index] = (reply, isRepeated)
                    case .transient: failed.append(index)
                    case .failed: break
                    }
                }
                (waiting, isRepeated) = (failed, true)
                guard !waiting.isEmpty else { return found }
                if isOver() {
                    let end = last ?? .now + gracePeriod
                    last = end
                    if ContinuousClock.now >= end { return found }
                }
                Process.sleep(milliseconds: 100)
            }
        }

        /// Reports the first of several failures, and that they are over.
        private func note(_ failure: RedisScripts.Failure?) {
            let wasTroubled = state.change { state in
                defer { state.isTroubled = failure != nil }
                if state.isTroubled, failure == nil { state.nextClaim = .now + settings.lease }
                return state.isTroubled
            }
            if let failure, !wasTroubled {
                Output.complain("bulla worker: \(queue.failure(failure).message); it tries again")
            }
            if failure == nil, wasTroubled { Output.complain("bulla worker: Redis answers again") }
        }

        private func fail(_ failure: CommandFailure) {
            state.change { state in
                state.failure = state.failure ?? failure
                state.isEnding = true
            }
        }
    }
#endif
