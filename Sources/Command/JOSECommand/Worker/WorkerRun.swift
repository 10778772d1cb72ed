#if Redis
    import JOSE
    import JOSESupport
    import JOSERedis
    import JOSESettings

    /// One process of a fleet, which verifies the tokens of a stream until SIGTERM. One of its threads at a time takes
    /// entries.
    struct WorkerRun: Sendable {
        struct State: Sendable {
            var isEnding = false
            var failure: CommandFailure?
            /// The number of threads that have begun and not ended.
            var threads = 0
            /// The time of the next look for entries of workers that went silent. It is never less than the bound after
            /// the first contact with Redis: while Redis was away, no worker could renew its lease.
            var nextClaim: ContinuousClock.Instant
            /// Whether the last call failed, which was reported.
            var isTroubled = false
            /// The ids of the entries that threads of this process have taken.
            var taken: [[UInt8]] = []
            var tally = Tally()
            var deadLetters = 0
        }
        let queue: WorkerQueue
        let check: WorkerCheck
        let settings: Settings
        let consumer: String
        let state: Monitor<State>
        /// Whether a thread takes entries.
        private let taking = Monitor(false)

        struct Settings: Sendable {
            var jobs = 1
            /// The number of entries that a thread takes at a time.
            var entries = 8
            /// The time after which a worker that has not renewed its lease loses its entries.
            var lease = Duration.seconds(60)
            /// The number of workers that may begin a token without a result before it is dead-lettered.
            var maxDeliveries = 2
            var retryDelay = Duration.seconds(5)
            var maximumEntryBytes = WorkerQueue.maximumEntryBytes
            var untilEmpty = false
            var isQuiet = false
        }

        init(_ queue: WorkerQueue, _ check: WorkerCheck, _ settings: Settings) {
            self.queue = queue
            self.check = check
            self.settings = settings
            consumer = "worker-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
            state = Monitor(State(nextClaim: .now + settings.lease))
        }

        func run() throws(CommandFailure) -> ExitStatus {
            guard begin() else {
                if let failure = state.change({ $0.failure }) { throw failure }
                return .valid
            }
            if !settings.isQuiet {
                Output.complain("bulla worker: \(consumer) verifies the tokens of \(Output.printable(queue.stream))")
            }
            Threads.run(settings.jobs) { [self] in
                state.change { $0.threads += 1 }
                while let entries = next() { process(entries) }
                state.change { $0.threads -= 1 }
            } while: {
                // While a thread verifies, this worker is alive.
                var renewal = ContinuousClock.now + settings.lease / 4
                while !isOver() || state.change({ $0.threads > 0 }) {
                    Process.sleep(milliseconds: 50)
                    guard ContinuousClock.now >= renewal else { continue }
                    renewal = .now + (live() ? settings.lease / 4 : min(settings.lease / 4, .seconds(1)))
                }
            }
            return try end()
        }

        private func end() throws(CommandFailure) -> ExitStatus {
            let hasLeft = leave()
            let (failure, tally, deadLetters) = state.change { ($0.failure, $0.tally, $0.deadLetters) }
            if !settings.isQuiet {
                var text = "\(tally.total.grouped) tokens: \(tally.valid.grouped) valid, "
                text += "\(tally.invalid.grouped) invalid, \(tally.retry.grouped) to be verified later"
                if deadLetters > 0 { text += ", \(deadLetters.grouped) dead-lettered" }
                Output.complain("bulla worker: " + text)
            }
            if let failure { throw failure }
            if !hasLeft {
                throw CommandFailure("Redis did not answer at the end: another worker takes over what was not finished")
            }
            return .valid
        }

        /// Whether the process is to end: all threads have then ended or will, without new entries.
        func isOver() -> Bool {
            let wanted = Signals.isEndWanted
            return state.change { state in
                if wanted { state.isEnding = true }
                return state.isEnding
            }
        }

        /// Returns entries, to one thread at a time while the others wait. Nil if the process is to end.
        private func next() -> [WorkerEntry]? {
            taking.wait { isTaking -> Void? in
                if isTaking { return nil }
                isTaking = true
                return ()
            }
            defer { taking.change { $0 = false } }
            var pause = 1
            while !isOver() {
                guard let entries = take() else {
                    sleep(200)
                    continue
                }
                if !entries.isEmpty { return entries }
                if settings.untilEmpty, isEmpty() {
                    state.change { $0.isEnding = true }
                    return nil
                }
                // Workers that are idle do not ask at the same time.
                sleep(pause + Int.random(in: 0...pause))
                pause = min(2 * pause, 500)
            }
            return nil
        }

        /// Waits, or until the process is to end.
        private func sleep(_ milliseconds: Int) {
            var left = milliseconds
            while left > 0, !isOver() {
                Process.sleep(milliseconds: min(left, 50))
                left -= 50
            }
        }

        /// Verifies entries, as many together as have no more rows than one entry may have. Once the process is to end,
        /// the others are left, and returned to the queue at its end.
        private func process(_ entries: [WorkerEntry]) {
            var remaining = entries.filter { $0.suspicion == nil }[...]
            while !remaining.isEmpty, !isOver() {
                var rows = 0
                let together = remaining.prefix { entry in
                    rows += entry.rowCount
                    return rows <= WorkerScripts.maximumRows
                }
                finish(check.run(Array(together)))
                remaining = remaining.dropFirst(together.count)
            }
            for entry in entries where entry.suspicion != nil && !isOver() {
                if let outcome = check.runAlone(entry, { mark(entry, next: $0, ended: $1) }) { finish([outcome]) }
            }
            state.change { state in
                for entry in entries {
                    if let index = state.taken.firstIndex(of: entry.id) { state.taken.remove(at: index) }
                }
            }
        }
    }
#endif
