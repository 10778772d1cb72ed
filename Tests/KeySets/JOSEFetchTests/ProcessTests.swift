#if HTTP
    import Foundation
    import TestSupport
    import Testing

    @Suite("The transport in a separate process") struct ProcessTests {
        private let server: FaultServer
        private let client: String
        init() throws {
            server = try FaultServer.shared.get()
            client = try #require(builtTool("TestProcess"))
        }

        @Test("K22: fifty concurrent requests, cancelled tasks and a shutdown leak no file descriptor or thread")
        func descriptors() throws {
            try server.answer("/process", .init("x") { $0.delay = 300 })
            try server.answer("/process-slow", .init("x") { $0.delay = 30_000 })
            let result = try run(
                client, ["fetch", "count", server.url("/process"), server.url("/process-slow"), server.place.ca])
            let numbers = result.stdout.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(numbers.count == 7, "\(result)")
            #expect(numbers[0] == numbers[1], "descriptors")
            #expect(numbers[6] == 200, "answers")
            #if os(Linux)
                // There is one thread of the transport, and new ones of the concurrency runtime.
                #expect(numbers[3] - numbers[2] <= 3, "threads, before and while")
                #expect(numbers[4] == 1 && numbers[5] == 0, "threads of transports, while and after")
            #endif
        }

        @Test("K29: a process that exits while its transport connects over TLS has its own exit status")
        func exits() throws {
            try server.answer("/process-exit", .init("x") { $0.delay = 30_000 })
            // With the last delay, connections are established.
            for milliseconds in Array(1...30) + [1_000] {
                let words = ["fetch", "exit", server.url("/process-exit"), server.place.ca, "\(milliseconds)"]
                let result = try run(client, words)
                #expect(result.status == 0, "\(result)")
            }
            #expect(try server.seen("/process-exit").requests > 0)
        }

        #if os(Linux)
            @Test("without libcurl no transport is created, and the error names the library")
            func missingLibrary() throws {
                try server.answer("/library", .init("x"))
                let words = ["fetch", "get", server.url("/library"), server.place.ca]
                #expect(try run(client, words).stdout == "200\n")
                // The loader takes this file for the library, and cannot load it.
                let folder = try TemporaryFolder()
                try Data().write(to: folder.url.appending(path: "libcurl.so.4"))
                let result = try run(client, words, environment: ["LD_LIBRARY_PATH": folder.url.path])
                #expect(
                    result.status == 0
                        && result.stdout.hasPrefix("libcurl.so.4 cannot be loaded"), "\(result)")
            }
        #endif

        @Test("K24: proxies of the environment are not used by default")
        func environment() throws {
            let proxy = "http://127.0.0.1:\(server.place.http)"
            try server.answer("/environment", .init("x"))
            let url = server.url("/environment")
            let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy"]
            let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, proxy) }).merging(
                ["no_proxy": "", "NO_PROXY": ""]) { $1 }
            let tunnel = "CONNECT localhost:\(server.place.https)"
            let plain = try run(client, ["fetch", "get", url, server.place.ca], environment: environment)
            #expect(plain.stdout == "200\n")
            #expect(try server.seen(tunnel).requests == 0)
            let words = ["fetch", "get", url, server.place.ca, "environment"]
            let asked = try run(client, words, environment: environment)
            #expect(asked.stdout == "the connection to the host failed\n")
            #expect(try server.seen(tunnel).requests == 1)
        }
    }
#endif
