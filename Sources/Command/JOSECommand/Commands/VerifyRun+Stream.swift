import JOSE
import JOSETokens

extension VerifyRun {
    /// Verifies a stream of tokens, or of rows, and writes one answer for each line in the order of the input.
    ///
    /// - Parameter name: The source's name in error messages.
    func stream(_ source: Descriptor, _ name: String) throws(CommandFailure) -> ExitStatus {
        var reader = LineReader(
            source, mostBytes: form.lineBytes(tokenBytes: mostTokenBytes), endsOnTermination: true)
        let report = StreamReport(
            "\(arguments.command):", total: source.size, isQuiet: isQuiet)
        do throws(CommandFailure) {
            try Pipeline(jobs: jobs).run(&reader) { batch in
                work(&batch)
            } out: { batch in
                Descriptor.output.write(batch.output.span)
                report.add(batch)
            }
        } catch {
            throw CommandFailure("\(name): \(error.message)")
        }
        let tally = report.end()
        guard tally.total > 0 || exitsZero || reader.wasTerminated else {
            throw CommandFailure("\(name): no token in the input")
        }
        if !isQuiet {
            Output.complain("bulla \(arguments.command): \(Self.summary(tally, report.seconds))")
        }
        if reader.wasTerminated {
            let reason = "ended by SIGTERM after the lines that were read"
            Output.complain("bulla \(arguments.command): \(reason)")
            return .terminated
        }
        if tally.leftOut > 0 {
            throw CommandFailure(
                "\(Output.grouped(tally.leftOut)) payloads contain line feeds and were left out; --output json --show-claims shows them"
            )
        }
        return status(invalid: tally.invalid, retry: tally.retry)
    }

    /// Verifies the tokens of a batch, and puts the answers into its `output` as they are to be written.
    private func work(_ batch: inout Batch) {
        let takesObjects = arguments.has(Options.json)
        var output: [UInt8] = []
        swap(&output, &batch.output)
        var rows: [TokenRow] = []
        rows.reserveCapacity(batch.lines.count)
        for line in batch.lines { rows.append(TokenRow(line, form, takesObjects: takesObjects, in: &batch.bytes)) }
        var results = check.run(batch.bytes, rows.compactMap { try? $0.token.get() }).makeIterator()
        for (index, row) in rows.enumerated() {
            let number = batch.firstLine + index
            let name: LineAnswer.Name = form == .jsonl ? .id(row.id.map { batch.bytes[$0] }) : .line(number)
            switch row.outcome(&results) {
            case .success(let payload):
                let isWhole = answer.valid(payload, name, to: &output)
                batch.tally.add(nil, line: number)
                if !isWhole { batch.tally.countLeftOut() }
            case .failure(let fault):
                answer.failed(fault, name, to: &output)
                batch.tally.add(fault, line: number)
            }
        }
        batch.output = escaped(output)
    }

    private static func summary(_ tally: Tally, _ seconds: Double) -> String {
        var text = "\(Output.grouped(tally.total)) \(tally.total == 1 ? "token" : "tokens"): "
        text += "\(Output.grouped(tally.valid)) valid, \(Output.grouped(tally.invalid)) invalid"
        if tally.retry > 0 { text += ", \(Output.grouped(tally.retry)) to retry" }
        if let first = tally.firstFault {
            let reasons = tally.reasons.map { fault, count in
                (fault.isRetryable ? "retry " : "") + "\(fault.code) \(Output.grouped(count))"
            }
            text += " (\(reasons.joined(separator: ", ")); the first in line \(Output.grouped(first)))"
        }
        text += ", \(Output.decimal(seconds, 2)) s"
        if seconds > 0.01 { text += ", \(Output.grouped(Int(Double(tally.total) / seconds))) a second" }
        return text
    }
}
