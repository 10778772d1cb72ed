#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Connections of the transport") struct ConnectionTests {
        private let fetching: Fetching
        private let server: FaultServer
        init() throws {
            fetching = try Fetching()
            server = fetching.server
            try server.answer("/connection", .init("x"))
        }

        @Test(
            "K01: distinguishes a refused connection, an unknown name and an unreachable host within the connect deadline"
        )
        func unreachable() async throws {
            try await OwnThread.run {
                let port = try server.listen(.refused)
                let hole = try server.listen(.blackHole)
                let silent = try server.listen(.silent)
                // A label has at most 63 letters (RFC 1035, 2.3.4), so that no resolver is asked.
                let name = String(repeating: "a", count: 64) + ".test"
                let place = "http://\(name):\(server.place.http)/connection"
                let transport = try fetching.transport()
                #expect(await transport.error(fetching.url("/connection", port: port)) == .connectFailed)
                #expect(await transport.error(place) == .nameNotResolved)
                let clock = ContinuousClock()
                let began = clock.now
                for unanswered in [hole, silent] {
                    let error = await transport.error(fetching.url("/connection", port: unanswered)) {
                        $0.connectDeadline = .milliseconds(400)
                    }
                    #expect(error == .connectDeadlineExceeded)
                    let short = await transport.error(fetching.url("/connection", port: unanswered)) {
                        $0.deadline = .milliseconds(300)
                    }
                    #expect(short == .deadlineExceeded)
                }
                #expect(clock.now - began < .seconds(15))
                for mended in [port, hole, silent] {
                    try server.listen(.https, port: mended)
                    #expect(await transport.status(fetching.url("/connection", port: mended)) == 200)
                }
                let resolving = try fetching.transport { $0.resolve = ["\(name):\(server.place.http):127.0.0.1"] }
                #expect(await resolving.status(place) == 200)
            }
        }

        @Test("connections are reused up to their maximum age")
        func kept() async throws {
            try await OwnThread.run {
                for port in [try server.listen(.https), try server.listen(.tls12)] {
                    let transport = try fetching.transport()
                    for _ in 0..<5 { #expect(await transport.status(fetching.url("/connection", port: port)) == 200) }
                    #expect(try server.traffic(port: port).connections == 1)
                    // Another transport has connections of its own.
                    #expect(await (try fetching.transport()).status(fetching.url("/connection", port: port)) == 200)
                    #expect(try server.traffic(port: port).connections == 2)
                }
                let port = try server.listen(.https)
                let brief = try fetching.transport { $0.idleLimit = .seconds(1) }
                #expect(await brief.status(fetching.url("/connection", port: port)) == 200)
                #expect(try server.traffic(port: port).open == 1)
                // The connection is closed although there is no request meanwhile.
                #expect(try await fetching.isDeserted(port: port))
                #expect(await brief.status(fetching.url("/connection", port: port)) == 200)
                #expect(try server.traffic(port: port).connections == 2)
            }
        }

        @Test("K25: a GET succeeds although the server closed the idle connection, before the request or during it")
        func closedByServer() async throws {
            let transport = try fetching.transport()
            let port = try server.listen(.https)
            try server.answer("/reuse", .init("x") { $0.hangUpOnReuse = true })
            for _ in 0..<3 { #expect(await transport.status(fetching.url("/reuse", port: port)) == 200) }
            let seen = try server.seen("/reuse")
            #expect(Set(seen.list.map(\.connection)).count == 3 && seen.requests == 5)
            for end in [FaultServer.Answer.End.quiet, .close] {
                try server.answer("/ended", .init("x") { $0.end = end })
                for _ in 0..<3 { #expect(await transport.status(fetching.url("/ended", port: port)) == 200) }
            }
            #expect(try server.seen("/ended").requests == 6)
            #expect(await transport.status(fetching.url("/connection", port: port)) == 200)
            try server.drop(port: port)
            #expect(await transport.status(fetching.url("/connection", port: port)) == 200)
        }

        @Test("K25: a request that fails on a new connection is not sent again, and a POST never is")
        func notAgain() async throws {
            let transport = try fetching.transport()
            let port = try server.listen(.https)
            try server.answer("/hang-up", .init("") { $0.hangUp = true })
            #expect(await transport.error(fetching.url("/hang-up", port: port)) == .connectionLost)
            #expect(try server.seen("/hang-up").requests == 1)
            try server.answer("/post-reuse", .init("x") { $0.hangUpOnReuse = true })
            for _ in 0..<3 {
                #expect(await transport.status(fetching.url("/connection", port: port)) == 200)
                #expect(await transport.status(fetching.url("/post-reuse", port: port)) { $0.method = .post } == 200)
            }
            #expect(try server.seen("/post-reuse").requests == 3)
            try server.answer("/post-hang-up", .init("") { $0.hangUp = true })
            let error = await transport.error(fetching.url("/post-hang-up", port: port)) { $0.method = .post }
            #expect(error == .connectionLost)
            #expect(try server.seen("/post-hang-up").requests == 1)
        }

        @Test(
            "K25: every request to an HTTP/2 server that closes each connection after one request succeeds",
            .enabled(if: NginxServer.tool != nil))
        func goAway() async throws {
            let nginx = try NginxServer(requestsPerConnection: 1)
            try nginx.put("set", "body")
            let transport = try fetching.transport()
            for _ in 0..<5 {
                let answer = try await transport.result(nginx.url("set")).get()
                #expect(answer.body == Array("body".utf8) && answer.header("ETag") != nil)
            }
            let all = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 { group.addTask { await transport.status(nginx.url("set")) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(all == Array(repeating: 200, count: 20))
            let log = try await nginx.log(25)
            #expect(log.count == 25 && log.allSatisfy { $0.version == "HTTP/2.0" && $0.status == 200 })
            #expect(Set(log.map(\.connection)).count == 25)
        }

        @Test(
            "HTTP/2 is used if the server supports it, and concurrent requests share a connection",
            .enabled(if: NginxServer.tool != nil))
        func multiplexed() async throws {
            for isHTTP2 in [true, false] {
                let nginx = try NginxServer(isHTTP2: isHTTP2)
                try nginx.put("set", "body")
                let transport = try fetching.transport()
                for _ in 0..<5 { #expect(await transport.status(nginx.url("set")) == 200) }
                let log = try await nginx.log(5)
                #expect(log.map(\.version) == Array(repeating: isHTTP2 ? "HTTP/2.0" : "HTTP/1.1", count: 5))
                #expect(Set(log.map(\.connection)).count == 1)
            }
        }

        @Test("K24: an unresponsive IPv6 address does not delay the IPv4 address (RFC 8305, 5)")
        func happyEyeballs() async throws {
            try await OwnThread.run {
                let port = server.place.http
                // The port on the other family has a full backlog.
                let hole = try BlackHole(port: port)
                defer { hole.close() }
                let transport = try fetching.transport { $0.resolve = ["dual.test:\(port):[::1],127.0.0.1"] }
                let dead = await transport.error("http://[::1]:\(port)/connection") {
                    $0.connectDeadline = .milliseconds(300)
                }
                #expect(dead == .connectDeadlineExceeded)
                // libcurl gives an address half of the time to connect, if it tries them one after the other.
                let began = ContinuousClock.now
                let status = await transport.status("http://dual.test:\(port)/connection") {
                    $0.deadline = .seconds(300)
                    $0.connectDeadline = .seconds(300)
                }
                #expect(status == 200 && ContinuousClock.now - began < .seconds(150))
                // IPv6 works alone as well.
                let six = try server.listen(.https, host: "::1")
                #expect(await transport.status("https://[::1]:\(six)/connection") == 200)
            }
        }

        @Test("an explicit proxy is used for all https servers, and not for http on loopback")
        func proxy() async throws {
            let proxy = "http://127.0.0.1:\(server.place.http)"
            let transport = try fetching.transport { $0.proxy = proxy }
            #expect(await transport.error("https://proxied.test:444/") == .connectFailed)
            #expect(try server.seen("CONNECT proxied.test:444").requests == 1)
            #expect(await transport.status(fetching.plainURL("/connection")) == 200)
            let direct = try fetching.transport { $0.resolve = ["proxied.test:444:127.0.0.1"] }
            #expect(await direct.error("https://proxied.test:444/") == .connectFailed)
            #expect(try server.seen("CONNECT proxied.test:444").requests == 1)
        }
    }

    /// A port of IPv6 loopback that neither accepts nor refuses a connection.
    private struct BlackHole {
        private var sockets: [Int32] = []

        init(port: Int) throws {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            let count = socklen_t(MemoryLayout<sockaddr_in6>.size)
            func made() -> Int32 { socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0) }
            let listening = made()
            sockets = [listening]
            var only: Int32 = 1
            unsafe setsockopt(listening, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
            let bound = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listening, $0, count) }
            }
            try #require(bound == 0 && listen(listening, 0) == 0)
            for _ in 0..<8 {
                let filler = made()
                sockets.append(filler)
                _ = unsafe withUnsafePointer(to: &address) {
                    unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(filler, $0, count) }
                }
            }
        }

        func close() { for socket in sockets { Foundation.close(socket) } }
    }
#endif
