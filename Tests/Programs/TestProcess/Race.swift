#if Redis
    import JOSERedis

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// Competes with another process for each of a range of numbers. Arguments: the port, the count of numbers, and "mark" (inserts a
    /// mark for each) or "take". Prints "ready", waits for a line, and prints a digit for each number: 1 if it won, 0 if the other
    /// process won, and x for an error.
    ///
    /// With "exit", the path of a certificate authority and milliseconds as arguments, it creates as many stores, which connect over
    /// TLS, and exits after that time.
    func race(_ arguments: [String]) async throws {
        let port = UInt16(arguments[0]) ?? 0
        let count = Int(arguments[1]) ?? 0
        let marks = arguments[2] == "mark"
        var options = RedisOptions(host: "127.0.0.1", security: .plain)
        options.port = port
        options.deadline = .seconds(30)
        if arguments[2] == "exit" {
            var tls = RedisOptions.TLS()
            tls.trust = .file(arguments[3])
            options.security = .tls(tls)
            let stores = try (0..<count).map { _ in try RedisLoginStore(options) }
            let key = try StoreKey(kind: "exit", value: "a")
            for store in stores { Task.detached { try await store.insert([1], for: key, lifetime: .seconds(60)) } }
            usleep(1_000 * (UInt32(arguments[4]) ?? 0))
            exit(0)
        }
        let store = try RedisLoginStore(options)
        // This connects the store before the race.
        _ = try await store.take(StoreKey(kind: "warm", value: "up"))
        print("ready")
        // Output that is not flushed appears only when the process ends.
        fflush(nil)
        _ = readLine()
        @Sendable func wins(_ number: Int) async -> Character {
            do {
                let key = try StoreKey(kind: "race", value: "\(number)")
                let won =
                    marks
                    ? try await store.insert([1], for: key, lifetime: .seconds(600)) : try await store.take(key) != nil
                return won ? "1" : "0"
            } catch {
                return "x"
            }
        }
        // Both processes request sixteen numbers at a time, so that they compete for the same numbers.
        var digits = ""
        for first in stride(from: 0, to: count, by: 16) {
            digits += await withTaskGroup(of: (Int, Character).self) { group in
                for number in first..<min(first + 16, count) { group.addTask { (number, await wins(number)) } }
                var found: [(Int, Character)] = []
                for await one in group { found.append(one) }
                return String(found.sorted { $0.0 < $1.0 }.map(\.1))
            }
        }
        print(digits)
    }
#endif
