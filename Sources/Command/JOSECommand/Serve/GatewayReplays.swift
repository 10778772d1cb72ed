import JOSE
import JOSESettings
import JOSESupport
import JOSETokens
import Synchronization

#if Redis
    import JOSERedis
#endif

/// The store of used DPoP proofs: in the memory of this process or, for several processes and machines, in Redis. It
/// survives a new configuration.
final class GatewayReplays: Sendable {
    /// The store in memory.
    let memory = InMemoryReplayStore()

    /// The state of the reports about proofs that were rejected because the clock was set back.
    private struct ClockReport: Sendable {
        var count = 0
        /// The calls since the count has last grown.
        var quietCalls = 0
        var isReported = false
    }
    private let clockReport = Mutex(ClockReport())

    #if Redis
        /// A server that a configuration names.
        private struct Server: Sendable {
            let members: [String: [String]]
            /// The states of the files with the password and the certificates when they were read.
            let files: [FileState]
            let address: String
            let store: RedisReplayStore
            /// Whether the server was reached and accepted, or was reported as unreachable.
            var isExamined = false
            /// The fault that was reported last; nil if the server answered.
            var reported: RedisFault?
        }
        private struct Servers: Sendable {
            var used: Server?
            /// The server of the configuration that is being read, if it is another.
            var candidate: Server?
        }
        private let servers = Mutex(Servers())
    #endif

    /// The options that are members of `replay`.
    static var options: [OptionSpec] {
        #if Redis
            [
                Options.redis.spec, Options.redisPassword.spec, Options.redisAuthority.spec, Options.allowVolatile,
                Options.allowPlainPassword, Options.replicas.spec, Options.replicaTimeout.spec,
            ]
        #else
            []
        #endif
    }

    /// The rows of the help.
    static var help: [(String, String)] { options.map { ("replay.\($0.label)", $0.help) } }

    #if Redis
        /// Returns the store of a configuration: that of the configuration before it, unless the server or one of its
        /// files is another.
        ///
        /// - Parameters:
        ///   - members: The members of `replay`.
        ///   - keepsUsed: Whether the store of the configuration before it stays, although its files may have changed.
        func shared(
            _ members: [String: [String]], keepsUsed: Bool = false
        ) throws(CommandFailure) -> any ReplayStore {
            let paths = Self.options.filter(\.namesFile).compactMap { members[$0.name]?.first }
            let files = paths.map { FileState($0) }
            if let used = servers.withLock({ $0.used }), used.members == members,
                keepsUsed || used.files == files
            {
                return used.store
            }
            let arguments = Arguments(command: "serve", options: members)
            guard let address = try arguments.value(Options.redis) else {
                throw .usage("needs redis, such as redis://127.0.0.1:6379")
            }
            // A request waits for the server for at most this long, or for twice the timeout of the replicas.
            var login = try address.options(
                arguments, deadline: .seconds(1), replicaTimeout: .milliseconds(400), isService: true)
            login.keyPrefix = "bulla:"
            login.connectDeadline = .seconds(1)
            login.longestRetryDelay = .milliseconds(250)
            var options = RedisReplayStore.Options(server: login)
            options.allowsVolatileServer = arguments.has(Options.allowVolatile)
            let store: RedisReplayStore
            do throws(RedisStoreError) { store = try RedisReplayStore(options) } catch { throw CommandFailure(error) }
            let new = Server(
                members: members, files: files, address: "\(address.host):\(address.port)", store: store)
            servers.withLock { $0.candidate = new }
            return store
        }
    #endif

    /// The number of proofs that the store in memory has rejected because the clock was set back.
    var clockRejections: Int { memory.clockRejections }

    /// Returns a report if proofs were rejected because the clock was set back: once, until there were none in 60
    /// calls.
    func clockChange() -> String? {
        let count = memory.clockRejections
        return clockReport.withLock { report in
            guard count > report.count else {
                report.quietCalls += 1
                if report.quietCalls >= 60 { report.isReported = false }
                return nil
            }
            report.count = count
            report.quietCalls = 0
            guard !report.isReported else { return nil }
            report.isReported = true
            return "alarm: the clock was set back: proofs of a time that it has shown before are answered with 503"
        }
    }

    /// Forgets the server of a configuration that was not adopted.
    func discard() {
        #if Redis
            servers.withLock { $0.candidate = nil }
        #endif
    }

    /// Adopts the server of the configuration that was read last, which is used from now on.
    func adopt() {
        #if Redis
            servers.withLock { servers in
                servers.used = servers.candidate ?? servers.used
                servers.candidate = nil
            }
        #endif
    }

    /// Whether the server could be used for the last command; nil without a server.
    var isUsable: Bool? {
        #if Redis
            servers.withLock { $0.used?.store }.map { $0.health.cause == nil }
        #else
            nil
        #endif
    }

    /// Returns a report if the server can no longer be used, for another reason than reported before, or can be used
    /// again.
    func change() -> String? {
        #if Redis
            servers.withLock { servers in
                guard let found = servers.used, found.isExamined else { return nil }
                let fault = found.store.health.cause
                guard fault != found.reported else { return nil }
                servers.used?.reported = fault
                let text = "replay: Redis at \(Output.printable(found.address)): "
                guard let fault else { return text + "the server can be used again" }
                return text + CommandFailure(fault.advice).textOfMembers + "; proofs are answered with 503"
            }
        #else
            nil
        #endif
    }

    /// Connects to the server of the configuration that was read last, unless a configuration before it has used the
    /// server.
    ///
    /// - Returns: A report if the server cannot be reached; requests with proofs are answered with 503 until it can.
    /// - Throws: A failure if the server refuses the credentials, or may lose what it confirms.
    func connect() throws(CommandFailure) -> String? {
        #if Redis
            guard let found = servers.withLock({ $0.candidate }), !found.isExamined else { return nil }
            let error = Blocking.run { () async -> StoreError? in
                do throws(StoreError) {
                    try await found.store.connect()
                    return nil
                } catch {
                    return error
                }
            }
            let text =
                "replay: Redis at \(Output.printable(found.address)): \(found.store.health.cause?.advice ?? "the server did not answer")"
            if error == .refused { throw CommandFailure(CommandFailure(text).textOfMembers) }
            servers.withLock { servers in
                guard servers.candidate?.store === found.store else { return }
                servers.candidate?.isExamined = true
                servers.candidate?.reported = error == nil ? nil : found.store.health.cause
            }
            return error == nil ? nil : text + "; proofs are answered with 503 until it can be reached"
        #else
            return nil
        #endif
    }
}
