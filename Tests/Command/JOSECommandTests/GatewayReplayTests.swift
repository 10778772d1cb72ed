#if Redis && Server
    import Foundation
    import JOSE
    import JOSETokens
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    @Suite(
        "The command serve with used proofs in Redis",
        .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct GatewayReplayTests {
        /// Processes of one configuration, as on several machines.
        private final class Gateways {
            private let folder: TemporaryFolder
            private let issuerKey: PrivateKey
            private let clientKey: PrivateKey
            private var processes: [Tethered] = []

            /// Writes the configuration.
            ///
            /// - Parameter replay: The members of `replay`.
            init(_ replay: String) throws {
                folder = try TemporaryFolder()
                issuerKey = try PrivateKey.generate(.p256, keyID: "k1")
                clientKey = try PrivateKey.generate(.p256)
                try Data(issuerKey.publicKey.jwk().utf8).write(to: folder.url.appending(path: "keys.json"))
                try configure(replay)
            }

            /// Writes another configuration, which has no member `replay` for nil.
            func configure(_ replay: String?, algorithm: String = "ES256") throws {
                let member = replay.map { #""replay":{\#($0)},"# } ?? ""
                let text = """
                    {"issuers":{"main":{"iss":"https://id.example.com","aud":"shop","alg":"\(algorithm)","keys":"keys.json"}},
                     "policies":[{"path":"/","issuers":["main"],
                      "dpop":{"alg":["ES256"],"origin":"https://api.example.com","required":false,"max-age":3600}}],
                     "log":"none",\(member)"listen":["unix:@"]}
                    """
                for number in 0..<2 {
                    let socket = folder.url.appending(path: "s\(number)").path
                    try Data(text.replacing("unix:@", with: "unix:" + socket).utf8)
                        .write(to: folder.url.appending(path: "\(number).json"))
                }
            }

            private func configuration(_ number: Int) -> String { folder.url.appending(path: "\(number).json").path }

            /// Starts one of the processes, and returns what it reports until it listens.
            func start(_ number: Int) throws -> [String] {
                let tool = try #require(builtTool("bulla"))
                let process = try Tethered(
                    "/bin/sh", ["-c", "exec \"$0\" serve \"$1\" 2>&1", tool, configuration(number)])
                processes.append(process)
                var lines = [try process.line()]
                while lines.last?.contains("listening on") != true { lines.append(try process.line()) }
                return lines
            }

            /// Has one of the processes read its configuration again, and returns what it reports.
            func reload(_ number: Int) throws -> String {
                #expect(kill(processes[number].identifier, SIGHUP) == 0)
                return try Self.report(processes[number], with: "the configuration")
            }

            /// Returns the next line with a text that the process reports which was started last.
            func lastReport(with text: String) throws -> String {
                try Self.report(#require(processes.last), with: text)
            }

            /// Returns the next line that the process reports which was started last; nil if it reports none in this time.
            func lastLine(within milliseconds: Int32) throws -> String? {
                try #require(processes.last).line(within: milliseconds)
            }

            private static func report(_ process: Tethered, with text: String) throws -> String {
                while true {
                    let line = try process.line()
                    if line.contains(text) { return line }
                }
            }

            /// Returns the counters of one of the processes.
            func metrics(_ number: Int) throws -> String {
                let socket = folder.url.appending(path: "s\(number)").path
                return try run(
                    "/usr/bin/env",
                    ["curl", "-s", "--max-time", "300", "--unix-socket", socket, "http://gateway/metrics"]
                ).stdout
            }

            /// Ends the process that was started last, as a crash would.
            func crash() { processes.popLast()?.kill() }

            func write(_ name: String, _ text: String) throws -> String {
                let file = folder.url.appending(path: name)
                try Data(text.utf8).write(to: file, options: .atomic)
                return file.path
            }

            /// Starts one of the processes with a configuration that it must refuse, and returns what it reports until it ends. On a busy machine
            /// Redis may not answer within a second, and the process starts all the same: it is then ended, and another is started.
            func refusal(_ number: Int) throws -> String {
                let tool = try #require(builtTool("bulla"))
                for _ in 0..<20 {
                    let process = try Tethered(
                        "/bin/sh",
                        ["-c", "exec \"$0\" serve \"$1\" 2>&1", tool, configuration(number)])
                    processes.append(process)
                    var lines: [String] = []
                    while lines.last?.contains("listening on") != true {
                        guard let line = try? process.line() else { return lines.joined(separator: "\n") }
                        lines.append(line)
                    }
                    process.kill()
                }
                return "none of 20 processes ended"
            }

            /// Sends a request again as long as its response has the status 503, which means that Redis did not answer within a second or is
            /// not connected again yet. Returns the status of the last response.
            private func repeating(_ ask: () throws -> String) throws -> String {
                let end = ContinuousClock.now + .seconds(300)
                while true {
                    let status = try ask()
                    guard status == "503", ContinuousClock.now < end else { return status }
                    usleep(20_000)
                }
            }

            /// Sends new proofs to one of the processes until its response is not 503. The last proof must be accepted, and is returned.
            func accepted(_ number: Int, _ token: String) throws -> String {
                var last = ""
                let status = try repeating {
                    last = try proof(for: token)
                    return try ask(number, "DPoP " + token, proof: last)
                }
                #expect(status == "204")
                return last
            }

            /// Sends a proof to one of the processes until its response is not 503, and returns the status of that response.
            func status(_ number: Int, _ token: String, proof: String) throws -> String {
                try repeating { try ask(number, "DPoP " + token, proof: proof) }
            }

            deinit { for process in processes { _ = kill(process.identifier, SIGKILL) } }

            func token(isBound: Bool = true) throws -> String {
                var claims: [String: Any] = ["iss": "https://id.example.com", "aud": "shop", "exp": 4_000_000_000]
                if isBound {
                    let thumbprint = Data(try clientKey.publicKey.thumbprint()).base64EncodedString()
                    let text = thumbprint.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                    claims["cnf"] = ["jkt": text]
                }
                let payload = try JSONSerialization.data(withJSONObject: claims)
                return try JWSSigner(key: issuerKey, algorithm: .es256).sign(Array(payload))
            }

            func proof(for token: String) throws -> String {
                try DPoPProver(key: clientKey, algorithm: .es256)
                    .proof(method: "GET", url: "https://api.example.com/x", accessToken: token)
            }

            /// Sends a request to one of the processes, and returns the status of its response.
            func ask(_ number: Int, _ authorization: String, proof: String? = nil) throws -> String {
                let fields =
                    [
                        "X-Bulla-Path: /x", "X-Bulla-Method: GET", "X-Bulla-Target: /x",
                        "Authorization: \(authorization)",
                    ] + (proof.map { ["DPoP: \($0)"] } ?? [])
                let socket = folder.url.appending(path: "s\(number)").path
                return try run(
                    "/usr/bin/env",
                    [
                        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "300", "--unix-socket",
                        socket,
                    ]
                        + fields.flatMap { ["-H", $0] } + ["http://gateway/auth"]
                ).stdout
            }
        }

        @Test(
            "K33 two processes of serve with one Redis accept a proof once, and none while it is away (RFC 9449, 11.1)")
        func proofs() throws {
            let redis = try RedisServer()
            let gateways = try Gateways(#""redis":"redis://127.0.0.1:\#(redis.port)""#)
            for number in 0..<2 { _ = try gateways.start(number) }
            let token = try gateways.token()
            let first = try gateways.accepted(0, token)
            for number in 0..<2 { #expect(try gateways.status(number, token, proof: first) == "401") }
            _ = try gateways.accepted(1, token)
            #expect(try gateways.ask(1, "DPoP " + token) == "401")
            try redis.tell(.kill)
            let unjudged = try gateways.proof(for: token)
            #expect(try gateways.ask(1, "DPoP " + token, proof: unjudged) == "503")
            // A token that is not bound to a key needs no store.
            #expect(try gateways.ask(1, "Bearer " + gateways.token(isBound: false)) == "204")
            try redis.tell(.start)
            _ = try gateways.accepted(1, token)
            #expect(try gateways.status(0, token, proof: first) == "401")
        }

        @Test("a new configuration of serve keeps used proofs, and one that is rejected leaves no server behind")
        func configurations() throws {
            let redis = try RedisServer(), evicting = try RedisServer(["maxmemory-policy allkeys-lru"])
            let gateways = try Gateways(#""redis":"redis://127.0.0.1:\#(redis.port)""#)
            _ = try gateways.start(0)
            let token = try gateways.token()
            let first = try gateways.accepted(0, token)
            #expect(try gateways.reload(0).contains("the configuration was read again"))
            #expect(try gateways.status(0, token, proof: first) == "401")
            try gateways.configure(#""redis":"redis://127.0.0.1:\#(evicting.port)""#)
            let kept = try gateways.reload(0)
            #expect(kept.contains("the configuration in use stays: replay: Redis at 127.0.0.1:\(evicting.port)"))
            #expect(try gateways.status(0, token, proof: first) == "401")
            // The server of a configuration that is rejected for another reason is not the one that is watched.
            let unused = try RedisServer()
            try gateways.configure(#""redis":"redis://127.0.0.1:\#(unused.port)""#, algorithm: "ES255")
            #expect(try gateways.reload(0).contains("the configuration in use stays"))
            #expect(try gateways.metrics(0).contains("\nbulla_serve_replay_store_usable 1\n"))
            try redis.tell(.kill)
            #expect(try gateways.ask(0, "DPoP " + token, proof: gateways.proof(for: token)) == "503")
            #expect(try gateways.metrics(0).contains("\nbulla_serve_replay_store_usable 0\n"))
            #expect(try gateways.lastReport(with: "Redis at").contains("127.0.0.1:\(redis.port): "))
            try redis.tell(.start)
            _ = try gateways.accepted(0, token)
            try gateways.configure(nil)
            #expect(try gateways.reload(0).contains("the configuration was read again"))
            // The store in memory knows nothing of the other.
            for status in ["204", "401"] { #expect(try gateways.ask(0, "DPoP " + token, proof: first) == status) }
        }

        @Test("serve uses another password for Redis as soon as its file has changed") func password() throws {
            let redis = try RedisServer(["requirepass first"])
            let address = #""redis":"redis://127.0.0.1:\#(redis.port)","redis-password-file":"password""#
            let gateways = try Gateways(address)
            let file = try gateways.write("password", "first\n")
            #expect(file.hasSuffix("/password"))
            _ = try gateways.start(0)
            let token = try gateways.token()
            _ = try gateways.accepted(0, token)
            #expect(try redis.command("-a", "first", "CONFIG", "SET", "requirepass", "second") == "OK")
            _ = try redis.command("-a", "second", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            _ = try gateways.write("password", "second\n")
            _ = try gateways.accepted(0, token)
        }

        @Test("K44 with replicas a proof is accepted once one has its mark, and not again after a failover")
        func replicas() async throws {
            let primary = try RedisServer(["repl-diskless-sync-delay 0"])
            func member(_ server: RedisServer, _ more: String = "") -> String {
                #""redis":"redis://127.0.0.1:\#(server.port)"\#(more)"#
            }
            // The timeout is longer than a busy machine needs.
            let gateways = try Gateways(member(primary, #","replicas":1,"replica-timeout":2"#))
            let report = try gateways.start(0)
            #expect(report[0].contains("the server has too few replicas; proofs are answered with 503"), "\(report)")
            let token = try gateways.token()
            let lost = try gateways.proof(for: token)
            #expect(try gateways.ask(0, "DPoP " + token, proof: lost) == "503")
            let replica = try RedisServer(["replicaof 127.0.0.1 \(primary.port)"])
            try await until { (try? primary.command("INFO", "replication").contains("state=online")) ?? false }
            let first = try gateways.accepted(0, token)
            // Its mark was made although no replica confirmed it: the client needs another proof.
            #expect(try gateways.status(0, token, proof: lost) == "401")
            try primary.tell(.kill)
            #expect(try replica.command("REPLICAOF", "NO", "ONE") == "OK")
            try gateways.configure(member(replica))
            #expect(try gateways.reload(0).contains("the configuration was read again"))
            #expect(try gateways.status(0, token, proof: first) == "401")
            _ = try gateways.accepted(0, token)
        }

        @Test("K43 a password for Redis on another machine requires TLS or the opt-in that names it")
        func plaintextPassword() throws {
            let tool = try #require(builtTool("bulla"))
            let gateways = try Gateways(#""redis":"redis://10.0.0.1","redis-password-file":"password""#)
            let file = try gateways.write("password", "open-sesame\n")
            let text = "the password would be sent in plaintext to a host that is not this machine"
            func check() throws -> (status: Int32, stdout: String, stderr: String) {
                try run(tool, ["serve", "--check", file.replacing("/password", with: "/0.json")])
            }
            let refused = try check()
            #expect(refused.status == 2 && refused.stderr.contains("replay: redis: " + text), "\(refused.stderr)")
            for address in [
                #""redis":"redis://10.0.0.1","allow-plain-redis-password":true"#, #""redis":"rediss://10.0.0.1""#,
                #""redis":"redis://127.0.0.1""#, #""redis":"redis://[::1]""#,
            ] {
                try gateways.configure(address + #","redis-password-file":"password""#)
                #expect(try check().status == 0, "\(address)")
            }
            for command in ["worker", "enqueue"] {
                let done = try run(
                    tool, [command, "--redis", "redis://10.0.0.1", "--stream", "t", "--redis-password-file", file])
                #expect(done.status == 2 && done.stderr.contains(text), "\(done.stderr)")
            }
        }

        @Test("X17 commands refuse a user of Redis without EVAL at the start, although Redis has their scripts")
        func permissions() throws {
            let tool = try #require(builtTool("bulla"))
            let redis = try RedisServer(["user cached on >secret ~* +@all -eval", "user whole on >secret ~* +@all"])
            func member(_ user: String) -> String {
                #""redis":"redis://\#(user)@127.0.0.1:\#(redis.port)","redis-password-file":"password""#
            }
            let gateways = try Gateways(member("whole"))
            let file = try gateways.write("password", "secret\n")
            let key = file.replacing("/password", with: "/keys.json")
            func command(_ name: String, _ user: String, _ words: [String]) throws -> (
                status: Int32, stdout: String, stderr: String
            ) {
                let place = ["--redis", "redis://\(user)@127.0.0.1:\(redis.port)", "--stream", "t"]
                return try run(tool, [name, "--redis-password-file", file] + place + words, stdin: "a.b.c\n")
            }
            let policy = ["--until-empty", "--keys", key, "--alg", "ES256", "--iss", "i", "--aud", "a"]
            // From now on Redis has all scripts.
            _ = try gateways.start(0)
            _ = try gateways.accepted(0, gateways.token())
            #expect(try command("enqueue", "whole", []).status == 0)
            #expect(try command("worker", "whole", policy).status == 0)
            let reason = "the user lacks a permission"
            for (name, words) in [("enqueue", []), ("worker", policy)] {
                let refused = try command(name, "cached", words)
                #expect(refused.status == 2 && refused.stderr.contains(reason), "\(name): \(refused.stderr)")
            }
            #expect(try redis.command("XLEN", "t") == "0" && redis.command("XLEN", "t:answers") == "1")
            try gateways.configure(member("cached"))
            #expect(try gateways.refusal(1).contains(reason))
        }

        @Test("serve begins while Redis is away, and refuses a server that may lose what it confirms unless told")
        func servers() throws {
            let redis = try RedisServer(["maxmemory-policy allkeys-lru"])
            let address = #""redis":"redis://127.0.0.1:\#(redis.port)""#
            let gateways = try Gateways(address)
            let text = try gateways.refusal(0)
            let reason = "replay: Redis at 127.0.0.1:\(redis.port): the server's maxmemory-policy is not noeviction"
            #expect(text.contains(reason) && text.contains("; allow-volatile accepts this"))
            try gateways.configure(address + #","allow-volatile":true"#)
            _ = try gateways.start(0)
            try redis.tell(.kill)
            let report = try gateways.start(1)
            #expect(report.count == 2 && report[0].contains("proofs are answered with 503 until it can be reached"))
            let token = try gateways.token()
            #expect(try gateways.ask(1, "DPoP " + token, proof: gateways.proof(for: token)) == "503")
            #expect(try gateways.metrics(1).contains("\nbulla_serve_replay_store_usable 0\n"))
            try redis.tell(.start)
            _ = try gateways.accepted(1, token)
            #expect(try gateways.lastReport(with: "Redis at").hasSuffix("the server can be used again"))
            #expect(try gateways.metrics(1).contains("\nbulla_serve_replay_store_usable 1\n"))
            // A server that was away at the start, and proves to lose what it confirms, is reported as soon as a request needs it.
            gateways.crash()
            try redis.tell(.kill)
            try gateways.configure(address)
            _ = try gateways.start(1)
            try redis.tell(.start)
            var said: String?
            for _ in 0..<3_000 where said?.contains("is not noeviction") != true {
                #expect(try gateways.ask(1, "DPoP " + token, proof: gateways.proof(for: token)) == "503")
                said = try gateways.lastLine(within: 100)
            }
            #expect(said?.hasSuffix("proofs are answered with 503") == true)
        }
    }
#endif
