internal import CRaw
internal import Foundation

/// Answers `Benchmarks/Peers/measure.py` like the harnesses of other libraries; `Benchmarks/Peers/README.md` describes the
/// protocol.
struct PeerHarness {
    let fixtures: PeerFixtures
    let library: any PeerLibrary

    init(folder: String, raw: Bool) throws {
        fixtures = try PeerFixtures(folder: folder)
        library = raw ? RawPeer(fixtures: fixtures) : BullaPeer(fixtures: fixtures)
    }

    func run() throws {
        var works: [String: PeerWork] = [:]
        for operation in try fixtures.operations() {
            do {
                guard let work = try library.work(operation) else {
                    say("cannot", operation.name, "no such operation")
                    continue
                }
                if let taken = try accepted(work, operation) {
                    say("accepts", operation.name, taken)
                    continue
                }
                works[operation.name] = work
                say("can", operation.name, try work.made())
            } catch {
                say("cannot", operation.name, "\(error)")
            }
        }
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, let work = works[words[0]], let seconds = Double(words[1]) else {
                throw Options.Fault(description: "not a request: \(line)")
            }
            let slice = work.measure(seconds)
            say(words[0], "\(slice.count)", "\(slice.nanoseconds)")
        }
    }

    /// Returns the reason why the first accepted broken token is broken, or nil if all are rejected. Throws if the valid token is
    /// rejected.
    private func accepted(_ work: PeerWork, _ operation: PeerOperation) throws -> String? {
        guard let refuses = work.refuses else { return nil }
        guard work.run(1) > 0 else { throw Options.Fault(description: "the good token is refused") }
        return try fixtures.broken(operation).first { !refuses($0) }?.reason
    }

    private func say(_ words: String...) {
        print(words.joined(separator: "\t"))
        fflush(nil)
    }
}

protocol PeerLibrary {
    /// Returns the work of an operation, or nil if the library does not support it.
    func work(_ operation: PeerOperation) throws -> PeerWork?
}

final class PeerWork {
    let run: Work
    /// Returns whether a token is rejected, for an operation that takes tokens.
    let refuses: ((BrokenToken) -> Bool)?
    /// Returns a token for the runner to check, for an operation that makes tokens; otherwise `-`.
    let made: () throws -> String
    /// The number of operations between two readings of the clock.
    private var step = 1

    init(
        _ run: @escaping Work, refuses: ((BrokenToken) -> Bool)? = nil, made: @escaping () throws -> String = { "-" }
    ) {
        self.run = run
        self.refuses = refuses
        self.made = made
    }

    /// Returns the number of operations in that time, and the processor time that they took in all threads.
    func measure(_ seconds: Double) -> (count: Int, nanoseconds: UInt64) {
        let end = craw_wall_time() + UInt64(seconds * 1e9)
        let begun = craw_process_time()
        var count = 0
        while true {
            let since = craw_wall_time()
            let good = run(step)
            // Failed calls would make the measurement meaningless.
            guard good >= step else { fatalError("\(step - good) of \(step) failed") }
            count += good
            let now = craw_wall_time()
            if now >= end { return (count, craw_process_time() - begun) }
            if now - since < 200_000 { step *= 2 }
        }
    }
}
