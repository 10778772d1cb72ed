#if Server && HTTP
    import JOSEFetch
    import JOSEKeySets
    import JOSESandbox
    import Testing

    /// Tests of the server over TLS, with clients that present a certificate, and others.
    @Suite("Sandbox: client certificates") struct ClientCertificateTests {
        @Test("a handler receives a client certificate only if the trusted authority issued it (RFC 8705, 2.1)")
        func certificates() async throws {
            let authority = try TestAuthority()
            let server = try WebServer(
                port: 0, authority.issue(["api.test"]), clients: authority.pem()
            ) { request in
                TransportResponse(status: 200, body: request.clientCertificate ?? [])
            }
            let own = try authority.issueClient("service.test")
            #expect(try await answer(server, authority, own) == own.der)
            #expect(own.der.first == 0x30)
            // The client is served like one without a certificate.
            #expect(try await answer(server, authority, nil) == [])
            // A server certificate is not accepted from a client.
            #expect(try await answer(server, authority, authority.issue(["service.test"])) == [])
            #expect(try await answer(server, authority, TestAuthority().issueClient("service.test")) == [])
            withExtendedLifetime(server) {}
        }

        @Test("a server configured without client certificate authorities requests no client certificate")
        func unasked() async throws {
            let authority = try TestAuthority()
            let server = try WebServer(port: 0, authority.issue(["api.test"])) { request in
                TransportResponse(status: 200, body: request.clientCertificate ?? [])
            }
            #expect(try await answer(server, authority, authority.issueClient("service.test")) == [])
            withExtendedLifetime(server) {}
        }

        private func answer(
            _ server: WebServer, _ authority: TestAuthority, _ client: TestAuthority.Issued?
        ) async throws -> [UInt8] {
            var options = CurlTransport.Options()
            options.trust = .pem(try authority.pem())
            options.resolve = ["api.test:\(server.port):127.0.0.1"]
            options.allowsLoopback = true
            options.clientCertificate = client.map { .pem(certificate: $0.certificate, key: $0.key) }
            let transport = try CurlTransport(options)
            var request = TransportRequest(url: "https://api.test:\(server.port)/")
            request.deadline = .seconds(30)
            request.connectDeadline = .seconds(30)
            let response = try await transport.send(request)
            #expect(response.status == 200)
            return response.body
        }
    }
#endif
