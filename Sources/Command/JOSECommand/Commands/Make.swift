import JOSE
import JOSESettings
import JOSETokens

extension Command {
    private static let shared =
        [Options.lines, Options.out.spec, Options.jobs.spec, Options.quiet, Options.setNow.spec] + Options.ofClaims
        + Options.ofKeyFiles

    private static let details = """
        Reads the payload, claims or any bytes, from a FILE or standard input, and uses it byte for byte, a last line feed
        included. With --lines each line is one payload.
        With --iss, --aud, --sub or --lifetime the payload must be claims, and missing claims are added.
        """

    private static let signDetails =
        details + """

            --json general takes several --key, each of which signs; --alg and --kid are given once for all or once for each.
            --detached leaves the payload out, and reads a payload of any length in constant memory if the algorithm allows it
            (all but EdDSA and ML-DSA); bulla verify --detached FILE verifies it.
            """

    private static let encryptDetails =
        details + """

            --json general takes several --key, each of which can decrypt the token; --key-alg and --kid are given once for all
            or once for each. A key of PBES2 is an oct key whose bytes are the password.
            """

    static let sign = Command(
        "sign", operands: "[FILE | -]", maximumOperands: 1, summary: "sign claims or bytes", details: signDetails,
        options: [
            Options.makerKeys.spec, Options.makerKeyIDs.spec, Options.signWith.spec, Options.setType.spec,
            Options.setContentType.spec, Options.jsonForm.spec, Options.detach, Options.unencoded, Options.ownChain,
            Options.vectorizedPrivateKeys,
        ] + shared
    ) { (arguments) throws(CommandFailure) in
        try MakeRun(arguments: arguments, maker: TokenMaker(arguments, form: .signed)).run()
    }

    static let encrypt = Command(
        "encrypt", operands: "[FILE | -]", maximumOperands: 1, summary: "encrypt claims or bytes",
        details: encryptDetails,
        options: [
            Options.makerKeys.spec, Options.makerKeyIDs.spec, Options.encryptWith.spec, Options.encipherWith.spec,
            Options.iterations.spec, Options.setType.spec, Options.setContentType.spec, Options.zip,
            Options.jsonForm.spec, Options.additionalData.spec,
        ] + shared
    ) { (arguments) throws(CommandFailure) in
        try MakeRun(arguments: arguments, maker: TokenMaker(arguments, form: .encrypted)).run()
    }

    static let nest = Command(
        "nest", operands: "[FILE | -]", maximumOperands: 1, summary: "sign claims or bytes, and encrypt the result",
        details: details,
        options: [
            Options.makerKeys.spec, Options.makerKeyIDs.spec, Options.encryptKey.spec, Options.encryptKeyID.spec,
            Options.signWith.spec, Options.encryptWith.spec, Options.encipherWith.spec, Options.iterations.spec,
            Options.setType.spec, Options.zip, Options.ownChain, Options.vectorizedPrivateKeys,
        ] + shared
    ) { (arguments) throws(CommandFailure) in
        try MakeRun(arguments: arguments, maker: TokenMaker(arguments, form: .nested)).run()
    }
}

/// One run of `sign`, `encrypt` or `nest`.
struct MakeRun {
    /// The largest size of a payload, above the default limits of every verifier.
    static let maximumBytes = 16 * 1024 * 1024
    let arguments: Arguments
    let maker: TokenMaker

    func run() throws(CommandFailure) -> ExitStatus {
        let operand = arguments.operands.first
        let name = operand == nil || operand == "-" ? "standard input" : operand ?? ""
        let source = try operand == nil || operand == "-" ? Descriptor.input : Descriptor(reading: name)
        guard arguments.has(Options.lines) else {
            let streamed = try streamed(source, name)
            let token = if let streamed { streamed } else { try whole(source, name) }
            try KeyWriter.write(token, to: arguments.value(Options.out), isPrivate: false)
            return .valid
        }
        return try lines(source, name)
    }

    private func whole(_ source: Descriptor, _ name: String) throws(CommandFailure) -> [UInt8] {
        let payload = try source.readAll(maximumBytes: Self.maximumBytes, name: name)
        return try CommandFailure.inWords { () throws(TokenError) in try maker.make(payload) }
    }

    /// Signs a detached payload that is read in pieces, or returns nil if the algorithm or the form needs it as a
    /// whole.
    private func streamed(_ source: Descriptor, _ name: String) throws(CommandFailure) -> [UInt8]? {
        guard case .detached(let signer) = maker else { return nil }
        var stream: SigningStream
        do throws(JOSEError) {
            stream = try signer.stream()
        } catch {
            if error == .algorithmNotAllowed(.streamedSignature) { return nil }
            throw CommandFailure("\(error)")
        }
        var block: [UInt8] = []
        while try source.read(onto: &block, maximumBytes: LineReader.block) {
            do throws(JOSEError) { try stream.update(block) } catch { throw CommandFailure("\(name): \(error)") }
            block.removeAll(keepingCapacity: true)
        }
        do throws(JOSEError) { return Array(try stream.finish().utf8) } catch { throw CommandFailure("\(error)") }
    }

    private func lines(_ source: Descriptor, _ name: String) throws(CommandFailure) -> ExitStatus {
        var reader = LineReader(source, maximumBytes: Self.maximumBytes)
        let target = try arguments.value(Options.out)
        let out = try target.map { (path) throws(CommandFailure) in
            try Descriptor(creating: path, isPrivate: false)
        }
        let report = StreamReport(
            "\(arguments.command):", total: source.size, isQuiet: arguments.has(Options.quiet))
        let maker = maker
        do throws(CommandFailure) {
            try Pipeline(jobs: try arguments.value(Options.jobs) ?? Process.cores).run(&reader) { batch in
                Self.work(&batch, maker)
                return true
            } out: { batch in
                (out ?? .output).write(batch.output.span)
                report.add(batch)
            }
        } catch {
            throw CommandFailure("\(name): \(error.message)")
        }
        out?.end()
        let tally = report.end()
        guard let first = tally.firstFault else { return .valid }
        throw CommandFailure(
            "\(tally.invalid + tally.retry) lines gave no token and were left empty; the first is line \(first): "
                + tally.reasons.map(\.fault.code).joined(separator: ", "))
    }

    private static func work(_ batch: inout Batch, _ maker: TokenMaker) {
        let payloads = batch.lines.filter { !$0.isTooLong }.map { Array(batch.bytes[$0.range]) }
        var made = maker.make(payloads).makeIterator()
        for (index, line) in batch.lines.enumerated() {
            let number = batch.firstLine + index
            do throws(TokenError) {
                guard !line.isTooLong, let token = made.next() else {
                    throw .jose(.limitExceeded(.plaintextBytes), layer: .signature)
                }
                batch.output.append(contentsOf: try token.get())
                batch.tally.add(nil, line: number)
            } catch {
                batch.tally.add(Fault(error), line: number)
            }
            batch.output.append(0x0A)
        }
        // The lines are compact tokens, which are ASCII, or JSON.
        batch.output = Output.escaped(json: batch.output)
    }
}
