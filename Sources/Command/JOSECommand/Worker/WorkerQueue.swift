#if Redis
    import JOSE
    import JOSERedis
    import JOSESettings

    /// The queue of a fleet: the server, and the names of its keys.
    struct WorkerQueue: Sendable {
        let scripts: RedisScripts
        let stream: String
        let server: String

        /// The largest size of an entry. Eight of them are less than a reply may have.
        static let maximumEntryBytes = 1 << 20

        static let options = [
            Options.redis.spec, Options.stream.spec, Options.redisPassword.spec, Options.redisAuthority.spec,
            Options.allowVolatile, Options.allowPlainPassword, Options.replicas.spec, Options.replicaTimeout.spec,
        ]

        init(_ arguments: Arguments) throws(CommandFailure) {
            guard let address = try arguments.value(Options.redis) else {
                throw .usage("needs --redis, such as redis://127.0.0.1:6379")
            }
            guard let stream = try arguments.value(Options.stream) else { throw .usage("needs --stream") }
            // A reply has up to eight entries, and a busy server takes its time for them.
            var options = try address.options(arguments, deadline: .seconds(5), replicaTimeout: .seconds(1))
            options.valueByteLimit = 16 << 20
            // After an outage each worker must say that it lives before others look, which is a second later at the
            // earliest.
            options.longestRetryDelay = .milliseconds(250)
            do throws(RedisStoreError) {
                scripts = try RedisScripts(options, requiresDurability: !arguments.has(Options.allowVolatile))
            } catch {
                throw CommandFailure(error)
            }
            self.stream = stream
            server = "\(address.host):\(address.port)"
        }

        var later: String { stream + ":later" }
        var working: String { stream + ":working" }
        var answers: String { stream + ":answers" }
        var deadLetters: String { stream + ":dead-letters" }
        func session(_ name: String) -> String { stream + ":added:" + name }
        func lease(_ consumer: String) -> String { stream + ":lease:" + consumer }

        /// The keys of `WorkerScripts.begin`, without the lease.
        var keys: [String] { [stream, answers, later, working, deadLetters] }

        /// Returns the text of a failed call.
        func failure(_ failure: RedisScripts.Failure) -> CommandFailure {
            CommandFailure("Redis at \(Output.printable(server)): \(Self.reason(failure))")
        }

        private static func reason(_ failure: RedisScripts.Failure) -> String {
            failure.isOutOfMemory
                ? "the server has no memory left" : failure.fault?.advice ?? "memory or file descriptors are exhausted"
        }
    }

    extension Options {
        static let stream = Option("stream", "NAME", "the stream of tokens; NAME:answers has the answers") {
            $0.isEmpty || $0.utf8.count > 200 ? nil : $0
        }
    }
#endif
