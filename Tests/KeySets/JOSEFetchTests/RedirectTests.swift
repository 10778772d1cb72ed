#if HTTP
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Redirects") struct RedirectTests {
        private let fetching: Fetching
        init() throws { fetching = try Fetching() }

        @Test("K04: no redirect is followed by default, whatever its status")
        func off() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/off-target", .init("x"))
            for status in [301, 302, 303, 307, 308] {
                try fetching.server.answer("/off", .redirect(to: "/off-target", status: status))
                #expect(await transport.error(fetching.url("/off")) == .redirectNotAllowed, "\(status)")
                #expect(await transport.status(fetching.url("/off")) { $0.redirectLimit = 1 } == 200, "\(status)")
            }
            #expect(try fetching.server.seen("/off-target").requests == 5)
        }

        @Test(
            "K04: a redirect to http, file:, another host or port, user information or an invalid URL is never followed"
        )
        func elsewhere() async throws {
            let transport = try fetching.transport()
            let other = try fetching.server.listen(.https)
            let port = fetching.server.place.https
            try fetching.server.answer("/elsewhere-target", .init("x"))
            let path = "/elsewhere-target"
            for place in [
                fetching.plainURL(path), "http://localhost:\(port)\(path)", "https://127.0.0.1:\(port)\(path)",
                "https://[::1]:\(port)\(path)", fetching.url(path, port: other), "https://localhost\(path)",
                "https://localhost.:\(port)\(path)", "//127.0.0.1:\(port)\(path)",
                "https://user@localhost:\(port)\(path)", "file:///etc/passwd", "ftp://localhost/", "https://",
                "https://10.0.0.1/", "javascript:alert(1)", "https://localhost:\(port)/a|b",
                "/" + String(repeating: "a", count: 5000),
            ] {
                try fetching.server.answer("/elsewhere", .redirect(to: place))
                let error = await transport.error(fetching.url("/elsewhere")) { $0.redirectLimit = 5 }
                #expect(error == .redirectNotAllowed, "\(place)")
            }
            #expect(try fetching.server.seen(path).requests == 0)
            for place in [
                path, fetching.url(path), "HTTPS://LOCALHOST:\(port)\(path)", "\(path)#part", "./\(path.dropFirst())",
            ] {
                try fetching.server.answer("/elsewhere", .redirect(to: place))
                #expect(await transport.status(fetching.url("/elsewhere")) { $0.redirectLimit = 1 } == 200, "\(place)")
            }
            #expect(try fetching.server.seen(path).requests == 5)
        }

        @Test("K04: a chain of redirects within the limit is followed, and a loop fails")
        func chain() async throws {
            let transport = try fetching.transport()
            try fetching.server.answer("/loop", .redirect(to: "/loop"))
            #expect(await transport.error(fetching.url("/loop")) { $0.redirectLimit = 3 } == .redirectNotAllowed)
            #expect(try fetching.server.seen("/loop").requests == 4)
            for step in 0..<3 { try fetching.server.answer("/chain\(step)", .redirect(to: "/chain\(step + 1)")) }
            try fetching.server.answer("/chain3", .init("end"))
            #expect(await transport.error(fetching.url("/chain0")) { $0.redirectLimit = 2 } == .redirectNotAllowed)
            let answer = try await transport.result(fetching.url("/chain0")) { $0.redirectLimit = 3 }.get()
            #expect(answer.body == Array("end".utf8) && answer.header("Location") == nil)
        }

        @Test("the deadline covers all redirects, and a POST is never redirected")
        func whole() async throws {
            try await OwnThread.run {
                let transport = try fetching.transport()
                var slow = FaultServer.Answer.redirect(to: "/slow-loop")
                slow.delay = 300
                try fetching.server.answer("/slow-loop", slow)
                // A busy machine may take long for the first request: the deadline is longer then.
                var isFollowed = false
                for seconds in [4, 8, 16, 28] where !isFollowed {
                    let before = try fetching.server.seen("/slow-loop").requests
                    let error = await transport.error(fetching.url("/slow-loop")) {
                        $0.redirectLimit = 100
                        $0.deadline = .seconds(seconds)
                    }
                    #expect(error == .deadlineExceeded)
                    let count = try fetching.server.seen("/slow-loop").requests - before
                    // A deadline that began anew with each redirect would allow all hundred of them.
                    #expect(count <= seconds * 1000 / 300 + 1)
                    isFollowed = count >= 2
                }
                #expect(isFollowed)
                try fetching.server.answer("/post-redirect", .redirect(to: "/post-target", status: 307))
                let post = await transport.error(fetching.url("/post-redirect")) {
                    $0.method = .post
                    $0.body = [1]
                    $0.redirectLimit = 5
                }
                #expect(post == .redirectNotAllowed)
                #expect(try fetching.server.seen("/post-target").requests == 0)
            }
        }
    }
#endif
