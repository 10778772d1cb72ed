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

    /// Tests of the command `serve` while its key server, its configuration or the process itself goes away.
    @Suite("The command serve while it runs") struct GatewayLifeTests {
        @Test("serve answers 503 with Retry-After while the key server is away, and is unready once no keys are left")
        func outage() throws {
            let service = try GatewayService()
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

        @Test("serve verifies a nested token after the fetch of its key, with one decryption at a time (T81, T68)")
        func newKey() throws {
            let service = try GatewayService()
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try service.write("first.json", "{\"keys\":[\(service.key.publicKey.jwk())]}")
            try service.write("second.json", "{\"keys\":[\(service.key.publicKey.jwk()),\(next.publicKey.jwk())]}")
            let secret = try SecretKey(bytes: Array(0..<32))
            try service.write("secret.json", String(decoding: secret.exportSecretJWK(), as: UTF8.self))
            let keyServer = try Tethered("/usr/bin/env", ["python3", "-c", Self.keyServer, service.path])
            let port = try keyServer.line()
            try service.configure(
                #","limits":{"wait":10},"limiter":{"concurrent":1,"timeout":10}"#,
                issuers: """
                    ,"nested":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"http://127.0.0.1:\(port)/",
                     "allow-loopback-http":true,"nested":true,"decrypt-keys":"secret.json","key-alg":"dir","enc":"A128CBC-HS256"}
                    """,
                policies: #"{"path":"/","issuers":["nested"]}"#)
            try service.start()
            var header = HeaderParameters()
            header.contentType = "JWT"
            let encrypter = try JWEEncrypter(
                key: secret, keyManagement: .dir, contentEncryption: .a128cbcHS256, header: header)
            func nested(by key: PrivateKey) throws -> String {
                try encrypter.encrypt(Array(service.token(by: key).utf8))
            }
            #expect(try service.auth(nested(by: service.key)).status == "204")
            // Within the cooldown a key that is missing for the third time is fetched, which takes longer than all requests here. So one of
            // them waits for it.
            let statuses = try (0..<4).map { _ in try service.auth(nested(by: next)).status }
            #expect(statuses.first == "401" && statuses.last == "204", "\(statuses)")
            #expect(try service.auth(nested(by: PrivateKey.generate(.p256, keyID: "k2"))).status == "401")
        }

        /// Serves the first key set once, and later the second one after a pause.
        private static let keyServer = """
            import http.server, os, sys, threading, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version, count = "HTTP/1.1", 0
                def do_GET(self):
                    Handler.count += 1
                    if Handler.count > 1: time.sleep(0.5)
                    body = open(sys.argv[1] + ("/first.json" if Handler.count == 1 else "/second.json"), "rb").read()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/jwk-set+json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *words): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            sys.stdin.read()
            os._exit(0)
            """

        @Test(
            "serve adopts a valid configuration on SIGHUP, keeps the old one otherwise, and notices changed keys by itself"
        )
        func reload() throws {
            let service = try GatewayService()
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
            // Another name has room at the cost of the values.
            try service.configure(policies: #"{"path":"/","issuers":["main"],"headers":{"X-Auth-Level":"acr"}}"#)
            try service.signal(SIGHUP)
            try service.expect("was read again")
            #expect(try service.auth(token).values("X-Auth-Level") == [""])
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
            let service = try GatewayService()
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

        @Test("a process of serve that ends leaves the socket to its successor") func successor() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            // An idle connection keeps the first process for a second.
            let client = try Tethered("/usr/bin/env", ["python3", "-c", Self.idle, service.socket])
            #expect(try client.line() == "204")
            try service.signal(SIGTERM)
            try service.expect("ending")
            let first = try service.handOver()
            try service.start()
            #expect(throws: (any Error).self) { while true { _ = try first.line() } }
            #expect(try service.auth(service.token()).status == "204")
            try service.signal(SIGTERM)
            try service.awaitEnd()
            #expect(!FileManager.default.fileExists(atPath: service.socket))
        }

        private static let idle = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            print("204" if s.recv(1000).startswith(b"HTTP/1.1 200") else "none", flush=True)
            sys.stdin.read()
            """

        @Test("serve answers every request whose connection was accepted before it ended on SIGTERM")
        func connectionsAtTheEnd() throws {
            for _ in 0..<3 {
                let service = try GatewayService()
                try service.configure()
                try service.start()
                let text = try run(
                    "/usr/bin/env", ["python3", "-c", Self.arrivals, service.socket, "\(service.identifier())"]
                ).stdout
                let counts = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
                #expect(counts.count == 3 && counts[0] > 5 && counts[1] > 0 && counts[2] == 0, "\(text)")
                try service.awaitEnd()
            }
        }

        /// Connects every two milliseconds and ends the service after 20 connections. Prints how many requests were answered, how many
        /// connections were refused, and how many were lost.
        private static let arrivals = """
            import os, signal, socket, sys, time
            answered = refused = lost = 0
            for number in range(150):
                if number == 20: os.kill(int(sys.argv[2]), signal.SIGTERM)
                time.sleep(0.002)
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(300)
                try: s.connect(sys.argv[1])
                except (FileNotFoundError, ConnectionRefusedError):
                    refused += 1
                    continue
                try:
                    s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                    answered += s.recv(1000).startswith(b"HTTP/1.1 200")
                except OSError: lost += 1
            print(answered, refused, lost + 150 - answered - refused - lost)
            """
    }
#endif
