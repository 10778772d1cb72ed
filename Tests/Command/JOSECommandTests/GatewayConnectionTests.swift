#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of connections that are slow, too many or malformed, and of the time that the loop of the command `serve` takes.
    @Suite("The connections of the command serve") struct GatewayConnectionTests {
        @Test("serve answers a token that another thread decrypts as soon as it is verified, not after a period")
        func wakeUp() throws {
            let service = try GatewayService()
            let nested = try service.nests("\"threads\":1")
            try service.start()
            let token = try nested.encrypt(Array(service.token().utf8))
            // The times of requests on one connection, in milliseconds. Beside other processes some of them are late, and not all.
            let done = try run("/usr/bin/env", ["python3", "-c", Self.latency, service.socket], stdin: token)
            let times = done.stdout.split(separator: "\n").compactMap { Double($0) }
            #expect(times.count == 60 && done.status == 0, "\(done.stdout) \(done.stderr)")
            // A loop that is not woken waits for a second, and needs that for all of them.
            #expect(times.sorted().dropFirst(6).first ?? 1000 < 500, "\(times)")
        }

        private static let latency = """
            import socket, sys, time
            token = sys.stdin.buffer.read().strip()
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(300)
            s.connect(sys.argv[1])
            for number in range(60):
                began = time.monotonic()
                s.sendall(b"GET /auth HTTP/1.1\\r\\nHost: x\\r\\nX-Bulla-Path: /\\r\\nAuthorization: Bearer " + token + b"\\r\\n\\r\\n")
                assert s.recv(8192).startswith(b"HTTP/1.1 204")
                print((time.monotonic() - began) * 1000)
            """

        @Test("G10 serve closes a connection whose request takes too long, however steadily its bytes come")
        func slow() throws {
            let service = try GatewayService()
            try service.configure(#","limits":{"threads":1,"timeout":1,"request-timeout":1}"#)
            try service.start()
            func ends(_ kind: String) throws -> String {
                try run("/usr/bin/env", ["python3", "-c", Self.slowClient, service.socket, kind]).stdout
            }
            // Each of these sends bytes so often that the connection is never silent for a second.
            for kind in ["head", "next head", "body"] { #expect(try ends(kind) == "408\n", "\(kind)") }
            // Positive control: such requests whose parts arrive in time.
            #expect(try ends("head in time") == "200\n")
            #expect(try ends("body in time") == "400\n")
            #expect(try service.get("/metrics").body.contains(#"connections_closed_total{reason="slow"} 3"#))
        }

        /// Sends a request in small parts every tenth of a second. Prints the status of the response.
        private static let slowClient = """
            import select, socket, sys, time
            kind = sys.argv[2]
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(300)
            s.connect(sys.argv[1])
            head, body = b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\n", b"POST /verify HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 900\\r\\n\\r\\n"
            if kind == "next head":
                s.sendall(head + b"\\r\\n")
                assert s.recv(1000).startswith(b"HTTP/1.1 200")
            part = body if "body" in kind else head + b"X: "
            if "in time" in kind:
                rest = b"a" * 900 if "body" in kind else b"a\\r\\n\\r\\n"
                s.sendall(part)
                time.sleep(0.3)
                s.sendall(rest)
            else:
                s.sendall(part)
                end = time.monotonic() + 60
                while time.monotonic() < end and not select.select([s], [], [], 0.1)[0]:
                    try: s.sendall(b"a")
                    except OSError: break
            print(s.recv(1000).split(b" ")[1].decode() if select.select([s], [], [], 10)[0] else "open")
            """

        @Test(
            "G10 serve closes a connection whose client does not take a response in time, although it reads a byte now and then"
        )
        func slowReader() throws {
            let service = try GatewayService()
            // A connection on which nothing moves may stay open, so that this is not the limit that ends it.
            try service.configure(#","limits":{"threads":1,"timeout":300,"request-timeout":3}"#)
            try service.start()
            func responses(_ kind: String) throws -> Int {
                let done = try run("/usr/bin/env", ["python3", "-c", Self.reader, service.socket, kind])
                return try #require(Int(done.stdout.dropLast()), "\(done.stdout) \(done.stderr)")
            }
            // Positive control: a client that reads at once.
            #expect(try responses("at once") == 400)
            #expect(try service.get("/metrics").body.contains(#"connections_closed_total{reason="slow"} 0"#))
            let read = try responses("slowly")
            #expect(read > 0 && read < 400)
            #expect(try service.get("/metrics").body.contains(#"connections_closed_total{reason="slow"} 1"#))
        }

        /// Sends more requests than the socket has room for responses, and prints the number of responses. A slow client takes a byte every
        /// tenth of a second until the connection is closed.
        private static let reader = """
            import select, socket, sys, time
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(300)
            s.connect(sys.argv[1])
            request = b"GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n"
            s.sendall((request + b"\\r\\n") * 399 + request + b"Connection: close\\r\\n\\r\\n")
            text = b""
            if sys.argv[2] == "slowly":
                poll, end = select.poll(), time.monotonic() + 60
                poll.register(s, select.POLLRDHUP)
                while not poll.poll(100):
                    assert time.monotonic() < end, "open"
                    text += s.recv(1)
            while part := s.recv(1 << 16): text += part
            print(text.count(b"HTTP/1.1 200"))
            """

        @Test("G10 keys serve closes a connection whose request takes too long, however steadily its bytes come")
        func slowKeys() throws {
            let folder = try TemporaryFolder()
            try Data(PrivateKey.generate(.p256, keyID: "k").publicKey.jwk().utf8)
                .write(to: folder.url.appending(path: "good.json"))
            let served = try Tethered(
                "/bin/sh",
                ["-c", "exec \"$0\" keys serve --quiet \"$1\" 2>&1", try #require(builtTool("bulla")), folder.url.path])
            defer { _ = kill(served.identifier, SIGKILL) }
            let origin = String(try served.line().prefix { $0 != " " }.dropLast("/good.json".count))
            #expect(try run("curl", ["-s", "--max-time", "300", origin + "/good.json"]).stdout.contains("\"k\""))
            let port = String(origin.split(separator: ":").last ?? "")
            #expect(try run("/usr/bin/env", ["python3", "-c", Self.slowGet, port]).stdout == "408\n")
            #expect(try run("curl", ["-s", "--max-time", "300", origin + "/good.json"]).stdout.contains("\"k\""))
        }

        private static let slowGet = """
            import select, socket, sys, time
            s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            s.sendall(b"GET /good.json HTTP/1.1\\r\\nHost: x\\r\\nX: ")
            end = time.monotonic() + 60
            while time.monotonic() < end and not select.select([s], [], [], 0.2)[0]:
                try: s.sendall(b"a")
                except OSError: break
            print(s.recv(1000).split(b" ")[1].decode() if select.select([s], [], [], 10)[0] else "open")
            """

        @Test("G11 a client gets a connection of serve although another one holds all, which loses one of its own")
        func shares() throws {
            let service = try GatewayService()
            try service.configure(#","limits":{"threads":1,"connections":20,"timeout":300,"request-timeout":300}"#)
            try service.start()
            // A client with one idle connection, which is older than all of the other client.
            let idle = try Tethered("/usr/bin/env", ["python3", "-c", Self.holder, service.socket, "1", "idle"])
            #expect(try idle.line() == "1")
            let holder = try Tethered("/usr/bin/env", ["python3", "-c", Self.holder, service.socket, "19", "head"])
            #expect(try holder.line() == "19")
            for _ in 0..<5 { #expect(try service.auth(service.token()).status == "204") }
            // The client that has one is not the one that loses it.
            #expect(try idle.ask("again") == "200")
            #expect(try service.get("/metrics").body.contains(#"reason="displaced"} 0"#) == false)
        }

        /// Opens connections, and sends a part of a head on each, or a request. Prints their number, and for each line that it reads the
        /// status of one more request on the last.
        private static let holder = """
            import socket, sys
            request, all = b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\n", []
            for number in range(int(sys.argv[2])):
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(300)
                s.connect(sys.argv[1])
                s.sendall(request + (b"\\r\\n" if sys.argv[3] == "idle" else b"X: "))
                if sys.argv[3] == "idle": s.recv(1000)
                all.append(s)
            print(len(all), flush=True)
            for line in sys.stdin:
                s.sendall(request + b"\\r\\n")
                print(s.recv(1000).split(b" ")[1].decode(), flush=True)
            """

        @Test("G12 serve answers 400 to a request of which host or end is ambiguous, and nothing more (RFC 9112, 6.3)")
        func framing() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            let token = try service.token()
            let body = "{\"token\":\"\(token)\",\"path\":\"/\"}"
            let size = body.utf8.count
            func statuses(_ fields: [String], version: String = "1.1", body: String = body) throws -> [String] {
                let head = "POST /verify HTTP/\(version)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
                // The second request closes the connection, and is what an attacker would hide in a body.
                let hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                let text = try service.raw(head + body + hidden)
                // libmicrohttpd 1.0 writes "HTTP/1.1 request" into the body of its own responses.
                return text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
                    .filter { Int($0) != nil }
            }
            let chunked = "\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            let length = "Content-Length: \(size)", coding = "Transfer-Encoding: chunked"
            #expect(try statuses(["Host: x", length]) == ["200", "200"])
            #expect(try statuses(["Host: x", coding], body: chunked) == ["200", "200"])
            #expect(try statuses([length, "Connection: close"], version: "1.0") == ["200"])
            for fields in [
                [length], ["Host: x", "Host: x", length], ["Host: x", "host: y", length],
                ["Host: x", length, "Content-Length: 0"], ["Host: x", length, length],
                ["Host: x", "Content-Length : \(size)"], ["Host: x", length, "Transfer-Encoding\t: chunked"],
            ] {
                #expect(try statuses(fields) == ["400"], "\(fields)")
            }
            // libmicrohttpd answers these itself, and 0.9.75 sends the head of its response twice.
            for value in ["\(size), \(size)", "+\(size)", ""] {
                #expect(try Set(statuses(["Host: x", "Content-Length: \(value)"])) == ["400"], "\(value)")
            }
            for fields in [
                ["Host: x", length, coding], ["Host: x", coding, length], ["Host: x", coding, coding],
                ["Host: x", "Transfer-Encoding: gzip"], ["Host: x", "Transfer-Encoding: gzip, chunked"],
                ["Host: x", "Transfer-Encoding: identity"],
            ] {
                #expect(try statuses(fields, body: chunked) == ["400"], "\(fields)")
            }
            #expect(try statuses(["Host: x", coding], version: "1.0", body: chunked) == ["400"])
        }
    }

    extension GatewayService {
        /// Configures a policy for nested tokens, and returns what encrypts them.
        func nests(_ limits: String, limiter: String = "{}") throws -> JWEEncrypter {
            let secret = try SecretKey(bytes: Array(0..<32))
            try write("secret.json", String(decoding: secret.exportSecretJWK(), as: UTF8.self))
            try configure(
                ",\"limits\":{\(limits)},\"limiter\":\(limiter)",
                issuers: """
                    ,"nested":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"keys.json","nested":true,
                     "decrypt-keys":"secret.json","key-alg":"dir","enc":"A128CBC-HS256"}
                    """,
                policies: #"{"path":"/","issuers":["nested"]}"#)
            var header = HeaderParameters()
            header.contentType = "JWT"
            return try JWEEncrypter(
                key: secret, keyManagement: .dir, contentEncryption: .a128cbcHS256, header: header)
        }
    }
#endif
