import JOSE
import JOSETokens

/// Makes, verifies, measures, reports.
struct DemoRun {
    /// Tokens whose bare cryptography is measured, at most.
    private static let mostRaw = 5_000
    let count: Int
    let jobs: Int
    let isQuiet: Bool

    /// Progress of some work on several threads.
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

    private struct Made: Sendable {
        var tokens: [[UInt8]]
        var raw: [RawWork] = []
        var failure: JOSEError?
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let keys: DemoTokens
        let verifier: TokenVerifier
        do throws(JOSEError) { keys = try DemoTokens() } catch { throw CommandFailure("\(error)") }
        do throws(TokenError) { verifier = try keys.verifier() } catch { throw CommandFailure("\(error)") }
        let made = try make(keys)
        let (tally, seconds) = verify(made.tokens, verifier)
        let rawRate = try RawRate.measure(made.raw, keys, jobs: jobs)
        let table = DemoTable(
            count: count, jobs: jobs, bytes: made.tokens.reduce(0) { $0 + $1.count }, tally: tally,
            made: Self.faults(count), seconds: seconds, rawRate: rawRate)
        Output.standard(table.text)
        guard table.holds else {
            Output.complain("bulla demo: what was refused is not what was broken")
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
                    if index < Self.mostRaw, DemoFault(of: index) == nil, let work = RawWork(outer: outer, inner: inner)
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

    private func verify(_ tokens: [[UInt8]], _ verifier: TokenVerifier) -> (Tally, Double) {
        let progress = Progress(ProgressBar("verifying", total: tokens.count, isQuiet: isQuiet))
        let whole = Monitor(Tally())
        let begun = ContinuousClock.now
        Threads.each(tokens.count, step: 32, jobs: jobs) { range in
            var tally = Tally()
            for index in range {
                let token = tokens[index]
                do throws(TokenError) {
                    _ = try verifier.verify(token.span)
                    tally.add(DemoFault(of: index) == nil ? nil : .backend, line: index)
                } catch {
                    tally.add(ErrorName(error), line: index)
                }
            }
            whole.change { $0.add(tally) }
            progress.add(range.count)
        }
        let seconds = (ContinuousClock.now - begun).inSeconds
        progress.end()
        return (whole.change { $0 }, seconds)
    }

    /// How many were broken in each way, by the answer that they should get.
    private static func faults(_ count: Int) -> [(ErrorName, Int)] {
        var counts = Array(repeating: 0, count: DemoFault.allCases.count)
        for index in stride(from: 250, to: count, by: 500) {
            if let fault = DemoFault(of: index) { counts[fault.rawValue] += 1 }
        }
        return zip(DemoFault.allCases, counts).map { ($0.error, $1) }
    }
}
