#if HTTP
    import TestSupport
    import Testing

    /// Tests of app link files that a server delivers.
    @Suite("App link files from a URL") struct LinkCommandTests {
        private static let body =
            #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.be.shop.app","paths":["*"]}]}}"#

        private func check(_ server: FaultServer, _ path: String) throws -> (
            status: Int32, stdout: String, stderr: String
        ) {
            let tool = try #require(builtTool("bulla-sandbox"))
            return try run(tool, ["links", "check", server.url(path), "--ca", server.place.ca])
        }

        @Test("links check checks the media type and path of a file, and follows no redirect, as phones do")
        func served()
            throws
        {
            let server = try FaultServer.shared.get()
            let good = "/.well-known/apple-app-site-association"
            try server.answer(good, .init(Self.body, headers: ["Content-Type": "application/json"]))
            let whole = try check(server, good)
            #expect(whole.status == 0 && whole.stdout == "ok: \(server.url(good))\n", "\(whole)")
            try server.answer(
                "/links/apple-app-site-association.json", .init(Self.body, headers: ["Content-Type": "text/plain"]))
            let wrong = try check(server, "/links/apple-app-site-association.json")
            #expect(wrong.status == 1 && wrong.stdout.contains("the content type is not application/json"), "\(wrong)")
            #expect(wrong.stdout.contains("not the name and path that phones look for"))
            try server.answer("/.well-known/assetlinks.json", .redirect(to: server.url(good)))
            let elsewhere = try check(server, "/.well-known/assetlinks.json")
            #expect(elsewhere.status == 1 && elsewhere.stdout.contains("the server redirects"), "\(elsewhere)")
        }
    }
#endif
