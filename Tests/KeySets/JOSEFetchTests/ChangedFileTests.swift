#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of files with certificates that change while a transport exists, and of what the environment may not change.
    @Suite("Files of the transport") struct ChangedFileTests {
        private let fetching: Fetching
        private let server: FaultServer
        private let folder: TemporaryFolder
        init() throws {
            fetching = try Fetching()
            server = fetching.server
            folder = try TemporaryFolder()
            try server.answer("/changed", .init("x"))
        }

        private func path(_ name: String) -> String { folder.url.appending(path: name).path }

        private func write(_ name: String, _ sources: String...) throws {
            let text = try sources.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
            try Data(text.utf8).write(to: folder.url.appending(path: name), options: .atomic)
        }

        @Test(
            "K34 a root that is removed from its file is trusted no more, also on a connection that is open, and a new one is"
        )
        func roots() async throws {
            let (known, strange) = (try server.listen(.https), try server.listen(.untrusted))
            try write("roots.pem", server.place.ca)
            let transport = try fetching.transport { $0.trust = .file(path("roots.pem")) }
            func error(_ port: Int) async -> TransportError? {
                await transport.error(fetching.url("/changed", port: port))
            }
            for _ in 0..<2 {
                #expect(await error(known) == nil)
                #expect(await error(strange) == .tls(.untrusted))
            }
            try write("roots.pem", server.place.strangerCA)
            #expect(await error(known) == .tls(.untrusted))
            #expect(await error(strange) == nil)
            try write("roots.pem", server.place.strangerCA, server.place.ca)
            #expect(await error(known) == nil)
            #expect(await error(strange) == nil)
            // Without its file nothing is trusted; the system's roots do not take its place.
            try FileManager.default.removeItem(atPath: path("roots.pem"))
            #expect(await error(known) == .tls(.untrusted))
            try write("roots.pem", server.place.ca)
            #expect(await error(known) == nil)
            #expect(await error(strange) == .tls(.untrusted))
        }

        @Test("K35 a client certificate that is replaced in its files is presented no more, also on open connections")
        func clientCertificate() async throws {
            let place = server.place
            let port = try server.listen(.clientRequired)
            func write(_ certificate: String, _ key: String) throws {
                try self.write("client.pem", certificate)
                try self.write("client.key", key)
            }
            try write(place.client, place.clientKey)
            let transport = try fetching.transport {
                $0.clientCertificate = .files(certificate: path("client.pem"), key: path("client.key"))
            }
            #expect(await transport.status(fetching.url("/changed", port: port)) == 200)
            try write(place.clientOfStranger, place.clientOfStrangerKey)
            #expect(await transport.error(fetching.url("/changed", port: port)) != nil)
            try FileManager.default.removeItem(atPath: path("client.key"))
            #expect(await transport.error(fetching.url("/changed", port: port)) == .tls(.clientCertificate))
            try write(place.client, place.clientKey)
            #expect(await transport.status(fetching.url("/changed", port: port)) == 200)
        }

        @Test("K38 a FIFO in the place of a file with certificates is not waited for, at the start and later")
        func fifos() async throws {
            let port = try server.listen(.https)
            try #require(unsafe mkfifo(path("fifo"), 0o600) == 0)
            #expect(throws: CurlTransportError.optionInvalid("trust")) {
                try fetching.transport { $0.trust = .file(path("fifo")) }
            }
            #expect(throws: CurlTransportError.optionInvalid("clientCertificate")) {
                try fetching.transport {
                    $0.clientCertificate = .files(certificate: server.place.client, key: path("fifo"))
                }
            }
            try write("roots.pem", server.place.ca)
            let transport = try fetching.transport { $0.trust = .file(path("roots.pem")) }
            let url = fetching.url("/changed", port: port)
            #expect(await transport.status(url) == 200)
            try #require(unsafe rename(path("fifo"), path("roots.pem")) == 0)
            #expect(await transport.error(url) == .tls(.untrusted))
            try write("roots.pem", server.place.ca)
            #expect(await transport.status(url) == 200)
        }

        @Test("K37 SSLKEYLOGFILE of the environment does not make the transport write the secrets of its connections")
        func secrets() throws {
            let client = try #require(builtTool("TestProcess"))
            func written(_ tool: String, _ words: [String], _ name: String) throws -> Int {
                let done = try run(tool, words, environment: ["SSLKEYLOGFILE": path(name)])
                #expect(done.status == 0 && done.stdout == "200\n", "\(done.stdout) \(done.stderr)")
                return (try? Data(contentsOf: folder.url.appending(path: name)).count) ?? 0
            }
            let url = server.url("/changed")
            #expect(try written(client, ["fetch", "get", url, server.place.ca], "ours") == 0)
            // The positive control: another client writes them.
            #expect(try written("/usr/bin/env", ["python3", "-c", Self.other, url, server.place.ca], "others") > 0)
        }

        private static let other = """
            import ssl, sys, urllib.request
            trust = ssl.create_default_context(cafile=sys.argv[2])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
            print(opener.open(sys.argv[1]).status)
            """
    }
#endif
