#if Redis
    import JOSERedis
    import JOSETokens
    import Synchronization
    import TestSupport
    import Testing

    @Suite("Redis that fails", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct RedisFailureTests {
        @Test(
            "a server killed during logins and restarted loses no confirmed value, and returns none twice"
        )
        func killed() async throws {
            let server = try RedisServer()
            let store = try server.store { $0.longestRetryDelay = .milliseconds(50) }
            let book = LoginBook()
            let logins = Task {
                await withTaskGroup(of: Void.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            for number in sequence(first: worker, next: { $0 + 8 }) {
                                guard !book.isOver else { return }
                                book.note(number, await insert(store, "login \(number)", Array("\(number)".utf8)))
                            }
                        }
                    }
                }
            }
            for round in 1...3 {
                let before = book.confirmed.count
                try await until { book.confirmed.count > before + 200 }
                try server.tell(.kill)
                let seen = book.errors.count
                try await until { book.errors.count > seen + 8 }
                try server.tell(.start)
                let after = book.confirmed.count
                try await until { book.confirmed.count > after + 100 }
                #expect(store.health.connects > round)
            }
            book.end()
            await logins.value
            let kinds = Set(book.errors)
            #expect(kinds == [.unavailable])
            let numbers = book.confirmed
            var lost = 0
            var twice = 0
            for number in numbers {
                if await take(store, "login \(number)") != .took(Array("\(number)".utf8)) { lost += 1 }
                if await take(store, "login \(number)") != .took(nil) { twice += 1 }
            }
            #expect(numbers.count > 900 && lost == 0 && twice == 0)
        }

        @Test("a server that does not listen is unavailable at once, and is used as soon as it listens") func nobody()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store { $0.retryDelay = .milliseconds(1) }
            try server.tell(.kill)
            for _ in 0..<3 { #expect(await insert(store, "a") == .failed(.unavailable)) }
            #expect(store.health.cause == .connect && store.health.connections == 0)
            try server.tell(.start)
            #expect(await insert(store, "a") == .inserted(true))
            #expect(store.health.cause == nil)
        }

        @Test("a stopped server is unavailable after the deadline, and is used again after it continues")
        func still()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store { $0.isImpatient() }
            let patient = try server.store()
            #expect(await insert(patient, "a") == .inserted(true))
            #expect(await insert(store, "b") == .inserted(true))
            try server.tell(.stop)
            // The first call has a connection, and the later one finds none.
            #expect(await take(store, "b") == .failed(.unavailable))
            #expect(store.health.cause == .deadline && store.health.connections == 0)
            #expect(await insert(store, "c") == .failed(.unavailable))
            try server.tell(.go)
            #expect(await take(patient, "a") == .took([1]))
            try await until { store.health.outstanding == 0 }
            var outcome = await take(store, "none")
            for _ in 0..<20 where outcome != .took(nil) { outcome = await take(store, "none") }
            #expect(outcome == .took(nil))
            // The take without a reply was performed: its value was returned to no caller, and is not returned later.
            #expect(await take(patient, "b") == .took(nil))
        }

        @Test("an insert whose reply was lost can be repeated: its key keeps the first value")
        func again()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store { $0.isImpatient() }
            #expect(await insert(store, "warm") == .inserted(true))
            try server.tell(.stop)
            #expect(await insert(store, "a", [1]) == .failed(.unavailable))
            try server.tell(.go)
            let patient = try server.store()
            #expect(await insert(patient, "a", [2]) == .inserted(false))
            #expect(await take(patient, "a") == .took([1]))
            #expect(await take(patient, "a") == .took(nil))
        }

        @Test("commands over the queue limit fail as unavailable at once, and those within it are performed")
        func queue()
            async throws
        {
            let server = try RedisServer()
            let store = try server.store { $0.queueLimit = 5 }
            #expect(await insert(store, "warm") == .inserted(true))
            try server.tell(.stop)
            let waiting = (0..<5).map { number in Task { await insert(store, "\(number)") } }
            try await until { store.health.outstanding == 5 }
            #expect(await insert(store, "late") == .failed(.unavailable))
            try server.tell(.go)
            for task in waiting { #expect(await task.value == .inserted(true)) }
            #expect(await insert(store, "late") == .inserted(true))
        }

        @Test("a wrong or missing password, and a user without permission, have the fault refused")
        func credentials() async throws {
            let server = try RedisServer([
                "requirepass open-sesame", "user reader on >read-only ~* +ping +get",
                "user login on >for-logins ~bulla:* +set +get +getdel +ping",
            ])
            let none = try server.store()
            #expect(await insert(none, "a") == .failed(.refused))
            #expect(none.health.cause == .credentials)
            let wrong = try server.store { $0.password = "open-barley" }
            #expect(await insert(wrong, "a") == .failed(.refused))
            #expect(wrong.health.cause == .credentials)
            let right = try server.store { $0.password = "open-sesame" }
            #expect(await insert(right, "a") == .inserted(true))
            func user(_ name: String, _ password: String, prefix: String = "bulla:") throws -> RedisLoginStore {
                try server.store {
                    $0.username = name
                    $0.password = password
                    $0.keyPrefix = prefix
                }
            }
            #expect(try await take(user("reader", "read-only"), "a") == .failed(.refused))
            #expect(try await take(user("login", "for-logins", prefix: "other:"), "a") == .failed(.refused))
            #expect(try await take(user("login", "read-only"), "a") == .failed(.refused))
            #expect(try await take(user("login", "for-logins"), "a") == .took([1]))
            // This server has no password, and rejects one.
            let open = try RedisServer()
            #expect(try await take(open.store { $0.password = "open-sesame" }, "a") == .failed(.refused))
            #expect(try await take(open.store(), "a") == .took(nil))
        }

        @Test("a server at its connection limit is unavailable, and is used as soon as a connection is free")
        func crowded()
            async throws
        {
            let server = try RedisServer(["maxclients 1"])
            let first = try server.store()
            #expect(await insert(first, "a") == .inserted(true))
            let second = try server.store { $0.retryDelay = .milliseconds(1) }
            #expect(await take(second, "a") == .failed(.unavailable))
            #expect(second.health.cause == .busy)
            first.shutdown()
            var outcome = await take(second, "a")
            for _ in 0..<100 where outcome == .failed(.unavailable) { outcome = await take(second, "a") }
            #expect(outcome == .took([1]))
        }
    }

    /// The outcomes of logins that run beside a test.
    private final class LoginBook: Sendable {
        private let state = Mutex<(confirmed: Set<Int>, errors: [StoreError], isOver: Bool)>(([], [], false))

        var confirmed: Set<Int> { state.withLock { $0.confirmed } }
        var errors: [StoreError] { state.withLock { $0.errors } }
        var isOver: Bool { state.withLock { $0.isOver } }

        func end() { state.withLock { $0.isOver = true } }
        func note(_ number: Int, _ outcome: Outcome) {
            state.withLock { state in
                switch outcome {
                case .inserted(true): state.confirmed.insert(number)
                // No other task uses these keys: such an outcome would be an error of a kind that the test does not expect.
                case .inserted(false), .took: state.errors.append(.full)
                case .failed(let error): state.errors.append(error)
                }
            }
        }
    }
#endif
