internal import CRaw
internal import Foundation
internal import JOSE
internal import JOSETokens
internal import Synchronization

/// Concurrent callers in closed loops, each with its next token as soon as the last is answered: with every request by itself, and with
/// those that come together verified together.
struct CoalesceTest {
    let fixtures: Fixtures
    static let seconds = 1.0

    private struct Measure {
        var rate = 0.0
        var p50 = 0.0
        var p99 = 0.0
    }

    func run() throws -> Bool {
        print("latency in µs, tokens a second, \(craw_cores()) cores; window 50 µs")
        for algorithm in [SignatureAlgorithm.rs256, .es256] {
            let signed = try SignedCase(fixtures, algorithm)
            let token = signed.token
            let one = signed.verifier
            let together = CoalescingVerifier(one)
            let warm = verifying(one, token)
            BatchCase.warm { _ = warm(200) }
            print("\(algorithm.name): callers | alone p50, p99, rate | gathered p50, p99, rate | gain")
            for callers in [1, 2, 4, 8, 16, 32, 64] {
                let plain = measure(callers) { try one.verify(token).claims.payload.count }
                let gathered = measure(callers) { try await together.verify(token).claims.payload.count }
                print(
                    "\(callers) | \(text(plain)) | \(text(gathered)) | \((gathered.rate / plain.rate).formatted(places: 2))"
                )
            }
        }
        return true
    }

    private func text(_ measure: Measure) -> String {
        "\((measure.p50 / 1000).formatted(places: 1)), \((measure.p99 / 1000).formatted(places: 1)), \(Int(measure.rate))"
    }

    private func measure(_ callers: Int, _ work: @escaping @Sendable () async throws -> Int) -> Measure {
        let times = Mutex<[UInt64]>([])
        let result = Mutex<Measure>(Measure())
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            let begun = craw_wall_time()
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
                            // A server reads the next request: others get their turn.
                            await Task.yield()
                            before = craw_wall_time()
                        }
                        return own
                    }
                }
                for await own in group { times.withLock { $0 += own } }
            }
            let elapsed = Double(craw_wall_time() - begun)
            let sorted = times.withLock { $0.sorted() }
            result.withLock {
                $0 = Measure(
                    rate: Double(sorted.count) * 1e9 / elapsed, p50: Double(sorted[sorted.count / 2]),
                    p99: Double(sorted[sorted.count * 99 / 100]))
            }
            ended.signal()
        }
        ended.wait()
        return result.withLock { $0 }
    }
}
