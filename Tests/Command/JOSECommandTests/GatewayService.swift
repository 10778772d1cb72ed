#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// A configuration with its keys, and a service that runs it.
    final class GatewayService {
        let folder: TemporaryFolder
        let key: PrivateKey
        private var served: Tethered?
        private(set) var lines: [String] = []
        var path: String { folder.url.path }
        var socket: String { path + "/s" }
        var config: String { path + "/gateway.json" }

        init() throws {
            folder = try TemporaryFolder()
            key = try PrivateKey.generate(.p256, keyID: "k1")
            try write("keys.json", key.publicKey.jwk())
        }

        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.url.appending(path: name), options: .atomic)
        }

        /// Writes the configuration.
        func configure(
            _ members: String = "", issuers: String = "",
            policies: String = #"{"path":"/","issuers":["main"],"cookie":"session"}"#
        ) throws {
            try write(
                "gateway.json",
                """
                {"listen":["unix:\(socket)"],"log":"none",
                 "headers":{"X-Auth-Subject":"sub","X-Auth-Groups":"groups","X-Auth-Mail":"email"},
                 "issuers":{"main":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"keys.json"}\(issuers)},
                 "policies":[\(policies)]\(members)}
                """)
        }

        /// Starts the service, and waits until it listens.
        func start() throws {
            let tool = try #require(builtTool("bulla"))
            let served = try Tethered("/bin/sh", ["-c", "exec \"$0\" serve \"$1\" 2>&1", tool, config])
            self.served = served
            try expect("listening on unix:")
        }

        /// Reads what the service reports up to a line with this text.
        func expect(_ text: String) throws {
            let served = try #require(served)
            for _ in 0..<20 {
                let line = try served.line()
                lines.append(line)
                if line.contains(text) { return }
            }
            Issue.record("no line with \(text)")
        }

        func signal(_ number: Int32) throws { #expect(kill(try #require(served).identifier, number) == 0) }

        func identifier() throws -> Int32 { try #require(served).identifier }

        /// Returns the process, which goes on, so that another one can be started.
        func handOver() throws -> Tethered {
            defer { served = nil }
            return try #require(served)
        }

        /// Waits until the service has ended, and its standard error is closed.
        func awaitEnd() throws {
            let served = try #require(served)
            #expect(throws: (any Error).self) { while true { _ = try served.line() } }
            served.kill()
            self.served = nil
        }

        deinit { if let served { _ = kill(served.identifier, SIGKILL) } }

        func token(_ claims: String = #"{"sub":"alice","groups":["a","b"]}"#, by signer: PrivateKey? = nil) throws
            -> String
        {
            var members = try #require(
                try JSONSerialization.jsonObject(with: Data(claims.utf8)) as? [String: Any])
            for (name, value) in ["iss": "https://id.example.com", "aud": "shop", "exp": 4_000_000_000]
                as [String: Any]
            where members[name] == nil {
                members[name] = value
            }
            let payload = try JSONSerialization.data(withJSONObject: members)
            return try JWSSigner(key: signer ?? key, algorithm: .es256).sign(Array(payload))
        }

        /// Sends bytes over the socket, and returns all that comes until the service closes the connection.
        func raw(_ request: String, cut: Bool = false) throws -> String {
            let done = try run(
                "/usr/bin/env", ["python3", "-c", Self.script, socket, cut ? "cut" : "whole"], stdin: request)
            #expect(done.status == 0, "\(done.stderr)")
            return done.stdout
        }

        private static let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(300)
            s.connect(sys.argv[1])
            s.sendall(sys.stdin.buffer.read())
            if sys.argv[2] == "cut": s.shutdown(socket.SHUT_WR)
            got = b""
            try:
                while part := s.recv(65536): got += part
            except ConnectionResetError: pass
            sys.stdout.buffer.write(got)
            """

        /// Sends a request to a path of the service.
        func get(_ target: String, _ fields: [String] = [], body: String? = nil) throws -> GatewayReply {
            var head = "\(body == nil ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            for field in fields { head += field + "\r\n" }
            if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
            return GatewayReply(try raw(head + "\r\n" + (body ?? "")))
        }

        /// Asks for a decision about a request with a token.
        func auth(_ token: String?, path: String = "/", _ more: [String] = []) throws -> GatewayReply {
            try get(
                "/auth", ["X-Bulla-Path: \(path)"] + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + more)
        }
    }

    struct GatewayReply {
        let status: String
        let fields: [String]
        let body: String

        init(_ text: String) {
            let parts = text.components(separatedBy: "\r\n\r\n")
            let lines = parts[0].components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            status = words.count > 1 ? String(words[1]) : ""
            fields = Array(lines.dropFirst())
            body = parts.dropFirst().joined(separator: "\r\n\r\n")
        }

        /// Returns the values of the fields of a name, without white space around them.
        func values(_ name: String) -> [String] {
            fields.compactMap { field in
                let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }
#endif
