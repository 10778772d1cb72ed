#if Server
    import Foundation
    import JOSE
    import JOSETesting
    import JOSETokens
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of the command `serve` while its key server, its configuration or the process itself goes away.
    @Suite("The command serve while it runs") struct GatewayLifeTests {
        @Test("serve answers 503 with Retry-After while the key server is away, and is unready once no keys are left")
        func outage() throws {
            let service = try GatewayService()
            try service.configure(
                #","limits":{"wait":0}"#,
                issuers:
                    #","away":{"iss":"https://id.example.com","aud":"shop","alg":"ES256","keys":"http://127.0.0.1:9/","allow-loopback-http":true}"#,
                policies: #"{"path":"/","issuers":["away"]}"#)
            try service.start()
            let away = try service.auth(service.token())
            #expect(
                away.status == "503" && away.values("Retry-After") == ["1"] && away.values("WWW-Authenticate").isEmpty)
            #expect(try service.get("/readyz").status == "503")
            #expect(try service.get("/healthz").status == "200")
        }

        @Test(
            "serve adopts a valid configuration on SIGHUP, keeps the old one otherwise, and notices changed keys by itself"
        )
        func reload() throws {
            let service = try GatewayService()
            try service.configure()
            try service.start()
            let token = try service.token()
            #expect(try service.auth(token).status == "204")
            try service.write("gateway.json", #"{"polices":[]}"#)
            try service.signal(SIGHUP)
            try service.expect("stays")
            #expect(service.lines.last?.contains("polices: unknown member; did you mean 'policies'?") == true)
            #expect(try service.auth(token).status == "204")
            try service.configure(policies: #"{"path":"/","issuers":["main"],"scope":["x"]}"#)
            try service.signal(SIGHUP)
            try service.expect("was read again")
            #expect(try service.auth(token).status == "403")
            try service.configure()
            try service.signal(SIGHUP)
            try service.expect("was read again")
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try service.write("keys.json", next.publicKey.jwk())
            try service.expect("a file with keys has changed: the configuration was read again")
            #expect(try service.auth(token).status == "401")
            #expect(try service.auth(service.token(by: next)).status == "204")
        }

        @Test(
            "serve ends on SIGTERM after it has answered, removes its socket, and replaces one that nobody listens on")
        func ending() throws {
            let service = try GatewayService()
            try service.configure()
            for _ in 0..<2 {
                try service.start()
                #expect(try service.auth(service.token()).status == "204")
                try service.signal(SIGTERM)
                try service.awaitEnd()
                #expect(!FileManager.default.fileExists(atPath: service.socket))
            }
            try service.start()
            try service.signal(SIGKILL)
            try service.awaitEnd()
            #expect(FileManager.default.fileExists(atPath: service.socket))
            try service.start()
            #expect(try service.auth(service.token()).status == "204")
        }
    }
#endif
