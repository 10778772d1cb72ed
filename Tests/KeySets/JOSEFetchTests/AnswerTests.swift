#if HTTP
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Requests and responses over libcurl") struct AnswerTests {
        private let fetching: Fetching
        init() throws { fetching = try Fetching() }

        @Test("a response has the status, header fields and body that were sent, over TLS and http")
        func answers() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer(
                "/answer",
                .init(#"{"keys":[]}"#, headers: ["ETag": #""v1""#, "Cache-Control": "max-age=300", "X-Empty": ""]))
            for url in [fetching.url("/answer"), fetching.plainURL("/answer")] {
                let response = try await transport.result(url).get()
                #expect(response.status == 200 && response.body == Array(#"{"keys":[]}"#.utf8))
                #expect(response.header("etag") == #""v1""# && response.header("cache-control") == "max-age=300")
                #expect(response.header("x-empty") == "" && response.header("x-absent") == nil)
                let second = try await transport.result(url) {
                    $0.headers = [TransportHeaderField("If-None-Match", #""v1""#)]
                }.get()
                #expect(second.status == 304 && second.body.isEmpty && second.header("ETag") == #""v1""#)
            }
        }

        @Test("a response with any status except a redirect is returned")
        func statuses() async throws {
            let transport = try fetching.transport()
            let all = [200, 201, 300, 304, 305, 400, 401, 404, 410, 429, 500, 503]
            try fetching.server.answer(
                "/statuses", all.map { .init($0 == 304 ? "" : "x", status: $0, headers: ["Location": "/elsewhere"]) })
            for status in all {
                let answer = await transport.result(fetching.plainURL("/statuses"))
                #expect((try? answer.get())?.status == status, "\(answer)")
            }
        }

        @Test("a request sends the User-Agent of the options, and nothing else about the client")
        func headers() async throws {
            try fetching.server.answer("/who", .init("x"))
            for (agent, expected) in [(nil, "bulla/0.1.0"), ("service (test)", "service (test)")] {
                let transport = try fetching.transport { if let agent { $0.userAgent = agent } }
                #expect(await transport.status(fetching.url("/who")) == 200)
                let request = try #require(try fetching.server.seen("/who").list.last)
                #expect(request.header("User-Agent") == expected && request.method == "GET")
                #expect(
                    Set(request.headers.map { $0[0].lowercased() })
                        == ["host", "user-agent", "accept", "accept-encoding"])
            }
        }

        @Test("a POST sends its body and header fields, and no Content-Type unless the caller sets one")
        func post() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/post", .init("done"))
            let body = Array("grant_type=client_credentials".utf8)
            let answer = try await transport.result(fetching.url("/post")) {
                $0.method = .post
                $0.body = body
                $0.headers = [TransportHeaderField("Accept", "application/json"), TransportHeaderField("X-Empty", "")]
            }.get()
            #expect(answer.body == Array("done".utf8))
            let request = try #require(try fetching.server.seen("/post").list.last)
            #expect(request.method == "POST" && request.header("Content-Length") == "\(body.count)")
            #expect(request.header("Accept") == "application/json" && request.header("X-Empty") == "")
            #expect(request.header("Content-Type") == nil && request.header("Expect") == nil)
            let type = TransportHeaderField("content-type", "application/x-www-form-urlencoded")
            #expect(
                await transport.status(fetching.url("/post")) {
                    $0.method = .post
                    $0.headers = [type]
                } == 200)
            let second = try #require(try fetching.server.seen("/post").list.last)
            #expect(second.header("Content-Type") == type.value && second.header("Content-Length") == "0")
        }

        @Test("header fields that are malformed or reserved for the transport are rejected (RFC 9110, 5.5 and 7.6.1)")
        func injection() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/injection", .init("x"))
            let url = fetching.url("/injection")
            let wrong = [
                ("X-A", "b\r\nX-C: d"), ("X-A", "b\nX-C: d"), ("X-A", "b\0"), ("X-A", " b"), ("X-A", "b "),
                ("X-A", "\u{7F}"), ("X-A\r\nX-C", "d"), ("X A", "b"), ("X-A:", "b"), ("", "b"), ("Host", "elsewhere"),
                ("content-length", "4"), ("Transfer-Encoding", "chunked"), ("CONNECTION", "close"),
                ("User-Agent", "x"), ("Accept-Encoding", "br"), ("Expect", "100-continue"), ("Upgrade", "h2c"),
            ]
            for (name, value) in wrong {
                #expect(
                    await transport.error(url) { $0.headers = [TransportHeaderField(name, value)] } == .requestInvalid,
                    "\(name): \(value)")
            }
            #expect(await transport.error(url) { $0.body = [1] } == .requestInvalid)
            #expect(try fetching.server.seen("/injection").requests == 0)
            #expect(await transport.status(url) { $0.headers = [TransportHeaderField("X-A", "b\tc d")] } == 200)
            #expect(try fetching.server.seen("/injection").list.last?.header("X-A") == "b\tc d")
        }

        @Test("folded header lines are joined, and lines that are not fields are rejected (RFC 9112, 5.2)")
        func lines() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/folded", .init("x", headers: ["X-Folded": "one\r\n  two"]))
            let response = try await transport.result(fetching.plainURL("/folded")).get()
            #expect(response.header("X-Folded") == "one two" && response.status == 200)
            try fetching.server.answer("/unfit", .init("x", headers: ["X Name": "v"]), .init("x"))
            #expect(await transport.error(fetching.plainURL("/unfit")) == .responseInvalid)
            #expect(await transport.status(fetching.plainURL("/unfit")) == 200)
        }
    }
#endif
