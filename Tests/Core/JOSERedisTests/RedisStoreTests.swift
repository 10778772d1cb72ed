#if Redis
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    @Suite("Redis store", .enabled(if: RedisServer.tool != nil, "redis-server is not there")) struct RedisStoreTests {
        @Test("a value is returned once, byte for byte, and a key keeps its first value (R02)") func once()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            let value = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(await insert(store, "a", value) == .inserted(true))
            #expect(await insert(store, "a", [2]) == .inserted(false))
            #expect(await take(store, "b") == .took(nil))
            #expect(await take(store, "a") == .took(value))
            #expect(await take(store, "a") == .took(nil))
            #expect(await insert(store, "a", []) == .inserted(true))
            #expect(await take(store, "a") == .took([]))
            #expect(store.health.answered == 7)
            #expect(store.health.failed == 0 && store.health.outstanding == 0 && store.health.cause == nil)
        }

        @Test("reading a value leaves it in the store with its original expiration until it is taken") func reading()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            #expect(try await store.value(for: key("a")) == nil)
            #expect(await insert(store, "a", [1, 2, 3]) == .inserted(true))
            for _ in 0..<3 { #expect(try await store.value(for: key("a")) == [1, 2, 3]) }
            #expect(await insert(store, "a", [4]) == .inserted(false))
            let left = try #require(try Int(server.command("PTTL", "bulla:" + hex(key("a").bytes))))
            #expect(left > 500_000 && left <= 600_000)
            #expect(await take(store, "a") == .took([1, 2, 3]))
            #expect(try await store.value(for: key("a")) == nil)
        }

        @Test("a value expires, and the command that stores it also sets its expiration") func expiry()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            #expect(await insert(store, "short", lifetime: .milliseconds(20)) == .inserted(true))
            #expect(await insert(store, "long", lifetime: .seconds(600)) == .inserted(true))
            let left = try #require(try Int(server.command("PTTL", "bulla:" + hex(key("long").bytes))))
            #expect(left > 500_000 && left <= 600_000)
            try await Task.sleep(for: .milliseconds(60))
            #expect(await take(store, "short") == .took(nil))
            #expect(await insert(store, "short") == .inserted(true))
            #expect(await take(store, "long") == .took([1]))
            // A lifetime that exceeds every bound becomes a command that Redis accepts.
            #expect(await insert(store, "ever", lifetime: .seconds(Int64.max)) == .inserted(true))
            #expect(await take(store, "ever") == .took([1]))
        }

        @Test("T76 a lifetime of zero or less stores nothing and is never reported as newly set")
        func noLifetime() async throws {
            let server = try RedisServer()
            let store = try server.store()
            for lifetime in [Duration.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min)] {
                #expect(await insert(store, "none", lifetime: lifetime) == .failed(.expired))
            }
            #expect(try server.command("DBSIZE") == "0")
            #expect(await insert(store, "none", lifetime: .seconds(600)) == .inserted(true))
            #expect(await insert(store, "none", lifetime: .seconds(600)) == .inserted(false))
        }

        @Test("prefix and database separate services, and no key in Redis contains a value from the browser")
        func apart()
            async throws
        {
            let server = try RedisServer()
            let first = try server.store { $0.keyPrefix = "one:" }
            let second = try server.store { $0.keyPrefix = "two:" }
            let third = try server.store {
                $0.keyPrefix = "one:"
                $0.database = 3
            }
            for (number, store) in [first, second, third].enumerated() {
                #expect(await insert(store, "same", [UInt8(number)]) == .inserted(true))
            }
            #expect(try server.command("KEYS", "one:*") == "one:" + hex(key("same").bytes))
            #expect(try server.command("-n", "3", "DBSIZE") == "1")
            for (number, store) in [first, second, third].enumerated() {
                #expect(await take(store, "same") == .took([UInt8(number)]))
            }
            let nowhere = try server.store { $0.database = 99 }
            #expect(await insert(nowhere, "same") == .failed(.refused))
            #expect(nowhere.health.cause == .command)
        }

        @Test("a value over the size limit is rejected before it is sent, and one of the limit is stored")
        func longest()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store { $0.valueByteLimit = 100 }
            #expect(await insert(store, "a", [UInt8](repeating: 7, count: 101)) == .failed(.full))
            let value = [UInt8](repeating: 7, count: 100)
            #expect(await insert(store, "a", value) == .inserted(true))
            #expect(await take(store, "a") == .took(value))
        }

        @Test("a server without free memory is reported as full, and returns all earlier values") func full()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            #expect(await insert(store, "first") == .inserted(true))
            #expect(try server.command("CONFIG", "SET", "maxmemory", "1") == "OK")
            #expect(await insert(store, "second") == .failed(.full))
            #expect(await take(store, "first") == .took([1]))
            #expect(try server.command("CONFIG", "SET", "maxmemory", "0") == "OK")
            #expect(await insert(store, "second") == .inserted(true))
        }

        @Test("thousands of concurrent commands share two connections, and each receives its own reply") func many()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            let wrong = await withTaskGroup(of: Int.self) { group in
                for number in 0..<2_000 {
                    group.addTask {
                        let value = Array("value \(number)".utf8)
                        guard await insert(store, "\(number)", value) == .inserted(true) else { return 1 }
                        return await take(store, "\(number)") == .took(value) ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
            #expect(store.health.connections <= 2 && store.health.connects <= 2)
            #expect(try server.command("DBSIZE") == "0")
        }

        @Test("of two processes that insert or take one value, exactly one succeeds, ten thousand times (R02)")
        func race() throws {
            let server = try RedisServer()
            // On a busy machine one process may win all numbers before the other begins. Then both compete again.
            var wins: [(Int, Int)] = []
            for _ in 0..<10 where wins.isEmpty || wins.contains(where: { $0.0 == 0 || $0.1 == 0 }) {
                wins = []
                for what in ["mark", "take"] {
                    let (first, second) = try contest(server, what)
                    #expect(first.count == 10_000 && second.count == 10_000)
                    let single = zip(first, second).count { pair in
                        (pair.0 == "1") != (pair.1 == "1") && pair.0 != "x" && pair.1 != "x"
                    }
                    #expect(single == 10_000)
                    wins.append((first.count { $0 == "1" }, second.count { $0 == "1" }))
                }
                #expect(try server.command("DBSIZE") == "0")
            }
            #expect(wins.allSatisfy { $0.0 > 0 && $0.1 > 0 }, "\(wins)")
        }

        @Test("a cancelled call throws at once, and the store continues") func cancelled() async throws {
            let server = try RedisServer()
            let store = try server.store()
            #expect(await insert(store, "a") == .inserted(true))
            try server.tell(.stop)
            let waiting = Task { await take(store, "b") }
            try await until { store.health.outstanding == 1 }
            waiting.cancel()
            #expect(await waiting.value == .failed(.cancelled))
            try server.tell(.go)
            #expect(await take(store, "a") == .took([1]))
            let late = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await take(store, "a")
            }
            #expect(await late.value == .failed(.cancelled))
        }

        @Test("after shutdown pending and later calls fail as unavailable, and another store finds confirmed values")
        func end()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store()
            #expect(await insert(store, "a") == .inserted(true))
            try server.tell(.stop)
            let waiting = Task { await take(store, "b") }
            try await until { store.health.outstanding == 1 }
            store.shutdown()
            #expect(await waiting.value == .failed(.unavailable))
            #expect(await take(store, "a") == .failed(.unavailable))
            store.shutdown()
            try server.tell(.go)
            #expect(try await take(server.store(), "a") == .took([1]))
        }

        private func contest(_ server: RedisServer, _ what: String) throws -> (String, String) {
            let tool = try #require(builtTool("TestProcess"))
            let racers = try (0..<2).map { _ in try Tethered(tool, ["race", "\(server.port)", "10000", what]) }
            for racer in racers { #expect(try racer.line() == "ready") }
            for racer in racers { try racer.tell("go") }
            return (try racers[0].line(), try racers[1].line())
        }
    }

    func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
#endif
