import JOSE
import JOSESettings
import JOSETokens

/// One run of `verify` or `decrypt`.
struct VerifyRun {
    let arguments: Arguments
    let check: TokenCheck
    let answer: LineAnswer
    let form: InputForm
    /// The remote JWKS, or nil if the keys are in a file.
    let source: KeySetSource?
    /// The time from the reading of a token of a stream to the fetch that shows that its key does not exist.
    let keyLag: Duration
    let jobs: Int
    let maximumTokenBytes: Int
    let isQuiet: Bool
    /// Whether rejected tokens and empty input end with status 0.
    let exitsZero: Bool
    private let detached: DetachedCheck?

    init(_ arguments: Arguments, form: TokenForm) throws(CommandFailure) {
        self.arguments = arguments
        try KeyTables.apply(arguments)
        let policy = try IssuerSettings(arguments, form: form)
        if let profile = try ProfileSettings(arguments, policy) {
            try profile.demandAll()
            check = policy.patient(.profile(try profile.check()))
        } else {
            try policy.demandAll()
            check = try policy.check()
        }
        maximumTokenBytes = try policy.limits().tokenBytes
        let mode = try arguments.value(Options.output) ?? .none
        let showsClaims = arguments.has(Options.showClaims)
        self.form = try arguments.value(Options.input) ?? .lines
        switch self.form {
        case .lines:
            guard !showsClaims || mode == .json else { throw .usage("--show-claims requires --output json") }
            answer = LineAnswer(mode: mode, showsPayloads: showsClaims, givesClaims: check.givesClaims)
        case .jsonl:
            guard !arguments.has(Options.lines), !arguments.has(Options.detachedFile) else {
                throw .usage("--input jsonl cannot be combined with --lines or --detached")
            }
            answer = LineAnswer(
                mode: .json, showsPayloads: showsClaims || mode == .payload, givesClaims: check.givesClaims)
        }
        detached = try arguments.value(Options.detachedFile).map { (path) throws(CommandFailure) in
            guard form == .signed, !arguments.has(Options.lines) else {
                throw .usage("--detached is for one signed token, without --nested and --lines")
            }
            guard mode != .payload, !showsClaims else {
                throw .usage("--detached FILE is the payload: leave out --output payload and --show-claims")
            }
            return DetachedCheck(
                path: path, verifier: try policy.layerVerifier(), keys: policy.source,
                isJSON: arguments.has(Options.json),
                maximumBytes: try policy.limits().plaintextBytes)
        }
        source = policy.source
        keyLag = try arguments.value(Options.keyLag) ?? (self.form == .jsonl ? .seconds(10) : .zero)
        jobs = try arguments.value(Options.jobs) ?? Process.cores
        isQuiet = arguments.has(Options.quiet)
        exitsZero = arguments.has(Options.exitZero)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let isJSON = arguments.has(Options.json)
        guard !arguments.has(Options.lines) || isJSON else {
            throw .usage("--lines requires --json; without it, each line is a token")
        }
        let isStream = form == .jsonl || (!isJSON || arguments.has(Options.lines)) && detached == nil
        let input = try TokenInput(arguments.operands.first)
        switch input {
        case .stream(let source, let name) where isStream: return try stream(source, name)
        case .token where form == .jsonl: throw .usage("--input jsonl reads rows from a FILE or standard input")
        default:
            guard !arguments.has(Options.keyLag) else {
                throw .usage("--key-lag is for tokens from standard input or a FILE")
            }
            Signals.unblockTermination()
            if let token = try input.ifAny(maximumBytes: maximumTokenBytes) { return try one(token) }
            guard exitsZero else { throw input.empty }
            return .valid
        }
    }

    /// Returns the exit status of a run.
    ///
    /// - Parameters:
    ///   - invalid: The number of tokens that were rejected.
    ///   - retry: The number of tokens that were neither accepted nor rejected. If there is one, the status is `retry`
    ///     whatever `invalid` is, because the caller has to send it again.
    func status(invalid: Int, retry: Int) -> ExitStatus {
        if retry > 0 { return .retry }
        return invalid == 0 || exitsZero ? .valid : .invalid
    }

    private func one(_ token: [UInt8]) throws(CommandFailure) -> ExitStatus {
        let outcome =
            if let detached { try detached.run(token) } else {
                Result { () throws(TokenError) in try check.run(token.span) }
            }
        var output: [UInt8] = []
        do throws(TokenError) {
            let payload = try outcome.get()
            if case .payload = answer.mode, !check.givesClaims {
                // A payload of bytes is written alone, without the line feed that ends an answer.
                output = payload
            } else {
                answer.valid(payload, .line(1), to: &output)
            }
            write(output)
            let hint = answer.mode == .none && detached == nil ? " (--output payload prints the payload)" : ""
            if !isQuiet { arguments.report("valid" + hint) }
            return .valid
        } catch {
            // A single token that is not valid gets no empty line: there are no other payloads whose order it would
            // keep.
            let fault = Fault(error)
            if case .json = answer.mode {
                let keys = check.unusableKeys(error, of: token.span)
                answer.failed(fault, .line(1), unusable: keys, to: &output)
            }
            write(output)
            arguments.report("\(fault.result): \(fault.code): \(check.text(of: error, token: token))")
            return status(invalid: fault.isRetryable ? 0 : 1, retry: fault.isRetryable ? 1 : 0)
        }
    }

    /// Returns answers as standard output gets them. Answers to rows are escaped for a terminal only: a program that
    /// reads them compares each id with its own, byte for byte.
    func escaped(_ answers: [UInt8]) -> [UInt8] {
        switch answer.mode {
        case .none: answers
        case .json where form == .jsonl && !Descriptor.output.isTerminal: answers
        case .json: Output.escaped(json: answers)
        case .payload: Output.escaped(payload: answers)
        }
    }

    private func write(_ answers: [UInt8]) {
        let shown = escaped(answers)
        Descriptor.output.write(shown.span)
    }
}
