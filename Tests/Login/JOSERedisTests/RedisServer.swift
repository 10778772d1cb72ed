#if Redis
    import Foundation
    import JOSERedis
    import TestSupport

    struct Said: Error { let words: String }

    /// A redis-server on loopback, which writes its append-only file before it replies, so that confirmed values survive its
    /// crash.
    final class RedisServer: Sendable {
        static let tool = ["/usr/bin/redis-server", "/opt/homebrew/bin/redis-server", "/usr/local/bin/redis-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        let port: UInt16
        private let folder: TemporaryFolder
        private let process: Tethered

        /// Starts a server.
        ///
        /// - Parameters:
        ///   - lines: Additional lines of the configuration.
        ///   - isTLS: Whether the server accepts TLS connections, and no others.
        init(_ lines: [String] = [], isTLS: Bool = false) throws {
            guard let tool = Self.tool else { throw NoServer() }
            var attempts = 0
            while true {
                // The port is free until Redis listens on it: another process may take it first.
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
            // These deadlines are longer than a busy machine needs. Tests of timeouts set their own.
            options.connectDeadline = .seconds(20)
            options.deadline = .seconds(20)
            adjust(&options)
            return options
        }

        func store(_ adjust: (inout RedisLoginStore.Options) -> Void = { _ in }) throws -> RedisLoginStore {
            try RedisLoginStore(options(adjust))
        }

        /// Runs a command with redis-cli and returns its output.
        func command(_ words: String...) throws -> String {
            let tool = RedisServer.tool.map { $0.replacingOccurrences(of: "redis-server", with: "redis-cli") } ?? ""
            return try run(tool, ["-p", "\(port)"] + words).stdout.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Returns a port on which nothing listens at the moment.
    func freePort() throws -> UInt16 {
        let listener = try ScriptedServer(script: [])
        return listener.port
    }
#endif
