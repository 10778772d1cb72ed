#if Redis
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    private let hello = Array("+PONG\r\n".utf8)

    @Suite("Redis that fails over", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct FailoverTests {
        @Test("R31 a primary that became a replica is reported as unavailable, and a later primary is used")
        func demoted() async throws {
            let (server, other) = (try RedisServer(), try RedisServer())
            let store = try server.store { $0.retryDelay = .milliseconds(1) }
            #expect(await insert(store, "before") == .inserted(true))
            #expect(try server.command("REPLICAOF", "127.0.0.1", "\(other.port)") == "OK")
            // During the first synchronization the server would answer LOADING.
            try await until {
                (try? server.command("INFO", "replication"))?.contains("master_link_status:up") == true
            }
            #expect(await insert(store, "a") == .failed(.unavailable))
            #expect(store.health.cause == .readOnly && store.health.faultCode == "read_only")
            #expect(store.health.fault == "the server is a replica, which accepts no writes")
            #expect(await take(store, "a") == .failed(.unavailable))
            // The connection to the replica was closed, because only a new one can lead to the new primary.
            #expect(store.health.connects == 2 && store.health.cause == .readOnly)
            #expect(try server.command("REPLICAOF", "NO", "ONE") == "OK")
            #expect(await insert(store, "b") == .inserted(true))
            #expect(store.health.cause == nil && store.health.faultCode == nil && store.health.fault == nil)
        }

        @Test(
            "R31 an error that a new connection may avoid closes the connection, and no other error does",
            arguments: [
                ("READONLY You can't write", StoreError.unavailable, RedisFault.readOnly, true),
                ("UNBLOCKED force unblock", .unavailable, .readOnly, true),
                ("MASTERDOWN Link with MASTER is down", .unavailable, .busy, true),
                ("LOADING Redis is loading", .unavailable, .busy, true),
                ("CLUSTERDOWN The cluster is down", .unavailable, .busy, true),
                ("NOREPLICAS Not enough good replicas", .unavailable, .replicas, true),
                ("NOAUTH Authentication required.", .refused, .credentials, true),
                ("TRYAGAIN Multiple keys request", .unavailable, .busy, false),
                ("BUSY Redis is busy running a script", .unavailable, .busy, false),
                ("OOM command not allowed", .full, .busy, false),
                ("NOPERM this user has no permissions", .refused, .credentials, false),
                ("MISCONF Redis is configured to save", .unavailable, .disk, false),
                ("READONLYISH is another word", .refused, .command, false),
            ]) func words(_ word: String, error: StoreError, fault: RedisFault, ends: Bool) async throws
        {
            let server = try ScriptedServer(script: [hello, Array("-\(word)\r\n".utf8), Array("$-1\r\n".utf8)])
            var options = RedisOptions(host: "127.0.0.1", security: .plain)
            options.port = server.port
            options.deadline = .seconds(20)
            let store = try RedisLoginStore(options)
            #expect(await take(store, "a") == .failed(error))
            #expect(store.health.cause == fault)
            // On a new connection the server repeats its first reply; on the old one it sends the next.
            #expect(await take(store, "a") == (ends ? .failed(error) : .took(nil)))
            #expect(store.health.connects == (ends ? 2 : 1) && server.connections == (ends ? 2 : 1))
            #expect(store.health.cause == (ends ? fault : nil))
        }

        @Test("R32 if an address of a name is a replica, the next one that accepts writes is used")
        func addressOfReplica() async throws {
            let server = try RedisServer()
            let replica = try ScriptedServer(
                script: [hello, Array("-READONLY You can't write\r\n".utf8)], host: 0x7F00_0002, port: server.port)
            let store = try server.store { $0.addresses = ["127.0.0.2", "127.0.0.1"] }
            #expect(await insert(store, "a") == .failed(.unavailable))
            #expect(await insert(store, "a") == .inserted(true))
            #expect(await take(store, "a") == .took([1]))
            #expect(replica.connections == 1 && store.health.cause == nil)
        }

        #if os(Linux)
            @Test("R32 an address that does not respond leaves time for the next one") func silentAddress() async throws
            {
                let server = try RedisServer()
                let silent = try SilentAddress(host: 0x7F00_0002, port: server.port)
                func store(_ addresses: String...) throws -> RedisLoginStore {
                    try server.store {
                        $0.connectDeadline = .seconds(2)
                        $0.addresses = addresses
                    }
                }
                let only = try store("127.0.0.2")
                #expect(await insert(only, "a") == .failed(.unavailable))
                #expect(only.health.cause == .deadline && only.health.connects == 0)
                let both = try store("127.0.0.2", "127.0.0.1")
                #expect(await insert(both, "a") == .inserted(true))
                #expect(await take(try store("127.0.0.1"), "a") == .took([1]))
                withExtendedLifetime(silent) {}
            }
        #endif

        @Test(
            "R32 an address that accepts and does not respond leaves time for the next one, and is not tried first again"
        )
        func muteAddress() async throws {
            let server = try RedisServer()
            let mute = try ScriptedServer(script: [], host: 0x7F00_0002, port: server.port)
            let store = try server.store {
                $0.connectDeadline = .seconds(2)
                $0.addresses = ["127.0.0.2", "127.0.0.1"]
            }
            #expect(await insert(store, "a") == .inserted(true))
            #expect(mute.connections == 1)
            for round in 2...4 {
                _ = try server.command("CLIENT", "KILL", "TYPE", "normal")
                try await until { store.health.connections == 0 }
                #expect(await insert(store, "\(round)") == .inserted(true))
                #expect(store.health.connects == round && mute.connections == 1)
            }
            // If the other address fails, this one is tried.
            try server.tell(.kill)
            try await until { store.health.connections == 0 }
            #expect(await insert(store, "b") == .failed(.unavailable))
            #expect(mute.connections == 2)
        }
    }
#endif
