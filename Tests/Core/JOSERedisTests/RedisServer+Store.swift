#if Redis
    import JOSERedis
    import TestSupport

    extension RedisServer {
        func options(_ adjust: (inout RedisOptions) -> Void = { _ in }) -> RedisOptions {
            var options = RedisOptions(host: "127.0.0.1", security: .plain)
            options.port = port
            // These deadlines are longer than a busy machine needs. Tests of timeouts set their own.
            options.connectDeadline = .seconds(20)
            options.deadline = .seconds(20)
            adjust(&options)
            return options
        }

        func store(_ adjust: (inout RedisOptions) -> Void = { _ in }) throws -> RedisLoginStore {
            try RedisLoginStore(options(adjust))
        }
    }
#endif
