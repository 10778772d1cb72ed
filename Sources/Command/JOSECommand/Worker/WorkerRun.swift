#if Redis
    import JOSE
    import JOSEBytes
    import JOSERedis

    /// One process of a fleet, which verifies the tokens of a stream until SIGTERM.
    struct WorkerRun: Sendable {
        private struct State: Sendable {
            var isEnding = false
            var failure: CommandFailure?
            /// The time of the next look for entries of workers that went silent.
            var nextClaim = ContinuousClock.now
            /// Whether the last call failed, which was reported.
            var isTroubled = false
            var tally = Tally()
            var dead = 0
        }
        let place: WorkerPlace
        let check: WorkerCheck
        let settings: Settings
        private let consumer: String
        private let state = Monitor(State())

        struct Settings: Sendable {
            var group = "bulla"
            var jobs = 1
            /// The number of entries that a thread takes at a time.
            var entries = 8
            var idle = Duration.seconds(60)
            var deaths = 2
            var retryDelay = Duration.seconds(5)
            var mostEntryBytes = 1 << 20
            var untilEmpty = false
            var isQuiet = false
        }

        init(_ place: WorkerPlace, _ check: WorkerCheck, _ settings: Settings) {
            self.place = place
            self.check = check
            self.settings = settings
            var random = SystemRandomNumberGenerator()
            consumer = "worker-" + String(random.next(), radix: 16)
        }

        private var idleMilliseconds: Int { Int(settings.idle / .milliseconds(1)) }

        func run() throws(CommandFailure) -> ExitStatus {
            let begin = RedisRun(WorkerScripts.begin, keys: [place.stream], [Array(settings.group.utf8)])
            do throws(RedisScripts.Failure) { _ = try place.scripts.run(begin) } catch { throw place.failure(error) }
            try live()
            if !settings.isQuiet {
                Output.complain("bulla worker: \(consumer) verifies the tokens of \(Output.printable(place.stream))")
            }
            Threads.run(settings.jobs) { [self] in
                loop()
            } while: {
                var renewal = ContinuousClock.now
                while !isOver() {
                    Process.sleep(milliseconds: 50)
                    guard ContinuousClock.now >= renewal else { continue }
                    renewal = ContinuousClock.now + settings.idle / 4
                    try? live()
                }
            }
            return try end()
        }

        /// Whether the process is to end: all threads have then ended or will, without new entries.
        private func isOver() -> Bool {
            let wanted = Signals.isEndWanted
            return state.change { state in
                if wanted { state.isEnding = true }
                return state.isEnding
            }
        }

        private func live() throws(CommandFailure) {
            let words = [Array("\(idleMilliseconds)".utf8)]
            do throws(RedisScripts.Failure) {
                _ = try place.scripts.run(RedisRun(WorkerScripts.live, keys: [place.lease(consumer)], words))
            } catch {
                if !error.isTransient { throw place.failure(error) }
            }
        }

        private func end() throws(CommandFailure) -> ExitStatus {
            let leave = RedisRun(
                WorkerScripts.leave, keys: [place.stream, place.lease(consumer)],
                [Array(settings.group.utf8), Array(consumer.utf8)])
            let left = try? place.scripts.run(leave).number
            let (failure, tally, dead) = state.change { ($0.failure, $0.tally, $0.dead) }
            if !settings.isQuiet {
                var text = "\(Output.grouped(tally.total)) tokens: \(Output.grouped(tally.valid)) valid, "
                text += "\(Output.grouped(tally.invalid)) invalid, \(Output.grouped(tally.retry)) to be verified later"
                if dead > 0 { text += ", \(Output.grouped(dead)) that ended workers" }
                Output.complain("bulla worker: " + text)
            }
            if let failure { throw failure }
            if left != 0 {
                throw CommandFailure("Redis did not answer at the end: another worker takes over what was not finished")
            }
            return .valid
        }

        private func fail(_ failure: CommandFailure) {
            state.change { state in
                state.failure = state.failure ?? failure
                state.isEnding = true
            }
        }

        private func loop() {
            var pause = 1
            while !state.change({ $0.isEnding }) {
                guard let entries = take() else {
                    Process.sleep(milliseconds: 200)
                    continue
                }
                guard entries.isEmpty else {
                    pause = 1
                    process(entries)
                    continue
                }
                if settings.untilEmpty, isEmpty() { return state.change { $0.isEnding = true } }
                Process.sleep(milliseconds: pause)
                pause = min(2 * pause, 50)
            }
        }

        private func isEmpty() -> Bool {
            let left = RedisRun(WorkerScripts.left, keys: [place.stream, place.later], [])
            return (try? place.scripts.run(left).number) == 0
        }

        /// Takes entries. Nil after a failure, which was reported.
        private func take() -> [WorkerEntry]? {
            let claims = state.change { state in
                guard ContinuousClock.now >= state.nextClaim else { return false }
                state.nextClaim = ContinuousClock.now + settings.idle / 4
                return true
            }
            let words = [
                settings.group, consumer, "\(settings.entries)", "\(claims ? idleMilliseconds : 0)",
                "\(settings.mostEntryBytes)", "\(settings.deaths)", place.lease(""),
            ]
            let run = RedisRun(
                WorkerScripts.take, keys: [place.stream, place.later, place.working, place.dead],
                words.map { Array($0.utf8) })
            guard let reply = answer(to: run) else { return nil }
            if reply.text == Array("NOGROUP".utf8) {
                fail(
                    CommandFailure(
                        "the group \(Output.printable(settings.group)) of the stream has vanished: Redis has lost its data, or"
                            + " somebody deleted it"))
                return nil
            }
            guard let entries = WorkerEntry.all(reply.text) else {
                fail(CommandFailure("Redis at \(Output.printable(place.server)): its answer cannot be read"))
                return nil
            }
            return entries
        }

        /// Runs a script, and reports the first failure of several. Nil after a failure; one that will not pass ends the process.
        private func answer(to run: RedisRun) -> RedisScripts.Reply? {
            do throws(RedisScripts.Failure) {
                let reply = try place.scripts.run(run)
                let wasTroubled = state.change { state in
                    defer { state.isTroubled = false }
                    return state.isTroubled
                }
                if wasTroubled { Output.complain("bulla worker: Redis answers again") }
                return reply
            } catch {
                guard error.isTransient else {
                    fail(place.failure(error))
                    return nil
                }
                let wasTroubled = state.change { state in
                    defer { state.isTroubled = true }
                    return state.isTroubled
                }
                if !wasTroubled {
                    Output.complain("bulla worker: \(place.failure(error).message); it tries again")
                }
                return nil
            }
        }

        private func process(_ entries: [WorkerEntry]) {
            finish(check.run(entries.filter { $0.suspicion == nil }))
            for entry in entries where entry.suspicion != nil {
                if let outcome = check.runAlone(entry, { begin($0, of: entry) }) { finish([outcome]) }
            }
        }

        /// Records the row that is verified next. Returns false if the entry is another worker's, or that cannot be known.
        private func begin(_ index: Int, of entry: WorkerEntry) -> Bool {
            let words = [Array(settings.group.utf8), Array(consumer.utf8), entry.id, Array("\(index)".utf8)]
            return answer(to: RedisRun(WorkerScripts.mark, keys: [place.stream, place.working], words))?.number == 0
        }

        /// Finishes entries, and repeats what failed until Redis answers, or a few seconds after the process was told to end.
        private func finish(_ outcomes: [WorkerOutcome]) {
            var waiting = outcomes
            var last: ContinuousClock.Instant?
            while !waiting.isEmpty {
                let results = place.scripts.run(waiting.map(finishing))
                var failed: [WorkerOutcome] = []
                for (outcome, result) in zip(waiting, results) {
                    switch result {
                    case .success(let reply):
                        // A number other than 0 says that another worker answers the entry.
                        if reply.number == 0 { count(outcome) }
                    case .failure(let failure) where failure.isTransient: failed.append(outcome)
                    case .failure(let failure): fail(place.failure(failure))
                    }
                }
                waiting = failed
                if waiting.isEmpty { return }
                if state.change({ $0.isEnding }) {
                    let end = last ?? ContinuousClock.now + .seconds(3)
                    last = end
                    if ContinuousClock.now > end { return }
                }
                Process.sleep(milliseconds: 100)
            }
        }

        private func finishing(_ outcome: WorkerOutcome) -> RedisRun {
            let entry = outcome.entry
            let delay = outcome.delay(Int(settings.retryDelay / .milliseconds(1)))
            return RedisRun(
                WorkerScripts.finish, keys: [place.stream, place.answers, place.later, place.working, place.dead],
                [
                    Array(settings.group.utf8), entry.id, outcome.answers, outcome.rest,
                    Array("\(entry.tries + 1)".utf8),
                    Array("\(delay)".utf8), outcome.dead,
                ])
        }

        private func count(_ outcome: WorkerOutcome) {
            let dead = outcome.dead.count { $0 == 0x0A }
            state.change { state in
                state.tally.add(outcome.tally)
                state.dead += dead
            }
        }
    }
#endif
