#if HTTP
    import JOSE
    import JOSEKeySets
    import TestSupport

    /// A fault between a source and its server, and the event that reports it.
    struct Fault: Sendable {
        let name: String
        /// The number of fetches beyond those of any source: the refresh before expiry, and the fetches for a repeated name.
        var moreFetches = 0
        /// The number of requests at the server for each one of the source, because redirects are followed.
        var requestsEach = 1
        var options: @Sendable (inout KeySetOptions) -> Void = { _ in }
        let inflict: @Sendable (Site) throws -> Void
        let shows: @Sendable (KeySetEvent) -> Bool

        private static func answer(
            _ name: String, _ shows: @escaping @Sendable (KeySetEvent) -> Bool,
            _ make: @escaping @Sendable (Site) throws -> FaultServer.Answer
        ) -> Fault {
            Fault(name: name, inflict: { try $0.server.answer($0.path, make($0)) }, shows: shows)
        }

        private static func port(_ name: String, _ kind: FaultServer.Kind, _ errors: TransportError...) -> Fault {
            Fault(name: name, inflict: { try $0.server.listen(kind, port: $0.port) }, shows: fails(errors))
        }

        private static func fails(_ errors: TransportError...) -> @Sendable (KeySetEvent) -> Bool { fails(errors) }
        private static func fails(_ errors: [TransportError]) -> @Sendable (KeySetEvent) -> Bool {
            { event in
                guard case .failed(.transport(let error), _) = event else { return false }
                return errors.contains(error)
            }
        }
        private static func fails(status: Int) -> @Sendable (KeySetEvent) -> Bool {
            { event in
                guard case .failed(.status(status), _) = event else { return false }
                return true
            }
        }
        private static func refused(_ reason: KeySetRejection) -> @Sendable (KeySetEvent) -> Bool {
            { $0 == .refused(reason) }
        }
        private static let malformed: @Sendable (KeySetEvent) -> Bool = { event in
            if case .refused(.malformed) = event { true } else { false }
        }
        private static let fetched: @Sendable (KeySetEvent) -> Bool = { event in
            if case .fetched = event { true } else { false }
        }

        static let all = connections + times + sizes + statuses + redirects + contents + keys + changes

        private static let connections = [
            port("refuse", .refused, .connectFailed),
            port("black hole", .blackHole, .connectDeadlineExceeded, .deadlineExceeded),
            port("accept and say nothing", .silent, .connectDeadlineExceeded, .deadlineExceeded),
            port("wrong certificate", .wrongName, .tls(.nameMismatch)),
            port("certificate of another authority", .untrusted, .tls(.untrusted)),
            port("expired certificate", .expired, .tls(.expired)),
            // This server closes the connection without a TLS message.
            port(
                "client certificate asked for", .clientRequired, .tls(.clientCertificate), .tls(.handshake),
                .connectionLost, .connectFailed),
        ]

        private static let times = [
            answer("say nothing after the request", fails(.deadlineExceeded)) { site in .init { $0.delay = 60_000 } },
            answer("drip the header, a byte every 100 ms", fails(.deadlineExceeded)) { site in
                site.text(site.set([site.key])) { $0.dripHeaders = 100 }
            },
            answer("drip the body, a byte every 100 ms", fails(.deadlineExceeded)) { site in
                site.text(site.set([site.key])) { $0.dripBody = 100 }
            },
            answer("hang up without an answer", fails(.connectionLost)) { _ in .init { $0.hangUp = true } },
        ]

        private static let cuts = [1, 12, 30, 90, 150, 220].flatMap { bytes in
            [FaultServer.Answer.End.keep, .abort].map { end in
                answer("cut at byte \(bytes), \(end == .keep ? "closed" : "reset")", fails(.connectionLost)) { site in
                    site.text(site.set([site.key])) {
                        $0.cut = bytes
                        $0.end = end
                    }
                }
            }
        }

        private static let sizes =
            cuts + [
                answer("20 MB body", fails(.bodyTooLarge)) { site in
                    site.text(site.set([site.key])) { $0.fill = 20 << 20 }
                },
                answer("20 MB body without a length", fails(.bodyTooLarge)) { site in
                    site.text(site.set([site.key])) {
                        $0.fill = 20 << 20
                        $0.chunked = true
                    }
                },
                answer("gzip bomb", fails(.bodyTooLarge)) { site in
                    site.text(site.set([site.key])) {
                        $0.fill = 20 << 20
                        $0.gzip = true
                    }
                },
            ]

        private static let statuses = [
            answer("500", fails(status: 500)) { _ in .init("fault", status: 500) },
            answer("503", fails(status: 503)) { _ in .init("fault", status: 503) },
            answer("429 with Retry-After", fails(status: 429)) { _ in
                .init(status: 429, headers: ["Retry-After": "120"])
            },
        ]

        private static func redirect(_ name: String, _ place: @escaping @Sendable (Site) -> String) -> Fault {
            Fault(
                name: "redirect \(name)", options: { $0.redirectLimit = 2 },
                inflict: { site in
                    try site.server.answer(site.path, .redirect(to: place(site)))
                    // The resource exists, but must not be fetched.
                    try site.server.answer(site.path + "/elsewhere", site.keys(site.next))
                }, shows: fails(.redirectNotAllowed))
        }

        private static let redirects = [
            Fault(
                name: "redirect loop", requestsEach: 3, options: { $0.redirectLimit = 2 },
                inflict: { try $0.server.answer($0.path, .redirect(to: $0.path)) }, shows: fails(.redirectNotAllowed)),
            redirect("to http") { "http://localhost:\($0.server.place.http)\($0.path)/elsewhere" },
            redirect("to another host") { "https://127.0.0.1:\($0.port)\($0.path)/elsewhere" },
            redirect("to another port") { "https://localhost:\($0.server.place.https)\($0.path)/elsewhere" },
            redirect("to a file") { _ in "file:///etc/hostname" },
        ]

        private static let contents = [
            answer("bad JSON", malformed) { site in site.text(String(site.set([site.key]).dropLast(2))) },
            answer("HTML", malformed) { $0.text("<!doctype html><title>Sign in</title>") },
            answer("HTML by its type", refused(.contentType)) { $0.text("<!doctype html>", type: "text/html") },
            answer("empty", refused(.empty)) { $0.text("") },
            answer("a byte order mark", malformed) { site in site.text("\u{FEFF}" + site.set([site.key])) },
            answer("keys twice", malformed) { $0.text(#"{"keys":[],"keys":[]}"#) },
            answer("an array", malformed) { $0.text("[]") },
        ]

        private static let keys = [
            answer("no keys", refused(.noUsableKeys)) { $0.text(#"{"keys":[]}"#) },
            answer("duplicate kid", fetched) { site in
                // The other key is the first one.
                let other = try PrivateKey.generate(.p256, keyID: "first")
                return site.keys(other, site.key)
            },
            answer("private keys", refused(.privateKey)) { site in
                let secret = String(decoding: try site.next.exportPrivateJWK(), as: UTF8.self)
                return site.text(String(site.set([site.key]).dropLast(2)) + "," + secret + "]}")
            },
            answer("a symmetric key", refused(.privateKey)) { site in
                site.text(
                    String(site.set([site.key]).dropLast(2))
                        + #",{"kty":"oct","kid":"second","k":"AAAAAAAAAAAAAAAAAAAAAA"}]}"#)
            },
            Fault(
                name: "10 000 keys", options: { $0.bodyLimit = 4 << 20 },
                inflict: { try $0.server.answer($0.path, $0.text(many($0))) },
                shows: { $0 == .tooManyKeys(total: 10_000, used: 100) }),
            answer("10 000 keys beyond the bound of bytes", fails(.bodyTooLarge)) { $0.text(many($0)) },
        ]

        private static func many(_ site: Site) -> String {
            let key = String(site.set([site.key]).dropFirst(9).dropLast(2))
            return #"{"keys":["#
                + ([key] + (1..<10_000).map { key.replacing("first", with: "k\($0)") }).joined(separator: ",")
                + "]}"
        }

        private static let changes = [
            Fault(
                name: "rotation between two requests",
                inflict: { try $0.server.answer($0.path, $0.keys($0.key, $0.next)) },
                shows: { $0 == .added([KeyName("second")]) }),
            answer("connection closed between two requests", fetched) { site in
                site.text(site.set([site.key]) + " ") { $0.hangUpOnReuse = true }
            },
            Fault(
                name: "clock jump", moreFetches: 3,
                inflict: { site in
                    try site.server.answer(site.path, site.text(site.set([site.key]) + " "))
                    for hours in [12.0, -12, 20] { site.clock.move(by: hours * 3600) }
                }, shows: fetched),
        ]
    }
#endif
