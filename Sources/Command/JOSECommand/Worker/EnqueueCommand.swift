import JOSE
import JOSEBytes

#if Redis
    import JOSERedis
#endif

extension Command {
    static let enqueue = Command(
        "enqueue", operands: "[FILE | -]", mostOperands: 1,
        summary: "add tokens to a stream in Redis, for bulla worker",
        details: """
            Each line of FILE or standard input is a token, whose id is the number of its line, or with --input jsonl a row
            {"id":"a7","token":"…"}. Entries have --tokens rows each; an entry is also full at 512 KiB. While Redis has no memory
            left or cannot be reached, the command waits; an entry whose confirmation was lost is not added twice.
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
            WorkerPlace.options + [Options.input.spec, Options.tokensPerEntry.spec, Options.quiet]
        #else
            []
        #endif
    }

    #if Redis
        private static let mostBytes = 512 * 1024
        /// The number of entries that are sent before their confirmations are awaited.
        private static let window = 16
        private let place: WorkerPlace
        private let arguments: Arguments
        private let form: InputForm
        private let tokens: Int
        /// The first part of the marks of this run's entries.
        private let session = String(SystemRandomNumberGenerator.number(), radix: 16)

        init(_ arguments: Arguments) throws(CommandFailure) {
            self.arguments = arguments
            place = try WorkerPlace(arguments)
            form = try arguments.value(Options.input) ?? .lines
            tokens = try arguments.value(Options.tokensPerEntry) ?? 64
        }

        func run() throws(CommandFailure) -> ExitStatus {
            let operand = arguments.operands.first ?? "-"
            let source = operand == "-" ? Descriptor.input : try Descriptor(reading: operand)
            var reader = LineReader(source, mostBytes: form.lineBytes(tokenBytes: 262_144))
            var batch = Batch()
            var entry: [UInt8] = []
            var entries: [[UInt8]] = []
            var (rows, total, sent) = (0, 0, 0)
            while try reader.fill(&batch) {
                for (index, line) in batch.lines.enumerated() {
                    let row = try row(line, number: batch.firstLine + index, in: batch.bytes)
                    if rows == tokens || !entry.isEmpty && entry.count + row.count > Self.mostBytes {
                        entries.append(entry)
                        (entry, rows) = ([], 0)
                    }
                    entry += row
                    (rows, total) = (rows + 1, total + 1)
                    if entries.count == Self.window { try send(&entries, &sent) }
                }
            }
            if !entry.isEmpty { entries.append(entry) }
            try send(&entries, &sent)
            if !arguments.has(Options.quiet) {
                Output.complain("bulla enqueue: \(Output.grouped(total)) tokens in \(Output.grouped(sent)) entries")
            }
            return .valid
        }

        private func row(_ line: Batch.Line, number: Int, in bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
            let text = bytes[line.range]
            guard !line.isTooLong else { throw CommandFailure("line \(number) is too long") }
            switch form {
            case .jsonl: return text + [0x0A]
            case .lines:
                var writer = JSONWriter()
                writer.string(String(decoding: text, as: UTF8.self))
                return Array(#"{"id":\#(number),"token":"#.utf8) + writer.bytes + Array("}\n".utf8)
            }
        }

        /// Adds entries, and repeats each that was not confirmed under its own mark.
        private func send(_ entries: inout [[UInt8]], _ sent: inout Int) throws(CommandFailure) {
            var waiting = entries.enumerated().map { place, rows in (name: "\(session)-\(sent + place)", rows: rows) }
            sent += entries.count
            entries = []
            var isReported = false
            while !waiting.isEmpty {
                let results = place.scripts.run(
                    waiting.map { one in
                        RedisRun(
                            WorkerScripts.add, keys: [place.stream, "\(place.stream):added:\(one.name)"], [one.rows])
                    })
                var failed: [(name: String, rows: [UInt8])] = []
                for (one, result) in zip(waiting, results) {
                    guard case .failure(let failure) = result else { continue }
                    guard failure.isTransient else { throw place.failure(failure) }
                    if !isReported { Output.complain("bulla enqueue: \(place.failure(failure).message); it waits") }
                    isReported = true
                    failed.append(one)
                }
                waiting = failed
                if !waiting.isEmpty { Process.sleep(milliseconds: 200) }
            }
        }
    #endif
}

extension SystemRandomNumberGenerator {
    /// Returns a random number.
    fileprivate static func number() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension Options {
    static let tokensPerEntry = Option("tokens", "COUNT", "tokens of an entry, 1 to 1024 (64)") {
        Int($0).flatMap { (1...1024).contains($0) ? $0 : nil }
    }
}
