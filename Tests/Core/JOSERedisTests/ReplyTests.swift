#if Redis
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    @Suite("Replies of Redis") struct ReplyTests {
        private static let hello = Array("+PONG\r\n".utf8)

        private func taken(_ answers: String..., limit: Int = 100) async throws -> (Outcome, RedisFault?) {
            let server = try ScriptedServer(script: [Self.hello] + answers.map { Array($0.utf8) })
            var options = RedisOptions(host: "127.0.0.1", security: .plain)
            options.port = server.port
            options.valueByteLimit = limit
            let store = try RedisLoginStore(options)
            let outcome = await take(store, "a")
            return (outcome, store.health.cause)
        }

        @Test("a value of the largest size is read; a longer one is rejected before it is buffered")
        func bound()
            async throws
        {
            let value = String(repeating: "v", count: 100)
            #expect(try await taken("$100\r\n\(value)\r\n").0 == .took(Array(value.utf8)))
            let (longer, fault) = try await taken("$101\r\n\(value)v\r\n")
            #expect(longer == .failed(.unavailable) && fault == .reply)
            let (endless, endlessFault) = try await taken("$2000000000\r\n" + String(repeating: "v", count: 100_000))
            #expect(endless == .failed(.unavailable) && endlessFault == .reply)
            // This line never ends.
            let (line, lineFault) = try await taken("+" + String(repeating: "v", count: 100_000))
            #expect(line == .failed(.unavailable) && lineFault == .reply)
        }

        @Test(
            "an invalid reply ends the connection, and its call is unavailable",
            arguments: [
                "HTTP/1.1 400 Bad Request\r\n\r\n", "*1\r\n$1\r\nv\r\n", "*2000000000\r\n", "*-1000\r\n", ":1\r\n",
                "+OK\r\n",
                "$-2\r\nv\r\n", "$x\r\n", "\0\0\0\0\r\n", "$1\r\nv\r\n+OK\r\n", "%1\r\n+a\r\n+b\r\n",
            ]) func garbage(_ answer: String) async throws
        {
            // Two replies to one command: the first is accepted, and the second ends the connection.
            let isAnsweredTwice = answer.hasPrefix("$1\r\nv\r\n")
            let (outcome, fault) = try await taken(answer)
            #expect(outcome == (isAnsweredTwice ? .took([0x76]) : .failed(.unavailable)), "\(answer.debugDescription)")
            #expect(isAnsweredTwice || fault == .reply, "\(answer.debugDescription)")
            #expect(try await taken("$1\r\nv\r\n").0 == .took([0x76]))
        }

        @Test("a reply may arrive in several pieces") func pieces() async throws {
            let server = try ScriptedServer(script: [Array("+PO".utf8)])
            var options = RedisOptions(host: "127.0.0.1", security: .plain)
            options.port = server.port
            options.isImpatient()
            // Half of the first reply is not a reply.
            #expect(try await take(RedisLoginStore(options), "a") == .failed(.unavailable))
            let value = String(repeating: "v", count: 60_000)
            #expect(try await taken("$60000\r\n\(value)\r\n", limit: 60_000).0 == .took(Array(value.utf8)))
        }

        @Test(
            "an error reply has the fault unavailable for LOADING, BUSY and MISCONF, full for OOM, and refused otherwise"
        )
        func errors()
            async throws
        {
            for (answer, error) in [
                ("-LOADING Redis is loading the dataset in memory\r\n", StoreError.unavailable),
                ("-BUSY Redis is busy running a script\r\n", .unavailable), ("-OOM command not allowed\r\n", .full),
                ("-MISCONF Redis is configured to save\r\n", .unavailable),
                ("-ERR unknown command 'GETDEL'\r\n", .refused),
                ("-NOPERM this user has no permissions\r\n", .refused),
            ] {
                #expect(try await taken(answer).0 == .failed(error), "\(answer)")
            }
            #expect(try await taken("$-1\r\n").0 == .took(nil))
        }

        @Test(
            "an error of a command in a script has the meaning of the command's own error, as Redis 6.2 and 7 write it")
        func scripts() throws {
            let origin = "-ERR Error running script (call to f_6b1b): @user_script:3: @user_script: 3: "
            for (answer, fault, isTransient, isOutOfMemory) in [
                ("-OOM command not allowed. script: 6b1b\r\n", RedisFault.busy, true, true),
                (origin + "-OOM command not allowed.\r\n", .busy, true, true),
                (origin + "-READONLY You can't write against a read only replica.\r\n", .readOnly, true, false),
                (origin + "-NOREPLICAS Not enough good replicas to write.\r\n", .replicas, true, false),
                (origin + "The user executing the script can't run this command\r\n", .credentials, false, false),
                ("-ERR The user executing the script can't run this command\r\n", .credentials, false, false),
                ("-ERR ACL failure in script: User a has no permissions\r\n", .credentials, false, false),
                (origin + "WRONGTYPE\r\n", .command, false, false),
                ("-ERR an OOM of somebody else\r\n", .command, false, false),
            ] {
                let server = try ScriptedServer(script: [Self.hello, Array(answer.utf8)])
                var options = RedisOptions(host: "127.0.0.1", security: .plain)
                options.port = server.port
                // On a loaded machine a reply may take more than two seconds.
                options.connectDeadline = .seconds(20)
                options.deadline = .seconds(20)
                let scripts = try RedisScripts(options, requiresDurability: false)
                let run = RedisRun(RedisScript("return 0"), keys: ["a"], [])
                let failure = #expect(throws: RedisScripts.Failure.self) { try scripts.run([run])[0].get() }
                #expect(
                    failure?.fault == fault && failure?.isTransient == isTransient
                        && failure?.isOutOfMemory == isOutOfMemory, "\(answer)")
            }
            let server = try ScriptedServer(script: [Self.hello, Array(":7\r\n".utf8)])
            var options = RedisOptions(host: "127.0.0.1", security: .plain)
            options.port = server.port
            let scripts = try RedisScripts(options, requiresDurability: false)
            #expect(try scripts.run([RedisRun(RedisScript("return 7"), keys: ["a"], [])])[0].get().number == 7)
        }

        @Test("a server that reads its append-only file is busy, and one that writes none is rejected") func loading()
            throws
        {
            func text(_ lines: String) -> String { "$\(lines.utf8.count)\r\n\(lines)\r\n" }
            for (lines, fault, isTransient) in [
                ("loading:1\r\nasync_loading:0\r\naof_enabled:0\r\n", RedisFault.busy, true),
                ("loading:0\r\nasync_loading:0\r\naof_enabled:0\r\n", .notPersistent, false),
                ("loading:0\r\nasync_loading:0\r\naof_enabled:1\r\n", nil, false),
            ] {
                let greeting = text("maxmemory_policy:noeviction\r\n") + text(lines) + "+PONG\r\n"
                let server = try ScriptedServer(script: [Array(greeting.utf8), Array(":7\r\n".utf8)])
                var options = RedisOptions(host: "127.0.0.1", security: .plain)
                options.port = server.port
                let scripts = try RedisScripts(options, requiresDurability: true)
                let run = RedisRun(RedisScript("return 7"), keys: ["a"], [])
                switch scripts.run([run])[0] {
                case .success(let reply): #expect(reply.number == 7 && fault == nil, "\(lines)")
                case .failure(let failure):
                    #expect(failure.fault == fault && failure.isTransient == isTransient, "\(lines)")
                }
            }
        }

        @Test("a connection that ends before the reply is reported with the fault lost") func lost() async throws {
            let (outcome, fault) = try await taken("")
            #expect(outcome == .failed(.unavailable) && fault == .lost)
            #expect(try await taken("$-1\r\n").0 == .took(nil))
        }

        @Test("an unknown host name is unavailable, and the name of this machine is resolved")
        func names() async throws {
            var options = RedisOptions(host: "nobody.invalid", security: .plain)
            let store = try RedisLoginStore(options)
            #expect(await take(store, "a") == .failed(.unavailable))
            #expect(store.health.cause == .name || store.health.cause == .deadline)
            let server = try ScriptedServer(script: [Self.hello, Array("$1\r\nv\r\n".utf8)])
            options.host = "localhost"
            options.port = server.port
            #expect(try await take(RedisLoginStore(options), "a") == .took([0x76]))
        }

        @Test("every description of the options shows host and port, and no password, key or passphrase") func printed()
        {
            var options = RedisOptions(host: "redis.example")
            options.password = "open-sesame"
            options.security = .tls(
                .init(
                    clientCertificate: .pem(certificate: [1], key: Array("open-sesame".utf8), passphrase: "open-sesame")
                ))
            var dumped = ""
            dump(options, to: &dumped)
            dump(options.security, to: &dumped)
            for text in [
                "\(options)", String(reflecting: options), "\(options.security)", String(reflecting: options.security),
                dumped,
            ] {
                #expect(!text.contains("open-sesame") && !text.contains("111, 112, 101, 110"), "\(text)")
            }
            #expect("\(options)" == "redis.example:6379")
        }

        @Test("each fault has its own code, which does not change, and its text can be read alone") func codes() {
            let codes = [
                "name", "connect", "deadline", "lost", "untrusted", "server_name", "client_certificate", "handshake",
                "credentials", "command", "busy", "read_only", "replicas", "reply", "disk", "evicting",
                "not_persistent", "closed", "backend",
            ]
            #expect(RedisFault.allCases.map(\.rawValue) == codes && Set(codes).count == codes.count)
            #expect(Set(RedisFault.allCases.map(\.text)).count == codes.count)
            for fault in RedisFault.allCases {
                let words = fault.text.split(separator: " ")
                #expect(!["it", "its"].contains(words[0]), "\(fault.text)")
            }
        }

        @Test("K43 a password is not sent in plaintext to another machine without the opt-in that names it")
        func plaintextPassword() throws {
            func store(_ host: String, _ change: (inout RedisOptions) -> Void = { _ in }) throws {
                var options = RedisOptions(host: host, security: .plain)
                options.password = "open-sesame"
                change(&options)
                _ = try RedisLoginStore(options)
            }
            let rejected = RedisStoreError.optionInvalid("allowsPlaintextPassword")
            for host in [
                "redis.example", "10.0.0.1", "128.0.0.1", "127.0.0.1.example", "127.0.0", "::2", "localhost.example",
                "0.0.0.0", "127.0.0.256", "::ffff:10.0.0.1",
            ] {
                #expect(throws: rejected, "\(host)") { try store(host) }
                try store(host) { $0.allowsPlaintextPassword = true }
                try store(host) { $0.security = .tls() }
                try store(host) { $0.password = nil }
            }
            for host in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"] { try store(host) }
        }

        @Test("an invalid option is rejected with optionInvalid and its name") func options() throws {
            typealias Options = RedisOptions
            let plain = Options(host: "127.0.0.1", security: .plain)
            let cases: [(String, (inout Options) -> Void)] = [
                ("host", { $0.host = "" }), ("host", { $0.host = "a b" }), ("port", { $0.port = 0 }),
                ("security", { $0.security = .tls(.init(trust: .pem(Array("no certificate".utf8)))) }),
                ("security", { $0.security = .tls(.init(trust: .file("/nowhere/ca.pem"))) }),
                ("security", { $0.security = .tls(.init(clientCertificate: .pem(certificate: [1], key: [2]))) }),
                ("username", { $0.username = "somebody" }), ("password", { $0.password = "" }),
                ("database", { $0.database = -1 }),
                ("keyPrefix", { $0.keyPrefix = String(repeating: "k", count: 201) }),
                ("connectionLimit", { $0.connectionLimit = 0 }), ("deadline", { $0.deadline = .zero }),
                ("connectDeadline", { $0.connectDeadline = .seconds(4000) }), ("queueLimit", { $0.queueLimit = 0 }),
                ("valueByteLimit", { $0.valueByteLimit = 0 }), ("retryDelay", { $0.retryDelay = .zero }),
                ("longestRetryDelay", { $0.longestRetryDelay = .zero }),
                ("replication", { $0.replication = .acknowledgedBy(replicas: 0, timeout: .milliseconds(100)) }),
                ("replication", { $0.replication = .acknowledgedBy(replicas: 101, timeout: .milliseconds(100)) }),
                ("replication", { $0.replication = .acknowledgedBy(replicas: 1, timeout: .zero) }),
                ("replication", { $0.replication = .acknowledgedBy(replicas: 1, timeout: .seconds(2)) }),
                ("replication", { $0.replication = .acknowledgedBy(replicas: 1, timeout: .seconds(1)) }),
            ]
            for (option, change) in cases {
                var changed = plain
                change(&changed)
                #expect(throws: RedisStoreError.optionInvalid(option)) { try RedisLoginStore(changed) }
            }
            _ = try RedisLoginStore(plain)
            // A write may wait for two timeouts, which together are shorter than the deadline of 2 seconds.
            var replicated = plain
            replicated.replication = .acknowledgedBy(replicas: 1, timeout: .milliseconds(999))
            _ = try RedisLoginStore(replicated)
            _ = try RedisLoginStore(Options(host: "redis.example"))
        }
    }
#endif
