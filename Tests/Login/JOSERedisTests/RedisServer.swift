#if Redis
    import Foundation
    import JOSERedis
    import TestSupport

    struct Said: Error { let words: String }

    /// Debian's redis-server on loopback, with a file that is written before it answers: what it confirmed outlives its crash.
    final class RedisServer: Sendable {
        static let tool = ["/usr/bin/redis-server", "/opt/homebrew/bin/redis-server", "/usr/local/bin/redis-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        let port: UInt16
        private let folder: TemporaryFolder
        private let process: Tethered

        /// More lines of its configuration; TLS lines with `isTLS`, and nothing else then listens.
        init(_ lines: [String] = [], isTLS: Bool = false) throws {
            guard let tool = Self.tool else { throw NoServer() }
            var attempts = 0
            while true {
                // Nobody holds the port until Redis does: somebody else may be quicker.
                attempts += 1
                let port = try freePort()
                let folder = try TemporaryFolder()
                let place = folder.url.path
                let text =
                    ([
                        "bind 127.0.0.1", isTLS ? "port 0" : "port \(port)", isTLS ? "tls-port \(port)" : "",
                        "dir \(place)",
                        "daemonize no", "save \"\"", "appendonly yes", "appendfsync always",
                        "maxmemory-policy noeviction",
                    ] + lines).joined(separator: "\n") + "\n"
                try Data(text.utf8).write(to: folder.url.appending(path: "redis.conf"))
                let script = Repository.root.appending(path: "Tests/Programs/Servers/redis.sh")
                let process = try Tethered("/bin/sh", [script.path, tool, place])
                let word = try process.line()
                if word == "ready" {
                    (self.port, self.folder, self.process) = (port, folder, process)
                    return
                }
                guard attempts < 4 else { throw Said(words: word) }
            }
        }

        enum Word: String { case kill, start, stop, go }
        func tell(_ word: Word) throws {
            let answer = try process.ask(word.rawValue)
            guard answer == "done" else { throw Said(words: answer) }
        }

        func options(_ adjust: (inout RedisLoginStore.Options) -> Void = { _ in }) -> RedisLoginStore.Options {
            var options = RedisLoginStore.Options(host: "127.0.0.1", security: .plain)
            options.port = port
            // What a busy machine never needs; tests of time-outs have their own.
            options.connectDeadline = .seconds(20)
            options.deadline = .seconds(20)
            adjust(&options)
            return options
        }

        func store(_ adjust: (inout RedisLoginStore.Options) -> Void = { _ in }) throws -> RedisLoginStore {
            try RedisLoginStore(options(adjust))
        }

        /// What its own tool says to a command.
        func command(_ words: String...) throws -> String {
            let tool = RedisServer.tool.map { $0.replacingOccurrences(of: "redis-server", with: "redis-cli") } ?? ""
            return try run(tool, ["-p", "\(port)"] + words).stdout.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// One that nothing listens on, for the moment.
    func freePort() throws -> UInt16 {
        let listener = try ScriptedServer(script: [])
        return listener.port
    }
#endif
