internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A redis-server on loopback, which writes its append-only file before it replies, so that confirmed values survive its
/// crash.
package final class RedisServer: Sendable {
    package static let tool = [
        "/usr/bin/redis-server", "/opt/homebrew/bin/redis-server", "/usr/local/bin/redis-server",
    ]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

    package var port: UInt16 { held.port }
    private let held: HeldPort
    private let folder: TemporaryFolder
    private let process: Tethered

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - lines: Additional lines of the configuration.
    ///   - isTLS: Whether the server accepts TLS connections, and no others.
    package init(_ lines: [String] = [], isTLS: Bool = false) throws {
        guard let tool = Self.tool else { throw FaultServer.Complaint(description: "redis-server is not here") }
        var attempts = 0
        while true {
            attempts += 1
            let held = try HeldPort()
            let port = held.port
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
                (self.held, self.folder, self.process) = (held, folder, process)
                return
            }
            guard attempts < 4 else { throw FaultServer.Complaint(description: word) }
        }
    }

    package enum Word: String { case kill, start, stop, go }
    package func tell(_ word: Word) throws {
        let answer = try process.ask(word.rawValue)
        guard answer == "done" else { throw FaultServer.Complaint(description: answer) }
    }

    /// Runs a command with redis-cli and returns its output.
    package func command(_ words: String...) throws -> String {
        let tool = RedisServer.tool.map { $0.replacingOccurrences(of: "redis-server", with: "redis-cli") } ?? ""
        return try run(tool, ["-p", "\(port)"] + words).stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// A port of loopback that the system gives to no other socket, also while its server is down: a bound socket keeps it, and Redis
/// may listen there because both have SO_REUSEADDR.
private final class HeldPort: Sendable {
    let port: UInt16
    private let held: Int32

    init() throws {
        #if canImport(Darwin)
            held = socket(AF_INET, SOCK_STREAM, 0)
        #else
            held = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        var reuses: Int32 = 1
        _ = unsafe setsockopt(held, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let held = held
        let works = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(held, $0, size) == 0 && getsockname(held, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard works else { throw FaultServer.Complaint(description: "no free port") }
    }

    deinit { close(held) }
}
