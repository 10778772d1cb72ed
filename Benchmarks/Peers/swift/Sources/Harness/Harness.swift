import Foundation

/// An operation, `GROUP/ALGORITHM+ALGORITHM` in the file `operations`.
public struct Operation {
    /// The name, under which files have its tokens.
    public let name: String
    /// The group, such as `verify`.
    public let group: String
    /// The algorithms, those of an encryption before that of a signature.
    public let algorithms: [String]

    init(_ name: String) {
        self.name = name
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        group = parts[0]
        algorithms = parts[1].split(separator: "+").map(String.init)
    }
}

/// The work of an operation: it takes a token, or it makes one.
public enum Work {
    /// A function that throws if the token is not to be taken.
    case takes((String) async throws -> Void)
    /// A function that makes a token of the claims.
    case makes(() async throws -> String)
}

/// A library as it is measured.
public protocol Library {
    /// Returns the work of an operation, or nil if the library has no such thing.
    func work(_ operation: Operation) throws -> Work?
}

/// A fault that ends an operation, or the program.
public struct Fault: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Answers `Benchmarks/Peers/measure.py`; `Benchmarks/Peers/README.md` describes the protocol.
public func serve(_ library: (Fixtures) throws -> any Library) async throws {
    guard CommandLine.arguments.count == 2 else { throw Fault("no folder of fixtures") }
    let fixtures = try Fixtures(folder: CommandLine.arguments[1])
    let library = try library(fixtures)
    var ready: [String: Measured] = [:]
    for name in try fixtures.lines("operations") {
        do {
            let operation = Operation(name)
            guard let work = try library.work(operation) else { throw Fault("no such operation") }
            switch work {
            case .takes(let take):
                if let reason = try await accepted(take, operation, fixtures) {
                    say("accepts", name, reason)
                    continue
                }
                let token = try fixtures.text(name + ".token")
                ready[name] = Measured { try await take(token) }
                say("can", name, "-")
            case .makes(let make):
                ready[name] = Measured { guard try await !make().isEmpty else { throw Fault("no token") } }
                say("can", name, try await make())
            }
        } catch {
            say("cannot", name, "\(error)".split(separator: "\n").joined(separator: " "))
        }
    }
    say("ready")
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2, let measured = ready[words[0]], let seconds = Double(words[1]) else {
            throw Fault("not a request: \(line)")
        }
        let (count, nanoseconds) = try await measured.measure(seconds)
        say(words[0], "\(count)", "\(nanoseconds)")
    }
}

/// Returns the reason why the first accepted broken token is broken, or nil if all are rejected. Throws if the valid token is rejected.
private func accepted(
    _ take: (String) async throws -> Void, _ operation: Operation, _ fixtures: Fixtures
) async throws -> String? {
    do {
        try await take(fixtures.text(operation.name + ".token"))
    } catch {
        throw Fault("the good token is refused: \(error)")
    }
    for line in try fixtures.lines(operation.name + ".refused") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        do {
            try await take(fields[2])
            return fields[1]
        } catch {
            continue
        }
    }
    return nil
}

private func say(_ words: String...) {
    print(words.joined(separator: "\t"))
    fflush(nil)
}

private final class Measured {
    private let run: () async throws -> Void
    /// The number of operations between two readings of the clock.
    private var step = 1

    init(_ run: @escaping () async throws -> Void) { self.run = run }

    /// Returns the number of operations in that time, and the processor time that they took in all threads. A call that fails ends the
    /// program, because it would make the measurement meaningless.
    func measure(_ seconds: Double) async throws -> (count: Int, nanoseconds: UInt64) {
        let begun = time(CLOCK_PROCESS_CPUTIME_ID)
        let end = time(CLOCK_MONOTONIC) + UInt64(seconds * 1e9)
        var count = 0
        while true {
            let since = time(CLOCK_MONOTONIC)
            for _ in 0..<step { try await run() }
            count += step
            let now = time(CLOCK_MONOTONIC)
            guard now < end else { return (count, time(CLOCK_PROCESS_CPUTIME_ID) - begun) }
            if now - since < 200_000 { step *= 2 }
        }
    }

    private func time(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
