#if Redis
    internal import CJOSERedis
    internal import JOSESupport
    internal import JOSECrypto
    internal import JOSETokens

    /// A script of Redis, which the server keeps under its digest.
    package struct RedisScript: Sendable {
        fileprivate let text: [UInt8]
        fileprivate let digest: [UInt8]

        /// Creates a script. Its result is an integer or a string.
        package init(_ text: String) {
            let bytes = Array(text.utf8)
            self.text = bytes
            // The server answers an empty digest as it answers an unknown one, and then gets the text.
            digest = Array(((try? Hash.sha1.digest(bytes.span)) ?? []).hexadecimal.utf8)
        }
    }

    /// One run of a script.
    package struct RedisRun: Sendable {
        private let script: RedisScript
        private let words: [[UInt8]]
        /// Whether the text is sent even if the server has the script, so that a user without the permission for `EVAL`
        /// is refused.
        package var sendsText = false

        package init(_ script: RedisScript, keys: [String], _ arguments: [[UInt8]]) {
            self.init(script, keys: keys.map { Array($0.utf8) }, arguments)
        }

        package init(_ script: RedisScript, keys: [[UInt8]], _ arguments: [[UInt8]]) {
            self.script = script
            words = [Array("\(keys.count)".utf8)] + keys + arguments
        }

        /// The command that names the script by its digest, and is sent first.
        var byDigest: [[UInt8]] { sendsText ? byText : [Array("EVALSHA".utf8), script.digest] + words }
        /// The command with the text of the script, for a server that lacks it, which has then run nothing.
        var byText: [[UInt8]] { [Array("EVAL".utf8), script.text] + words }
    }

    /// A server whose scripts a thread runs and waits for.
    package final class RedisScripts: Sendable {
        /// The version of hiredis whose headers this was built with.
        package static var libraryVersion: String { unsafe String(cString: cjose_redis_library_version()) }

        /// The result of a script.
        package struct Reply: Sendable {
            /// The integer; -1 if the result is a string.
            package let number: Int64
            package let text: [UInt8]
        }

        package struct Failure: Error {
            package let fault: RedisFault?
            /// Whether the same call may succeed later without a change of the configuration.
            package let isTransient: Bool
            /// Whether the server has no memory left.
            package let isOutOfMemory: Bool

            fileprivate init(_ status: cjose_redis_status) {
                fault = RedisFault(status)
                isOutOfMemory = status == .memory
                isTransient =
                    isOutOfMemory || StoreError(status) == .unavailable || StoreError(status) == .notReplicated
            }
        }

        private let client: RedisClient

        /// Creates a client, which connects with the first script.
        ///
        /// - Parameters:
        ///   - options: The server, the credentials and the limits.
        ///   - requiresDurability: Whether a server that removes keys to free memory, or writes no append-only file, is
        ///     rejected.
        package init(_ options: RedisOptions, requiresDurability: Bool) throws(RedisStoreError) {
            client = try RedisClient(options, requiresDurability: requiresDurability)
        }

        /// Runs scripts concurrently, and returns their results in order.
        package func run(_ runs: [RedisRun]) -> [Result<Reply, Failure>] {
            var results = send(runs.map(\.byDigest))
            let unknown = results.indices.filter { results[$0].status == .no_script }
            for (index, answer) in zip(unknown, send(unknown.map { runs[$0].byText })) { results[index] = answer }
            return results.map(\.result)
        }

        private struct Answer: Sendable {
            let status: cjose_redis_status
            var reply = Reply(number: -1, text: [])

            var result: Result<Reply, Failure> { status == .ok ? .success(reply) : .failure(Failure(status)) }
        }

        private final class Pending: Sendable {
            let answer = Monitor<Answer?>(nil)
        }

        private func send(_ commands: [[[UInt8]]]) -> [Answer] {
            let waiting = commands.map { words -> Pending in
                let pending = Pending()
                let context = unsafe Unmanaged.passRetained(pending)
                var id: UInt64 = 0
                let status = unsafe client.script(words, Self.done, context.toOpaque(), &id)
                if status != .ok {
                    unsafe context.release()
                    pending.answer.change { $0 = Answer(status: status) }
                }
                return pending
            }
            return waiting.map { $0.answer.wait { $0 } }
        }

        private static let done: cjose_redis_done = { context, answer in
            guard let context = unsafe context else { return }
            let pending = unsafe Unmanaged<Pending>.fromOpaque(context).takeRetainedValue()
            let answer = unsafe answer.pointee
            let text = unsafe [UInt8](UnsafeRawBufferPointer(start: answer.bytes, count: answer.count))
            let whole = unsafe Answer(status: answer.status, reply: Reply(number: answer.number, text: text))
            pending.answer.change { $0 = whole }
        }
    }
#endif
