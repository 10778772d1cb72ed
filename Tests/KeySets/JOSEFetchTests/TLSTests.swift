#if HTTP
    import Foundation
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("TLS of the transport") struct TLSTests {
        private let fetching: Fetching
        private let server: FaultServer
        init() throws {
            fetching = try Fetching()
            server = fetching.server
            try server.answer("/tls", .init("x"))
        }

        private func result(_ kind: FaultServer.Kind, _ change: (inout CurlTransport.Options) -> Void = { _ in })
            async throws -> CurlTransport.Answer
        {
            let port = try server.listen(kind)
            return await (try fetching.transport(change)).result(fetching.url("/tls", port: port))
        }

        private func expect(
            _ kind: FaultServer.Kind, _ error: TransportError?,
            _ change: (inout CurlTransport.Options) -> Void = { _ in },
            line: Int = #line
        ) async throws {
            switch try await result(kind, change) {
            case .success(let answer): #expect(error == nil && answer.status == 200, "\(kind), line \(line)")
            case .failure(let found): #expect(found == error, "\(kind), line \(line)")
            }
        }

        private static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

        @Test(
            "K20: a certificate of another authority, of another host or that has expired is rejected with its reason"
        )
        func certificates() async throws {
            try await expect(.https, nil)
            try await expect(.untrusted, .tls(.untrusted))
            try await expect(.wrongName, .tls(.nameMismatch))
            try await expect(.expired, .tls(.expired))
            let seen = try server.seen("/tls").list.filter { $0.port != server.place.https }
            #expect(seen.count <= 10)
        }

        @Test("K20: configured roots, from a file or in memory, replace those of the system")
        func roots() async throws {
            let stranger = server.place.strangerCA
            for trust in [TLSTrust.file(stranger), .pem(try Self.bytes(stranger))] {
                try await expect(.untrusted, nil) { $0.trust = trust }
                try await expect(.https, .tls(.untrusted)) { $0.trust = trust }
            }
            try await expect(.https, nil) { $0.trust = .pem((try? Self.bytes(server.place.ca)) ?? []) }
            try await expect(.https, .tls(.untrusted)) { $0.trust = .system }
        }

        @Test("TLS versions below 1.2, or below 1.3 if configured, are rejected")
        func versions() async throws {
            let old = try AlertingServer("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
            let usual = try AlertingServer("-tls1_2")
            let modern = try fetching.transport { $0.requiresTLS13 = true }
            let transport = try fetching.transport()
            #expect(await transport.error(old.url) == .tls(.version))
            #expect(await transport.status(usual.url) == 200)
            #expect(await modern.error(usual.url) == .tls(.version))
            try await expect(.tls12, nil)
            try await expect(.https, nil) { $0.requiresTLS13 = true }
            #expect(Set(try server.seen("/tls").list.map(\.tls)).isSubset(of: ["TLSv1.2", "TLSv1.3"]))
            // This server closes the connection without an alert.
            try await expect(.tls11, .tls(.handshake))
        }

        @Test("the transport presents a client certificate, and reports that the server rejected it or requires one")
        func clientCertificate() async throws {
            let place = server.place
            let files = TLSClientCertificate.files(certificate: place.client, key: place.clientKey)
            let bytes = TLSClientCertificate.pem(
                certificate: try Self.bytes(place.client), key: try Self.bytes(place.clientKey))
            for certificate in [files, bytes] {
                let port = try server.listen(.clientRequired)
                let transport = try fetching.transport { $0.clientCertificate = certificate }
                #expect(await transport.status(fetching.url("/tls", port: port)) == 200)
                let request = try #require(try server.seen("/tls").list.last { $0.port == port })
                #expect(request.peer == "Bulla test client" || request.peer == "client", "\(request.peer)")
            }
            let stranger = TLSClientCertificate.files(
                certificate: place.clientOfStranger, key: place.clientOfStrangerKey)
            let plain = try fetching.transport()
            let strange = try fetching.transport { $0.clientCertificate = stranger }
            let known = try fetching.transport { $0.clientCertificate = files }
            for version in ["-tls1_3", "-tls1_2"] {
                let alerting = try AlertingServer("-Verify", "1", "-verify_return_error", version)
                #expect(await strange.error(alerting.url) == .tls(.clientCertificate), "\(version)")
                // TLS 1.2 has no alert for a missing certificate (RFC 5246, 7.4.6).
                let missing: TransportError = version == "-tls1_3" ? .tls(.clientCertificate) : .tls(.handshake)
                #expect(await plain.error(alerting.url) == missing, "\(version)")
                #expect(await known.status(alerting.url) == 200, "\(version)")
            }
            // The key belongs to another certificate.
            try await expect(.clientRequired, .tls(.clientCertificate)) {
                $0.clientCertificate = .files(certificate: place.client, key: place.clientOfStrangerKey)
            }
        }

        @Test("an encrypted client key is decrypted with its passphrase, without a prompt")
        func passphrase() async throws {
            let folder = try TemporaryFolder()
            let locked = folder.url.appending(path: "locked.pem").path
            let made = try run(
                "openssl", ["pkey", "-in", server.place.clientKey, "-aes256", "-passout", "pass:right", "-out", locked])
            try #require(made.status == 0, "\(made.stderr)")
            for (word, error) in [
                ("right", nil), ("wrong", TransportError.tls(.clientCertificate)), (nil, .tls(.clientCertificate)),
            ] {
                try await expect(.clientRequired, error) {
                    $0.clientCertificate = .files(certificate: server.place.client, key: locked, passphrase: word)
                }
            }
        }
    }
#endif
