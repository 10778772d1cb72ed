#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of the command `serve` while an operator changes its files.
    @Suite("The files of the command serve") struct GatewayFileTests {
        private static let second =
            #","other":{"iss":"https://b.example","aud":"shop","alg":"ES256","keys":"other.json"}"#
        private static let both =
            #"{"path":"/","issuers":["main"]},{"path":"/other","issuers":["other"]}"#

        private static func set(_ keys: PrivateKey...) -> String {
            "{\"keys\":[\(keys.map { $0.publicKey.jwk() }.joined(separator: ","))]}"
        }

        /// Puts something that is no regular file at a path, as atomically as a file is written.
        private static func replace(_ service: GatewayService, _ name: String, by make: (String) -> Int32) throws {
            let made = service.path + "/made"
            try #require(make(made) == 0)
            try #require(unsafe rename(made, service.path + "/" + name) == 0)
        }

        private static func fifo(_ path: String) -> Int32 { unsafe mkfifo(path, 0o600) }

        @Test("serve finds an issuer's keys whatever the members of its metadata are that verification does not need")
        func unneededMembers() async throws {
            let server = try FaultServer.shared.get()
            let service = try GatewayService()
            let json = ["Content-Type": "application/json"] as KeyValuePairs
            try server.answer("/gateway-metadata/jwks", .init(Self.set(service.key), headers: json))
            let odd = #","token_endpoint":null,"end_session_endpoint":"","authorization_endpoint":"urn:a:b""#
            let keys = #","jwks_uri":"\#(server.url("/gateway-metadata/jwks"))""#
            // The last two lack a usable `jwks_uri`.
            let issuers = [
                ("control", keys), ("odd", keys + odd), ("null", #","jwks_uri":null"#),
                ("http", #","jwks_uri":"http://a.example/""#),
            ]
            var options = ""
            for (name, members) in issuers {
                let place = "/gateway-metadata/" + name
                try server.answer(
                    place + "/.well-known/openid-configuration",
                    .init(#"{"issuer":"\#(server.url(place))"\#(members)}"#, headers: json))
                options +=
                    #","\#(name)":{"issuer":"\#(server.url(place))","aud":"shop","alg":"ES256","ca":"\#(server.place.ca)"}"#
            }
            try service.configure(
                #","limits":{"wait":0}"#, issuers: options,
                policies: issuers.map { #"{"path":"/\#($0.0)","issuers":["\#($0.0)"]}"# }.joined(separator: ","))
            try service.start()
            for (name, isFound) in [("control", true), ("odd", true), ("null", false), ("http", false)] {
                let token = try service.token(#"{"iss":"\#(server.url("/gateway-metadata/" + name))"}"#)
                if isFound { try await until { (try? service.auth(token, path: "/" + name).status) == "204" } }
                #expect(try service.auth(token, path: "/" + name).status == (isFound ? "204" : "503"), "\(name)")
            }
        }

        @Test(
            "G20 keys that were fetched under a root are not used once it is removed from the file, and a new root is used"
        )
        func roots() async throws {
            let server = try FaultServer.shared.get()
            let service = try GatewayService()
            let port = try server.listen(.https)
            try server.answer(
                "/gateway-roots", .init(Self.set(service.key), headers: ["Content-Type": "application/jwk-set+json"]))
            func trust(_ authority: String) throws {
                try service.write("roots.pem", String(contentsOfFile: authority, encoding: .utf8))
            }
            try trust(server.place.ca)
            try service.configure(
                issuers: """
                    ,"far":{"iss":"https://id.example.com","aud":"shop","alg":"ES256",
                     "keys":"\(server.url("/gateway-roots", port: port))","ca":"roots.pem"}
                    """, policies: #"{"path":"/","issuers":["far"]}"#)
            try service.start()
            let token = try service.token()
            try await until { (try? service.auth(token).status) == "204" }
            #expect(try service.auth(token).status == "204")
            try trust(server.place.strangerCA)
            try service.expect("a file with keys has changed: the configuration was read again")
            #expect(try service.auth(token).status == "503")
            try server.listen(.untrusted, port: port)
            try await until { (try? service.auth(token).status) == "204" }
            #expect(try service.auth(token).status == "204")
            // The positive control: another certificate in the file changes nothing for those that stay.
            try service.write(
                "roots.pem",
                String(contentsOfFile: server.place.ca, encoding: .utf8)
                    + String(contentsOfFile: server.place.strangerCA, encoding: .utf8))
            try service.expect("a file with keys has changed: the configuration was read again")
            try await until { (try? service.auth(token).status) == "204" }
            #expect(try service.auth(token).status == "204")
        }

        @Test("G21 a FIFO or a socket in the place of a file of serve delays no reload, no request and no end")
        func fifos() throws {
            let service = try GatewayService()
            try service.configure(issuers: Self.second, policies: Self.both)
            let other = try PrivateKey.generate(.p256, keyID: "o1")
            try service.write("other.json", Self.set(other))
            try service.start()
            let token = try service.token()
            #expect(try service.auth(token).status == "204")
            try Self.replace(service, "keys.json", by: Self.fifo)
            try service.expect("issuer 'main': its keys in use stay")
            #expect(service.lines.last?.contains("it is not a regular file") == true)
            #expect(try service.auth(token).status == "204")
            // The service reads other files meanwhile.
            let next = try PrivateKey.generate(.p256, keyID: "o2")
            try service.write("other.json", Self.set(next))
            try service.expect("was read again")
            let foreign = try service.token(#"{"iss":"https://b.example"}"#, by: next)
            try service.expect("was read again")
            #expect(try service.auth(foreign, path: "/other").status == "204")
            let configuration = try String(contentsOfFile: service.config, encoding: .utf8)
            try Self.replace(service, "gateway.json", by: Self.fifo)
            try service.signal(SIGHUP)
            try service.expect("SIGHUP: the configuration in use stays")
            let checked = try run(try #require(builtTool("bulla")), ["serve", "--check", service.config])
            #expect(checked.status == 2 && checked.stderr.contains("it is not a regular file"))
            #expect(try service.auth(token).status == "204")
            // The positive control: a regular file in its place is read.
            try service.write("gateway.json", configuration)
            let replaced = try PrivateKey.generate(.p256, keyID: "k2")
            try service.write("keys.json", Self.set(replaced))
            try service.expect("was read again")
            #expect(try service.auth(token).status == "401")
            #expect(try service.auth(service.token(by: replaced)).status == "204")
            try Self.replace(service, "keys.json", by: Self.fifo)
            try service.expect("its keys in use stay")
            try service.signal(SIGTERM)
            try service.awaitEnd()
        }

        @Test(
            "G22 a key is withdrawn while the file of another issuer is broken, and the last one by an empty set or by removing the file"
        )
        func withdrawal() async throws {
            let service = try GatewayService()
            let other = try PrivateKey.generate(.p256, keyID: "o1")
            try service.write("other.json", Self.set(other))
            try service.configure(issuers: Self.second, policies: Self.both)
            try service.start()
            func metric(_ name: String) throws -> String? {
                try service.get("/metrics").body.components(separatedBy: "\n").first {
                    $0.hasPrefix("bulla_serve_" + name)
                }
                .flatMap { $0.split(separator: " ").last.map { String($0) } }
            }
            let token = try service.token()
            let foreign = try service.token(#"{"iss":"https://b.example"}"#, by: other)
            #expect(try service.auth(token).status == "204")
            #expect(try service.auth(foreign, path: "/other").status == "204")
            #expect(try service.get("/readyz").body == "ok\n")
            #expect(try metric(#"key_set_current{issuer="main"}"#) == "1")
            // What the file says cannot be used, and what is used is reported.
            try service.write("keys.json", "{")
            try service.expect("issuer 'main': its keys in use stay")
            try service.expect("was read again")
            #expect(try service.auth(token).status == "204")
            let ready = try service.get("/readyz")
            #expect(ready.status == "200" && ready.body.contains("issuer main: its files were not adopted"))
            #expect(try metric(#"key_set_current{issuer="main"}"#) == "0")
            #expect(try metric(#"key_set_current{issuer="other"}"#) == "1")
            // The key of the other issuer is withdrawn all the same, although it is the last.
            try service.write("other.json", #"{"keys":[]}"#)
            try service.expect("issuer 'other' has no keys")
            try service.expect("was read again")
            #expect(try service.auth(foreign, path: "/other").status == "401")
            #expect(try metric(#"key_set_usable{issuer="other"}"#) == "0")
            #expect(try service.auth(token).status == "204")
            try service.write("other.json", Self.set(other))
            try service.expect("was read again")
            #expect(try service.auth(foreign, path: "/other").status == "204")
            // The configuration of a SIGHUP that is not valid blocks neither.
            let configuration = try String(contentsOfFile: service.config, encoding: .utf8)
            try service.write("gateway.json", "{")
            try service.signal(SIGHUP)
            try service.expect("SIGHUP: the configuration in use stays")
            #expect(try metric("configuration_current") == "0")
            #expect(try service.get("/readyz").body.contains("the configuration file was not adopted"))
            try service.write("keys.json", Self.set(service.key))
            try service.expect("was read again")
            try FileManager.default.removeItem(atPath: service.path + "/other.json")
            try service.expect("issuer 'other' has no keys")
            try service.expect("was read again")
            #expect(try service.auth(foreign, path: "/other").status == "401")
            #expect(try service.auth(token).status == "204")
            try service.write("gateway.json", configuration)
            try service.write("other.json", Self.set(other))
            try service.expect("was read again")
            try service.signal(SIGHUP)
            try service.expect("SIGHUP: the configuration was read again")
            #expect(try service.auth(foreign, path: "/other").status == "204")
            #expect(try service.get("/readyz").body == "ok\n")
            #expect(try metric("configuration_current") == "1")
        }

        @Test(
            "serve starts with an issuer whose set is empty, and neither without its file nor with a set of unusable keys"
        )
        func emptyAtTheStart() throws {
            let service = try GatewayService()
            try service.configure(issuers: Self.second, policies: Self.both)
            let tool = try #require(builtTool("bulla"))
            func check() throws -> (status: Int32, text: String) {
                let done = try run(tool, ["serve", "--check", service.config])
                return (done.status, done.stderr)
            }
            #expect(try check().status == 2)
            try service.write("other.json", #"{"keys":[{"kty":"none"}]}"#)
            let unusable = try check()
            #expect(unusable.status == 2 && unusable.text.contains("contains no usable key"))
            try service.write("other.json", #"{"keys":[]}"#)
            #expect(try check().status == 0)
            try service.start()
            let foreign = try service.token(#"{"iss":"https://b.example"}"#)
            #expect(try service.auth(foreign, path: "/other").status == "401")
            #expect(try service.auth(service.token()).status == "204")
        }

        @Test(
            "issuers that name the same decrypt-keys file accept tokens that name the issuer inside the encryption alone (RFC 7519, 5.3)"
        )
        func sharedDecryptionKeys() throws {
            let service = try GatewayService()
            let (signers, first, next) = try (
                ["a": PrivateKey.generate(.p256, keyID: "k1"), "b": PrivateKey.generate(.p256, keyID: "k1")],
                PrivateKey.generate(.p256, keyID: "d1"), PrivateKey.generate(.p256, keyID: "d2")
            )
            func write(_ name: String, _ key: PrivateKey) throws {
                try service.write(name, String(decoding: key.exportPrivateJWK(), as: UTF8.self))
            }
            for (name, key) in signers { try service.write(name + ".json", Self.set(key)) }
            // A second file with this key is not shared.
            for name in ["shared.json", "own.json"] { try write(name, first) }
            func issuer(_ name: String, _ iss: String, _ decryption: String) -> String {
                #","\#(name)":{"iss":"https://\#(iss).example","keys":"\#(iss).json","decrypt-keys":"\#(decryption)","#
                    + #""aud":"shop","alg":"ES256","nested":true,"key-alg":"ECDH-ES","enc":"A128GCM"}"#
            }
            try service.configure(
                issuers: issuer("a", "a", "shared.json") + issuer("b", "b", "shared.json")
                    + issuer("c", "b", "own.json"),
                policies: #"{"path":"/","issuers":["a","b","main"]},{"path":"/other","issuers":["a","c"]}"#)
            try service.start()
            func sealed(_ name: String, to key: PrivateKey, namesIssuer: Bool = false) throws -> String {
                let iss = "\"https://\(name).example\""
                var header = HeaderParameters(contentType: "JWT")
                if namesIssuer { header.set("iss", json: Array(iss.utf8)) }
                let signer = try #require(signers[name])
                let token = try service.token("{\"iss\":\(iss)}", by: signer)
                return try JWEEncrypter(
                    key: key.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header
                ).encrypt(token)
            }
            for name in signers.keys {
                #expect(try service.auth(sealed(name, to: first)).status == "204", "\(name)")
                // The controls: of issuers with different files, the token must name its issuer outside.
                let unknown = try service.auth(sealed(name, to: first), path: "/other")
                #expect(unknown.status == "401", "\(name)")
                #expect(unknown.values("WWW-Authenticate").contains { $0.contains("issuer_unknown") }, "\(name)")
                let named = try sealed(name, to: first, namesIssuer: true)
                #expect(try service.auth(named, path: "/other").status == "204", "\(name)")
            }
            #expect(try service.auth(service.token()).status == "204")
            // The issuers still share the keys while another file of one of them is at fault.
            try service.write("a.json", "{")
            try service.expect("issuer 'a': its keys in use stay")
            try service.expect("was read again")
            try write("shared.json", next)
            try service.expect("was read again")
            for name in signers.keys {
                #expect(try service.auth(sealed(name, to: next)).status == "204", "\(name)")
                #expect(try service.auth(sealed(name, to: first)).status == "401", "\(name)")
            }
        }

        @Test("G23 a file of keys that was written in place with its size and its time of before is read again")
        func sameSizeAndTime() throws {
            let service = try GatewayService()
            let (first, next) = (
                try PrivateKey.generate(.p256, keyID: "k1"), try PrivateKey.generate(.p256, keyID: "k1")
            )
            let path = service.path + "/keys.json"
            try service.write("keys.json", Self.set(first))
            try service.configure()
            try service.start()
            #expect(try service.auth(service.token(by: first)).status == "204")
            var before = stat()
            try #require(unsafe stat(path, &before) == 0)
            let text = Self.set(next)
            #expect(text.utf8.count == Self.set(first).utf8.count)
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
            var times = [before.st_atim, before.st_mtim]
            try #require(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
            var after = stat()
            try #require(unsafe stat(path, &after) == 0)
            #expect(
                after.st_size == before.st_size && after.st_ino == before.st_ino
                    && after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
            try service.expect("was read again")
            #expect(try service.auth(service.token(by: first)).status == "401")
            #expect(try service.auth(service.token(by: next)).status == "204")
        }

        @Test("G24 the limits of the cache of serve are those of the process, however many policies there are")
        func cache() throws {
            let service = try GatewayService()
            let paths = (0..<4).map { "/p\($0)" }
            try service.configure(
                #","cache":{"entries":6}"#,
                policies: paths.map { #"{"path":"\#($0)","issuers":["main"]}"# }.joined(separator: ","))
            try service.start()
            func sum(_ name: String) throws -> Int {
                try service.get("/metrics").body.components(separatedBy: "\n").filter {
                    $0.hasPrefix("bulla_serve_" + name)
                }
                .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
            }
            let tokens = try (0..<6).map { try service.token(#"{"sub":"\#($0)"}"#) }
            for path in paths { for token in tokens { #expect(try service.auth(token, path: path).status == "204") } }
            #expect(try sum("cache_entries") == 6)
            // The positive control: the last tokens are found under the policy that stored them.
            let hits = try sum(#"cache_lookups_total{result="hit"}"#)
            #expect(try service.auth(tokens[5], path: paths[3]).status == "204")
            #expect(try sum(#"cache_lookups_total{result="hit"}"#) == hits + 1)
        }

        @Test("blanks after the value of a field are not part of it (RFC 9110, 5.5)") func blanks() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            let token = try service.token()
            for blanks in ["", " ", "\t", " \t  "] {
                let fields = ["Authorization: Bearer \(token)\(blanks)", "X-Bulla-Path: /\(blanks)"]
                #expect(try service.get("/auth", fields).status == "204", "\(blanks.utf8.count)")
                #expect(
                    try service.get("/auth", ["Cookie: session=\(token)\(blanks)", "X-Bulla-Path:\(blanks)/"]).status
                        == "204")
            }
            // A blank within a value is.
            #expect(try service.get("/auth", ["Authorization: Bearer \(token) x", "X-Bulla-Path: /"]).status == "400")
        }
    }
#endif
