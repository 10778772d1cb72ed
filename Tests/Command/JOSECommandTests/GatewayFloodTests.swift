#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    /// Tests of valid tokens beside a flood of forged ones that the command `serve` has to decrypt.
    @Suite("The command serve in a flood of encrypted tokens") struct GatewayFloodTests {
        private let service: GatewayService
        private let encrypter: JWEEncrypter

        init() throws {
            service = try GatewayService()
            let secret = try PrivateKey.stored(keyID: "e1")
            try service.write("secret.json", String(decoding: secret.exportPrivateJWK(), as: UTF8.self))
            var header = HeaderParameters()
            header.contentType = "JWT"
            encrypter = try JWEEncrypter(
                key: secret.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256, header: header)
        }

        private func start(_ members: String, isVectorized: Bool = false) throws {
            try service.configure(
                ",\"limits\":{\"threads\":1},\"limiter\":{\"concurrent\":1,\"queued\":4,\"timeout\":10\(members)}",
                issuers: """
                    ,"nested":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"keys.json","nested":true,
                     "decrypt-keys":"secret.json","key-alg":"RSA-OAEP","enc":"A128CBC-HS256",
                     "vectorized-private-keys":\(isVectorized)}
                    """,
                policies: #"{"path":"/","issuers":["nested"]}"#)
            try service.start()
        }

        private func nested() throws -> String { try encrypter.encrypt(Array(service.token().utf8)) }

        /// Begins a flood of forged tokens, and returns when the queue has rejected some.
        private func flood(_ field: String = "") throws -> Tethered {
            var parts = try nested().split(separator: ".").map(String.init)
            parts[4] = String(repeating: "A", count: parts[4].count)
            let forged = parts.joined(separator: ".")
            let flood = try Tethered("/usr/bin/env", ["python3", "-c", Self.client, service.socket, forged, field])
            #expect(try flood.line() == "full")
            return flood
        }

        /// Keeps 24 requests under way. Prints a line once 50 of them were answered with 503, and after the end of its input how many there
        /// were with each status.
        private static let client = """
            import collections, select, socket, sys
            request = ("GET /auth HTTP/1.1\\r\\nHost: x\\r\\nX-Bulla-Path: /\\r\\n%sAuthorization: Bearer %s\\r\\n\\r\\n" % (
                sys.argv[3] and sys.argv[3] + "\\r\\n", sys.argv[2])).encode()
            counts, all, is_full = collections.Counter(), [], False
            for number in range(24):
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.sendall(request)
                all.append(s)
            while True:
                ready = select.select(all + [sys.stdin], [], [], 60)[0]
                if not ready or sys.stdin in ready: break
                for s in ready:
                    counts[s.recv(8192).split(b" ")[1].decode()] += 1
                    s.sendall(request)
                if not is_full and counts["503"] >= 50: print("full", flush=True)
                is_full = is_full or counts["503"] >= 50
            print(dict(counts), flush=True)
            """

        @Test(
            "G13 valid tokens of one client are verified beside a flood of forged ones of another",
            arguments: [false, true])
        func clients(isVectorized: Bool) throws {
            try start(#","client-header":"X-Client""#, isVectorized: isVectorized)
            let others = try flood("X-Client: 192.0.2.1")
            let statuses = try (0..<20).map { _ in try service.auth(nested(), ["X-Client: 192.0.2.2"]).status }
            #expect(statuses == [String](repeating: "204", count: 20))
            // A request with two clients has none.
            let two = try service.auth(nested(), ["X-Client: 192.0.2.2", "X-Client: 192.0.2.3"])
            #expect(two.status == "400")
            // The flood went on, and its tokens were rejected in part by the queue, in part after decryption.
            let counts = try others.ask("end")
            #expect(counts.contains("'503'") && counts.contains("'401'"), "\(counts)")
            let rejected = try service.get("/metrics").body.components(separatedBy: "\n").first {
                $0.hasPrefix(#"bulla_serve_limiter_rejected_total{work="decryption"} "#)
            }
            #expect(rejected?.split(separator: " ").last.flatMap { Int($0) } ?? 0 >= 50, "\(rejected ?? "")")
        }

        @Test("G13 a token that was valid before is verified beside a flood of forged ones")
        func known() throws {
            try start("")
            let token = try nested()
            #expect(try service.auth(token).status == "204")
            let others = try flood()
            let statuses = try (0..<20).map { _ in try service.auth(token).status }
            #expect(statuses == [String](repeating: "204", count: 20))
            let counts = try others.ask("end")
            #expect(counts.contains("'503'") && counts.contains("'401'"), "\(counts)")
        }
    }
#endif
