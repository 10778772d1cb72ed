internal import Dispatch
internal import Foundation
internal import JOSEFetch
internal import JOSEKeySets
internal import Synchronization

/// Measures requests a second over kept-alive connections, by the transport and by curl's own command in turn.
struct FetchTest {
    let url: String
    let ca: String
    static let requests = 2000
    static let rounds = 7

    func run() throws -> Bool {
        var options = CurlTransport.Options()
        options.trust = .file(ca)
        options.allowsLoopback = true
        let transport = try CurlTransport(options)
        print("\(url): \(Self.requests) requests a round, median of \(Self.rounds) rounds")
        for atOnce in [1, 8] {
            var ours: [Double] = []
            var theirs: [Double] = []
            _ = try send(transport, 100, atOnce)
            for _ in 0..<Self.rounds {
                ours.append(try send(transport, Self.requests, atOnce))
                theirs.append(try curl(Self.requests, atOnce))
            }
            let best = (ours.max() ?? 0) / (theirs.max() ?? 1)
            print(
                "  \(atOnce) at a time: CurlTransport \(Int(ours.median))/s, curl \(Int(theirs.median))/s, ratio",
                "\(zip(ours, theirs).map { $0 / $1 }.median.formatted(places: 2)), of the best rounds",
                best.formatted(places: 2))
        }
        transport.shutdown()
        return true
    }

    /// Returns the transport's requests a second.
    private func send(_ transport: CurlTransport, _ count: Int, _ atOnce: Int) throws -> Double {
        let request = TransportRequest(url: url)
        let ended = DispatchSemaphore(value: 0)
        let failures = Failures()
        let begun = ContinuousClock.now
        Task.detached {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<atOnce {
                    group.addTask {
                        for _ in 0..<count / atOnce {
                            if (try? await transport.send(request))?.status != 200 { failures.add() }
                        }
                    }
                }
            }
            ended.signal()
        }
        ended.wait()
        guard failures.count == 0 else { throw Options.Fault(description: "\(failures.count) requests failed") }
        return Double(count) / Self.seconds(ContinuousClock.now - begun)
    }

    /// Returns the requests a second of one curl process, which gets all URLs at once. The time of its start is subtracted.
    private func curl(_ count: Int, _ atOnce: Int) throws -> Double {
        Double(count - 1) / max(1e-6, try timeOfCurl(count, atOnce) - timeOfCurl(1, 1))
    }

    private func timeOfCurl(_ count: Int, _ atOnce: Int) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let parallel = atOnce > 1 ? ["--parallel", "--parallel-max", "\(atOnce)"] : []
        process.arguments =
            ["curl", "-sSf", "--noproxy", "*", "--cacert", ca, "-o", "/dev/null"] + parallel + ["\(url)?[1-\(count)]"]
        // With several transfers at once curl shows its progress even if it is silent.
        process.standardError = FileHandle.nullDevice
        let begun = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Options.Fault(description: "curl: \(process.terminationStatus)")
        }
        return Self.seconds(ContinuousClock.now - begun)
    }

    private static func seconds(_ time: Duration) -> Double {
        Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    }
}

/// A counter for several tasks.
private final class Failures: Sendable {
    private let total = Atomic(0)

    var count: Int { total.load(ordering: .relaxed) }
    func add() { total.add(1, ordering: .relaxed) }
}
