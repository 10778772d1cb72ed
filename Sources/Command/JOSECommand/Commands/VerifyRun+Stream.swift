import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

extension VerifyRun {
    /// Verifies a stream of tokens, or of rows, and writes one answer for each line in the order of the input.
    ///
    /// - Parameter name: The source's name in error messages.
    func stream(_ source: Descriptor, _ name: String) throws(CommandFailure) -> ExitStatus {
        var reader = LineReader(
            source, maximumBytes: form.lineBytes(tokenBytes: maximumTokenBytes), endsOnTermination: true)
        let report = StreamReport("\(arguments.command):", total: source.size, isQuiet: isQuiet)
        do throws(CommandFailure) {
            try Pipeline(jobs: jobs).run(&reader) { batch in
                work(&batch)
            } wait: {
                awaitKeys(report)
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
        if !isQuiet { arguments.report(Self.summary(tally, report.seconds)) }
        if reader.wasTerminated {
            arguments.report("ended by SIGTERM after the lines that were read")
            return .terminated
        }
        if tally.leftOut > 0 {
            throw CommandFailure(
                "\(tally.leftOut.grouped) payloads contain line feeds and were left out; --output json --show-claims shows them"
            )
        }
        return status(invalid: tally.invalid, retry: tally.retry)
    }

    /// Verifies the tokens of a batch, or again those that wait for a key, and puts the answers into its `output` as
    /// they are to be written. Returns false if a token waits for the next fetch of keys.
    private func work(_ batch: inout Batch) -> Bool {
        if batch.outcomes.isEmpty {
            let takesObjects = arguments.has(Options.json)
            for line in batch.lines {
                batch.rows.append(TokenRow(line, form, takesObjects: takesObjects, in: &batch.bytes))
            }
            batch.outcomes = batch.rows.map(\.unverified)
            verify(&batch, Array(batch.rows.indices))
        } else {
            verify(&batch, batch.waiting)
        }
        guard batch.waiting.isEmpty else { return false }
        write(&batch)
        return true
    }

    /// Verifies the tokens of some rows, and notes those that wait for the next fetch of keys.
    private func verify(_ batch: inout Batch, _ rows: [Int]) {
        var tokens: [(row: Int, range: Range<Int>)] = []
        for row in rows { if case .success(let range) = batch.rows[row].token { tokens.append((row, range)) } }
        let reading = TokenReading(
            readAt: batch.readAt, keyLag: keyLag.inSeconds, isRepeatable: form == .jsonl)
        let results = check.run(batch.bytes, tokens.map(\.range), Array(repeating: reading, count: tokens.count))
        batch.waiting.removeAll(keepingCapacity: true)
        batch.forgetUnusable(rows)
        for ((row, range), result) in zip(tokens, results) {
            batch.outcomes[row] = result.mapError { Fault($0) }
            if case .json = answer.mode, case .failure(let error) = result {
                let keys = check.unusableKeys(error, of: batch.bytes.span.extracting(range))
                if !keys.isEmpty { batch.unusable[row] = keys }
            }
            // Once the input was ended by SIGTERM, nothing waits any longer.
            guard case .failure(let error) = result, let source, source.waitsForFetch(after: error),
                !Signals.isTerminationPending
            else { continue }
            batch.waiting.append(row)
        }
    }

    private func write(_ batch: inout Batch) {
        var output: [UInt8] = []
        swap(&output, &batch.output)
        for (index, outcome) in batch.outcomes.enumerated() {
            let number = batch.firstLine + index
            let id = batch.rows[index].id
            let name: LineAnswer.Name = form == .jsonl ? .id(id.map { batch.bytes[$0] }) : .line(number)
            switch outcome {
            case .success(let payload):
                let isWhole = answer.valid(payload, name, to: &output)
                batch.tally.add(nil, line: number)
                if !isWhole { batch.tally.countLeftOut() }
            case .failure(let fault):
                answer.failed(fault, name, unusable: batch.unusable[index] ?? [], to: &output)
                batch.tally.add(fault, line: number)
            }
        }
        batch.output = escaped(output)
        // The payloads are not needed while the batch waits for its turn.
        batch.outcomes.removeAll(keepingCapacity: true)
    }

    /// Waits for the next fetch of keys. The first time, standard error says so, because nothing else happens
    /// meanwhile.
    private func awaitKeys(_ report: StreamReport) {
        guard let source else { return }
        if !isQuiet, report.isFirstWait {
            let location = Output.printable(source.location.text)
            arguments.report("waits for the next fetch of \(location), which lacks a token's key")
        }
        source.awaitNextFetch()
    }

    private static func summary(_ tally: Tally, _ seconds: Double) -> String {
        var text = "\(tally.total.grouped) \(tally.total == 1 ? "token" : "tokens"): "
        text += "\(tally.valid.grouped) valid, \(tally.invalid.grouped) invalid"
        if tally.retry > 0 { text += ", \(tally.retry.grouped) to retry" }
        if let first = tally.firstFault {
            let reasons = tally.reasons.map { fault, count in
                (fault.isRetryable ? "retry " : "") + "\(fault.code) \(count.grouped)"
            }
            text += " (\(reasons.joined(separator: ", ")); the first in line \(first.grouped))"
        }
        text += ", \(Output.decimal(seconds, 2)) s"
        if seconds > 0.01 { text += ", \(Int(Double(tally.total) / seconds).grouped) a second" }
        return text
    }
}
