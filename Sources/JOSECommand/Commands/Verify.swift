import JOSE
import JOSETokens

extension Command {
    private static let options =
        PolicyArguments.options + [
            Options.lines, Options.jobs.spec, Options.output.spec, Options.showClaims, Options.quiet,
        ]

    private static let details = """
        TOKEN is a token itself; anything else is a FILE of one token a line, and - or nothing standard input. Tokens are
        verified on all cores in constant memory, and answered in the order of the input; an empty line is a malformed token.

        Issuer, audience and algorithms must be given, or waived in so many words: --any-issuer, --any-audience. exp must
        be there unless --allow-no-exp. Commas part the elements of a list; \\, is a comma inside one.

        --output payload writes the payload of each token that holds, one a line, and an empty line for each that does not.
        --output json writes {"n":1,"result":"valid"} or {"n":2,"result":"invalid","error":"expired"} for each line;
        --show-claims adds "claims", or with --bytes "payload_b64url".

        With --json FILE holds one token in the JSON serialization, over as many lines as it likes; with --json --lines one a
        line. Of several signatures one must hold, by a key of --keys, unless --all-signatures or --signed-by says more.

        --keys https://… fetches the keys, and --issuer finds them by the issuer's metadata. They are kept for the whole input and
        refreshed as the server's answers say; a token under a key that is not there waits for one refresh at most.
        """

    private static let verifyDetails =
        details + """

            --detached FILE is the payload of a token that has none. It is read once and may be of any length, in constant
            memory where the algorithm allows it: all but EdDSA and ML-DSA, and not with --json.

            --profile adds what the specification of such tokens asks: an OpenID ID token (--aud is the client), a JWT access
            token (RFC 9068), a logout token, a DPoP proof (RFC 9449), an SD-JWT and its key binding (RFC 9901). Whether a
            token was used before nobody here remembers.
            """

    private static let decryptDetails =
        details + """

            PBES2 is accepted where --key-alg names it, RSA1_5 where --allow-broken-rsa1_5 does.
            """

    static let verify = Command(
        "verify", operands: "[TOKEN | FILE | -]", mostOperands: 1,
        summary: "verify signed tokens (with --nested: signed, then encrypted ones)", details: verifyDetails,
        options: options + [Options.detachedFile.spec] + ProfileArguments.options
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .signed).run()
    }

    static let decrypt = Command(
        "decrypt", operands: "[TOKEN | FILE | -]", mostOperands: 1,
        summary: "decrypt tokens (with --nested: and verify what is inside)", details: decryptDetails, options: options
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .encrypted).run()
    }
}

/// One run of `verify` or `decrypt`.
struct VerifyRun {
    private let arguments: Arguments
    private let check: TokenCheck
    private let answer: LineAnswer
    private let jobs: Int
    private let mostTokenBytes: Int
    private let isQuiet: Bool
    private let detached: DetachedCheck?

    init(_ arguments: Arguments, form: TokenForm) throws(CommandFailure) {
        self.arguments = arguments
        let policy = try PolicyArguments(arguments, form: form)
        if let profile = try ProfileArguments(arguments, policy) {
            try profile.demandAll()
            let own = TokenCheck.profile(try profile.check())
            check = policy.source.map { .fetched(own, $0) } ?? own
        } else {
            try policy.demandAll()
            check = try policy.check()
        }
        mostTokenBytes = try policy.limits().tokenBytes
        let mode = try arguments.value(Options.output) ?? .none
        let showsClaims = arguments.has(Options.showClaims)
        guard !showsClaims || mode == .json else { throw .usage("--show-claims goes with --output json") }
        answer = LineAnswer(mode: mode, showsClaims: showsClaims, givesClaims: check.givesClaims)
        detached = try arguments.value(Options.detachedFile).map { (path) throws(CommandFailure) in
            guard form == .signed, !arguments.has(Options.lines) else {
                throw .usage("--detached is of one signed token, without --nested and --lines")
            }
            guard mode != .payload, !showsClaims else { throw .usage("--detached: the payload is that FILE") }
            return DetachedCheck(
                path: path, verifier: try policy.layerVerifier(), isJSON: arguments.has(Options.json),
                mostBytes: try policy.limits().plaintextBytes)
        }
        jobs = try arguments.value(Options.jobs) ?? Process.cores
        isQuiet = arguments.has(Options.quiet)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let isJSON = arguments.has(Options.json)
        guard !arguments.has(Options.lines) || isJSON else {
            throw .usage("--lines goes with --json: without, each line is a token")
        }
        let input = try TokenInput(arguments.operands.first, isJSON: isJSON)
        switch input {
        case .stream(let source, let name) where (!isJSON || arguments.has(Options.lines)) && detached == nil:
            return try stream(source, name)
        default: return try one(input.only(most: mostTokenBytes))
        }
    }

    private func one(_ token: [UInt8]) throws(CommandFailure) -> ExitStatus {
        let outcome: Result<[UInt8], TokenError>
        if let detached {
            outcome = try detached.run(token)
        } else {
            do throws(TokenError) { outcome = .success(try check.run(token.span)) } catch { outcome = .failure(error) }
        }
        var output: [UInt8] = []
        do throws(TokenError) {
            let payload = try outcome.get()
            if case .payload = answer.mode, !check.givesClaims {
                // Of bytes nothing may be added.
                output = payload
            } else {
                answer.valid(payload, line: 1, to: &output)
            }
            Output.standard(output)
            let hint = answer.mode == .none && detached == nil ? " (--output payload shows what it holds)" : ""
            if !isQuiet { Output.complain("bulla \(arguments.command): valid" + hint) }
            return .valid
        } catch {
            // Without a line of the input there is none to keep in step with.
            if case .json = answer.mode { answer.invalid(ErrorWord(error), line: 1, to: &output) }
            Output.standard(output)
            Output.complain("bulla \(arguments.command): invalid: \(ErrorWord(error).rawValue): \(error)")
            return .invalid
        }
    }

    private func stream(_ source: Descriptor, _ name: String) throws(CommandFailure) -> ExitStatus {
        var reader = LineReader(source, mostBytes: mostTokenBytes)
        let report = StreamReport(
            "\(arguments.command):", total: source.size, isQuiet: isQuiet)
        let check = check
        let answer = answer
        do throws(CommandFailure) {
            try Pipeline(jobs: jobs).run(&reader) { batch in
                Self.work(&batch, check, answer)
            } out: { batch in
                if !batch.output.isEmpty { Descriptor.output.write(batch.output.span) }
                report.add(batch)
            }
        } catch {
            throw CommandFailure("\(name): \(error.message)")
        }
        let tally = report.end()
        guard tally.total > 0 else { throw CommandFailure("\(name): no token in it") }
        if !isQuiet {
            Output.complain("bulla \(arguments.command): \(Self.summary(tally, report.seconds))")
        }
        if tally.leftOut > 0 {
            throw CommandFailure(
                "\(Output.grouped(tally.leftOut)) payloads hold line feeds and were left out; --output json --show-claims gives them"
            )
        }
        return tally.invalid == 0 ? .valid : .invalid
    }

    private static func work(_ batch: inout Batch, _ check: TokenCheck, _ answer: LineAnswer) {
        var output: [UInt8] = []
        swap(&output, &batch.output)
        let tokens = batch.lines.filter { !$0.isTooLong }.map(\.range)
        var results = check.run(batch.bytes, tokens).makeIterator()
        for (index, line) in batch.lines.enumerated() {
            let number = batch.firstLine + index
            switch line.isTooLong ? nil : results.next() {
            case .success(let payload):
                let isWhole = answer.valid(payload, line: number, to: &output)
                batch.tally.add(nil, line: number)
                if !isWhole { batch.tally.countLeftOut() }
            case .failure(let error):
                let name = ErrorWord(error)
                answer.invalid(name, line: number, to: &output)
                batch.tally.add(name, line: number)
            case nil:
                answer.invalid(.tooLarge, line: number, to: &output)
                batch.tally.add(.tooLarge, line: number)
            }
        }
        swap(&output, &batch.output)
    }

    private static func summary(_ tally: Tally, _ seconds: Double) -> String {
        var text = "\(Output.grouped(tally.total)) \(tally.total == 1 ? "token" : "tokens"): "
        text += "\(Output.grouped(tally.valid)) valid, \(Output.grouped(tally.invalid)) invalid"
        if let first = tally.firstRefused {
            let reasons = tally.reasons.map { "\($0.name.rawValue) \(Output.grouped($0.count))" }
            text += " (\(reasons.joined(separator: ", ")); the first in line \(Output.grouped(first)))"
        }
        text += ", \(Output.decimal(seconds, 2)) s"
        if seconds > 0.01 { text += ", \(Output.grouped(Int(Double(tally.total) / seconds))) a second" }
        return text
    }
}
