#if Redis
    import Foundation
    import JOSE
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    @Suite("Redis over TLS", .enabled(if: RedisServer.tool != nil, "redis-server is not there")) struct RedisTLSTests {
        private let maker: CertificateMaker
        private let root, stranger, certificate, client, clientOfStranger: CertificateMaker.Issued

        init() throws {
            typealias Extensions = CertificateMaker.Extensions
            let maker = try CertificateMaker()
            self.maker = maker
            root = try maker.issue("root", extensions: Extensions.root)
            stranger = try maker.issue("stranger", extensions: Extensions.root)
            certificate = try maker.issue(
                "server", by: root, extensions: Extensions.leaf + ["subjectAltName=DNS:redis.test,IP:127.0.0.1"])
            client = try maker.issue("client", by: root, extensions: Extensions.leaf)
            clientOfStranger = try maker.issue("other", by: stranger, extensions: Extensions.leaf)
        }

        private func server(clients: String) throws -> RedisServer {
            try RedisServer(
                [
                    "tls-cert-file \(certificate.certificate.path)", "tls-key-file \(certificate.key.path)",
                    "tls-ca-cert-file \(root.certificate.path)", "tls-auth-clients \(clients)",
                ], isTLS: true)
        }

        private func taken(
            _ server: RedisServer, _ tls: RedisOptions.TLS?
        ) async throws -> (Outcome, RedisFault?) {
            let store = try server.store { $0.security = tls.map { .tls($0) } ?? .plain }
            let outcome = await take(store, "a")
            return (outcome, store.health.cause)
        }

        @Test("K29 a process that exits while its stores connect over TLS has its own exit status")
        func exits() async throws {
            let server = try server(clients: "no")
            let racer = try #require(builtTool("TestProcess"))
            for milliseconds in Array(1...20) + [500] {
                let words = ["race", "\(server.port)", "20", "exit", root.certificate.path, "\(milliseconds)"]
                let result = try run(racer, words)
                #expect(result.status == 0, "\(result)")
            }
            // The server accepted connections: the last process had enough time to write.
            let store = try server.store { $0.security = .tls(.init(trust: .file(root.certificate.path))) }
            #expect(try await store.value(for: StoreKey(kind: "exit", value: "a")) == [1])
        }

        @Test(
            "only a certificate of the trusted authority with the right name is accepted, and TLS is required")
        func trust()
            async throws
        {
            let server = try server(clients: "no")
            let right = TLSTrust.pem(Array(root.pem.utf8))
            for tls in [
                RedisOptions.TLS(trust: right), .init(trust: right, serverName: "redis.test"),
                .init(trust: .file(root.certificate.path), serverName: "127.0.0.1"),
            ] {
                let (outcome, fault) = try await taken(server, tls)
                #expect(outcome == .took(nil) && fault == nil)
            }
            for (tls, fault) in [
                (RedisOptions.TLS(trust: .pem(Array(stranger.pem.utf8))), RedisFault.untrusted),
                (.init(), .untrusted), (.init(trust: right, serverName: "other.test"), .serverName),
                (.init(trust: right, serverName: "127.0.0.2"), .serverName),
            ] {
                let (outcome, found) = try await taken(server, tls)
                #expect(outcome == .failed(.refused) && found == fault)
            }
            let (plain, _) = try await taken(server, nil)
            #expect(plain == .failed(.unavailable))
        }

        @Test("a TLS connection to a server without TLS fails") func plain() async throws {
            let plain = try RedisServer()
            let store = try plain.store {
                $0.security = .tls(.init(trust: .pem(Array(root.pem.utf8))))
                // Redis reads the beginning of a handshake as that of a command, and waits for the rest.
                $0.isImpatient()
            }
            let outcome = await take(store, "a")
            #expect(outcome == .failed(.refused) || outcome == .failed(.unavailable))
            #expect(try await take(plain.store(), "a") == .took(nil))
        }

        @Test("a connection that ends during the handshake is unavailable, as is a failed handshake after a success")
        func transitions() async throws {
            let trust = TLSTrust.pem(Array(root.pem.utf8))
            func store(_ port: UInt16) throws -> RedisLoginStore {
                var options = RedisOptions(host: "127.0.0.1", security: .tls(.init(trust: trust)))
                options.port = port
                options.retryDelay = .milliseconds(1)
                options.longestRetryDelay = .milliseconds(10)
                return try RedisLoginStore(options)
            }
            let ends = try ScriptedServer(script: [[]])
            let ended = try store(ends.port)
            #expect(await take(ended, "a") == .failed(.unavailable) && ended.health.cause == .lost)
            // This is no TLS record.
            let noise = [Array("-ERR no TLS here\r\n".utf8)]
            let other = try ScriptedServer(script: noise)
            let first = try store(other.port)
            #expect(await take(first, "a") == .failed(.refused) && first.health.cause == .handshake)
            let server = try server(clients: "no")
            let later = try store(server.port)
            #expect(await take(later, "a") == .took(nil))
            try server.tell(.kill)
            let inItsPlace = try ScriptedServer(script: noise, port: server.port)
            for _ in 0..<30_000 where inItsPlace.connections < 3 {
                #expect(await take(later, "a") == .failed(.unavailable))
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(inItsPlace.connections >= 3)
        }

        @Test("a server that requires client certificates accepts ours, and rejects none or another authority's")
        func clients() async throws {
            let server = try server(clients: "yes")
            let trust = TLSTrust.pem(Array(root.pem.utf8))
            func shown(_ issued: CertificateMaker.Issued) -> TLSClientCertificate {
                .pem(certificate: Array(issued.pem.utf8), key: Array(issued.keyPEM.utf8))
            }
            let (none, noneFault) = try await taken(server, .init(trust: trust))
            #expect(none == .failed(.refused) && noneFault == .clientCertificate)
            let (other, otherFault) = try await taken(
                server, .init(trust: trust, clientCertificate: shown(clientOfStranger)))
            #expect(other == .failed(.refused) && otherFault == .clientCertificate)
            let (ours, fault) = try await taken(server, .init(trust: trust, clientCertificate: shown(client)))
            #expect(ours == .took(nil) && fault == nil)
            let files = TLSClientCertificate.files(
                certificate: client.certificate.path, key: client.key.path)
            #expect(try await taken(server, .init(trust: trust, clientCertificate: files)).0 == .took(nil))
            // This key belongs to another certificate.
            let mixed = TLSClientCertificate.pem(
                certificate: Array(client.pem.utf8), key: Array(certificate.keyPEM.utf8))
            await #expect(throws: RedisStoreError.optionInvalid("security")) {
                try await taken(server, .init(trust: trust, clientCertificate: mixed))
            }
        }

        @Test("hundreds of concurrent values are stored and returned over TLS, each to its own caller") func many()
            async throws
        {
            let server = try server(clients: "no")
            let store = try server.store { $0.security = .tls(.init(trust: .pem(Array(root.pem.utf8)))) }
            let wrong = await withTaskGroup(of: Int.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20_000 + number)
                        guard await insert(store, "\(number)", value) == .inserted(true) else { return 1 }
                        return await take(store, "\(number)") == .took(value) ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
        }
    }
#endif
