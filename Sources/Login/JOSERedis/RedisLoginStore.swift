#if Redis
    internal import CJOSERedis
    internal import JOSEBytes
    public import JOSERelyingParty

    /// A `LoginStore` in Redis 6.2 or newer, for a service on several machines: an insert is one `SET … NX PX`, a take one `GETDEL`,
    /// so that Redis itself gives each value to one caller alone. A read is one `GET`.
    ///
    /// One thread carries the commands of all tasks, as many at a time as there are, over a few connections that are opened when they
    /// are needed. A command whose answer was lost is never sent again by itself: its caller hears `unavailable`, and a take that had
    /// taken place has then given its value to nobody, never to two.
    ///
    /// What Redis confirmed outlives its crash where it is told to keep a file and to write it before it answers (`appendonly yes`,
    /// `appendfsync always`). It does not always outlive a failover: replication is asynchronous, and a replica that becomes the primary
    /// lacks the writes that it had not received. A value that was taken is then there again, and a mark against replay is gone.
    /// ``Options/replication`` makes this less likely, and cannot exclude it.
    ///
    /// A primary that a failover made a replica rejects writes (`READONLY`): the store closes the connection, looks the name up again,
    /// and tries its other addresses first.
    ///
    /// Its `maxmemory-policy` must be `noeviction`: any other drops logins and used values to make room. A process that forks may not
    /// use the store in the child.
    @safe public final class RedisLoginStore: LoginStore, Sendable {
        private nonisolated(unsafe) let handle: OpaquePointer
        private let prefix: [UInt8]
        private let valueByteLimit: Int

        /// Begins the thread; nothing is connected to before there is something to ask.
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

        /// `full` also for a value that is longer than the options let one be. Where ``Options/replication`` requires replicas and too few
        /// confirm in time, `notReplicated`: the primary has the value.
        public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
            guard value.count <= valueByteLimit else { throw .full }
            let name = name(of: key)
            let milliseconds = try StoreLifetime.bounded(lifetime).wholeMilliseconds
            return unsafe try await answer { context, id in
                unsafe cjose_redis_insert(
                    handle, name, name.count, value, value.count, milliseconds, Self.done, context, &id)
            } != nil
        }

        /// Where ``Options/replication`` requires replicas and too few confirm in time, `notReplicated`: the value was taken on the
        /// primary, and is given to nobody. A task that is cancelled hears so at once; whether the value was taken is then not known.
        public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { context, id in
                unsafe cjose_redis_take(handle, name, name.count, Self.done, context, &id)
            }
        }

        /// One `GET`: the value stays until its end or a take. It needs no replica, whatever ``Options/replication`` requires.
        public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
            let name = name(of: key)
            return unsafe try await answer { context, id in
                unsafe cjose_redis_read(handle, name, name.count, Self.done, context, &id)
            }
        }

        /// Ends what is under way with `unavailable`, as all that comes after it, and closes the connections. What was confirmed stays.
        public func shutdown() { unsafe cjose_redis_stop(handle) }

        /// What the store did so far, and how it is now.
        public var health: Health { Health(unsafe cjose_redis_health_now(handle)) }

        /// In hexadecimal digits, for whoever looks into Redis with its own tools.
        private func name(of key: StoreKey) -> [UInt8] {
            let digits = Array("0123456789abcdef".utf8)
            return prefix + key.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }

        private typealias Answer = Result<[UInt8]?, StoreError>

        private func answer(
            _ send: (UnsafeMutableRawPointer, inout UInt64) -> cjose_redis_status
        ) async throws(StoreError) -> [UInt8]? {
            let exchange = Exchange<Answer>(cancelled: .failure(.cancelled))
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard exchange.begin(continuation) else { return }
                    let context = unsafe Unmanaged.passRetained(exchange)
                    var id: UInt64 = 0
                    let status = unsafe send(context.toOpaque(), &id)
                    if let error = StoreError(status) {
                        unsafe context.release()
                        exchange.end(.failure(error))
                    } else if exchange.didStart(id) {
                        unsafe cjose_redis_cancel(handle, id)
                    }
                }
            } onCancel: {
                if let id = exchange.cancel() { unsafe cjose_redis_cancel(handle, id) }
            }
            return try result.get()
        }

        private static let done: cjose_redis_done = { context, answer in
            guard let context = unsafe context else { return }
            let exchange = unsafe Unmanaged<Exchange<Answer>>.fromOpaque(context).takeRetainedValue()
            let answer = unsafe answer.pointee
            if let error = unsafe StoreError(answer.status) {
                exchange.end(.failure(error))
            } else if unsafe answer.found {
                let bytes = unsafe UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)
                exchange.end(.success(unsafe [UInt8](bytes)))
            } else {
                exchange.end(.success(nil))
            }
        }
    }

    /// Why a store could not be made.
    @nonexhaustive public enum RedisStoreError: Error, Equatable, Sendable {
        /// The option holds what it may not.
        case optionInvalid(RedisLoginStore.Option)
        /// Out of memory, descriptors or threads.
        case backend
    }
#endif
