#if Server
    import Foundation
    import JOSE
    import JOSETesting
    import JOSETokens
    import TestSupport
    import Testing

    /// Tests of what the command `serve` answers, by HTTP over a Unix socket and loopback.
    @Suite("The command serve") struct GatewayTests {
        @Test(
            "K30 serve answers 204 with every configured field, so that a client's own never passes (RFC 9110, 5.5)")
        func fields() throws {
            let service = try GatewayService()
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
            let service = try GatewayService()
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
            let service = try GatewayService()
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
            #expect(try service.auth(String(repeating: "x", count: 70_000)).status == "431")
            #expect(try service.auth(token).status == "204")
        }

        @Test(
            "serve rejects with the challenges of RFC 6750, 3: none without a token, invalid_token, insufficient_scope")
        func challenges() throws {
            let service = try GatewayService()
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

        @Test("serve reads Authorization by RFC 9110: several spaces, blanks around it, any case (5.5, 11.1, 11.4)")
        func authorization() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            let token = try service.token()
            for (value, status) in [
                ("Bearer \(token)", "204"), ("Bearer  \(token)", "204"), ("Bearer     \(token)", "204"),
                ("bearer \(token)", "204"), ("BEARER \(token) ", "204"), ("  Bearer \(token)\t ", "204"),
                ("Bearer", "400"), ("Bearer ", "400"), ("Bearer \(token) x", "400"),
                ("Bearer \(token), Basic eDp5", "400"), ("Bearer \t\(token)", "400"), ("Bearer\t\(token)", "401"),
                ("Basic eDp5", "401"), ("Bearer\(token)", "401"), (token, "401"), ("", "401"),
            ] {
                let reply = try service.get("/auth", ["X-Bulla-Path: /", "Authorization: \(value)"])
                #expect(reply.status == status, "\(value)")
            }
        }

        @Test("serve finds scopes in a string and in an array, of which each element is one (RFC 6749, 3.3)")
        func scopes() throws {
            let service = try GatewayService()
            try service.configure(policies: #"{"path":"/","issuers":["main"],"scope":["read"]}"#)
            try service.start()
            for (claims, status) in [
                (#""scope":"read write""#, "204"), (#""scope":["read","write"]"#, "204"), (#""scope":["read"]"#, "204"),
                (#""scp":"read write""#, "204"), (#""scp":["read"]"#, "204"), (#""scope":"write""#, "403"),
                (#""scope":["write"]"#, "403"), (#""scope":["write read"]"#, "403"), (#""scp":["write read"]"#, "403"),
                (#""scope":["read",1]"#, "403"), (#""scope":[["read"]]"#, "403"), (#""scope":{"read":true}"#, "403"),
                (#""scope":null"#, "403"), (#""scp":["read",null]"#, "403"), (#""x":1"#, "403"),
            ] {
                #expect(try service.auth(service.token("{\(claims)}")).status == status, "\(claims)")
            }
        }

        @Test("members of an issuer: trusted-aud, claim, secret-file and cty, as the options of the command")
        func issuerMembers() throws {
            let service = try GatewayService()
            let text = "a-shared-secret-of-more-than-32-octets"
            try service.write("secret.txt", text + "\n")
            let box = try SecretKey(bytes: Array(0..<32))
            try service.write("box.json", String(decoding: box.exportSecretJWK(), as: UTF8.self))
            let common = #""iss":"https://id.example.com""#
            let nested = #""nested":true,"decrypt-keys":"box.json","key-alg":"dir","enc":"A128CBC-HS256""#
            try service.configure(
                issuers: """
                    ,"trusting":{\(common),"aud":"shop","alg":"ES256","keys":"keys.json","trusted-aud":["friend"]},
                     "valued":{\(common),"any-audience":true,"alg":"ES256","keys":"keys.json",
                      "claim":["token_use=access","client_id=app,1","client_id=app2"]},
                     "secret":{\(common),"aud":"shop","alg":"HS256","secret-file":"secret.txt"},
                     "lax":{\(common),"aud":"shop","alg":"ES256","keys":"keys.json","cty":"any",\(nested)},
                     "strict":{\(common),"aud":"shop","alg":"ES256","keys":"keys.json",\(nested)}
                    """,
                policies: ["main", "trusting", "valued", "secret", "lax", "strict"].map {
                    #"{"path":"/\#($0)","issuers":["\#($0)"]}"#
                }.joined(separator: ","))
            try service.start()
            func status(_ path: String, _ token: String) throws -> String { try service.auth(token, path: path).status }
            let two = try service.token(#"{"sub":"a","aud":["shop","friend"]}"#)
            let three = try service.token(#"{"sub":"a","aud":["shop","friend","other"]}"#)
            #expect(try status("/main", three) == "204")
            #expect(try status("/trusting", two) == "204" && status("/trusting", three) == "401")
            for (claims, wanted) in [
                (#"{"token_use":"access","client_id":"app,1"}"#, "204"),
                (#"{"token_use":"access","client_id":"app2"}"#, "204"),
                (#"{"token_use":"access","client_id":"app"}"#, "401"),
                (#"{"token_use":"id","client_id":"app2"}"#, "401"), (#"{"client_id":"app2"}"#, "401"),
            ] { #expect(try status("/valued", service.token(claims)) == wanted, "\(claims)") }
            let payload = #"{"iss":"https://id.example.com","aud":"shop","exp":4000000000}"#
            for (key, wanted) in [(text, "204"), (text + "\n", "401"), (text + "x", "401")] {
                let signer = try JWSSigner(key: SecretKey(bytes: Array(key.utf8)), algorithm: .hs256)
                #expect(try status("/secret", signer.sign(payload)) == wanted)
            }
            func outer(_ text: String, _ type: String?) throws -> String {
                var header = HeaderParameters()
                header.contentType = type
                return try JWEEncrypter(
                    key: box, keyManagement: .dir, contentEncryption: .a128cbcHS256, header: header
                ).encrypt(Array(text.utf8))
            }
            for (type, strict) in [("JWT", "204"), (nil, "401"), ("json", "401")] as [(String?, String)] {
                let token = try outer(service.token(), type)
                #expect(try status("/strict", token) == strict && status("/lax", token) == "204")
                // Claims that nobody signed are rejected, whatever cty is.
                let unsigned = try outer(payload, type)
                #expect(try status("/strict", unsigned) == "401" && status("/lax", unsigned) == "401")
            }
        }

        @Test("K32 serve rejects paths that a service may read as others, and applies the longest at a segment's end")
        func paths() throws {
            let service = try GatewayService()
            try service.configure(
                policies: #"{"path":"/","issuers":["main"]},{"path":"/admin","issuers":["main"],"scope":["admin"]}"#)
            try service.start()
            let token = try service.token()
            for path in ["/", "/a/b", "/a?x=/../admin", "/a.b/..c", "/%61", "/100%25", "/a;v=1", "/a%3bx"] {
                #expect(try service.auth(token, path: path).status == "204", "\(path)")
            }
            for path in ["/admin", "/admin/", "/admin?x", "/admin/x", "/%61dmin"] {
                #expect(try service.auth(token, path: path).status == "403", "\(path)")
            }
            for path in [
                "/a/../admin", "//admin", "/./admin", "/admin;x", "/x\\admin", "admin", "/..", "/a/%2e%2e/admin",
                "/a/%252e%252e/admin", "/a%2Fb", "/%", "/%zz", "/100%", "/a%00", "/a#/../admin", "/a%23",
                "/a%3f/..;/admin",
                "/a%3Fx", "/a%0d%0ab",
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

        @Test("serve answers each request whose head and claims are within their limits, and a longer head with 431")
        func room() throws {
            let service = try GatewayService()
            try service.configure(#","header-bytes":65536,"limits":{"head-bytes":20000}"#)
            try service.start()
            let long = try service.token(#"{"sub":"\#(String(repeating: "a", count: 9_000))"}"#)
            let allowed = try service.auth(long)
            #expect(allowed.status == "204" && allowed.values("X-Auth-Subject").first?.utf8.count == 9_000)
            let token = try service.token()
            let head =
                "GET /auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Bulla-Path: /\r\nAuthorization: Bearer \(token)\r\nX: "
            // Each of the five fields counts for 64 bytes more.
            for size in [19_000, 19_670, 19_680, 19_681, 20_000, 20_100, 24_000, 80_000, 90_000] {
                let filler = String(repeating: "x", count: size - head.utf8.count - 4)
                let status = GatewayReply(try service.raw(head + filler + "\r\n\r\n")).status
                #expect(status == (size <= 19_680 ? "204" : "431"), "\(size)")
            }
            // The field Cookie counts twice, and each cookie for 64 bytes more.
            for (size, status) in [(3_000, "204"), (4_900, "431"), (12_000, "431")] {
                let cookie = "Cookie: a=" + String(repeating: "c", count: size)
                #expect(try service.auth(long, [cookie]).status == status, "\(size)")
            }
            let many = (0..<40).map { "X-\($0): x" }
            #expect(try service.auth(long, many).status == "204")
            #expect(
                try service.auth(long, ["Cookie: " + many.joined(separator: "; ").replacing(": ", with: "=")]).status
                    == "204")
        }

        @Test("serve answers a service that sends a token as JSON, and rejects malformed bodies")
        func calls() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            let token = try service.token()
            let good = try service.get("/verify", body: #"{"token":"\#(token)"}"#)
            #expect(good.status == "200" && good.body.hasPrefix(#"{"result":"valid","claims":{"#))
            let bad = try service.get("/verify", body: #"{"token":"\#(token)x","path":"/a"}"#)
            #expect(bad.status == "200" && bad.body.hasPrefix(#"{"result":"invalid","error":""#))
            #expect(
                try service.get("/verify", body: #"{"path":"/a","token":"\#(token)"}"#).body.hasPrefix(
                    #"{"result":"valid""#))
            // The policy of "/" is not applied in place of that of a path whose name is misspelt.
            for name in ["Path", "pth", "token2"] {
                let body = #"{"token":"\#(token)","\#(name)":"/a"}"#
                #expect(try service.get("/verify", body: body).status == "400", "\(name)")
            }
            for body in ["", "{}", "[]", #"{"token":1}"#, #"{"token":"a","token":"b"}"#, #"{"token":"a\r\nb"}"#] {
                #expect(try service.get("/verify", body: body).status == "400", "\(body)")
            }
            #expect(try service.get("/verify", body: String(repeating: " ", count: (1 << 20) + 1)).status == "413")
            #expect(try service.get("/healthz").status == "200")
            #expect(try service.get("/readyz").status == "200")
            #expect(try service.get("/other").status == "404")
            let metrics = try service.get("/metrics").body
            #expect(metrics.contains(#"bulla_serve_requests_total{status="200",code="ok"} 2"#))
            #expect(!metrics.contains("alice"))
            for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
        }

        @Test(
            "serve answers pipelined requests in their order, and requests that arrive in pieces or are cut off harm no other"
        )
        func connections() throws {
            let service = try GatewayService()
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
            let service = try GatewayService()
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

        @Test("K33 serve verifies DPoP proofs for the address that the gateway sends, each once (RFC 9449, 7.1)")
        func proofs() throws {
            let service = try GatewayService()
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
            func ask(_ proof: String, method: String = "GET", target: String = "/bound/x?q=1") throws -> GatewayReply {
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
            let service = try GatewayService()
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
            let service = try GatewayService()
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
                (#","limits":{"request-timeout":0}"#, nil, "limits.request-timeout: must be an integer from 1 to 3600"),
                (#","limiter":{"client-header":"X Y"}"#, nil, "client-header: 'X Y' is not a name of a header field"),
                (#","header-bytes":"1""#, nil, "header-bytes: must be an integer"),
                (#","gateway":"nginx","header-bytes":8000"#, nil, "and nginx reads at most 4096: lower"),
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
            // Tokens of an issuer that is found by its metadata are signed, as for the options of explain.
            let encrypted = #""decrypt-keys":"keys.json","key-alg":"dir","enc":"A128CBC-HS256""#
            try service.configure(issuers: #","b":{"issuer":"https://b.test","aud":"y",\#(encrypted)}"#)
            #expect(try check().text.contains("issuers.b: decrypt-keys is for encrypted tokens: add nested"))
        }
    }

    private enum Base64URLText {
        static func of(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
    }
#endif
