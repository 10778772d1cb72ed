#if Redis
    internal import CJOSERedis
    internal import JOSEBytes
    public import JOSERelyingParty

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
    /// again, and a value that was marked as used can be used again. ``Options/replication`` makes this less likely,
    /// but cannot exclude it.
    ///
    /// If a failover has turned the primary into a replica, it rejects writes (`READONLY`). The store then closes the
    /// connection, resolves the host name again, and tries the other addresses first.
    ///
    /// The server's `maxmemory-policy` must be `noeviction`, because any other policy removes logins and marks of used
    /// values to free memory. A process that forks must not use the store in the child process.
    @safe public final class RedisLoginStore: LoginStore, Sendable {
        private nonisolated(unsafe) let handle: OpaquePointer
        private let prefix: [UInt8]
        private let valueByteLimit: Int

        /// Creates a store and starts its thread. The store connects when the first command is sent.
        ///
        /// - Parameter options: The server, the credentials and the limits of the store.
        /// - Throws: `optionInvalid` if an option has an invalid value, and `backend` if memory, file descriptors or
        ///   threads are exhausted.
        public init(_ options: Options) throws(RedisStoreError) {
            try options.check()
            guard let handle = unsafe cjose_redis_new() else { throw .backend }
            do throws(RedisStoreError) {
                guard unsafe options.apply(to: handle) else { throw .backend }
                switch unsafe cjose_redis_start(handle) {
                case .ok: break
                case .settings: throw .optionInvalid(.security)
                default: throw .backend
                }
            } catch {
                unsafe cjose_redis_free(handle)
                throw error
            }
            unsafe self.handle = handle
            prefix = Array(options.keyPrefix.utf8)
            valueByteLimit = options.valueByteLimit
        }

        deinit { unsafe cjose_redis_free(handle) }

        /// Stores a value under a key for a limited time, unless the key is in the store already.
        ///
        /// - Parameters:
        ///   - value: The value, of at most ``Options/valueByteLimit`` bytes.
        ///   - key: The key of the value.
        ///   - lifetime: The time after which the value expires, which must be above zero.
        /// - Returns: Whether the value was stored; false if the key is in the store already.
        /// - Throws: `full` if the value is too long or the server has no memory left; `notReplicated` if
        ///   ``Options/replication`` requires replicas and too few confirm in time, although the primary has the value;
        ///   any other `StoreError`.
        public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
            guard value.count <= valueByteLimit else { throw .full }
            let name = name(of: key)
            let milliseconds = try StoreLifetime.bounded(lifetime).wholeMilliseconds
            return unsafe try await answer { context, id in
                unsafe cjose_redis_insert(
                    handle, name, name.count, value, value.count, milliseconds, Self.done, context, &id)
            } != nil
        }

        /// Removes the value of a key and returns it. Only one caller receives the value.
        ///
        /// - Parameter key: The key of the value.
        /// - Returns: The value, or nil if the key is not in the store or has expired.
        /// - Throws: `notReplicated` if ``Options/replication`` requires replicas and too few confirm in time: the
        ///   primary has removed the value, and no caller receives it. `cancelled` as soon as the task is cancelled;
        ///   whether the value was removed is then not known. Any other `StoreError`.
        public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { context, id in
                unsafe cjose_redis_take(handle, name, name.count, Self.done, context, &id)
            }
        }

        /// Returns the value of a key and leaves it in the store. A read needs no confirmation by replicas, whatever
        /// ``Options/replication`` requires.
        ///
        /// - Parameter key: The key of the value.
        /// - Returns: The value, or nil if the key is not in the store or has expired.
        public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { context, id in
                unsafe cjose_redis_read(handle, name, name.count, Self.done, context, &id)
            }
        }

        /// Closes the connections and stops the store. Pending and later calls throw `unavailable`. Confirmed values
        /// remain in Redis.
        public func shutdown() { unsafe cjose_redis_stop(handle) }

        /// The counters of the store and its current state.
        public var health: Health { Health(unsafe cjose_redis_health_now(handle)) }

        /// The Redis key, in hexadecimal digits, so that it can be read with Redis's own tools.
        private func name(of key: StoreKey) -> [UInt8] {
            let digits = Array("0123456789abcdef".utf8)
            return prefix + key.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }

        private typealias Answer = Result<[UInt8]?, StoreError>

        private func answer(
            _ send: (UnsafeMutableRawPointer, inout UInt64) -> cjose_redis_status
        ) async throws(StoreError) -> [UInt8]? {
            let wait = Wait<Answer>(cancelled: .failure(.cancelled))
            let result = await wait.value {
                let context = unsafe Unmanaged.passRetained(wait)
                var id: UInt64 = 0
                let status = unsafe send(context.toOpaque(), &id)
                if let error = StoreError(status) {
                    unsafe context.release()
                    wait.end(.failure(error))
                } else {
                    wait.onAbandon { [self, id] in unsafe cjose_redis_cancel(handle, id) }
                }
            }
            return try result.get()
        }

        private static let done: cjose_redis_done = { context, answer in
            guard let context = unsafe context else { return }
            let wait = unsafe Unmanaged<Wait<Answer>>.fromOpaque(context).takeRetainedValue()
            let answer = unsafe answer.pointee
            if let error = unsafe StoreError(answer.status) {
                wait.end(.failure(error))
            } else if unsafe answer.found {
                let bytes = unsafe UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)
                wait.end(.success(unsafe [UInt8](bytes)))
            } else {
                wait.end(.success(nil))
            }
        }
    }

    /// The reason why a store could not be created.
    @nonexhaustive public enum RedisStoreError: Error, Equatable, Sendable {
        /// The option in the associated value has an invalid value.
        case optionInvalid(RedisLoginStore.Option)
        /// Memory, file descriptors or threads are exhausted.
        case backend
    }

    extension RedisStoreError: CustomStringConvertible {
        /// A description of one line, with the name of the option and not its value.
        public var description: String {
            switch self {
            case .optionInvalid(let option): "the option \(option.rawValue) has an invalid value"
            case .backend: "memory, file descriptors or threads are exhausted"
            }
        }
    }
#endif
