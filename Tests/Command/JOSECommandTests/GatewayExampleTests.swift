#if Server
    import Foundation
    import TestSupport
    import Testing

    /// Tests of the examples for gateways, and of paths and fields behind them.
    @Suite("Examples of gateways") struct GatewayExampleTests {
        private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        @Test(
            "G01 no spelling of a field reaches a service behind the examples but that with the token's claims (RFC 3875, 4.1.18)",
            .enabled(if: nginx != nil, "nginx is not there"))
        func fields() throws {
            // The script runs Caddy as well where it is installed, as it is for make test-serve.
            let tool = try #require(builtTool("bulla"))
            let script = Repository.root.appending(path: "Tests/Scripts/gateway_fields.py").path
            let done = try run(
                "/usr/bin/env",
                ["python3", "-B", script, tool])
            #expect(done.status == 0, "\(done.stdout.suffix(3000)) \(done.stderr.suffix(1000))")
            for backend in ["HTTP", "WSGI", "FastCGI"] {
                #expect(done.stdout.contains("ok   nginx, \(backend): a public path"))
            }
            #expect(done.stdout.contains("ok   nginx: a frame comes back"))
        }

        @Test(
            "G01 the example for Caddy removes other spellings and the values of Connection before it asks the service")
        func caddy() throws {
            let text = try String(
                contentsOf: Repository.root.appending(path: "Examples/Gateway/Caddyfile"), encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let asked = try #require(lines.firstIndex { $0.hasPrefix("forward_auth") })
            for line in [
                "request_header -*_*", "request_header -*.*", "request_header @other -Connection",
                "request_header @websocket Connection Upgrade", "request_header @other -Upgrade",
                "request_header -X-Auth-Subject",
                "request_header -X-Auth-Scope",
            ] {
                #expect(try #require(lines.firstIndex(of: line), "\(line)") < asked)
            }
        }

        @Test("G02 serve answers a path that services may read as another with 403, whatever the token is")
        func ambiguousPaths() throws {
            let service = try GatewayService()
            let policies =
                #"{"path":"/","issuers":["main"]},{"path":"/admin","issuers":["main"],"scope":["admin"]},{"path":"/health","public":true}"#
            try service.configure(policies: policies)
            try service.start()
            let admin = try service.token(#"{"sub":"root","scope":"admin"}"#)
            for path in ["/ADMIN", "/admin.", "/admin%20x/..;/", "/%EF%BD%81dmin", "/HEALTH", "/health/.%20./admin"] {
                for token in [admin, nil] {
                    let reply = try service.auth(token, path: path)
                    #expect(reply.status == "403" && reply.values("WWW-Authenticate").isEmpty, "\(path)")
                }
            }
            for (path, status) in [("/admin", "204"), ("/Shop/B%C3%BCro;v=1", "204"), ("/health/A", "204")] {
                #expect(try service.auth(admin, path: path).status == status, "\(path)")
            }
            #expect(
                try service.get("/verify", body: #"{"token":"\#(admin)","path":"/Admin"}"#).body.contains(
                    "path_ambiguous"))
            #expect(try service.get("/verify", body: #"{"token":"\#(admin)","path":"/admin"}"#).body.contains("valid"))
            try service.configure(#","case-sensitive":true"#, policies: policies)
            try service.signal(SIGHUP)
            try service.expect("was read again")
            #expect(try service.auth(service.token(), path: "/ADMIN").status == "204")
            #expect(try service.auth(service.token(), path: "/admin").status == "403")
            #expect(try service.auth(admin, path: "/admin.").status == "403")
        }

        @Test(
            "serve --check rejects policies that a service may read as one, and a path that it may read in another way")
        func policies() throws {
            let service = try GatewayService()
            let tool = try #require(builtTool("bulla"))
            func check(_ members: String, _ paths: [String]) throws -> (status: Int32, text: String) {
                try service.configure(
                    members, policies: paths.map { #"{"path":"\#($0)","public":true}"# }.joined(separator: ","))
                let done = try run(tool, ["serve", "--check", service.config])
                return (done.status, done.stdout + done.stderr)
            }
            #expect(try check("", ["/admin", "/admins"]).status == 0)
            let twice = try check("", ["/admin", "/Admin"])
            #expect(
                twice.status == 2 && twice.text.contains("policies[1]: a service may read '/Admin' and '/admin' as one")
            )
            #expect(try check(#","case-sensitive":true"#, ["/admin", "/Admin"]).status == 0)
            #expect(try check(#","case-sensitive":true"#, ["/admin", "/admin."]).status == 2)
            for path in ["/a;b", "/%61", "/ /a", "/a/..."] {
                let found = try check("", [path])
                #expect(found.status == 2 && found.text.contains("policies[0].path: must begin with /"), "\(path)")
            }
        }
    }
#endif
