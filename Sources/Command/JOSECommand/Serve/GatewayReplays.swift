import JOSE
import JOSEBytes
import JOSETokens
import Synchronization

#if Redis
    import JOSERedis
#endif

/// The store of used DPoP proofs: in the memory of this process or, for several processes and machines, in Redis. It survives a new
/// configuration.
final class GatewayReplays: Sendable {
    private let memory = InMemoryReplayStore()

    #if Redis
        /// A server, which is the one of the last configuration that had one.
        private struct Server: Sendable {
            let members: [String: [String]]
            let place: String
            let store: RedisReplayStore
            /// Whether the server was found to keep what it confirms, or a report that it cannot be reached was made.
            var isExamined = false
        }
        private let server = Mutex<Server?>(nil)
    #endif

    /// The options that are members of `replay`.
    static var options: [OptionSpec] {
        #if Redis
            [Options.redis.spec, Options.redisPassword.spec, Options.redisAuthority.spec, Options.allowVolatile]
        #else
            []
        #endif
    }

    /// Returns the store in memory.
    func local() -> any ReplayStore { memory }

    /// Returns the store of a configuration.
    ///
    /// - Parameter members: The members of `replay`.
    func shared(_ members: [String: [String]]) throws(CommandFailure) -> any ReplayStore {
        #if Redis
            if let old = server.withLock({ $0 }), old.members == members { return old.store }
            let arguments = Arguments(command: "serve", options: members)
            guard let address = try arguments.value(Options.redis) else {
                throw .usage("needs redis, such as redis://127.0.0.1:6379")
            }
            var login = try RedisLoginStore.Options(
                address, passwordFile: arguments.value(Options.redisPassword),
                authorities: arguments.value(Options.redisAuthority))
            login.keyPrefix = "bulla:"
            // A request waits no longer than this for the server.
            login.connectDeadline = .seconds(1)
            login.deadline = .seconds(1)
            login.longestRetryDelay = .milliseconds(250)
            var options = RedisReplayStore.Options(server: login)
            options.allowsVolatileServer = arguments.has(Options.allowVolatile)
            let store: RedisReplayStore
            do throws(RedisStoreError) { store = try RedisReplayStore(options) } catch {
                throw .usage("redis: \(error)")
            }
            let new = Server(
                members: members, place: "\(address.host):\(address.port)", store: store)
            server.withLock { $0 = new }
            return store
        #else
            throw .usage("bulla was built without the package's trait Redis")
        #endif
    }

    /// Connects to a server that no configuration has used before.
    ///
    /// - Returns: A report if the server cannot be reached; requests with proofs are answered with 503 until it can.
    /// - Throws: A failure if the server refuses the credentials, or may lose what it confirms.
    func connect() throws(CommandFailure) -> String? {
        #if Redis
            guard let found = server.withLock({ $0 }), !found.isExamined else { return nil }
            let error = Blocking.run { () async -> StoreError? in
                do throws(StoreError) {
                    try await found.store.connect()
                    return nil
                } catch {
                    return error
                }
            }
            let text =
                "replay: Redis at \(Output.printable(found.place)): \(found.store.health.fault?.text ?? "it did not answer")"
            if error == .refused { throw CommandFailure(text.split(separator: "--").joined()) }
            server.withLock { server in
                if server?.store === found.store { server?.isExamined = true }
            }
            return error == nil ? nil : text + "; proofs are answered with 503 until it can be reached"
        #else
            return nil
        #endif
    }
}
