#if Redis
    internal import CJOSERedis
    internal import JOSEBytes
    internal import JOSECrypto
    internal import JOSERelyingParty

    /// A script of Redis, which the server keeps under its digest.
    package struct RedisScript: Sendable {
        fileprivate let text: [UInt8]
        fileprivate let digest: [UInt8]

        /// Creates a script. Its result is an integer or a string.
        package init(_ text: String) {
            let bytes = Array(text.utf8)
            self.text = bytes
            // The server answers an empty digest as it answers an unknown one, and then gets the text.
            digest = hexadecimal((try? Hash.sha1.digest(bytes.span)) ?? [])
        }
    }

    /// One run of a script.
    package struct RedisRun: Sendable {
        fileprivate let script: RedisScript
        fileprivate let words: [[UInt8]]

        package init(_ script: RedisScript, keys: [String], _ arguments: [[UInt8]]) {
            self.script = script
            words = [Array("\(keys.count)".utf8)] + keys.map { Array($0.utf8) } + arguments
        }
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
            package let fault: RedisLoginStore.Fault?
            /// Whether the same call may succeed later without a change of the configuration.
            package let isTransient: Bool
            /// Whether the server has no memory left.
            package let isOutOfMemory: Bool

            fileprivate init(_ status: cjose_redis_status) {
                fault = RedisLoginStore.Fault(status)
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
        ///   - requiresDurability: Whether a server that removes keys to free memory, or writes no append-only file, is rejected.
        package init(_ options: RedisLoginStore.Options, requiresDurability: Bool) throws(RedisStoreError) {
            client = try RedisClient(options, requiresDurability: requiresDurability)
        }

        /// Runs a script.
        package func run(_ one: RedisRun) throws(Failure) -> Reply { try run([one])[0].get() }

        /// Runs scripts concurrently, and returns their results in order. A server that lacks the text of a script gets it.
        package func run(_ runs: [RedisRun]) -> [Result<Reply, Failure>] {
            var results = send(runs.map { [Array("EVALSHA".utf8), $0.script.digest] + $0.words })
            let unknown = results.indices.filter { results[$0].isUnknown }
            guard !unknown.isEmpty else { return results.map(\.result) }
            let again = send(unknown.map { [Array("EVAL".utf8), runs[$0].script.text] + runs[$0].words })
            for (place, answer) in zip(unknown, again) { results[place] = answer }
            return results.map(\.result)
        }

        package func shutdown() { client.shutdown() }

        private struct Answer: Sendable {
            let status: cjose_redis_status
            var reply = Reply(number: -1, text: [])

            /// Whether the server lacks the script, and ran nothing.
            var isUnknown: Bool { status == .no_script }
            var result: Result<Reply, Failure> { status == .ok ? .success(reply) : .failure(Failure(status)) }
        }

        private final class Pending: Sendable {
            let answer = Monitor<Answer?>(nil)
        }

        private func send(_ commands: [[[UInt8]]]) -> [Answer] {
            let waiting = commands.map { words -> Pending in
                let pending = Pending()
                let (bytes, lengths) = (words.flatMap(\.self), words.map(\.count))
                let context = unsafe Unmanaged.passRetained(pending)
                var id: UInt64 = 0
                let status = unsafe client.script(bytes, lengths, Self.done, context.toOpaque(), &id)
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
