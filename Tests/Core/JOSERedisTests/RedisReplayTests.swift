#if Redis
    import Foundation
    import JOSE
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    @Suite("Replay store in Redis", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct RedisReplayTests {
        /// The number of proofs of the races: `make test-replay` sets a thousand.
        private static let proofCount = Int(ProcessInfo.processInfo.environment["BULLA_REPLAY_PROOFS"] ?? "") ?? 120

        @Test("T67 of equal tokens one is accepted; an equal jti of another issuer is another token")
        func once() async throws {
            let server = try RedisServer()
            let (first, second) = (try server.replayStore(), try server.replayStore())
            try await first.connect()
            let now = NumericDate.now
            #expect(await first.insert(mark("a", in: 600), now: now) == .fresh)
            #expect(await second.insert(mark("a", in: 600), now: now) == .seen)
            #expect(await second.insert(mark("a", in: 300, share: "another"), now: now) == .seen)
            #expect(await second.insert(mark("a", in: 600, issuer: "another"), now: now) == .fresh)
            #expect(await second.insert(mark("b", in: 0), now: now) == .expired)
            // The policy's clock is late: the token has expired by Redis's clock, which has removed marks by its own time.
            #expect(await second.insert(mark("b", in: -1), now: now - .seconds(60)) == .expired)
            #expect(await second.insert(mark("b", in: 600), now: now) == .fresh)
            #expect(await second.insert(mark("c", in: .infinity), now: now) == .unavailable)
            #expect(await second.insert(mark("c", in: 1e18), now: now) == .fresh)
            #expect(await second.insert(mark("c", in: 1e18), now: now) == .seen)
            #expect(first.health.failed == 1 && second.health.failed == 0 && first.health.cause == nil)
        }

        @Test("no jti, issuer or client is in Redis in plaintext, and marks outlive tokens by the clock tolerance")
        func names() async throws {
            let server = try RedisServer()
            let store = try server.replayStore { $0.clockTolerance = .seconds(30) }
            let begun = ContinuousClock.now
            let mark = mark("secret-jti", in: 600, issuer: "secret-issuer", share: "secret-client")
            #expect(await store.insert(mark, now: .now) == .fresh)
            let keys = try server.command("KEYS", "*").split(separator: "\n").map(String.init).sorted()
            #expect(keys.count == 2 && keys[0].hasPrefix("bulla:share:") && keys[1].hasPrefix("bulla:used:"))
            var texts = keys
            texts += [try server.command("GET", keys[1]), try server.command("ZRANGE", keys[0], "0", "-1")]
            #expect(!texts.joined().contains("secret"))
            let left = try #require(try Int(server.command("PTTL", keys[1])))
            let share = try #require(try Int(server.command("PTTL", keys[0])))
            let passed = Int((ContinuousClock.now - begun) / .milliseconds(1)) + 1000
            #expect(left > 630_000 - passed && left <= 630_000)
            #expect(share > 600_000 - passed && share <= 600_000)
        }

        @Test("T78 a client has its limit of marks, which others do not share, and expired marks make room")
        func shares() async throws {
            let server = try RedisServer()
            let store = try server.replayStore { $0.shareLimit = 3 }
            for name in ["0", "1", "short"] {
                #expect(await store.insert(mark(name, in: 600), now: .now) == .fresh)
            }
            #expect(await store.insert(mark("3", in: 600), now: .now) == .shareFull)
            #expect(await store.insert(mark("0", in: 600), now: .now) == .seen)
            // Redis counts a mark until its time: set the time of one mark of the client to the past.
            let share = try server.command("KEYS", "bulla:share:*")
            #expect(try server.command("ZCARD", share) == "3")
            let expire = "return redis.call('ZADD', KEYS[1], 'XX', 'CH', 1, redis.call('ZRANGE', KEYS[1], 0, 0)[1])"
            #expect(try server.command("EVAL", expire, "1", share) == "1")
            #expect(await store.insert(mark("3", in: 600, share: "another"), now: .now) == .fresh)
            #expect(await store.insert(mark("4", in: 600), now: .now) == .fresh)
            #expect(await store.insert(mark("5", in: 600), now: .now) == .shareFull)
        }

        @Test("a server that evicts keys or has no append-only file is rejected, unless the options allow it")
        func durability() async throws {
            for (line, fault) in [
                ("maxmemory-policy allkeys-lru", RedisFault.evicting), ("appendonly no", .notPersistent),
            ] {
                let server = try RedisServer([line])
                let store = try server.replayStore()
                await #expect(throws: StoreError.refused) { try await store.connect() }
                #expect(await store.insert(mark("a", in: 600), now: .now) == .unavailable)
                #expect(store.health.cause == fault && store.health.connections == 0)
                #expect(try server.command("DBSIZE") == "0")
                let told = try server.replayStore { $0.allowsVolatileServer = true }
                try await told.connect()
                #expect(await told.insert(mark("a", in: 600), now: .now) == .fresh)
            }
            let server = try RedisServer()
            try await server.replayStore().connect()
        }

        @Test("a server without memory is full, and a replica is unavailable with the fault readOnly")
        func refusals() async throws {
            let server = try RedisServer()
            let store = try server.replayStore()
            #expect(await store.insert(mark("a", in: 600), now: .now) == .fresh)
            #expect(try server.command("CONFIG", "SET", "maxmemory", "1") == "OK")
            #expect(await store.insert(mark("b", in: 600), now: .now) == .full)
            #expect(await store.insert(mark("a", in: 600), now: .now) == .seen)
            #expect(try server.command("CONFIG", "SET", "maxmemory", "0") == "OK")
            #expect(await store.insert(mark("b", in: 600), now: .now) == .fresh)
            #expect(try server.command("REPLICAOF", "127.0.0.1", "1") == "OK")
            #expect(await store.insert(mark("c", in: 600), now: .now) == .unavailable)
            #expect(store.health.cause == .readOnly)
            #expect(try server.command("REPLICAOF", "NO", "ONE") == "OK")
            // A connection attempt may wait for its turn.
            var answer = ReplayAnswer.unavailable
            for number in 0..<30_000 where answer != .fresh {
                answer = await store.insert(mark("later \(number)", in: 600), now: .now)
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(answer == .fresh)
        }

        @Test(
            "X17 a user who may not run scripts by text is refused at the start, also while the server has the scripts")
        func scriptPermissions() async throws {
            let commands =
                "+evalsha +eval +set +get +exists +zcount +zadd +zremrangebyscore +pttl +pexpireat +time +info +ping"
            let users = [
                ("whole", commands), ("cached", commands.replacing(" +eval ", with: " ")),
                ("text", commands.replacing("+evalsha ", with: "")),
                ("counting", commands.replacing(" +zadd", with: "")),
            ]
            let server = try RedisServer(users.map { "user \($0) on >secret ~bulla:* \($1)" })
            func store(_ user: String) throws -> RedisReplayStore {
                try server.replayStore {
                    $0.server.username = user
                    $0.server.password = "secret"
                }
            }
            // The server has the scripts from now on.
            try await store("whole").connect()
            #expect(try await store("whole").insert(mark("a", in: 600), now: .now) == .fresh)
            for user in ["cached", "text", "counting"] {
                let refused = try store(user)
                await #expect(throws: StoreError.refused, "\(user)") { try await refused.connect() }
                #expect(refused.health.cause == .credentials, "\(user)")
            }
            // The check leaves no key behind.
            #expect(try server.command("KEYS", "bulla:used:").isEmpty)
        }

        @Test("a replica and a server without memory or without enough replicas are reported by connect")
        func connecting() async throws {
            let server = try RedisServer()
            let store = try server.replayStore()
            try await store.connect()
            #expect(try server.command("CONFIG", "SET", "maxmemory", "1") == "OK")
            await #expect(throws: StoreError.full) { try await store.connect() }
            #expect(try server.command("CONFIG", "SET", "maxmemory", "0") == "OK")
            let alone = try server.replayStore {
                $0.server.replication = .acknowledgedBy(replicas: 1, timeout: .milliseconds(50))
            }
            await #expect(throws: StoreError.notReplicated) { try await alone.connect() }
            #expect(alone.health.cause == .replicas)
            #expect(try server.command("REPLICAOF", "127.0.0.1", "1") == "OK")
            await #expect(throws: StoreError.unavailable) { try await server.replayStore().connect() }
        }

        @Test("an empty script cache costs one more command, and is no fault")
        func scripts() async throws {
            let server = try RedisServer()
            let store = try server.replayStore()
            for number in 0..<3 {
                #expect(await store.insert(mark("\(number)", in: 600), now: .now) == .fresh)
                #expect(await store.insert(mark("\(number)", in: 600), now: .now) == .seen)
                #expect(store.health.cause == nil && store.health.failed == number + 1)
                #expect(try server.command("SCRIPT", "FLUSH") == "OK")
            }
        }

        @Test("marks that replicas must confirm are rejected while none does, and accepted while one does")
        func replicas() async throws {
            let server = try RedisServer()
            let alone = try server.replayStore {
                $0.server.replication = .acknowledgedBy(replicas: 1, timeout: .milliseconds(50))
            }
            #expect(await alone.insert(mark("a", in: 600), now: .now) == .unavailable)
            #expect(alone.health.cause == .replicas)
            // The mark is in the store, so that the token is lost and not accepted twice.
            #expect(await alone.insert(mark("a", in: 600), now: .now) == .seen)
            #expect(alone.health.cause == .replicas)
            #expect(try await server.replayStore().insert(mark("b", in: 600), now: .now) == .fresh)
        }

        @Test("T67 a proof that three processes each verify ten times at once is accepted once (RFC 9449, 11.1)")
        func race() throws {
            let server = try RedisServer()
            // If one process accepts all proofs, the others may have begun after its end: then new proofs are raced for.
            var winners = 0
            for _ in 0..<20 where winners < 2 {
                let outcomes = try Race(server, proofs: Self.proofCount).run()
                for index in 0..<Self.proofCount {
                    let (accepted, used, retry) = outcomes.sum(index)
                    #expect(accepted == 1 && used == 29 && retry == 0, "\(index): \(accepted) \(used) \(retry)")
                }
                #expect(outcomes.others == 0)
                winners = outcomes.winners
            }
            #expect(winners > 1)
        }

        @Test("T67 while Redis is killed and restarted, errors may be retried, and no proof is accepted twice")
        func killed() throws {
            let server = try RedisServer()
            let count = max(Self.proofCount, 300)
            let racers = try Race(server, proofs: count)
            let outcomes = try racers.run {
                // The race is under way when the first marks are there.
                while try Int(server.command("DBSIZE")) ?? 0 < 10 { usleep(1_000) }
                try server.tell(.kill)
                usleep(100_000)
                try server.tell(.start)
            }
            var retries = 0
            for index in 0..<count {
                let (accepted, used, retry) = outcomes.sum(index)
                // A mark whose confirmation was lost leaves no acceptance: the token is lost, and not used twice.
                #expect(accepted <= 1 && accepted + used + retry == 30, "\(index): \(accepted) \(used) \(retry)")
                retries += retry
            }
            #expect(outcomes.others == 0 && retries > 0)
            // After the restart the proofs that were accepted are still known, and all others are used up.
            let again = try Race(server, proofs: racers.proofs).run()
            for index in 0..<count {
                let accepted = outcomes.sum(index).accepted + again.sum(index).accepted
                #expect(accepted <= 1 && again.sum(index).retry == 0, "\(index)")
                #expect(accepted == 1 || outcomes.sum(index).retry > 0)
            }
        }

        @Test("an invalid limit or tolerance is rejected with its name, and descriptions show host and port alone")
        func options() throws {
            var options = RedisReplayStore.Options(server: .init(host: "redis.example", security: .plain))
            options.server.password = "open-sesame"
            options.server.allowsPlaintextPassword = true
            var dumped = ""
            dump(options, to: &dumped)
            #expect(!dumped.contains("sesame") && "\(options)" == "redis.example:6379")
            #expect(String(reflecting: options) == "redis.example:6379")
            _ = try RedisReplayStore(options)
            let cases: [(String, (inout RedisReplayStore.Options) -> Void)] = [
                ("shareLimit", { $0.shareLimit = 0 }), ("clockTolerance", { $0.clockTolerance = .zero }),
                ("clockTolerance", { $0.clockTolerance = .seconds(3601) }), ("port", { $0.server.port = 0 }),
            ]
            for (option, change) in cases {
                var changed = options
                change(&changed)
                #expect(throws: RedisStoreError.optionInvalid(option)) { try RedisReplayStore(changed) }
            }
        }

        private func mark(
            _ id: String, in seconds: Double, issuer: String = "https://issuer.example", share: String? = nil
        ) -> ReplayMark {
            let end = NumericDate(secondsSince1970: NumericDate.now.secondsSince1970 + seconds)
            return ReplayMark(issuer: issuer, tokenID: id, expiration: end, share: share)
        }
    }

    extension RedisServer {
        fileprivate func replayStore(
            _ adjust: (inout RedisReplayStore.Options) -> Void = { _ in }
        ) throws -> RedisReplayStore {
            var options = RedisReplayStore.Options(server: options())
            adjust(&options)
            return try RedisReplayStore(options)
        }
    }

    /// Three processes that each verify the same proofs ten times at once.
    private struct Race {
        let proofs: [String]
        private let racers: [Tethered]

        init(_ server: RedisServer, proofs count: Int) throws {
            let prover = try DPoPProver(key: PrivateKey.generate(.p256), algorithm: .es256)
            let url = "https://as.example/token"
            try self.init(server, proofs: (0..<count).map { _ in try prover.proof(method: "POST", url: url) })
        }

        init(_ server: RedisServer, proofs: [String]) throws {
            self.proofs = proofs
            let tool = try #require(builtTool("TestProcess"))
            racers = try (0..<3).map { _ in try Tethered(tool, ["replay", "\(server.port)", "10"]) }
            for racer in racers {
                try racer.tell(proofs.joined(separator: "\n") + "\n")
                #expect(try racer.line() == "ready")
            }
        }

        struct Outcomes {
            /// The digits of each process: acceptances, tokens rejected as used, errors that may be retried.
            let digits: [[[Int]]]
            let others: Int

            func sum(_ index: Int) -> (accepted: Int, used: Int, retry: Int) {
                func total(_ kind: Int) -> Int { digits.map { $0[kind][index] }.reduce(0, +) }
                return (total(0), total(1), total(2))
            }

            /// The number of processes that accepted a proof.
            var winners: Int { digits.count { $0[0].contains(1) } }
        }

        func run(meanwhile: () throws -> Void = {}) throws -> Outcomes {
            for racer in racers { try racer.tell("go") }
            try meanwhile()
            var digits: [[[Int]]] = []
            var others = 0
            for racer in racers {
                digits.append(try (0..<3).map { _ in try racer.line().map { Int(String($0), radix: 36) ?? -1 } })
                others += Int(try racer.line()) ?? -1
            }
            return Outcomes(digits: digits, others: others)
        }
    }
#endif
