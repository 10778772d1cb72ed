#if HTTP
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Limits of a response") struct BoundTests {
        private let fetching: Fetching
        init() throws { fetching = try Fetching() }

        private static let forms: [(String, @Sendable (inout FaultServer.Answer) -> Void)] = [
            ("sized", { _ in }), ("chunked", { $0.chunked = true }), ("unsized", { $0.unsized = true }),
            ("gzip", { $0.gzip = true }),
            (
                "gzip-chunked",
                {
                    $0.gzip = true
                    $0.chunked = true
                }
            ),
        ]

        @Test("K03: accepts a body of exactly the limit and rejects one byte more, however it is sent")
        func exact() async throws {
            let transport = try fetching.transport()
            for (name, change) in Self.forms {
                try fetching.server.answer("/exact-\(name)", .init("", change).filled(5000))
                for limit in [5000, 5001, 1 << 20] {
                    let answer = try await transport.result(fetching.url("/exact-\(name)")) { $0.bodyLimit = limit }
                        .get()
                    #expect(answer.body.count == 5000 && answer.body.allSatisfy { $0 == 0x20 }, "\(name)")
                }
                for limit in [4999, 1, 0, -1] {
                    let error = await transport.error(fetching.url("/exact-\(name)")) { $0.bodyLimit = limit }
                    #expect(error == .bodyTooLarge, "\(name), \(limit)")
                }
            }
            try fetching.server.answer("/nothing", .init(""))
            #expect(await transport.status(fetching.url("/nothing")) { $0.bodyLimit = 0 } == 200)
        }

        @Test(
            "K03: rejects 20 MB without reading all of them: with a length, chunked, without a length, and from a gzip bomb"
        )
        func huge() async throws {
            try await OwnThread.run {
                let transport = try fetching.transport()
                let size = 20 << 20
                for (name, change) in Self.forms {
                    let path = "/huge-\(name)"
                    try fetching.server.answer(path, .init("", change).filled(size))
                    #expect(await transport.error(fetching.url(path)) == .bodyTooLarge, "\(name)")
                    // Only the socket buffers of both sides were filled.
                    let sent = try fetching.server.seen(path).bytes
                    #expect(sent < size / 2, "\(name)")
                }
                let bomb = try await transport.result(fetching.url("/huge-gzip")) { $0.bodyLimit = size }.get()
                #expect(bomb.body.count == size)
            }
        }

        @Test("K02: a slow header or body fails at the deadline, and the connection is closed")
        func drip() async throws {
            try await OwnThread.run {
                let transport = try fetching.transport()
                let port = try fetching.server.listen(.https)
                try fetching.server.answer("/drip-headers", .init("x") { $0.dripHeaders = 100 })
                try fetching.server.answer("/drip-body", .init("") { $0.dripBody = 100 }.filled(1000))
                async let headers = transport.error(fetching.url("/drip-headers", port: port)) {
                    $0.deadline = .milliseconds(900)
                }
                async let body = transport.error(fetching.url("/drip-body", port: port)) {
                    $0.deadline = .milliseconds(900)
                }
                let errors = await [headers, body]
                #expect(errors == [.deadlineExceeded, .deadlineExceeded])
                #expect(try await fetching.isDeserted(port: port))
                for path in ["/drip-headers", "/drip-body"] {
                    // The header of the second response arrives at once.
                    #expect(try fetching.server.seen(path).bytes < 200, "\(path)")
                }
                try fetching.server.answer("/drip-body", .init("") { $0.dripBody = 10 }.filled(20))
                #expect(await transport.status(fetching.url("/drip-body", port: port)) == 200)
                try fetching.server.answer("/drip-headers", .init("x") { $0.dripHeaders = 2 })
                #expect(await transport.status(fetching.url("/drip-headers", port: port)) == 200)
            }
        }

        @Test("a request without a response fails at the deadline, and a deadline of zero sends no request")
        func silence() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/late", .init("x") { $0.delay = 60_000 })
            try fetching.server.answer("/unasked", .init("x"))
            // On a busy machine the deadline may end within the handshake, before there is a request: then a longer one is tried.
            for deadline in [Duration.milliseconds(400), .seconds(4), .seconds(20)]
            where try fetching.server.seen("/late").requests == 0 {
                #expect(
                    await transport.error(fetching.url("/late")) { $0.deadline = deadline } == .deadlineExceeded)
            }
            #expect(try fetching.server.seen("/late").requests >= 1)
            for none in [Duration.zero, .seconds(-1)] {
                #expect(await transport.error(fetching.url("/unasked")) { $0.deadline = none } == .deadlineExceeded)
                #expect(
                    await transport.error(fetching.url("/unasked")) { $0.connectDeadline = none }
                        == .connectDeadlineExceeded)
            }
            #expect(try fetching.server.seen("/unasked").requests == 0)
            #expect(await transport.status(fetching.url("/unasked")) { $0.deadline = .seconds(Int64.max / 2) } == 200)
        }

        @Test("a response with too many header lines or bytes, or an endless line, is rejected")
        func headers() async throws {
            let usual = try fetching.transport()
            let large = try fetching.transport {
                $0.headerByteLimit = 1 << 20
                $0.headerCountLimit = 1000
            }
            let many = (0..<140).map { ["X-\($0)", "v"] }
            let long = [["X-Long", String(repeating: "a", count: 40_000)]]
            for (name, lines) in [("many", many), ("long", long)] {
                var answer = FaultServer.Answer("x")
                answer.headers = lines
                try fetching.server.answer("/headers-\(name)", answer)
                #expect(await usual.error(fetching.url("/headers-\(name)")) == .headersTooLarge, "\(name)")
                #expect(await large.status(fetching.url("/headers-\(name)")) == 200, "\(name)")
            }
            // libcurl has a limit of its own for one line.
            var endless = FaultServer.Answer("x")
            endless.headers = [["X-Long", String(repeating: "a", count: 400_000)]]
            try fetching.server.answer("/headers-endless", endless)
            for transport in [usual, large] {
                #expect(await transport.error(fetching.url("/headers-endless")) == .headersTooLarge)
            }
        }

        @Test("a response that is reset, or truncated in its header, body or chunks, is rejected")
        func cut() async throws {
            let transport = try fetching.transport()
            let chunked: (inout FaultServer.Answer) -> Void = { $0.chunked = true }
            try fetching.server.answer("/cut", .init("0123456789"))
            let whole = try fetching.server.seen("/cut").bytes
            #expect(whole == 0)
            for (at, end) in [(0, FaultServer.Answer.End.close), (20, .close), (60, .close), (0, .abort), (60, .abort)]
            {
                var answer = FaultServer.Answer("0123456789").filled(100)
                answer.cut = at
                answer.end = end
                try fetching.server.answer("/cut", answer)
                #expect(await transport.error(fetching.url("/cut")) == .connectionLost, "\(at), \(end)")
                chunked(&answer)
                try fetching.server.answer("/cut", answer)
                #expect(await transport.error(fetching.url("/cut")) == .connectionLost, "\(at), \(end), chunked")
            }
            try fetching.server.answer("/cut", .init("0123456789"))
            #expect(await transport.status(fetching.url("/cut")) == 200)
        }

        @Test("a response with invalid compression is rejected")
        func compression() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer(
                "/compressed", .init("no gzip", headers: ["Content-Encoding": "gzip"]), .init("text") { $0.gzip = true }
            )
            #expect(await transport.error(fetching.url("/compressed")) == .responseInvalid)
            let answer = try await transport.result(fetching.url("/compressed")).get()
            #expect(answer.body == Array("text".utf8))
        }
    }

    extension FaultServer.Answer {
        func filled(_ count: Int) -> Self {
            var answer = self
            answer.fill = count
            return answer
        }
    }
#endif
