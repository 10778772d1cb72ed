internal import CRaw
internal import Foundation
internal import JOSE
internal import JOSETokens
internal import Synchronization

/// Concurrent callers in closed loops, each with its next token as soon as the last is answered: with each request verified by
/// itself, and with requests that arrive together verified as a batch. It fails where gathering loses more than 3 % of the rate.
struct CoalesceTest {
    let fixtures: Fixtures
    /// Only cases whose name contains the text are measured; nil for all.
    let only: String?
    /// The number of rounds of both ways, so that other load on the machine affects both. The gain is the median of their ratios.
    private static let rounds = 16
    private static let seconds = 0.1
    private static let leastGain = 0.97

    private struct Measure {
        var times: [UInt64] = []
        var wall = 0.0
        /// The processor time of the whole process, on all cores.
        var cpu = 0.0

        var rate: Double { Double(times.count) * 1e9 / wall }

        static func += (sum: inout Measure, more: Measure) {
            sum.times += more.times
            sum.wall += more.wall
            sum.cpu += more.cpu
        }

        var text: String {
            let sorted = times.sorted()
            let microseconds = [
                Double(sorted[sorted.count / 2]), Double(sorted[sorted.count * 99 / 100]), cpu / Double(sorted.count),
            ].map { ($0 / 1000).formatted(places: 1) }
            return microseconds.joined(separator: ", ") + ", \(Int(rate))"
        }
    }

    func run() throws -> Bool {
        print("latency and processor time in µs, tokens a second, \(craw_cores()) cores; window 50 µs")
        var cases = try [SignatureAlgorithm.rs256, .es256].map { algorithm in
            let signed = try SignedCase(fixtures, algorithm)
            return (name: algorithm.name, token: signed.token, one: signed.verifier, together: signed.verifier)
        }
        let nested = try PrivateKeyCases(fixtures, bits: 2048)
        let plain = try nested.nested(.libcrypto)
        cases.append((plain.name, plain.token, plain.verifier, try nested.nested(.vectorized).verifier))
        var losses: [String] = []
        for (name, token, one, gathering) in cases where only.map(name.contains) ?? true {
            let together = CoalescingVerifier(gathering)
            let warm = verifying(one, token)
            BatchCase.warm { _ = warm(200) }
            print(
                "\(name): callers | alone p50, p99, cpu, rate | gathered p50, p99, cpu, rate | gain, of cpu")
            for callers in [1, 2, 3, 4, 6, 8, 12, 16, 32, 64] {
                var plain = Measure()
                var gathered = Measure()
                var gains: [Double] = []
                for round in 0..<Self.rounds {
                    let verifyAlone = { measure(callers) { try one.verify(token).claims.payload.count } }
                    let gather = { measure(callers) { try await together.verify(token).claims.payload.count } }
                    // The order changes with each round, so that a load which grows or shrinks affects both alike.
                    let isReversed = round.isMultiple(of: 2)
                    let first = isReversed ? gather() : verifyAlone()
                    let second = isReversed ? verifyAlone() : gather()
                    let (alone, together) = isReversed ? (second, first) : (first, second)
                    plain += alone
                    gathered += together
                    gains.append(together.rate / alone.rate)
                }
                let cpu = plain.cpu / Double(plain.times.count) / (gathered.cpu / Double(gathered.times.count))
                let gain = gains.median
                print(
                    "\(callers) | \(plain.text) | \(gathered.text) | \(gain.formatted(places: 2)), \(cpu.formatted(places: 2))"
                )
                if gain < Self.leastGain { losses.append("\(name), \(callers) callers: \(gain.formatted(places: 3))") }
            }
        }
        print(
            losses.isEmpty
                ? "no row below \(Self.leastGain)" : "below \(Self.leastGain): " + losses.joined(separator: "; "))
        return losses.isEmpty
    }

    private func measure(_ callers: Int, _ work: @escaping @Sendable () async throws -> Int) -> Measure {
        let times = Mutex<[UInt64]>([])
        let result = Mutex<Measure>(Measure())
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            let begun = craw_wall_time()
            let cpu = craw_process_time()
            let end = begun + UInt64(Self.seconds * 1e9)
            await withTaskGroup(of: [UInt64].self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        var own: [UInt64] = []
                        var before = craw_wall_time()
                        while before < end {
                            guard let count = try? await work(), count > 0 else { fatalError("a token was refused") }
                            let after = craw_wall_time()
                            own.append(after - before)
                            // The next request arrives now. Others get their turn first, for which it waits.
                            before = after
                            await Task.yield()
                        }
                        return own
                    }
                }
                for await own in group { times.withLock { $0 += own } }
            }
            let wall = Double(craw_wall_time() - begun)
            let spent = Double(craw_process_time() - cpu)
            result.withLock { $0 = Measure(times: times.withLock { $0 }, wall: wall, cpu: spent) }
            ended.signal()
        }
        ended.wait()
        return result.withLock { $0 }
    }
}
