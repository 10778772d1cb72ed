import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

/// Makes tokens, verifies and measures them, and reports the result.
struct DemoRun {
    /// The largest number of tokens whose cryptography is measured alone.
    private static let maximumRaw = 5_000
    let count: Int
    let jobs: Int
    let isQuiet: Bool

    /// The progress of work on several threads.
    private final class Progress: Sendable {
        private let state: Monitor<(done: Int, bar: ProgressBar)>
        init(_ bar: ProgressBar) { state = Monitor((0, bar)) }
        func add(_ count: Int) {
            state.change { state in
                state.done += count
                state.bar.show(done: state.done, count: state.done)
            }
        }
        func end() { state.change { $0.bar.clear() } }
    }

    private struct Counts: Sendable {
        var tally = Tally()
        /// The number of tokens with another result than the one that they were made for.
        var mistakes = 0

        mutating func add(_ other: Counts) {
            tally.add(other.tally)
            mistakes += other.mistakes
        }

        /// Adds the result of the token with this index.
        mutating func add(_ answer: Fault?, _ index: Int) {
            tally.add(answer, line: index)
            if answer != DemoFault(of: index).map({ Fault($0.error) }) { mistakes += 1 }
        }
    }

    private struct Outcome {
        var counts = Counts()
        var seconds = 0.0
        /// The results and the time of the same tokens in batches, with vectorized private keys.
        var vectorizedCounts = Counts()
        var vectorizedSeconds = 0.0
        var rawSeconds = 0.0
        var rawCount = 0
    }

    private struct Made: Sendable {
        var tokens: [[UInt8]]
        var raw: [RawWork] = []
        var failure: JOSEError?
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let keys = try CommandFailure.inWords { () throws(JOSEError) in try DemoTokens() }
        let verifier = try CommandFailure.inWords { () throws(TokenError) in try keys.verifier() }
        var batch: BatchVerifier?
        if PrivateKeyOperations.vectorized.isAvailable {
            batch = BatchVerifier(
                try CommandFailure.inWords { () throws(TokenError) in try keys.verifier(.vectorized) })
        }
        let made = try make(keys)
        let outcome = try verify(made, verifier, batch, keys)
        let table = DemoTable(
            count: count, jobs: jobs, bytes: made.tokens.reduce(0) { $0 + $1.count }, tally: outcome.counts.tally,
            made: Self.faults(count), seconds: outcome.seconds,
            rawRate: Double(outcome.rawCount) / outcome.rawSeconds,
            vectorizedRate: batch == nil ? nil : Double(count) / outcome.vectorizedSeconds)
        Output.standard(table.text)
        guard table.isAsExpected, outcome.counts.mistakes == 0, outcome.vectorizedCounts.mistakes == 0 else {
            Output.complain("bulla demo: the rejected tokens are not the broken ones")
            return .invalid
        }
        return .valid
    }

    private func make(_ keys: DemoTokens) throws(CommandFailure) -> Made {
        let progress = Progress(ProgressBar("making   ", total: count, isQuiet: isQuiet))
        let made = Monitor(Made(tokens: Array(repeating: [], count: count)))
        Threads.each(count, step: 64, jobs: jobs) { range in
            var tokens: [[UInt8]] = []
            var raw: [RawWork] = []
            do throws(JOSEError) {
                for index in range {
                    let (outer, inner) = try keys.make(index)
                    if index < Self.maximumRaw, DemoFault(of: index) == nil,
                        let work = RawWork(outer: outer, inner: inner)
                    {
                        raw.append(work)
                    }
                    tokens.append(outer)
                }
            } catch {
                made.change { $0.failure = error }
                return
            }
            made.change { made in
                for (index, token) in zip(range, tokens) { made.tokens[index] = token }
                made.raw += raw
            }
            progress.add(range.count)
        }
        progress.end()
        let all = made.change { $0 }
        if let failure = all.failure { throw CommandFailure("\(failure)") }
        return all
    }

    /// Verifies the tokens in slices, one by one and then in batches where there is a verifier of batches, and measures
    /// the cryptography of some tokens alone after each slice, so that other load on the machine slows all alike.
    private func verify(
        _ made: Made, _ verifier: TokenVerifier, _ batch: BatchVerifier?, _ keys: DemoTokens
    ) throws(CommandFailure) -> Outcome {
        let progress = Progress(ProgressBar("verifying", total: count, isQuiet: isQuiet))
        let (counts, vectorizedCounts) = (Monitor(Counts()), Monitor(Counts()))
        let slices = max(1, count / 2_000)
        let bare = try RawWork.Measure(made.raw, keys, jobs: jobs)
        var outcome = Outcome()
        for slice in 0..<slices {
            let range = Self.part(slice, of: slices, count)
            let tokens = made.tokens[range]
            let time = ContinuousClock().measure {
                Threads.each(range.count, step: 4, jobs: jobs) { part in
                    let indices = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                    let some = Self.counts(tokens[indices], verifier)
                    counts.change { $0.add(some) }
                    progress.add(part.count)
                }
            }
            outcome.seconds += time.inSeconds
            if let batch {
                // A batch is a multiple of the eight signatures that are verified together, and every thread gets
                // several.
                let step = max(16, min(128, range.count / (4 * jobs) / 8 * 8))
                let time = ContinuousClock().measure {
                    Threads.each(range.count, step: step, jobs: jobs) { part in
                        let indices = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                        let some = Self.counts(tokens[indices], batch)
                        vectorizedCounts.change { $0.add(some) }
                    }
                }
                outcome.vectorizedSeconds += time.inSeconds
            }
            outcome.rawSeconds += try bare.seconds(Self.part(slice, of: slices, made.raw.count))
        }
        progress.end()
        outcome.counts = counts.change { $0 }
        outcome.vectorizedCounts = vectorizedCounts.change { $0 }
        outcome.rawCount = made.raw.count
        return outcome
    }

    private static func counts(_ tokens: ArraySlice<[UInt8]>, _ verifier: TokenVerifier) -> Counts {
        var counts = Counts()
        for (index, token) in zip(tokens.indices, tokens) {
            var answer: Fault?
            do throws(TokenError) {
                _ = try verifier.verify(token.span)
            } catch {
                answer = Fault(error)
            }
            counts.add(answer, index)
        }
        return counts
    }

    private static func counts(_ tokens: ArraySlice<[UInt8]>, _ batch: BatchVerifier) -> Counts {
        var counts = Counts()
        for (index, result) in zip(tokens.indices, batch.verifySynchronously(Array(tokens))) {
            if case .failure(let error) = result { counts.add(Fault(error), index) } else { counts.add(nil, index) }
        }
        return counts
    }

    private static func part(_ index: Int, of parts: Int, _ count: Int) -> Range<Int> {
        count * index / parts..<count * (index + 1) / parts
    }

    /// Returns how many tokens were broken in each way, by the fault with which they must be rejected.
    private static func faults(_ count: Int) -> [(Fault, Int)] {
        var counts = Array(repeating: 0, count: DemoFault.allCases.count)
        for index in stride(from: 250, to: count, by: 500) {
            if let fault = DemoFault(of: index) { counts[fault.rawValue] += 1 }
        }
        return zip(DemoFault.allCases, counts).map { (Fault($0.error), $1) }
    }
}
