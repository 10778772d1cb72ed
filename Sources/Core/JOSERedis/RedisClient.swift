#if Redis
    internal import CJOSERedis
    internal import JOSESupport
    internal import JOSETokens

    /// The status with which a command failed. It is never `ok`.
    struct RedisFailure: Error { let status: cjose_redis_status }

    /// The connections of one store, with the thread that uses them.
    @safe final class RedisClient: Sendable {
        private nonisolated(unsafe) let handle: OpaquePointer

        /// Creates a client and starts its thread, which connects when the first command is sent.
        ///
        /// - Parameters:
        ///   - options: The server, the credentials and the limits.
        ///   - requiresDurability: Whether a server that removes keys to free memory, or writes no append-only file, is
        ///     rejected on each new connection.
        init(_ options: RedisOptions, requiresDurability: Bool = false) throws(RedisStoreError) {
            try options.check()
            guard let handle = unsafe cjose_redis_new() else { throw .backend }
            do throws(RedisStoreError) {
                guard unsafe options.apply(to: handle) else { throw .backend }
                unsafe cjose_redis_set_number(handle, .durable, requiresDurability ? 1 : 0)
                switch unsafe cjose_redis_start(handle) {
                case .ok: break
                case .settings: throw .optionInvalid("security")
                default: throw .backend
                }
            } catch {
                unsafe cjose_redis_free(handle)
                throw error
            }
            unsafe self.handle = handle
        }

        deinit { unsafe cjose_redis_free(handle) }

        func shutdown() { unsafe cjose_redis_stop(handle) }

        var health: RedisHealth { RedisHealth(unsafe cjose_redis_health_now(handle)) }

        /// The reply to a command, as `cjose_redis_answer` describes it.
        struct Reply {
            let isFound: Bool
            let bytes: [UInt8]
            let number: Int64
        }

        /// A function that sends one command with the given handle and context, and sets its identifier.
        typealias Send = (OpaquePointer, UnsafeMutableRawPointer, inout UInt64) -> cjose_redis_status
        private typealias Answer = Result<Reply, RedisFailure>

        /// Sends a command, and awaits its reply.
        func reply(_ send: Send) async throws(RedisFailure) -> Reply {
            let wait = Wait<Answer>(cancelled: .failure(RedisFailure(status: .cancelled)))
            let result = await wait.value {
                let context = unsafe Unmanaged.passRetained(wait)
                var id: UInt64 = 0
                let status = unsafe send(handle, context.toOpaque(), &id)
                if status != .ok {
                    unsafe context.release()
                    wait.end(.failure(RedisFailure(status: status)))
                } else {
                    wait.onAbandon { [self, id] in unsafe cjose_redis_cancel(handle, id) }
                }
            }
            return try result.get()
        }

        /// Runs a script, and awaits its result.
        func reply(to run: RedisRun) async throws(RedisFailure) -> Reply {
            do throws(RedisFailure) {
                return try await reply(to: run.byDigest)
            } catch {
                guard error.status == .no_script else { throw error }
                return try await reply(to: run.byText)
            }
        }

        /// Runs a script by its text and by its digest. A user who may run only one of them is refused even if the
        /// server has the script, because the other one is needed as soon as the server has lost it.
        func checkPermissions(_ run: RedisRun) async throws(RedisFailure) {
            _ = try await reply(to: run.byText)
            do throws(RedisFailure) { _ = try await reply(to: run.byDigest) } catch {
                guard error.status == .no_script else { throw error }
            }
        }

        private func reply(to words: [[UInt8]]) async throws(RedisFailure) -> Reply {
            unsafe try await reply { _, context, id in unsafe script(words, Self.done, context, &id) }
        }

        /// Sends the command of a script.
        @unsafe func script(
            _ words: [[UInt8]], _ done: cjose_redis_done, _ context: UnsafeMutableRawPointer, _ id: inout UInt64
        ) -> cjose_redis_status {
            let (bytes, lengths) = (words.flatMap(\.self), words.map(\.count))
            return unsafe cjose_redis_script(
                handle, bytes, bytes.count, lengths, lengths.count, done, context, &id)
        }

        static let done: cjose_redis_done = { context, answer in
            guard let context = unsafe context else { return }
            let wait = unsafe Unmanaged<Wait<Answer>>.fromOpaque(context).takeRetainedValue()
            let answer = unsafe answer.pointee
            guard unsafe answer.status == .ok else {
                wait.end(.failure(RedisFailure(status: unsafe answer.status)))
                return
            }
            let bytes = unsafe UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)
            wait.end(.success(unsafe Reply(isFound: answer.found, bytes: [UInt8](bytes), number: answer.number)))
        }
    }

    extension StoreKey {
        /// The bytes in hexadecimal digits, so that the key can be read with Redis's own tools.
        var hexadecimal: [UInt8] { Array(bytes.hexadecimal.utf8) }
    }
#endif
