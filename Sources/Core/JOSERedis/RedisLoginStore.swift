#if Redis
    internal import CJOSERedis
    public import JOSE
    public import JOSETokens

    /// A `LoginStore` in Redis 6.2 or newer, for a service that runs on several machines. An insert is one command
    /// (`SET … NX PX`), and so is a take (`GETDEL`), so that Redis itself ensures that only one caller receives a
    /// value. A read is one `GET`.
    ///
    /// One thread sends the commands of all tasks concurrently over a few connections, which are opened on demand. The
    /// store never repeats a command whose reply was lost. Such a call throws `unavailable`; if it was a take that
    /// Redis performed, no caller receives the value.
    ///
    /// A confirmed write survives a crash of Redis if the server writes an append-only file before it replies
    /// (`appendonly yes`, `appendfsync always`). It does not always survive a failover: replication is asynchronous,
    /// and a replica that becomes the primary may lack the latest writes. A value that was taken can then be taken
    /// again, and a value that was marked as used can be used again. ``RedisOptions/replication`` makes this less likely,
    /// but cannot exclude it.
    ///
    /// If a failover has turned the primary into a replica, it rejects writes (`READONLY`). The store then closes the
    /// connection, resolves the host name again, and tries the other addresses first.
    ///
    /// The server's `maxmemory-policy` must be `noeviction`, because any other policy removes logins and marks of used
    /// values to free memory. A process that forks must not use the store in the child process.
    public final class RedisLoginStore: LoginStore, Sendable {
        private let client: RedisClient
        private let prefix: [UInt8]
        private let valueByteLimit: Int

        /// Creates a store and starts its thread. The store connects when the first command is sent.
        ///
        /// - Parameter options: The server, the credentials and the limits of the store.
        /// - Throws: `optionInvalid` if an option has an invalid value, and `backend` if memory, file descriptors or
        ///   threads are exhausted.
        public init(_ options: RedisOptions) throws(RedisStoreError) {
            client = try RedisClient(options)
            prefix = Array(options.keyPrefix.utf8)
            valueByteLimit = options.valueByteLimit
        }

        /// Stores a value under a key for a limited time, unless the key is in the store already.
        ///
        /// - Parameters:
        ///   - value: The value, of at most ``RedisOptions/valueByteLimit`` bytes.
        ///   - key: The key of the value.
        ///   - lifetime: The time after which the value expires, which must be above zero.
        /// - Returns: Whether the value was stored; false if the key is in the store already.
        /// - Throws: `full` if the value is too long or the server has no memory left; `notReplicated` if
        ///   ``RedisOptions/replication`` requires replicas and too few confirm in time, although the primary has the value;
        ///   any other `StoreError`.
        public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
            guard value.count <= valueByteLimit else { throw .full }
            let name = name(of: key)
            let milliseconds = try StoreLifetime.bounded(lifetime).wholeMilliseconds
            return unsafe try await answer { handle, context, id in
                unsafe cjose_redis_insert(
                    handle, name, name.count, value, value.count, milliseconds, RedisClient.done, context, &id)
            } != nil
        }

        /// Removes the value of a key and returns it. Only one caller receives the value.
        ///
        /// - Parameter key: The key of the value.
        /// - Returns: The value, or nil if the key is not in the store or has expired.
        /// - Throws: `notReplicated` if ``RedisOptions/replication`` requires replicas and too few confirm in time: the
        ///   primary has removed the value, and no caller receives it. `cancelled` as soon as the task is cancelled;
        ///   whether the value was removed is then not known. Any other `StoreError`.
        public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { handle, context, id in
                unsafe cjose_redis_take(handle, name, name.count, RedisClient.done, context, &id)
            }
        }

        /// Returns the value of a key and leaves it in the store. A read needs no confirmation by replicas, whatever
        /// ``RedisOptions/replication`` requires.
        ///
        /// - Parameter key: The key of the value.
        /// - Returns: The value, or nil if the key is not in the store or has expired.
        public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { handle, context, id in
                unsafe cjose_redis_read(handle, name, name.count, RedisClient.done, context, &id)
            }
        }

        /// Closes the connections and stops the store. Pending and later calls throw `unavailable`. Confirmed values
        /// remain in Redis.
        public func shutdown() { client.shutdown() }

        /// The counters of the store and its current state.
        public var health: RedisHealth { client.health }

        private func name(of key: StoreKey) -> [UInt8] { prefix + key.hexadecimal }

        private func answer(_ send: RedisClient.Send) async throws(StoreError) -> [UInt8]? {
            let reply: RedisClient.Reply
            do throws(RedisFailure) {
                unsafe reply = try await client.reply(send)
            } catch {
                throw StoreError(error.status) ?? .unavailable
            }
            return reply.isFound ? reply.bytes : nil
        }
    }

    /// The reason why a store could not be created.
    @nonexhaustive public enum RedisStoreError: CodedError, Equatable {
        /// The option in the associated value has an invalid value.
        case optionInvalid(String)
        /// Memory, file descriptors or threads are exhausted.
        case backend
    }

    extension RedisStoreError: ErrorTable {
        package func row(_ row: ErrorRow) -> ErrorRow.Cell {
            switch self {
            case .optionInvalid(let option):
                row(
                    "option_invalid", "the option \(option) has an invalid value",
                    remedy: "correct the option where the store is made")
            case .backend:
                row(
                    "backend_failure", "memory, file descriptors or threads are exhausted",
                    remedy: "check the memory and file descriptors of this process", retryable: true)
            }
        }
    }
#endif
