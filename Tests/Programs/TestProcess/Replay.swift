#if Redis
    import JOSE
    import JOSERedis
    import JOSETokens
    import Synchronization

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    private enum Outcome { case accepted, used, retry, other }

    /// Verifies each of a list of DPoP proofs several times at once, in competition with other processes. Arguments: the port of Redis,
    /// and how often each proof is sent. Standard input has a proof a line, an empty line, and a line at which the race begins. Prints
    /// "ready" after the proofs, and then the counts of one digit each proof: of acceptances, of tokens rejected as used, and of errors
    /// that may be retried, as three lines. A last line has the number of other errors.
    func replay(_ arguments: [String]) async throws {
        var options = RedisOptions(host: "127.0.0.1", security: .plain)
        options.port = UInt16(arguments[0]) ?? 0
        options.deadline = .seconds(60)
        let times = Int(arguments[1]) ?? 0
        let store = try RedisReplayStore(RedisReplayStore.Options(server: options))
        let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: store) { $0.maximumAge = .seconds(3600) }
        let request = DPoPRequest(method: "POST", url: "https://as.example/token")
        try await store.connect()
        var proofs: [String] = []
        while let line = readLine(), !line.isEmpty { proofs.append(line) }
        print("ready")
        // Output that is not flushed appears only when the process ends.
        fflush(nil)
        _ = readLine()
        @Sendable func outcome(_ proof: String) async -> Outcome {
            do throws(TokenError) {
                _ = try await verifier.verifyAwaitingStore(proof, for: request)
                return .accepted
            } catch {
                return error == .replay(.seen) ? .used : error.isRetryable ? .retry : .other
            }
        }
        var lines = [Outcome.accepted: "", .used: "", .retry: ""]
        var others = 0
        for first in stride(from: 0, to: proofs.count, by: 8) {
            let range = first..<min(first + 8, proofs.count)
            let batch = Array(proofs[range])
            let counts = await withTaskGroup(of: (Int, Outcome).self) { group in
                for (index, proof) in batch.enumerated() {
                    for _ in 0..<times { group.addTask { (index, await outcome(proof)) } }
                }
                var counts = batch.map { _ in [Outcome: Int]() }
                for await (index, outcome) in group { counts[index][outcome, default: 0] += 1 }
                return counts
            }
            for count in counts {
                for outcome in [Outcome.accepted, .used, .retry] {
                    lines[outcome, default: ""] += String(count[outcome, default: 0], radix: 36)
                }
                others += count[.other, default: 0]
            }
        }
        for outcome in [Outcome.accepted, .used, .retry] { print(lines[outcome, default: ""]) }
        print(others)
    }
#endif
