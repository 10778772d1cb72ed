internal import Dispatch
internal import JOSERedis
internal import JOSERelyingParty
internal import Synchronization

/// Measures transactions a second, each an insert and a take, with the store in memory and with Redis.
struct StoreTest {
    let port: UInt16
    static let rounds = 7

    func run() throws -> Bool {
        var options = RedisOptions(host: "127.0.0.1", security: .plain)
        options.port = port
        let redis = try RedisLoginStore(options)
        print("transactions of 512 bytes, insert and take; median of \(Self.rounds) rounds")
        for (name, store, count) in [
            ("memory", MemoryLoginStore() as any LoginStore, 100_000), ("Redis", redis as any LoginStore, 20_000),
        ] {
            for atOnce in [1, 64] {
                _ = try rate(store, 640, atOnce)
                let rates = try (0..<Self.rounds).map { _ in try rate(store, atOnce == 1 ? count / 10 : count, atOnce) }
                print("  \(name), \(atOnce) at a time: \(Int(rates.median))/s")
            }
        }
        redis.shutdown()
        return true
    }

    private func rate(_ store: any LoginStore, _ count: Int, _ atOnce: Int) throws -> Double {
        let value = [UInt8](repeating: 7, count: 512)
        let ended = DispatchSemaphore(value: 0)
        let failures = StoreFailures()
        let begun = ContinuousClock.now
        Task.detached {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<atOnce {
                    group.addTask {
                        for number in 0..<count / atOnce {
                            do {
                                let key = try StoreKey(kind: "bench", value: "\(worker) \(number)")
                                let kept = try await store.insert(value, for: key, lifetime: .seconds(600))
                                let taken = try await store.take(key)
                                if !kept || taken?.count != value.count { failures.add() }
                            } catch { failures.add() }
                        }
                    }
                }
            }
            ended.signal()
        }
        ended.wait()
        guard failures.count == 0 else { throw Options.Fault(description: "\(failures.count) transactions failed") }
        let time = (ContinuousClock.now - begun).components
        return Double(count / atOnce * atOnce) / (Double(time.seconds) + Double(time.attoseconds) * 1e-18)
    }
}

/// A counter for several tasks.
private final class StoreFailures: Sendable {
    private let total = Atomic(0)

    var count: Int { total.load(ordering: .relaxed) }
    func add() { total.add(1, ordering: .relaxed) }
}
