#if HTTP
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Allowed URLs and addresses") struct URLTests {
        private let fetching: Fetching
        init() throws { fetching = try Fetching() }

        @Test("a URL that is not absolute, or has user information, is rejected before any request (RFC 3986, 3)")
        func form() async throws {
            let transport = try fetching.transport()
            let port = fetching.server.place.https
            let wrong = [
                "", "localhost", "//localhost/", "/path", "https:", "https:/localhost", "https://", "https:///path",
                "https://?x", "https://user@localhost/", "https://user:pass@localhost/", "https://@localhost/",
                "https://localhost/#part", "https://localhost#", "https://local host/", "https://localhost/a b",
                "https://localhost/\u{0}", "https://localhost/\r\nX: y", "https://localhost/\u{7F}",
                "https://localhost/ä", "https://lo\u{301}calhost/", "https://localhost\\@elsewhere/",
                "https://localhost/<a>", "https://localhost/\"", "https://localhost/{a}", "https://localhost/a|b",
                "https://localhost/^", "https://localhost/`", "https://localhost:/", "https://localhost:0/",
                "https://localhost:65536/", "https://localhost:-1/", "https://localhost:1:2/", "https://localhost:x/",
                "https://[::1/", "https://[::1]x/", "https://[::1%25lo]/", "https://[fe80::1%25eth0]/",
                "https://%6cocalhost/", "https://.localhost/", "https://local,host/", "https://a&b/", " https://a/",
                "https://localhost/" + String(repeating: "a", count: 4096),
            ]
            for url in wrong { #expect(await transport.error(url) == .urlInvalid, "\(url)") }
            try fetching.server.answer("/form?a=b&c=%20/?", .init("x"))
            #expect(await transport.status("HTTPS://LocalHost:\(port)/form?a=b&c=%20/?") == 200)
        }

        @Test("only https is allowed, and http on loopback if configured")
        func scheme() async throws {
            try fetching.server.answer("/scheme", .init("x"))
            let strict = try fetching.transport { $0.allowsLoopbackHTTP = false }
            let lenient = try fetching.transport()
            for url in [
                "ftp://localhost/", "file:///etc/passwd", "file://localhost/etc/passwd", "gopher://localhost/",
                "ws://localhost/", "httpss://localhost/", "data:text/plain,x", "javascript:x", "dict://localhost/",
            ] {
                #expect(await lenient.error(url) == .schemeNotAllowed, "\(url)")
            }
            #expect(await strict.error(fetching.plainURL("/scheme")) == .schemeNotAllowed)
            #expect(await lenient.status(fetching.plainURL("/scheme")) == 200)
            // http to other addresses than loopback is never allowed.
            let open = try fetching.transport {
                $0.allowsPrivateAddresses = true
                $0.resolve = ["inside.test:80:10.0.0.1"]
            }
            for url in ["http://10.0.0.1/", "http://8.8.8.8/", "http://inside.test/", "http://[2600::1]/"] {
                #expect(await open.error(url) == .addressNotAllowed, "\(url)")
            }
        }

        @Test("an internal address in any notation is rejected, and so is a name that resolves to one")
        func inside() async throws {
            try fetching.server.answer("/inside", .init("x"))
            let port = fetching.server.place.https
            let closed = try fetching.transport {
                $0.allowsLoopback = false
                $0.resolve = [
                    "mapped.test:443:[::ffff:10.0.0.1]", "private.test:443:192.168.1.1",
                    "cloud.test:443:169.254.169.254",
                    "unique.test:443:[fd00::1]", "both.test:443:127.0.0.1,[::1]", "zero.test:443:0.0.0.0",
                ]
            }
            let urls = [
                "https://127.0.0.1:\(port)/inside", "https://localhost:\(port)/inside", "https://[::1]:\(port)/inside",
                "https://2130706433:\(port)/inside", "https://0x7f.1:\(port)/inside", "https://127.1:\(port)/inside",
                "https://0177.0.0.1:\(port)/inside", "https://[::ffff:127.0.0.1]:\(port)/inside", "https://0/",
                "https://[::ffff:7f00:1]:\(port)/inside", "https://[::]:\(port)/", "https://mapped.test/",
                "https://private.test/", "https://cloud.test/", "https://unique.test/", "https://both.test/",
                "https://zero.test/", "https://[fe80::1]/", "https://169.254.169.254/latest/meta-data/",
            ]
            for url in urls { #expect(await closed.error(url) == .addressNotAllowed, "\(url)") }
            #expect(try fetching.server.seen("/inside").requests == 0)
            let open = try fetching.transport()
            for url in urls.prefix(2) + [fetching.url("/inside")] { #expect(await open.status(url) == 200, "\(url)") }
            // Only loopback was allowed.
            for url in ["https://10.0.0.1/", "https://[fd00::1]/", "https://169.254.169.254/"] {
                #expect(await open.error(url) == .addressNotAllowed, "\(url)")
            }
        }

        @Test("each kind of internal address is allowed by an option of its own")
        func permissions() async throws {
            let kinds: [(String, (inout CurlTransport.Options) -> Void)] = [
                ("https://10.255.255.1/", { $0.allowsPrivateAddresses = true }),
                ("https://100.64.0.1/", { $0.allowsPrivateAddresses = true }),
                ("https://169.254.255.1/", { $0.allowsLinkLocalAddresses = true }),
                ("https://127.0.0.1:1/", { $0.allowsLoopback = true }),
            ]
            for (allowed, change) in kinds {
                let transport = try fetching.transport {
                    $0.allowsLoopback = false
                    change(&$0)
                }
                for (url, _) in kinds where url.prefix(11) != allowed.prefix(11) {
                    // RFC 1918 and RFC 6598 share an option.
                    if allowed.contains("//1") && url.contains("//10") && allowed.contains("//10") { continue }
                    #expect(await transport.error(url) == .addressNotAllowed, "\(url) beside \(allowed)")
                }
                let error = await transport.error(allowed) { $0.connectDeadline = .milliseconds(300) }
                #expect(error != .addressNotAllowed, "\(allowed)")
            }
        }

        @Test("with a list of allowed hosts, requests go to no other host")
        func hosts() async throws {
            try fetching.server.answer("/hosts", .init("x"))
            let one = try fetching.transport { $0.allowedHosts = ["LOCALHOST"] }
            #expect(await one.status(fetching.url("/hosts")) == 200)
            for host in ["127.0.0.1", "localhost.", "localhost.test", "xlocalhost", "elsewhere.test"] {
                let error = await one.error("https://\(host):\(fetching.server.place.https)/hosts")
                #expect(error == .addressNotAllowed, "\(host)")
            }
            let other = try fetching.transport { $0.allowedHosts = ["127.0.0.1"] }
            #expect(await other.status("https://127.0.0.1:\(fetching.server.place.https)/hosts") == 200)
            #expect(await other.error(fetching.url("/hosts")) == .addressNotAllowed)
        }
    }
#endif
