#if Redis
    internal import CJOSERedis
    internal import JOSESupport
    public import JOSETokens
    public import JOSE

    /// A `ReplayStore` in Redis 6.2 or newer, for a service that runs on several machines: of any number of
    /// simultaneous uses of one token, on any of them, exactly one is accepted.
    ///
    /// A mark is looked up, counted against its client's limit and added by one script, which Redis runs as one step.
    /// The store never repeats a command whose reply was lost: such a token is rejected with
    /// `replay(.storeUnavailable)`, which may be retried with a new token, and is never accepted twice.
    ///
    /// The keys in Redis are SHA-256 digests. Neither a `jti` nor the name of a client is stored in plaintext.
    ///
    /// Redis's own clock decides when a mark has expired. A token that has expired by that clock is rejected with
    /// `claim(.expired)`, so that marks that Redis has removed are not needed. The clocks of the servers and of the
    /// service must therefore be synchronized. Marks are kept for ``Options/clockTolerance`` longer than their tokens
    /// are valid, so that a clock that is set back by less than that, or another server's clock after a failover,
    /// accepts no token again.
    ///
    /// On each new connection the store reads with `INFO` whether the server keeps what it confirms: its
    /// `maxmemory-policy` must be `noeviction`, and it must write an append-only file. A server that does not is
    /// refused, unless ``Options/allowsVolatileServer`` is set. `INFO` does not report `appendfsync`: with `everysec`,
    /// a crash of the machine can lose the marks of the last second or two, and with `always` it loses none.
    ///
    /// Replication is asynchronous, so that a replica that becomes the primary may lack the latest marks, whose tokens
    /// can then be used again. `RedisOptions.replication` makes this less likely, but cannot exclude it.
    public final class RedisReplayStore: ReplayStore, Sendable {
        private let client: RedisClient
        private let prefix: [UInt8]
        private let shareLimit: [UInt8]
        private let toleranceMilliseconds: Int64
        /// Whether replicas must confirm writes.
        private let isReplicated: Bool

        /// Creates a store and starts its thread. The store connects with the first mark, or by ``connect()``.
        ///
        /// - Parameter options: The server, the credentials and the limits of the store.
        /// - Throws: `optionInvalid` if an option has an invalid value, and `backend` if memory, file descriptors or
        ///   threads are exhausted.
        public init(_ options: Options) throws(RedisStoreError) {
            guard (1...1_000_000_000).contains(options.shareLimit) else { throw .optionInvalid("shareLimit") }
            guard (Duration.milliseconds(1) ... .seconds(3600)).contains(options.clockTolerance) else {
                throw .optionInvalid("clockTolerance")
            }
            client = try RedisClient(options.server, requiresDurability: !options.allowsVolatileServer)
            prefix = Array(options.server.keyPrefix.utf8)
            isReplicated = options.server.replication != .asynchronous
            shareLimit = Array("\(options.shareLimit)".utf8)
            toleranceMilliseconds = options.clockTolerance.wholeMilliseconds
        }

        /// Connects to the server and checks how it keeps what it confirms, and that it accepts writes and the user has
        /// every permission that a mark needs, so that a service can report a wrong setting when it starts. Without
        /// this call the first mark does so.
        ///
        /// If replicas must confirm writes, one write is made and confirmed: a key of no mark, for a millisecond.
        ///
        /// - Throws: `refused` if the credentials are wrong, the user lacks a permission, or the server does not keep
        ///   what it confirms; `unavailable` if it does not respond or is a replica; `full` if it has no memory left;
        ///   `notReplicated` if too few replicas confirm the write. ``health`` then has the reason.
        public func connect() async throws(StoreError) {
            let run = RedisRun(
                ReplayScript.check, keys: [prefix + Array("used:".utf8), prefix + Array("share:".utf8)],
                [Array((isReplicated ? "1" : "0").utf8)])
            do throws(RedisFailure) { try await client.checkPermissions(run) } catch {
                // The server did the write and refused the WAIT behind it.
                if error.status == .unreplicated, health.cause == .credentials { throw .refused }
                throw StoreError(error.status) ?? .unavailable
            }
        }

        /// Adds a mark unless it is already in the store.
        ///
        /// - Parameters:
        ///   - mark: The mark of the token that is used.
        ///   - now: The time of the policy's clock. Redis compares the expiration with its own clock as well.
        /// - Returns: `fresh` if this is the first use; every other answer rejects the token. `unavailable` if the
        ///   server cannot be reached, is refused or too few replicas confirm the mark in time, and if the task is
        ///   cancelled; the mark may then be in the store.
        public func insert(_ mark: ReplayMark, now: NumericDate) async -> ReplayAnswer {
            let (now, end) = (now.secondsSince1970, mark.expiration.secondsSince1970)
            guard now.isFinite, end.isFinite else { return .unavailable }
            guard end > now, end > 0 else { return .expired }
            guard
                let used = try? StoreKey(kind: "replay", issuer: mark.issuer, value: mark.tokenID),
                let share = try? StoreKey(kind: "replay share", value: mark.share)
            else { return .unavailable }
            // Redis counts in milliseconds; 10^15 are more than 30,000 years.
            let milliseconds = Int64(min(end * 1000, 1e15))
            let run = RedisRun(
                ReplayScript.script,
                keys: [
                    prefix + Array("used:".utf8) + used.hexadecimal, prefix + Array("share:".utf8) + share.hexadecimal,
                ],
                [
                    Array("\(milliseconds)".utf8), Array("\(milliseconds + toleranceMilliseconds)".utf8), shareLimit,
                    Array(used.bytes.prefix(16)),
                ])
            do throws(RedisFailure) {
                return ReplayScript.answer(try await client.reply(to: run).number)
            } catch {
                return error.status == .memory ? .full : .unavailable
            }
        }

        /// Closes the connections and stops the store. Pending and later calls return `unavailable`. Confirmed marks
        /// remain in Redis.
        public func shutdown() { client.shutdown() }

        /// The counters of the store and its current state.
        public var health: RedisHealth { client.health }
    }

    extension RedisReplayStore {
        /// The server and the limits of a store.
        public struct Options: Sendable {
            /// The server, the credentials and the limits of the connections. The user needs the commands `EVALSHA`,
            /// `EVAL`, `SET`, `GET`, `EXISTS`, `ZCOUNT`, `ZADD`, `ZREMRANGEBYSCORE`, `PTTL`, `PEXPIREAT`, `TIME`,
            /// `INFO`, `PING` and `SELECT`, and `WAIT` if replicas must confirm writes. A store of logins may share the
            /// prefix of the keys.
            public var server: RedisOptions
            /// The largest number of marks that have not expired of one client, which is the `share` of a mark. A
            /// further token of that client is rejected with `replay(.shareFull)`. It is 1 to 1,000,000,000; by default
            /// 100,000, for which Redis
            /// uses about 25 MB.
            public var shareLimit = 100_000
            /// The time for which marks are kept longer than their tokens are valid, which is the largest difference
            /// between the clocks of Redis's servers by which no token is accepted again: 1 ms
            /// to an hour, by default a minute.
            public var clockTolerance = Duration.seconds(60)
            /// Whether the store uses a server that may remove marks to free memory, or loses them when it ends. Tokens
            /// can then be used again.
            public var allowsVolatileServer = false

            /// Creates options for a server, with default values for all others.
            ///
            /// - Parameter server: The server, the credentials and the limits of the connections.
            public init(server: RedisOptions) { self.server = server }
        }
    }

    extension RedisReplayStore.Options: Redacted {
        /// The host and the port.
        package var summary: String { server.summary }
    }
#endif
