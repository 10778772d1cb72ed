#if Redis
    import JOSERedis
    import JOSERelyingParty

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A device of the tests: wants every one of the numbers, as another process does at the same time. Arguments: the port, how many
    /// numbers, and "mark" (inserts a mark for each) or "take". Says "ready", waits for a line, and then says a digit a number: 1 where
    /// it won, 0 where another had, and x for an error.
    ///
    /// With "exit", the path of a certificate authority and milliseconds: ends so long after as many stores began to connect over TLS.
    let port = UInt16(CommandLine.arguments[1]) ?? 0
    let count = Int(CommandLine.arguments[2]) ?? 0
    let marks = CommandLine.arguments[3] == "mark"
    var options = RedisLoginStore.Options(host: "127.0.0.1", security: .plain)
    options.port = port
    options.deadline = .seconds(30)
    if CommandLine.arguments[3] == "exit" {
        var tls = RedisLoginStore.Options.TLS()
        tls.trust = .file(CommandLine.arguments[4])
        options.security = .tls(tls)
        let stores = try (0..<count).map { _ in try RedisLoginStore(options) }
        let key = try StoreKey(kind: "exit", value: "a")
        for store in stores { Task.detached { try await store.insert([1], for: key, lifetime: .seconds(60)) } }
        usleep(1_000 * (UInt32(CommandLine.arguments[5]) ?? 0))
        exit(0)
    }
    let store = try RedisLoginStore(options)
    // Connected, and out of the race.
    _ = try await store.take(StoreKey(kind: "warm", value: "up"))
    print("ready")
    // A line that is not flushed waits for the end of the process.
    fflush(nil)
    _ = readLine()
    @Sendable func wins(_ number: Int) async -> Character {
        do {
            let key = try StoreKey(kind: "race", value: "\(number)")
            let won =
                marks ? try await store.insert([1], for: key, lifetime: .seconds(600)) : try await store.take(key) != nil
            return won ? "1" : "0"
        } catch {
            return "x"
        }
    }
    // Sixteen at a time: both processes then ask for the same numbers at about the same time.
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
#endif
