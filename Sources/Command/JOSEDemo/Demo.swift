import JOSE
import JOSESupport
import JOSETokens

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Makes nested tokens, verifies them on all cores, and prints the rates beside that of the same cryptography alone.
///
/// The tokens have the form of itsme's ID tokens, version 2: RSA-OAEP and A128CBC-HS256 around RS256. One token in 500
/// is broken, in one of ten ways. They are verified one by one and, on a processor with AVX-512 IFMA, once more in
/// batches with vectorized private keys. The argument is the number of tokens, 20 000 by default.
@main struct Demo {
    /// The largest number of tokens whose cryptography is measured alone.
    private static let maximumRaw = 5_000
    let count: Int
    let jobs = DetachedThread.processors

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count <= 1, let count = Int(arguments.first ?? "20000"), 1...1_000_000 ~= count else {
            complain("usage: JOSEDemo [NUMBER OF TOKENS]")
            exit(2)
        }
        do {
            guard try await !Demo(count: count).run() else { return }
            complain("The rejected tokens are not the broken ones.")
        } catch {
            complain("\(error)")
        }
        exit(1)
    }

    private static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private struct Made: Sendable {
        var tokens: [[UInt8]] = []
        var raw: [RawWork] = []
    }

    /// Returns whether exactly the broken tokens were rejected, each with its own error.
    private func run() async throws -> Bool {
        let keys = try DemoTokens()
        let verifier = try keys.verifier()
        let batch = PrivateKeyOperations.vectorized.isAvailable ? BatchVerifier(try keys.verifier(.vectorized)) : nil
        let measured = try RawWork.Keys(keys)
        let made = try await make(keys)

        // The tokens are verified in slices, and some cryptography is measured alone after each, so that other load on
        // the machine slows all alike.
        var (answers, batched) = (DemoAnswers(), DemoAnswers())
        var (seconds, batchedSeconds, rawSeconds) = (0.0, 0.0, 0.0)
        let slices = max(1, count / 2_000)
        for slice in 0..<slices {
            let range = Self.part(slice, of: slices, count)
            seconds += try await timed(range, step: 4, into: &answers) { part in
                var some = DemoAnswers()
                for index in part {
                    do throws(TokenError) {
                        _ = try verifier.verify(made.tokens[index])
                        some.add(nil, index)
                    } catch {
                        some.add(error, index)
                    }
                }
                return some
            }
            if let batch {
                // A batch is a multiple of the eight signatures that are verified together, and every thread gets
                // several.
                let step = max(16, min(128, range.count / (4 * jobs) / 8 * 8))
                batchedSeconds += try await timed(range, step: step, into: &batched) { part in
                    var some = DemoAnswers()
                    for (index, result) in zip(part, batch.verifySynchronously(Array(made.tokens[part]))) {
                        if case .failure(let error) = result { some.add(error, index) } else { some.add(nil, index) }
                    }
                    return some
                }
            }
            var none = DemoAnswers()
            rawSeconds += try await timed(Self.part(slice, of: slices, made.raw.count), step: 4, into: &none) { part in
                for index in part { try made.raw[index].run(measured) }
                return DemoAnswers()
            }
        }
        let table = DemoTable(
            count: count, jobs: jobs, bytes: made.tokens.reduce(0) { $0 + $1.count }, answers: answers,
            rate: Double(count) / seconds, rawRate: Double(made.raw.count) / rawSeconds,
            vectorizedRate: batch == nil ? nil : Double(count) / batchedSeconds)
        print(table.text)
        return answers.mistakes == 0 && batched.mistakes == 0
    }

    private func make(_ keys: DemoTokens) async throws -> Made {
        var parts: [(start: Int, made: Made)] = []
        try await each(0..<count, step: 64) { range in
            var made = Made()
            for index in range {
                let (outer, inner) = try keys.make(index)
                made.tokens.append(outer)
                if index < Self.maximumRaw, DemoFault(of: index) == nil,
                    let work = RawWork(outer: outer, inner: inner)
                {
                    made.raw.append(work)
                }
            }
            return (range.lowerBound, made)
        } collect: {
            parts.append($0)
        }
        return parts.sorted { $0.start < $1.start }.reduce(into: Made()) { all, part in
            all.tokens += part.made.tokens
            all.raw += part.made.raw
        }
    }

    /// Returns the seconds that the work on a range took on all threads.
    private func timed(
        _ range: Range<Int>, step: Int, into answers: inout DemoAnswers,
        _ work: @escaping @Sendable (Range<Int>) throws -> DemoAnswers
    ) async throws -> Double {
        let begun = ContinuousClock.now
        try await each(range, step: step, work) { answers.add($0) }
        return (ContinuousClock.now - begun).inSeconds
    }

    /// Divides a range into steps, which the threads take in turn.
    private func each<Part: Sendable>(
        _ range: Range<Int>, step: Int, _ work: @escaping @Sendable (Range<Int>) throws -> Part,
        collect: (Part) -> Void
    ) async throws {
        let next = Monitor(range.lowerBound)
        try await withThrowingTaskGroup(of: [Part].self) { group in
            for _ in 0..<jobs {
                group.addTask {
                    var parts: [Part] = []
                    while true {
                        let start = next.change { position in
                            defer { position += step }
                            return position
                        }
                        guard start < range.upperBound else { return parts }
                        parts.append(try work(start..<min(range.upperBound, start + step)))
                    }
                }
            }
            for try await parts in group { parts.forEach(collect) }
        }
    }

    private static func part(_ index: Int, of parts: Int, _ count: Int) -> Range<Int> {
        count * index / parts..<count * (index + 1) / parts
    }
}
