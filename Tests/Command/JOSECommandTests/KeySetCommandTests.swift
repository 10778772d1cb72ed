#if HTTP
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    /// Tests of the commands that take a URL of keys, with a server that answers as instructed.
    @Suite("Key sets from a URL") struct KeySetCommandTests {
        private struct Run {
            let status: Int32
            let output: String
            let errors: String
            var report: JSON { get throws { try JSON(output.utf8) } }
        }
        private let server: FaultServer
        private let key: PrivateKey

        init() throws {
            server = try FaultServer.shared.get()
            key = try PrivateKey.generate(.p256, keyID: "k1")
        }

        private func bulla(_ words: [String], stdin: String = "", trusts: Bool = true) throws -> Run {
            let tool = try #require(builtTool("bulla"))
            // On a busy machine a fetch may take longer than the five seconds of the default.
            let fetches = words.contains("--keys") || words.starts(with: ["keys", "fetch"])
            let timeout = fetches && !words.contains("--timeout") ? ["--timeout", "60"] : []
            let added = (trusts ? ["--ca", server.place.ca] : []) + timeout
            let result = try run(tool, words + added, stdin: stdin)
            return Run(status: result.status, output: result.stdout, errors: result.stderr)
        }

        private static func set(_ keys: PrivateKey...) -> String { KeySet(keys.map { .privateKey($0) }).jwks() }

        private static func list(_ json: JSON?) -> [JSON] { if case .array(let values)? = json { values } else { [] } }

        private func token(_ key: PrivateKey, issuer: String = "i") throws -> String {
            let claims = #"{"iss":"\#(issuer)","aud":"a","exp":4000000000}"#
            return try JWSSigner(key: key, algorithm: .es256).sign(claims)
        }

        private static let policy = ["--alg", "ES256", "--aud", "a"]

        @Test("keys fetch reports the set, its keys, why keys are unusable, its freshness, and its requests")
        func report()
            throws
        {
            let weak = #"{"kty":"RSA","kid":"weak","n":"\#(String(repeating: "w", count: 100))","e":"AQAB"}"#
            let good = String(Self.set(key).dropLast(2))
            try server.answer(
                "/cmd/report",
                .init(
                    "\(good),\(weak),7]}",
                    headers: [
                        "Content-Type": "application/jwk-set+json",
                        "Cache-Control": "max-age=900", "ETag": "\"e\"",
                    ]))
            let done = try bulla(["keys", "fetch", server.url("/cmd/report")])
            #expect(done.status == 0 && done.errors.isEmpty)
            let report = try done.report
            #expect(report["url"]?.string == server.url("/cmd/report"))
            #expect(report["usable"] == .bool(true))
            #expect(report["status"]?.string == "fresh")
            #expect(report["http_status"] == .number(200))
            #expect(report["error"] == nil)
            let keys = Self.list(report["keys"])
            #expect(keys.map { $0["kid"]?.string } == ["k1"])
            #expect(keys.first?["kind"]?.string == "EC P-256")
            let unusable = Self.list(report["unusable"])
            #expect(unusable.map { $0["kid"]?.string } == ["weak", nil])
            #expect(unusable.first?["reason"]?.string?.contains("2048") == true)
            #expect(unusable.map { $0["index"] } == [.number(1), .number(2)])
            // The time of the request counts as age (RFC 9111, 4.2.3).
            let freshFor = try #require(report["freshness"]?["fresh_for"])
            if case .number(let seconds) = freshFor { #expect(seconds > 890 && seconds <= 900) } else { Issue.record() }
            let requests = Self.list(report["requests"])
            #expect(requests.count == 1 && requests.first?["status"] == .number(200))
            #expect(requests.first?["etag"]?.string == "\"e\"")
            let events = Self.list(report["events"]).compactMap { $0["event"]?.string }
            #expect(events.contains("fetched") && events.contains("key_skipped"))
            #expect(try server.seen("/cmd/report").requests == 1)
        }

        @Test("keys fetch names each key of a set that is rejected as a whole, and verify the first one")
        func refusedSet() throws {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            let weak = #"{"kty":"RSA","kid":"weak","n":"\#(String(repeating: "w", count: 100))","e":"AQAB"}"#
            try server.answer("/cmd/refused", .init(#"{"keys":[\#(weak),7]}"#, headers: json))
            let done = try bulla(["keys", "fetch", server.url("/cmd/refused")])
            #expect(done.status == 1)
            let report = try done.report
            #expect(report["refused"] == .bool(true) && report["usable"] == .bool(false))
            #expect(report["error"]?["code"]?.string == "no_usable_keys")
            #expect(Self.list(report["keys"]).isEmpty)
            let unusable = Self.list(report["unusable"])
            #expect(unusable.map { $0["index"] } == [.number(0), .number(1)])
            #expect(unusable.map { $0["kid"]?.string } == ["weak", nil])
            #expect(unusable.allSatisfy { $0["reason"]?.string?.isEmpty == false })
            let events = Self.list(report["events"]).compactMap { $0["event"]?.string }
            #expect(events.contains("key_skipped") && events.contains("refused"))
            let verify = try bulla(
                ["verify", "--keys", server.url("/cmd/refused"), "--iss", "i"] + Self.policy + [token(key)])
            #expect(verify.status == 2 && verify.errors.contains("weak"))
            // A private key is named before the others.
            let leaked = String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
            try server.answer("/cmd/refused/private", .init(#"{"keys":[\#(weak),\#(leaked)]}"#, headers: json))
            let leak = try bulla(["keys", "fetch", server.url("/cmd/refused/private")]).report
            #expect(leak["refused"] == .bool(true) && leak["error"]?["code"]?.string == "private_key_published")
            #expect(Self.list(leak["unusable"]).map { $0["kid"]?.string } == ["k1", "weak"])
            #expect(Self.list(leak["unusable"]).map { $0["index"] } == [.number(1), .number(0)])
            // A set with a usable key, and a failure that is no rejection of a set.
            try server.answer("/cmd/refused/good", .init(Self.set(key), headers: json))
            #expect(try bulla(["keys", "fetch", server.url("/cmd/refused/good")]).report["refused"] == nil)
            let missing = try bulla(["keys", "fetch", server.url("/cmd/refused/missing")])
            #expect(try missing.status == 1 && missing.report["refused"] == nil)
        }

        @Test("verify names the keys of a remote set that cannot be used where the key of a token is missing")
        func unusableKeys() throws {
            let odd = #"{"kty":"EC","crv":"P-256","kid":7,"x":"AAAA","y":"AAAA"}"#
            let good = String(Self.set(key).dropLast(2))
            try server.answer(
                "/cmd/odd", .init("\(good),\(odd)]}", headers: ["Content-Type": "application/json"]))
            let command =
                ["verify", "--keys", server.url("/cmd/odd"), "--iss", "i", "--output", "json", "--quiet"] + Self.policy
            let done = try bulla(command + [token(try .generate(.p256, keyID: "k2"))])
            let report = try done.report
            #expect(done.status == 1 && report["error"]?.string == "key_not_found")
            let reason = "the key is invalid: kid is a number, and a string is required"
            #expect(
                Self.list(report["unusable"]) == [.object(["index": .number(1), "reason": .string(reason)])])
            #expect(done.errors.contains("(key 1: \(reason))"), "\(done.errors)")
            let valid = try bulla(command + [token(key)])
            #expect(valid.status == 0 && valid.output == #"{"n":1,"result":"valid"}"# + "\n" && valid.errors.isEmpty)
        }

        @Test("an issuer's keys verify tokens whatever the members of its metadata are that verification does not need")
        func unneededMembers() throws {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            try server.answer("/cmd/m/jwks", .init(Self.set(key), headers: json))
            func status(_ path: String, _ members: String, keys: String? = nil) throws -> Int32 {
                let issuer = server.url(path)
                let keys = keys ?? server.url("/cmd/m/jwks")
                try server.answer(
                    path + "/.well-known/openid-configuration",
                    .init(#"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"\#(members)}"#, headers: json))
                let words = ["verify", "--quiet", "--issuer", issuer] + Self.policy
                return try bulla(words + [token(key, issuer: issuer)]).status
            }
            #expect(try status("/cmd/m/control", #","token_endpoint":"https://localhost/token""#) == 0)
            for (number, members) in [
                #","end_session_endpoint":"""#, #","registration_endpoint":null"#, #","token_endpoint":"/token""#,
                #","authorization_endpoint":"urn:kubernetes:programmatic_authorization""#,
                #","request_object_signing_alg_values_supported":null"#, #","claims_parameter_supported":"true""#,
            ].enumerated() {
                #expect(try status("/cmd/m/\(number)", members) == 0, "\(members)")
            }
            // The members that it needs are checked.
            #expect(try status("/cmd/m/http", "", keys: "http://keys.example.com/jwks") == 2)
            #expect(try status("/cmd/m/local", "", keys: "https://169.254.169.254/jwks") == 2)
            #expect(try status("/cmd/m/twice", #","jwks_uri":"https://localhost/jwks""#) == 2)
        }

        @Test("reports a server with an unknown root certificate, and accepts it with --ca") func authority() throws {
            try server.answer("/cmd/ca", .init(Self.set(key), headers: ["Content-Type": "application/json"]))
            let refused = try bulla(["keys", "fetch", server.url("/cmd/ca")], trusts: false)
            #expect(refused.status == 1)
            #expect(try refused.report["error"]?["code"]?.string == "tls_untrusted")
            #expect(refused.errors.contains("--ca FILE"))
            #expect(try server.seen("/cmd/ca").requests == 0)
            #expect(try bulla(["keys", "fetch", server.url("/cmd/ca")]).status == 0)
        }

        @Test("each faulty response is reported by its code, with status 1") func faults() throws {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            let secret = String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
            let good = Self.set(key)
            let faults: [(path: String, answer: FaultServer.Answer, word: String)] = [
                ("404", .init(status: 404), "unexpected_status"), ("503", .init(status: 503), "unexpected_status"),
                ("html", .init("<html>", headers: json), "key_set_malformed"),
                ("type", .init(good, headers: ["Content-Type": "text/html"]), "content_type_mismatch"),
                ("none", .init(#"{"keys":[]}"#, headers: json), "no_usable_keys"),
                ("private", .init(#"{"keys":[\#(secret)]}"#, headers: json), "private_key_published"),
                ("large", .init(good, headers: json) { $0.fill = 600_000 }, "body_too_large"),
                ("cut", .init(good, headers: json) { ($0.cut, $0.end) = (150, .close) }, "connection_lost"),
                ("elsewhere", .redirect(to: "https://localhost:1/"), "redirect_not_allowed"),
            ]
            for fault in faults {
                try server.answer("/cmd/fault/" + fault.path, fault.answer)
                let done = try bulla(["keys", "fetch", server.url("/cmd/fault/" + fault.path)])
                #expect(done.status == 1, "\(fault.path)")
                let report = try done.report
                #expect(report["error"]?["code"]?.string == fault.word, "\(fault.path)")
                #expect(report["usable"] == .bool(false) && report["status"]?.string == "empty")
                #expect(done.errors.hasPrefix("bulla keys fetch: https://localhost:"), "\(fault.path)")
                #expect(!done.output.contains("\"d\""))
            }
            try server.answer("/cmd/fault/good", .init(good, headers: json))
            #expect(try bulla(["keys", "fetch", server.url("/cmd/fault/good")]).status == 0)
        }

        @Test("a fetch fails with deadline_exceeded after --timeout") func timeout() throws {
            // Without the option the limit is five seconds: the first would succeed, and the second would fail.
            try server.answer(
                "/cmd/slow", .init(Self.set(key), headers: ["Content-Type": "application/json"]) { $0.delay = 2500 })
            let done = try bulla(["keys", "fetch", server.url("/cmd/slow"), "--timeout", "0.3"])
            #expect(done.status == 1)
            #expect(try done.report["error"]?["code"]?.string == "deadline_exceeded")
            #expect(done.errors.contains("--timeout SECONDS"))
            try server.answer(
                "/cmd/slower", .init(Self.set(key), headers: ["Content-Type": "application/json"]) { $0.delay = 6000 })
            #expect(try bulla(["keys", "fetch", server.url("/cmd/slower"), "--timeout", "60"]).status == 0)
        }

        @Test("http is accepted for loopback only, and only with --allow-loopback-http") func scheme() throws {
            try server.answer("/cmd/http", .init(Self.set(key), headers: ["Content-Type": "application/json"]))
            let url = "http://127.0.0.1:\(server.place.http)/cmd/http"
            let refused = try bulla(["keys", "fetch", url], trusts: false)
            #expect(refused.status == 2 && refused.errors.contains("--allow-loopback-http"))
            #expect(try bulla(["keys", "fetch", url, "--allow-loopback-http"], trusts: false).status == 0)
            let elsewhere = try bulla(
                ["keys", "fetch", "http://192.0.2.1/jwks", "--allow-loopback-http"], trusts: false)
            #expect(elsewhere.status == 2 && elsewhere.errors.contains("http is for loopback addresses"))
        }

        @Test("wrong usage has status 2 and no report") func usage() throws {
            let url = server.url("/cmd/usage")
            let wrong: [[String]] = [
                ["keys", "fetch"], ["keys", "fetch", "ftp://localhost/"], ["keys", "fetch", "file"],
                ["keys", "fetch", url, "--issuer", url], ["keys", "fetch", url, "--timeout", "0"],
                ["keys", "fetch", url, "--timeout", "x"], ["keys", "fetch", url, "--ca", "/nowhere"],
                ["keys", "fetch", "https://"], ["keys", "watch", url, "--count", "0"], ["keys", "serve"],
                ["keys", "serve", "/nowhere"], ["keys", "serve", "/", "--port", "65536"], ["keys"],
                [
                    "verify", "--keys", "file", "--timeout", "1", "--alg", "ES256", "--any-issuer", "--any-audience",
                    "x.y.z",
                ],
                ["verify", "--issuer", url, "--keys", url, "--alg", "ES256", "--any-audience", "x.y.z"],
                ["verify", "--issuer", url, "--any-issuer", "--alg", "ES256", "--any-audience", "x.y.z"],
                ["decrypt", "--issuer", url, "--key-alg", "dir", "--enc", "A128GCM", "x.y.z"],
            ]
            for words in wrong {
                let done = try bulla(words, trusts: false)
                #expect(done.status == 2, "\(words)")
                #expect(done.output.isEmpty && done.errors.split(separator: "\n").count == 1, "\(words)")
            }
            #expect(try server.seen("/cmd/usage").requests == 0)
        }

        @Test("verifies tokens with a remote JWKS; a token with a new kid waits for one refresh") func verify()
            throws
        {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            let stranger = try PrivateKey.generate(.p256, keyID: "k1")
            try server.answer("/cmd/v", .init(Self.set(key), headers: json), .init(Self.set(key, next), headers: json))
            let command = ["verify", "--keys", server.url("/cmd/v"), "--iss", "i"] + Self.policy
            #expect(try bulla(command + ["--quiet", token(key)]).status == 0)
            #expect(try server.seen("/cmd/v").requests == 1)
            try server.answer("/cmd/v2", .init(Self.set(key), headers: json), .init(Self.set(key, next), headers: json))
            let unknown = try PrivateKey.generate(.p256, keyID: "k3")
            let tokens = try [key, stranger, next, next, unknown, key, unknown].map { try token($0) }
            let done = try bulla(
                ["verify", "--keys", server.url("/cmd/v2"), "--iss", "i", "--output", "json", "--quiet"] + Self.policy
                    + ["-"],
                stdin: tokens.joined(separator: "\n"))
            #expect(done.status == 1)
            let answers = try done.output.split(separator: "\n").map { try JSON($0.utf8) }
            #expect(
                answers.map { $0["error"]?.string } == [
                    nil, "signature_invalid", nil, nil, "key_not_found", nil, "key_not_found",
                ])
            // The requests are the first one, the one for k2, and at most one for k3.
            #expect(try (2...3).contains(server.seen("/cmd/v2").requests))
        }

        @Test("verification of nested tokens, explain and --bytes accept a key set URL too") func others() throws {
            try server.answer("/cmd/o", .init(Self.set(key), headers: ["Content-Type": "application/json"]))
            let folder = try TemporaryFolder()
            let own = try PrivateKey.generate(.p256, keyID: "e")
            let file = folder.url.appending(path: "own.jwk")
            try Data(try own.exportPrivateJWK()).write(to: file)
            let nested = try JWEEncrypter(
                key: own.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm,
                header: HeaderParameters(contentType: "JWT")
            ).encrypt(token(key))
            let outer = ["--decrypt-keys", file.path, "--key-alg", "ECDH-ES+A128KW", "--enc", "A128GCM"]
            let keys = ["--keys", server.url("/cmd/o")]
            let inner = ["--iss", "i"] + Self.policy
            for command in [["verify", "--nested"], ["decrypt", "--nested"], ["explain", "--nested"]] {
                #expect(try bulla(command + keys + inner + outer + [nested]).status == 0, "\(command)")
            }
            let explained = try bulla(["explain"] + keys + inner + [token(try .generate(.p256, keyID: "k1"))])
            #expect(explained.status == 1 && explained.output.contains("invalid: signature_invalid"))
            #expect(try bulla(["verify", "--bytes", "--alg", "ES256"] + keys + [token(key)]).status == 0)
        }

        @Test("if no keys can be fetched, no token is reported as valid or invalid: status 2 and a remedy")
        func unavailable() throws {
            try server.answer("/cmd/down", .init(status: 503))
            let done = try bulla(
                ["verify", "--keys", server.url("/cmd/down"), "--iss", "i", "--output", "json"] + Self.policy + [
                    token(key)
                ])
            #expect(done.status == 2 && done.output.isEmpty)
            #expect(done.errors.contains("keys_unavailable: https://localhost:"))
            #expect(done.errors.contains("503"))
        }

        @Test("an issuer's keys are found by its metadata, whose issuer must be identical")
        func issuer() throws {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            func metadata(_ path: String, issuer: String? = nil) throws -> String {
                let issuer = issuer ?? server.url(path)
                try server.answer(
                    path + "/.well-known/openid-configuration",
                    .init(#"{"issuer":"\#(issuer)","jwks_uri":"\#(server.url("/cmd/i/jwks"))"}"#, headers: json))
                return server.url(path)
            }
            try server.answer("/cmd/i/jwks", .init(Self.set(key), headers: json))
            let good = try metadata("/cmd/i/good")
            let other = try metadata("/cmd/i/other", issuer: good)
            let done = try bulla(["keys", "fetch", "--issuer", good])
            #expect(done.status == 0)
            #expect(try done.report["issuer"]?.string == good)
            #expect(try Self.list(done.report["requests"]).count == 2)
            let refused = try bulla(["keys", "fetch", "--issuer", other])
            #expect(refused.status == 1)
            #expect(try refused.report["error"]?["code"]?.string == "issuer_mismatch")
            #expect(refused.errors.contains("exactly as in its metadata"))
            // RFC 8414 places the metadata at another URL.
            try server.answer(
                "/.well-known/oauth-authorization-server/cmd/i/oauth",
                .init(
                    #"{"issuer":"\#(server.url("/cmd/i/oauth"))","jwks_uri":"\#(server.url("/cmd/i/jwks"))"}"#,
                    headers: json))
            #expect(try bulla(["keys", "fetch", "--issuer", server.url("/cmd/i/oauth")]).status == 0)
            // It is asked there after the status 404 or 410 alone.
            for (status, isFound) in [(404, true), (410, true), (403, false), (500, false)] {
                try server.answer("/cmd/i/oauth/.well-known/openid-configuration", .init(status: status))
                let fetched = try bulla(["keys", "fetch", "--issuer", server.url("/cmd/i/oauth")])
                #expect(fetched.status == (isFound ? 0 : 1), "\(status)")
            }

            // The tokens must be of that issuer, unless --iss says otherwise.
            let verify = ["verify", "--quiet", "--issuer", good] + Self.policy
            #expect(try bulla(verify + [token(key, issuer: good)]).status == 0)
            let strange = try bulla(verify + [token(key, issuer: good + "/")])
            #expect(strange.status == 1 && strange.errors.contains("issuer_mismatch"))
            #expect(try bulla(verify + ["--iss", "i", token(key)]).status == 0)
            let profiled = ["verify", "--quiet", "--profile", "at+jwt", "--issuer", good] + Self.policy
            #expect(try bulla(profiled + [token(key, issuer: good)]).errors.contains("header_typ_mismatch"))
            let none = try bulla(["verify", "--issuer", other] + Self.policy + [token(key, issuer: other)])
            #expect(none.status == 2 && none.errors.contains("keys_unavailable"))
        }

        @Test("keys watch prints each event as a line of JSON, including a key rotation") func watch() throws {
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try server.answer("/cmd/w", .init(Self.set(key), headers: json), .init(Self.set(key, next), headers: json))
            let done = try bulla(
                ["keys", "watch", server.url("/cmd/w"), "--every", "0.2", "--count", "5", "--for", "20"])
            #expect(done.status == 0 && done.errors.isEmpty)
            let events = try done.output.split(separator: "\n").map { try JSON($0.utf8) }
            #expect(events.count == 5)
            let names = events.compactMap { $0["event"]?.string }
            #expect(names.first == "fetched" && names.contains("rotated"))
            let added = events.first { $0["event"]?.string == "added" && Self.list($0["kids"]).contains(.string("k2")) }
            #expect(added != nil)
            #expect(events.allSatisfy { if case .number(let time)? = $0["time"] { time > 1.7e9 } else { false } })
            try server.answer("/cmd/w0", .init(status: 500))
            let failed = try bulla(["keys", "watch", server.url("/cmd/w0"), "--for", "0.2"])
            #expect(failed.status == 1)
            #expect(try JSON(failed.output.split(separator: "\n")[0].utf8)["event"]?.string == "failed")
        }
    }
#endif
