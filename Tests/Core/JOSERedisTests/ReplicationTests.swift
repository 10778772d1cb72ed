#if Redis
    import JOSE
    import JOSERedis
    import JOSEDigiD
    import JOSERelyingParty
    import TestSupport
    import Testing

    private let acknowledged = RedisOptions.Replication.acknowledgedBy(
        replicas: 1, timeout: .milliseconds(500))
    /// The timeout for replicas that respond on a busy machine. Twice the timeout is less than the deadline of the tests.
    private let patient = RedisOptions.Replication.acknowledgedBy(replicas: 1, timeout: .seconds(9))

    /// The time at which logins begin, and a clock that stays at that time.
    private let start = 1_800_000_000.0
    private let clock = WallClock.fixed(NumericDate(secondsSince1970: start))

    @Suite("Replication of Redis", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct ReplicationTests {
        /// Starts a primary and a replica that is connected to it.
        private static func pair(_ lines: [String] = []) async throws -> (primary: RedisServer, replica: RedisServer) {
            let primary = try RedisServer(["repl-diskless-sync-delay 0"] + lines)
            let replica = try RedisServer(["replicaof 127.0.0.1 \(primary.port)"])
            try await connected(primary)
            return (primary, replica)
        }

        private static func connected(_ primary: RedisServer) async throws {
            for _ in 0..<6_000 {
                if try primary.command("INFO", "replication").contains("state=online") { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            throw NoServer()
        }

        private static func exists(_ name: String, in server: RedisServer) throws -> Bool {
            try server.command("EXISTS", "bulla:" + hex(key(name).bytes)) == "1"
        }

        @Test("R33 a write that a replica confirmed is on that replica when it returns, and survives a failover")
        func confirmed() async throws {
            let (primary, replica) = try await Self.pair()
            let store = try primary.store { $0.replication = patient }
            #expect(await insert(store, "kept", [7]) == .inserted(true))
            #expect(try Self.exists("kept", in: replica))
            #expect(await insert(store, "kept", [8]) == .inserted(false))
            #expect(await insert(store, "taken", []) == .inserted(true))
            #expect(await take(store, "taken") == .took([]))
            #expect(try !Self.exists("taken", in: replica))
            #expect(await take(store, "taken") == .took(nil))
            #expect(store.health.answered == 5 && store.health.failed == 0 && store.health.cause == nil)
            try primary.tell(.kill)
            #expect(try replica.command("REPLICAOF", "NO", "ONE") == "OK")
            let promoted = try replica.store()
            #expect(await take(promoted, "taken") == .took(nil))
            #expect(await take(promoted, "kept") == .took([7]))
        }

        @Test(
            "R33 a write that no replica confirms in time is notReplicated, although the primary performed it"
        )
        func unconfirmed() async throws {
            let (primary, replica) = try await Self.pair()
            let store = try primary.store { $0.replication = acknowledged }
            let asynchronous = try primary.store()
            #expect(await insert(asynchronous, "a", [7]) == .inserted(true))
            try replica.tell(.stop)
            #expect(await insert(store, "mark") == .failed(.notReplicated))
            #expect(store.health.cause == .replicas && store.health.connections == 1)
            #expect(try Self.exists("mark", in: primary))
            #expect(await take(store, "a") == .failed(.notReplicated))
            #expect(try !Self.exists("a", in: primary))
            // Without a write there is nothing to confirm; and a store without required replicas does not wait for any.
            #expect(await insert(store, "mark") == .inserted(false))
            #expect(await take(store, "a") == .took(nil))
            // Such a reply shows nothing about the replicas.
            #expect(store.health.cause == .replicas)
            #expect(await insert(asynchronous, "b", [9]) == .inserted(true))
            try replica.tell(.go)
            try await Self.connected(primary)
            var outcome = await insert(store, "again 0")
            for number in 1..<60 where outcome != .inserted(true) { outcome = await insert(store, "again \(number)") }
            #expect(outcome == .inserted(true) && store.health.cause == nil)
            #expect(await take(store, "b") == .took([9]))
        }

        @Test("R33 while the replica is stopped a read succeeds, and a write is notReplicated")
        func reading() async throws {
            let (primary, replica) = try await Self.pair()
            let store = try primary.store { $0.replication = acknowledged }
            #expect(await insert(try primary.store(), "a", [7]) == .inserted(true))
            try replica.tell(.stop)
            #expect(try await store.value(for: key("a")) == [7])
            #expect(try await store.value(for: key("b")) == nil)
            #expect(store.health.answered == 2 && store.health.cause == nil)
            #expect(await insert(store, "b") == .failed(.notReplicated))
            #expect(store.health.cause == .replicas)
            // A read shows nothing about the replicas: the fault remains.
            #expect(try await store.value(for: key("b")) == [1])
            #expect(store.health.answered == 3 && store.health.failed == 1 && store.health.cause == .replicas)
            try replica.tell(.go)
        }

        @Test("R31 a replica answers reads; its fault is reported from a rejected write until an accepted one")
        func readingReplica() async throws {
            let (primary, replica) = try await Self.pair()
            #expect(await insert(try primary.store { $0.replication = patient }, "a", [7]) == .inserted(true))
            let store = try replica.store { $0.retryDelay = .milliseconds(1) }
            #expect(await insert(store, "b") == .failed(.unavailable))
            #expect(store.health.cause == .readOnly)
            #expect(try await store.value(for: key("a")) == [7])
            #expect(store.health.answered == 1 && store.health.connects == 2 && store.health.cause == .readOnly)
            #expect(try replica.command("REPLICAOF", "NO", "ONE") == "OK")
            // A server that answers a write with nil accepts writes.
            #expect(await take(store, "b") == .took(nil))
            #expect(store.health.cause == nil)
            #expect(await take(store, "a") == .took([7]))
        }

        @Test(
            "R33 a login that was taken and not replicated is used up: no caller gets it, and the user logs in again"
        )
        func usedUp() async throws {
            let (primary, replica) = try await Self.pair()
            func session(_ adjust: (inout RedisOptions) -> Void = { _ in }) throws -> DigiDSession {
                DigiDSession(store: try primary.store(adjust), clock: clock)
            }
            let (asynchronous, replicated) = (try session(), try session { $0.replication = acknowledged })
            let bindings = try await (begin(asynchronous, "1"), begin(asynchronous, "2"))
            try replica.tell(.stop)
            let lost = try #require(await refusal(replicated, bindings.0))
            #expect(lost.reason == .storeUnavailable && lost.step == .store)
            #expect(lost.action == .restart && !lost.isRetryable)
            // No later call finds the login, whichever store it uses.
            for session in [replicated, asynchronous] {
                let later = await refusal(session, bindings.0)
                #expect(later == RelyingPartyError(.stateMismatch, in: .callback) && later?.action == .restart)
            }
            #expect(await refusal(asynchronous, bindings.1) == nil)
            // A store that is not reachable has taken nothing: the same call may succeed later.
            let third = try await begin(asynchronous, "3")
            let stopped = try RedisLoginStore(primary.options())
            stopped.shutdown()
            let away = try #require(await refusal(DigiDSession(store: stopped, clock: clock), third))
            #expect(away.reason == .storeUnavailable && away.action == .retry && away.isRetryable)
            #expect(await refusal(asynchronous, third) == nil)
            try replica.tell(.go)
        }

        /// Begins a login, and returns its binding.
        private func begin(_ session: DigiDSession, _ relayState: String) async throws -> String {
            let transaction = DigiDTransaction(
                profile: "digid.saml3", serviceProvider: "urn:service", identityProvider: "urn:digid",
                requestID: "_" + relayState, relayState: relayState, route: .app, level: .midden, returnTo: nil,
                created: start)
            return try await session.start(transaction, link: "https://app.digid.example/", issued: start).binding
        }

        /// Takes a login and returns the error; nil if the login was found.
        private func refusal(_ session: DigiDSession, _ binding: String) async -> RelyingPartyError? {
            do throws(RelyingPartyError) {
                _ = try await session.take(binding)
                return nil
            } catch { return error }
        }

        @Test("R33 writes of one batch share one WAIT: without a replica hundreds fail together, within their deadline")
        func batch() async throws {
            let (primary, replica) = try await Self.pair()
            func outcomes(_ name: String, _ store: RedisLoginStore) async -> [Outcome] {
                await withTaskGroup(of: Outcome.self) { group in
                    for number in 0..<400 { group.addTask { await insert(store, "\(name) \(number)") } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            // A replica that has just connected may write its append-only file first.
            let first = try primary.store { $0.replication = patient }
            #expect(await outcomes("first", first).allSatisfy { $0 == .inserted(true) })
            let store = try primary.store { $0.replication = acknowledged }
            try replica.tell(.stop)
            // In sequence they would take 200 seconds.
            #expect(await outcomes("second", store).allSatisfy { $0 == .failed(.notReplicated) })
            #expect(try primary.command("DBSIZE") == "800")
            #expect(store.health.outstanding == 0)
            try replica.tell(.go)
        }

        @Test("R33 a write without a reply to WAIT is notReplicated, and one that enough replicas confirm succeeds")
        func answers() async throws {
            func expect(_ answer: String, _ outcome: Outcome, _ fault: RedisFault?) async throws {
                let server = try ScriptedServer(script: [Array("+PONG\r\n".utf8), Array(answer.utf8)])
                var options = RedisOptions(host: "127.0.0.1", security: .plain)
                options.port = server.port
                // Only the case without a reply to WAIT takes this long.
                options.deadline = .seconds(5)
                options.replication = .acknowledgedBy(replicas: 2, timeout: .milliseconds(100))
                let store = try RedisLoginStore(options)
                #expect(await insert(store, "a") == outcome, "\(answer)")
                #expect(store.health.cause == fault, "\(answer)")
            }
            try await expect("+OK\r\n:2\r\n", .inserted(true), nil)
            try await expect("+OK\r\n:3\r\n", .inserted(true), nil)
            try await expect("$-1\r\n:0\r\n", .inserted(false), nil)
            try await expect("+OK\r\n:1\r\n", .failed(.notReplicated), .replicas)
            try await expect("+OK\r\n", .failed(.notReplicated), .deadline)
            try await expect("+OK\r\n+OK\r\n", .failed(.notReplicated), .reply)
            try await expect("+OK\r\n-UNBLOCKED\r\n", .failed(.notReplicated), .command)
            try await expect("+OK\r\n-UNBLOCKED now a replica\r\n", .failed(.notReplicated), .readOnly)
            try await expect("-READONLY no\r\n-ERR WAIT no\r\n", .failed(.unavailable), .readOnly)
        }

        @Test(
            "R33 a Redis user without permission for WAIT can read, its writes are notReplicated, and health says why"
        )
        func permission() async throws {
            let (primary, replica) = try await Self.pair([
                "user plain on >for-logins ~bulla:* +set +get +getdel +ping",
                "user waiting on >for-logins ~bulla:* +set +getdel +ping +wait",
            ])
            func store(_ user: String) throws -> RedisLoginStore {
                try primary.store {
                    $0.username = user
                    $0.password = "for-logins"
                    $0.replication = patient
                }
            }
            let plain = try store("plain")
            // A WAIT after the first read would be rejected before the second one is answered.
            for _ in 0..<2 { #expect(try await plain.value(for: key("a")) == nil) }
            #expect(try primary.command("ACL", "LOG").isEmpty)
            #expect(await insert(plain, "a") == .failed(.notReplicated))
            #expect(try primary.command("ACL", "LOG").contains("wait"))
            #expect(plain.health.cause == .credentials)
            #expect(await insert(try store("waiting"), "b") == .inserted(true))
            withExtendedLifetime(replica) {}
        }
    }
#endif
