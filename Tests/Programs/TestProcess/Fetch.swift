#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets

    private func transport(_ ca: String, usesEnvironment: Bool = false) throws -> CurlTransport {
        var options = CurlTransport.Options()
        options.trust = .file(ca)
        options.allowsLoopback = true
        options.hostConnectionLimit = 64
        options.usesEnvironmentProxy = usesEnvironment
        return try CurlTransport(options)
    }

    private func word(_ transport: CurlTransport, _ url: String) async -> String {
        do { return "\(try await transport.send(TransportRequest(url: url)).status)" } catch { return "\(error)" }
    }

    private func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd/.").count }

    /// Returns the number of all threads and of those of transports, on Linux.
    private func threads() -> (all: Int, own: Int) {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let own = tasks.filter { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "bulla-fetch\n"
        }
        return (tasks.count, own.count)
    }

    /// Runs a transport: responses, cancelled tasks, and a shutdown with requests in progress.
    private func live(_ url: String, _ slow: String, _ ca: String) async throws -> (answers: Int, all: Int, own: Int) {
        let transport = try transport(ca)
        let tasks = (0..<50).map { number in Task { await word(transport, number < 40 ? url : slow) } }
        try await Task.sleep(for: .milliseconds(100))
        let count = threads()
        for task in tasks[45...] { task.cancel() }
        var answers = 0
        for task in tasks[..<40] where await task.value == "200" { answers += 1 }
        transport.shutdown()
        for task in tasks[40...] { _ = await task.value }
        return (answers, count.all, count.own)
    }

    /// For tests of the descriptors, the threads and the environment of a process:
    /// - `get URL CA [environment]`: the status, or the error; with `environment`, its proxies are used.
    /// - `count URL SLOW CA`: one line with the descriptors and threads before, while and after.
    /// - `exit URL CA MILLISECONDS`: ends the process that long after its transport began to connect.
    func fetch(_ words: [String]) async throws {
        switch words.first {
        case "get":
            do {
                let transport = try transport(words[2], usesEnvironment: words.count > 3)
                print(await word(transport, words[1]))
            } catch { print(error) }
        case "count":
            _ = try await live(words[1], words[2], words[3])
            let before = (try descriptors(), threads().all)
            var answers = 0
            var most = (all: 0, own: 0)
            for _ in 0..<5 {
                let life = try await live(words[1], words[2], words[3])
                answers += life.answers
                most = (max(most.all, life.all), max(most.own, life.own))
            }
            let after = try descriptors()
            print(before.0, after, before.1, most.all, most.own, threads().own, answers)
        case "exit":
            let (transport, url) = (try transport(words[2]), words[1])
            for _ in 0..<40 { Task.detached { await word(transport, url) } }
            usleep(1_000 * (UInt32(words[3]) ?? 0))
            exit(0)
        default:
            exit(64)
        }
    }
#endif
