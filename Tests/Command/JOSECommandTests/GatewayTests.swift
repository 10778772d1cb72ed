#if Server
    import Foundation
    import JOSE
    import JOSETesting
    import JOSETokens
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of the command `serve`, by HTTP over a Unix socket and loopback.
    @Suite("The command serve") struct GatewayTests {
        /// A configuration with its keys, and a service that runs it.
        private final class Service {
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

            /// Waits until the service has ended, and its standard error is closed.
            func awaitEnd() throws {
                let served = try #require(served)
                #expect(throws: (any Error).self) { while true { _ = try served.line() } }
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
                s.settimeout(20)
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
            func get(_ target: String, _ fields: [String] = [], body: String? = nil) throws -> Reply {
                var head = "\(body == nil ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                for field in fields { head += field + "\r\n" }
                if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
                return Reply(try raw(head + "\r\n" + (body ?? "")))
            }

            /// Asks for a decision about a request with a token.
            func auth(_ token: String?, path: String = "/", _ more: [String] = []) throws -> Reply {
                try get(
                    "/auth", ["X-Bulla-Path: \(path)"] + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + more)
            }
        }

        private struct Reply {
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

        @Test(
            "K30 serve answers 204 with every configured field, so that a client's own never passes (RFC 9110, 5.5)")
        func fields() throws {
            let service = try Service()
            try service.configure()
            try service.start()
            let plain = try service.auth(service.token())
            #expect(plain.status == "204")
            #expect(plain.values("X-Auth-Subject") == ["alice"])
            #expect(plain.values("X-Auth-Groups") == ["a,b"])
            // A client's own field of this name would pass if the service left the field out.
            #expect(plain.values("X-Auth-Mail") == [""])
            let forged = try service.auth(service.token(), ["X-Auth-Mail: forged@example.com"])
            #expect(forged.status == "204" && forged.values("X-Auth-Mail") == [""])
        }

        @Test("K31 a claim cannot end the field that serve sends it in, nor add one (RFC 9110, 5.5)")
        func encodedClaims() throws {
            let service = try Service()
            try service.configure()
            try service.start()
            #expect(try service.auth(service.token()).values("X-Auth-Subject") == ["alice"])
            let hostile = try service.auth(
                service.token(#"{"sub":" a\r\nX-Admin: 1\u0000é%, ","groups":["a,b","c"]}"#),
                ["X-Auth-Mail: forged@example.com"])
            #expect(hostile.status == "204")
            #expect(hostile.values("X-Auth-Subject") == ["%20a%0D%0AX-Admin: 1%00%C3%A9%25%2C%20"])
            #expect(hostile.values("X-Auth-Groups") == ["a%2Cb,c"])
            #expect(hostile.values("X-Auth-Mail") == [""])
            #expect(hostile.values("X-Admin").isEmpty)
        }

        @Test("serve limits the bytes of claims in fields, and accepts tokens of 9 kB")
        func sizes() throws {
            let service = try Service()
            try service.configure(#","header-bytes":100"#)
            try service.start()
            let short = try service.auth(service.token(#"{"sub":"\#(String(repeating: "s", count: 90))"}"#))
            #expect(short.status == "204")
            let long = try service.auth(service.token(#"{"sub":"\#(String(repeating: "s", count: 101))"}"#))
            #expect(long.status == "403" && long.values("X-Auth-Subject").isEmpty)
            let token = try service.token(#"{"sub":"alice","padding":"\#(String(repeating: "p", count: 6800))"}"#)
            #expect(token.utf8.count > 9000)
            #expect(try service.auth(token).status == "204")
            // A request beyond the limit of the head is rejected, and the next connection is served.
            #expect(try service.auth(String(repeating: "x", count: 70_000)).status != "204")
            #expect(try service.auth(token).status == "204")
        }

        @Test(
            "serve rejects with the challenges of RFC 6750, 3: none without a token, invalid_token, insufficient_scope")
        func challenges() throws {
            let service = try Service()
            try service.configure(
                policies: """
                    {"path":"/","issuers":["main"],"cookie":"session"},
                    {"path":"/admin","issuers":["main"],"scope":["admin"],"realm":"back office"},
                    {"path":"/open","public":true}
                    """)
            try service.start()
            let token = try service.token(#"{"sub":"a","scope":"read"}"#)
            let none = try service.auth(nil)
            #expect(none.status == "401" && none.values("WWW-Authenticate") == [#"Bearer realm="bulla""#])
            let other = try service.auth(service.token(by: PrivateKey.generate(.p256, keyID: "k1")))
            #expect(other.status == "401")
            #expect(other.values("WWW-Authenticate").first?.contains(#"error="invalid_token""#) == true)
            let scope = try service.auth(token, path: "/admin/users")
            #expect(scope.status == "403")
            #expect(
                scope.values("WWW-Authenticate") == [
                    #"Bearer realm="back office", error="insufficient_scope", error_description="insufficient_scope", scope="admin""#
                ])
            let admin = try service.token(#"{"sub":"a","scope":"read admin"}"#)
            #expect(try service.auth(admin, path: "/admin/users").status == "204")
            #expect(try service.auth(admin, path: "/administrator").status == "204")
            #expect(try service.auth(token, path: "/administrator").status == "204")
            #expect(try service.auth(nil, path: "/open/x").status == "204")
            #expect(try service.auth(nil, path: "/opener").status == "401")
            #expect(try service.auth(nil, ["Cookie: a=b; session=\(token)"]).status == "204")
            #expect(try service.auth(nil, ["Cookie: session=\(token); session=\(token)"]).status == "400")
            #expect(try service.auth(token, ["Authorization: Bearer \(token)"]).status == "400")
        }

        @Test("K32 serve rejects paths that a service may read as others, and applies the longest at a segment's end")
        func paths() throws {
            let service = try Service()
            try service.configure(
                policies: #"{"path":"/","issuers":["main"]},{"path":"/admin","issuers":["main"],"scope":["admin"]}"#)
            try service.start()
            let token = try service.token()
            for path in ["/", "/a/b", "/a?x=/../admin", "/a.b/..c", "/%61", "/100%25"] {
                #expect(try service.auth(token, path: path).status == "204", "\(path)")
            }
            for path in ["/admin", "/admin/", "/admin?x", "/admin/x", "/%61dmin"] {
                #expect(try service.auth(token, path: path).status == "403", "\(path)")
            }
            for path in [
                "/a/../admin", "//admin", "/./admin", "/admin;x", "/x\\admin", "admin", "/..", "/a/%2e%2e/admin",
                "/a/%252e%252e/admin", "/a%2Fb", "/%", "/%zz", "/100%", "/a%00", "/a#/../admin", "/a%23",
                "/a%3f/..;/admin",
                "/a%3Fx", "/a%0d%0ab", "/a%3bx",
            ] {
                let reply = try service.auth(token, path: path)
                #expect(reply.status == "403" && reply.values("WWW-Authenticate").isEmpty, "\(path)")
            }
            #expect(try service.get("/auth", ["Authorization: Bearer \(token)"]).status == "403")
            try service.configure(
                #","request":{"path-header":"X-Uri"}"#,
                policies: #"{"path":"/","issuers":["main"]},{"path":"/admin","issuers":["main"],"scope":["admin"]}"#)
            try service.signal(SIGHUP)
            try service.expect("was read again")
            for (path, status) in [("/a", "204"), ("/%61dmin", "403")] {
                #expect(
                    try service.get("/auth", ["X-Uri: \(path)", "Authorization: Bearer \(token)"]).status == status)
            }
        }

        @Test("serve answers a service that sends a token as JSON, and rejects malformed bodies")
        func calls() throws {
            let service = try Service()
            try service.configure()
            try service.start()
            let token = try service.token()
            let good = try service.get("/verify", body: #"{"token":"\#(token)"}"#)
            #expect(good.status == "200" && good.body.hasPrefix(#"{"result":"valid","claims":{"#))
            let bad = try service.get("/verify", body: #"{"token":"\#(token)x","path":"/a"}"#)
            #expect(bad.status == "200" && bad.body.hasPrefix(#"{"result":"invalid","error":""#))
            for body in ["", "{}", "[]", #"{"token":1}"#, #"{"token":"a","token":"b"}"#, #"{"token":"a\r\nb"}"#] {
                #expect(try service.get("/verify", body: body).status == "400", "\(body)")
            }
            #expect(try service.get("/verify", body: String(repeating: " ", count: (1 << 20) + 1)).status == "413")
            #expect(try service.get("/healthz").status == "200")
            #expect(try service.get("/readyz").status == "200")
            #expect(try service.get("/other").status == "404")
            let metrics = try service.get("/metrics").body
            #expect(metrics.contains(#"bulla_serve_requests_total{status="200",code="ok"} 1"#))
            #expect(!metrics.contains("alice"))
            for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
        }

        @Test(
            "serve answers pipelined requests in their order, and requests that arrive in pieces or are cut off harm no other"
        )
        func connections() throws {
            let service = try Service()
            try service.configure()
            try service.start()
            let token = try service.token()
            let one = "GET /auth HTTP/1.1\r\nHost: x\r\nX-Bulla-Path: /\r\n"
            let good = one + "Authorization: Bearer \(token)\r\n\r\n"
            let last = one + "Connection: close\r\n\r\n"
            let replies = try service.raw(good + good + last).components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(replies.map { $0.prefix(3) } == ["204", "204", "401"])
            _ = try service.raw(String(good.prefix(60)), cut: true)
            _ = try service.raw("\u{16}\u{3}\u{1}\r\n\r\n", cut: true)
            #expect(try service.auth(token).status == "204")
        }

        @Test("serve in the mode of nginx sends no status but 204, 401 and 403, and the real one beside it")
        func nginx() throws {
            let service = try Service()
            try service.configure(
                #","gateway":"nginx","limits":{"wait":0,"retry-after":7}"#,
                issuers:
                    #","away":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"http://127.0.0.1:9/","allow-loopback-http":true}"#,
                policies: #"{"path":"/","issuers":["away"]},{"path":"/main","issuers":["main"]}"#)
            try service.start()
            let token = try service.token()
            let away = try service.auth(token)
            #expect(
                away.status == "403" && away.values("X-Bulla-Status") == ["503"] && away.values("Retry-After") == ["7"])
            let repeated = try service.auth(token, ["Authorization: Bearer x"])
            #expect(repeated.status == "401" && repeated.values("X-Bulla-Status") == ["400"])
            #expect(try service.auth(token, path: "/main").status == "204")
            // One issuer's outage does not make the service unready.
            #expect(try service.get("/readyz").status == "200")
        }

        @Test("serve answers 503 with Retry-After while the key server is away, and is unready once no keys are left")
        func outage() throws {
            let service = try Service()
            try service.configure(
                #","limits":{"wait":0}"#,
                issuers:
                    #","away":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"http://127.0.0.1:9/","allow-loopback-http":true}"#,
                policies: #"{"path":"/","issuers":["away"]}"#)
            try service.start()
            let away = try service.auth(service.token())
            #expect(
                away.status == "503" && away.values("Retry-After") == ["1"] && away.values("WWW-Authenticate").isEmpty)
            #expect(try service.get("/readyz").status == "503")
            #expect(try service.get("/healthz").status == "200")
        }

        @Test(
            "serve adopts a valid configuration on SIGHUP, keeps the old one otherwise, and notices changed keys by itself"
        )
        func reload() throws {
            let service = try Service()
            try service.configure()
            try service.start()
            let token = try service.token()
            #expect(try service.auth(token).status == "204")
            try service.write("gateway.json", #"{"polices":[]}"#)
            try service.signal(SIGHUP)
            try service.expect("stays")
            #expect(service.lines.last?.contains("polices: unknown member; did you mean 'policies'?") == true)
            #expect(try service.auth(token).status == "204")
            try service.configure(policies: #"{"path":"/","issuers":["main"],"scope":["x"]}"#)
            try service.signal(SIGHUP)
            try service.expect("was read again")
            #expect(try service.auth(token).status == "403")
            try service.configure()
            try service.signal(SIGHUP)
            try service.expect("was read again")
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try service.write("keys.json", next.publicKey.jwk())
            try service.expect("a file with keys has changed: the configuration was read again")
            #expect(try service.auth(token).status == "401")
            #expect(try service.auth(service.token(by: next)).status == "204")
        }

        @Test(
            "serve ends on SIGTERM after it has answered, removes its socket, and replaces one that nobody listens on")
        func ending() throws {
            let service = try Service()
            try service.configure()
            for _ in 0..<2 {
                try service.start()
                #expect(try service.auth(service.token()).status == "204")
                try service.signal(SIGTERM)
                try service.awaitEnd()
                #expect(!FileManager.default.fileExists(atPath: service.socket))
            }
            try service.start()
            try service.signal(SIGKILL)
            try service.awaitEnd()
            #expect(FileManager.default.fileExists(atPath: service.socket))
            try service.start()
            #expect(try service.auth(service.token()).status == "204")
        }

        @Test("K33 serve verifies DPoP proofs for the address that the gateway sends, each once (RFC 9449, 7.1)")
        func proofs() throws {
            let service = try Service()
            try service.configure(
                policies: """
                    {"path":"/","issuers":["main"]},
                    {"path":"/bound","issuers":["main"],"dpop":{"alg":["ES256"],"origin":"https://api.example.com"}}
                    """)
            try service.start()
            let client = try PrivateKey.generate(.p256)
            let prover = try DPoPProver(key: client, algorithm: .es256)
            let thumbprint = try Base64URLText.of(client.publicKey.thumbprint())
            let token = try service.token(#"{"sub":"alice","cnf":{"jkt":"\#(thumbprint)"}}"#)
            func ask(_ proof: String, method: String = "GET", target: String = "/bound/x?q=1") throws -> Reply {
                try service.get(
                    "/auth",
                    [
                        "X-Bulla-Path: /bound/x", "X-Bulla-Method: \(method)", "X-Bulla-Target: \(target)",
                        "Authorization: DPoP \(token)", "DPoP: \(proof)",
                    ])
            }
            func proof() throws -> String {
                try prover.proof(method: "GET", url: "https://api.example.com/bound/x", accessToken: token)
            }
            let first = try proof()
            #expect(try ask(first).status == "204")
            let again = try ask(first)
            #expect(again.status == "401")
            #expect(
                again.values("WWW-Authenticate") == [
                    #"DPoP algs="ES256", error="invalid_dpop_proof", error_description="token_replayed""#
                ])
            #expect(try ask(proof(), method: "POST").status == "401")
            #expect(try ask(proof(), target: "/bound/y").status == "401")
            // A bound token is not a bearer token (RFC 9449, 7.2).
            #expect(try service.auth(token, path: "/bound/x").status == "401")
            #expect(try service.auth(token).status == "401")
            #expect(try service.auth(service.token()).status == "204")
            #expect(try ask(proof()).status == "204")
        }

        @Test("serve decrypts nested tokens on threads of its own, beside signed ones") func nested() throws {
            let service = try Service()
            let secret = try SecretKey(bytes: Array(0..<32))
            try service.write("secret.json", String(decoding: secret.exportSecretJWK(), as: UTF8.self))
            try service.configure(
                issuers: """
                    ,"nested":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"keys.json","nested":true,
                     "decrypt-keys":"secret.json","key-alg":"dir","enc":"A128CBC-HS256"}
                    """,
                policies: #"{"path":"/","issuers":["main"]},{"path":"/nested","issuers":["nested"]}"#)
            try service.start()
            let inner = try service.token()
            var header = HeaderParameters()
            header.contentType = "JWT"
            let outer = try JWEEncrypter(
                key: secret, keyManagement: .dir, contentEncryption: .a128cbcHS256, header: header
            ).encrypt(Array(inner.utf8))
            #expect(try service.auth(outer, path: "/nested").status == "204")
            #expect(try service.auth(outer).status == "401")
            #expect(try service.auth(inner, path: "/nested").status == "401")
            #expect(try service.auth(inner).status == "204")
        }

        @Test("serve --check names the place and the remedy of each fault in a configuration") func check() throws {
            let service = try Service()
            let tool = try #require(builtTool("bulla"))
            func check() throws -> (status: Int32, text: String) {
                let done = try run(tool, ["serve", "--check", service.config])
                return (done.status, done.stdout + done.stderr)
            }
            try service.configure()
            #expect(try check() == (0, "\(service.config) is valid: 1 policy\n"))
            for (members, policies, expected) in [
                (#","gateway":"htp""#, nil, "gateway: must be http or nginx; did you mean 'http'?"),
                (#","limits":{"thread":1}"#, nil, "limits.thread: unknown member; did you mean 'threads'?"),
                (#","limits":{"threads":0}"#, nil, "limits.threads: must be an integer from 1 to 64"),
                (#","header-bytes":"1""#, nil, "header-bytes: must be an integer"),
                ("", #"{"path":"/"}"#, "policies[0]: needs issuers"),
                ("", #"{"path":"/","issuers":["man"]}"#, "no issuer is named 'man'; did you mean 'main'?"),
                ("", #"{"path":"/a/../b","public":true}"#, "policies[0].path: must begin with /"),
                ("", #"{"path":"/","public":true},{"path":"/","public":true}"#, "policies[1]: duplicate path '/'"),
                (
                    "", #"{"path":"/","issuers":["main"],"headers":{"X Y":"sub"}}"#,
                    "policies[0].headers.X Y: cannot be sent"
                ),
                ("", #"{"path":"/","issuers":["main"],"dpop":{"alg":["ES256"]}}"#, "policies[0].dpop: needs alg"),
                (
                    #","request":{"path-header":"X-Uri"}"#,
                    #"{"path":"/","issuers":["main"],"dpop":{"alg":["ES256"],"origin":"https://a.test"}}"#,
                    "policies[0].dpop: needs request.method-header and request.target-header"
                ),
            ] as [(String, String?, String)] {
                if let policies {
                    try service.configure(members, policies: policies)
                } else {
                    try service.configure(members)
                }
                let (status, text) = try check()
                #expect(status == 2 && text.contains(expected), "\(text)")
            }
            try service.configure(issuers: #","b":{"iss":"x","aud":"y","alg":"ES25","keys":"keys.json"}"#)
            #expect(try check().text.contains("issuers.b: alg: unknown algorithm 'ES25'; did you mean 'ES256'?"))
        }
    }

    private enum Base64URLText {
        static func of(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
    }
#endif
