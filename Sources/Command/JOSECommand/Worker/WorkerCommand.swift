import JOSE
import JOSEKeySets
import JOSESettings
import JOSETokens

extension Command {
    static let worker = Command(
        "worker", summary: "verify the tokens of a stream in Redis, on any number of machines",
        details: """
            Each process is a worker (Redis Streams); one on each machine is enough. An entry of the stream has the field rows: 1 to
            1024 rows {"id":"a7","token":"…"}, one in each line, as bulla enqueue adds them, or any client: XADD NAME * rows '…'.
            Answers are entries of NAME:answers with the fields entry and answers, lines as bulla verify --input jsonl writes them.
            The policy has the options of bulla verify.

            Each row that Redis has stored has one answer, or is in the dead-letter stream NAME:dead-letters, whatever workers are killed:
            an entry is answered and deleted in one step. If Redis itself is killed, that requires appendfsync always. With everysec it may
            lose its last two seconds: an entry that was added then is lost, and an answer is repeated, so that consumers ignore an id that
            they have seen. So may a failover, unless --replicas requires that replicas confirm what is added. Tokens that could not be
            verified, during an outage of the key server, are verified again after a delay that doubles, up to five minutes; the others
            of the entry are answered at once. So are tokens with a missing key, until a fetch that began --key-lag after a worker first
            read the token has shown that the key does not exist: an answer is final, and a key may be published after its first token. So
            are tokens whose signature failed, until a fetch that began after a worker first read the token has confirmed the key.

            A worker has a lease, which it renews. If the lease has ended, or the worker has had an entry for ten times as long, the entry
            is delivered to another worker, which verifies its tokens one by one. A token that --max-deliveries workers began without a
            result is dead-lettered, and so are entries without rows, with more than 1024, over --entry-bytes, or with a field tries that
            is no count. The dead-letter stream has each with its reason, and grows until somebody deletes its entries.

            Redis must keep what it confirms: appendonly yes, maxmemory-policy noeviction. While it has no memory left, it refuses new
            entries and workers go on. Never trim the stream (MAXLEN): entries that nobody read would be lost. While Redis or a remote
            JWKS cannot be had, the worker waits; if its group vanishes, it fails. Redis Cluster is not supported.

            SIGTERM ends the worker with status 0 as soon as each thread has verified the tokens under way, at most 1024, and Redis has
            the answers. What it has not begun returns to the stream, as new entries. If Redis is away, it waits for three seconds.
            """,
        options: WorkerOptions.all, blocked: .ends
    ) { (arguments) throws(CommandFailure) in
        #if Redis
            let queue = try WorkerQueue(arguments)
            try KeyTables.apply(arguments)
            let policy = try IssuerSettings(arguments, form: arguments.has(Options.nested) ? .nested : .signed)
            try policy.demandAll()
            guard awaitKeys(policy.source) else { return .valid }
            let check = try policy.check()
            return try WorkerRun(
                queue,
                WorkerCheck(
                    check: check,
                    answer: LineAnswer(
                        mode: .json, showsPayloads: arguments.has(Options.showClaims), givesClaims: check.givesClaims),
                    lineBytes: InputForm.jsonl.lineBytes(tokenBytes: try policy.limits().tokenBytes),
                    keyLag: try arguments.value(Options.keyLag) ?? .seconds(10)),
                try WorkerOptions.settings(arguments)
            ).run()
        #else
            throw .usage("bulla was built without the package's trait Redis")
        #endif
    }
}

#if Redis
    /// Waits until a remote JWKS has keys. Returns false if the process was told to end before.
    private func awaitKeys(_ source: KeySetSource?) -> Bool {
        guard let source else { return true }
        var isReported = false
        // A step is short, so that SIGTERM ends the process soon. The fetch goes on between two steps.
        while let error = source.warmUp(within: .seconds(1)) {
            if Signals.isEndWanted { return false }
            if case .deadlineExceeded = error { continue }
            if !isReported {
                Output.complain(
                    "bulla worker: waits for keys: \(Output.printable(source.location.text)): \(KeySetRemedy.text(error))"
                )
            }
            isReported = true
            for _ in 0..<10 {
                if Signals.isEndWanted { return false }
                Process.sleep(milliseconds: 100)
            }
        }
        return true
    }
#endif

enum WorkerOptions {
    static var all: [OptionSpec] {
        #if Redis
            IssuerSettings.options.filter { !notOfRows.contains($0.name) } + WorkerQueue.options
                + [
                    Options.entries.spec, Options.entryBytes.spec, Options.lease.spec,
                    Options.maxDeliveries.spec, Options.retryDelay.spec, Options.untilEmpty, Options.jobs.spec,
                    Options.showClaims, Options.quiet, Options.keyLag.spec, Options.keyTables.spec,
                ]
        #else
            []
        #endif
    }

    #if Redis
        /// Rows have tokens in the compact serialization alone.
        private static let notOfRows = [Options.json.name, Options.allSignatures.name, Options.signedBy.spec.name]

        static func settings(_ arguments: Arguments) throws(CommandFailure) -> WorkerRun.Settings {
            var settings = WorkerRun.Settings()
            settings.jobs = try arguments.value(Options.jobs) ?? Process.cores
            if let count = try arguments.value(Options.entries) { settings.entries = count }
            if let count = try arguments.value(Options.entryBytes) { settings.maximumEntryBytes = count }
            if let time = try arguments.value(Options.lease) { settings.lease = time }
            if let count = try arguments.value(Options.maxDeliveries) { settings.maxDeliveries = count }
            if let time = try arguments.value(Options.retryDelay) { settings.retryDelay = time }
            settings.untilEmpty = arguments.has(Options.untilEmpty)
            settings.isQuiet = arguments.has(Options.quiet)
            return settings
        }
    #endif
}

extension Options {
    static let entries = Option(
        "entries", "COUNT", "entries that a thread takes at a time, 1 to 8 (8)", integer(1...8))
    static let entryBytes = Option(
        "entry-bytes", "COUNT", "largest size of an entry in bytes, to 1048576 (1048576)", integer(1...1_048_576))
    static let lease = Option(
        "lease", "SECONDS", "time after which a worker that is silent loses its entries, 1 to 86400 (60)",
        time(1...86_400))
    static let maxDeliveries = Option(
        "max-deliveries", "COUNT",
        "workers that may begin a token without a result before it is dead-lettered, 1 to 100 (2)", integer(1...100))
    static let retryDelay = Option(
        "retry-delay", "SECONDS", "first delay of a token that could not be verified, 1 to 86400 (5)", time(1...86_400))
    static let untilEmpty = OptionSpec("until-empty", nil, "end when every entry is answered")
}
