import JOSE
import JOSESettings
import JOSESupport

#if Redis
    import JOSERedis
#endif

extension Command {
    static let enqueue = Command(
        "enqueue", operands: "[FILE | -]", maximumOperands: 1,
        summary: "add tokens to a stream in Redis, for bulla worker",
        details: """
            Each line of FILE or standard input is a token, whose id is the number of its line, or with --input jsonl a row
            {"id":"a7","token":"…"}. Entries have --tokens rows each; an entry is also full at 512 KiB. While Redis has no memory
            left or cannot be reached, the command waits; for a day, an entry whose confirmation was lost is not added twice.
            A row may have 1 MiB. If the command fails, its message says which lines Redis has confirmed.
            """,
        options: EnqueueRun.options
    ) { (arguments) throws(CommandFailure) in
        #if Redis
            try EnqueueRun(arguments).run()
        #else
            throw .usage("bulla was built without the package's trait Redis")
        #endif
    }
}

/// One run of `enqueue`.
struct EnqueueRun {
    static var options: [OptionSpec] {
        #if Redis
            WorkerQueue.options + [Options.input.spec, Options.tokensPerEntry.spec, Options.quiet]
        #else
            []
        #endif
    }

    #if Redis
        private static let maximumBytes = 512 * 1024
        /// The number of entries that are sent before their confirmations are awaited.
        private static let window = 16
        private let queue: WorkerQueue
        private let arguments: Arguments
        private let form: InputForm
        private let tokens: Int
        /// The name of this run, under which Redis keeps the numbers of its last entries.
        private let session = String(UInt64.random(in: 0...UInt64.max), radix: 16)

        init(_ arguments: Arguments) throws(CommandFailure) {
            self.arguments = arguments
            queue = try WorkerQueue(arguments)
            form = try arguments.value(Options.input) ?? .lines
            tokens = try arguments.value(Options.tokensPerEntry) ?? 64
        }

        func run() throws(CommandFailure) -> ExitStatus {
            try checkPermissions()
            var sending = Sending()
            do throws(CommandFailure) {
                try read(&sending)
            } catch {
                let lines = sending.confirmed == 0 ? "no line" : "all lines up to \(sending.confirmed)"
                throw CommandFailure("\(error.message); Redis has confirmed \(lines)")
            }
            if !arguments.has(Options.quiet) {
                let (rows, entries) = (sending.rows.grouped, sending.sent.grouped)
                Output.complain("bulla enqueue: \(rows) tokens in \(entries) entries")
            }
            return .valid
        }

        /// Fails if the user may not run a script by its text, which is needed as soon as Redis has lost its scripts.
        /// An outage is no failure.
        private func checkPermissions() throws(CommandFailure) {
            var probe = RedisRun(WorkerScripts.probe, keys: [queue.stream], [])
            probe.sendsText = true
            if case .failure(let failure) = queue.scripts.run([probe])[0], !failure.isTransient {
                throw queue.failure(failure)
            }
        }

        /// The entries that are full and not sent yet, and what was sent.
        private struct Sending {
            var waiting: [(rows: [UInt8], lastLine: Int)] = []
            var rows = 0
            /// The number of entries that Redis has.
            var sent = 0
            /// The number of the last line that Redis has confirmed with all lines before it.
            var confirmed = 0
        }

        private func read(_ sending: inout Sending) throws(CommandFailure) {
            let operand = arguments.operands.first ?? "-"
            let source = operand == "-" ? Descriptor.input : try Descriptor(reading: operand)
            var reader = LineReader(source, maximumBytes: WorkerQueue.maximumEntryBytes)
            var batch = Batch()
            var entry: [UInt8] = []
            var rows = 0
            while try reader.fill(&batch) {
                for (index, line) in batch.lines.enumerated() {
                    let number = batch.firstLine + index
                    let row = try row(line, number: number, in: batch.bytes)
                    if rows == tokens || !entry.isEmpty && entry.count + row.count > Self.maximumBytes {
                        sending.waiting.append((entry, number - 1))
                        (entry, rows) = ([], 0)
                    }
                    if sending.waiting.count == Self.window { try send(&sending) }
                    entry += row
                    rows += 1
                    sending.rows += 1
                }
            }
            if !entry.isEmpty { sending.waiting.append((entry, sending.rows)) }
            try send(&sending)
        }

        /// Returns the row of a line. No worker accepts one that is larger than an entry may be.
        private func row(_ line: Batch.Line, number: Int, in bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
            let text = bytes[line.range]
            var row: [UInt8] = []
            switch form {
            case _ where line.isTooLong: break
            case .jsonl: row = text + [0x0A]
            case .lines:
                var writer = JSONWriter()
                writer.string(String(decoding: text, as: UTF8.self))
                row = Array(#"{"id":\#(number),"token":"#.utf8) + writer.bytes + Array("}\n".utf8)
            }
            guard !line.isTooLong, row.count <= WorkerQueue.maximumEntryBytes else {
                throw CommandFailure("line \(number) is longer than 1 MiB")
            }
            return row
        }

        /// Adds the entries that wait, and repeats each that was not confirmed.
        private func send(_ sending: inout Sending) throws(CommandFailure) {
            let first = sending.sent
            var waiting = Array(sending.waiting.indices)
            var isReported = false
            while !waiting.isEmpty {
                let results = queue.scripts.run(
                    waiting.map { index in
                        RedisRun(
                            WorkerScripts.add, keys: [queue.stream, queue.session(session)],
                            [sending.waiting[index].rows, Array("\(first + index)".utf8), Array("\(index)".utf8)])
                    })
                var failed: [Int] = []
                for (index, result) in zip(waiting, results) {
                    guard case .failure(let failure) = result else { continue }
                    guard failure.isTransient else { throw queue.failure(failure) }
                    if !isReported { Output.complain("bulla enqueue: \(queue.failure(failure).message); it waits") }
                    isReported = true
                    failed.append(index)
                }
                waiting = failed
                if !waiting.isEmpty { Process.sleep(milliseconds: 200) }
            }
            sending.sent += sending.waiting.count
            if let last = sending.waiting.last { sending.confirmed = last.lastLine }
            sending.waiting = []
        }
    #endif
}

extension Options {
    static let tokensPerEntry = Option("tokens", "COUNT", "tokens of an entry, 1 to 1024 (64)", integer(1...1024))
}
