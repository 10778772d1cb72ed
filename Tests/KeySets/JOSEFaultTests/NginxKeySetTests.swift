#if HTTP
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import JOSETesting
    import JOSETokens
    import TestSupport
    import Testing

    /// Tests of a key source with an independent server.
    @Suite("Key sets from nginx", .enabled(if: NginxServer.tool != nil, "nginx is not there")) struct NginxKeySetTests {
        private static let policy: TokenPolicy = {
            var claims = ClaimPolicy(issuer: "https://i.test", audience: "me")
            claims.clock = .fixed(1_700_000_000)
            return .signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        }()

        private let old: PrivateKey
        private let new: PrivateKey
        private let clock = ShiftedClock()
        private let events = Events()

        init() throws {
            old = try PrivateKey.generate(.p256, keyID: "old")
            new = try PrivateKey.generate(.p256, keyID: "new")
        }

        private func set(_ keys: PrivateKey...) -> String { KeySet(keys.map { .privateKey($0) }).jwks() }

        private func token(_ key: PrivateKey) throws -> String {
            try Forge.signed(
                header: #"{"alg":"ES256","kid":"\#(key.keyID ?? "")"}"#,
                payload: #"{"iss":"https://i.test","aud":"me","exp":1700000300}"#, with: .privateKey(key), .es256)
        }

        private func source(_ server: NginxServer) throws -> RemoteKeySet {
            var options = CurlTransport.Options()
            options.trust = .file(server.ca)
            options.allowsLoopback = true
            return try RemoteKeySet(
                url: server.url("jwks.json"), transport: CurlTransport(options), options: KeySetOptions(),
                observer: events,
                environment: clock.environment)
        }

        @Test("the lifetime of keys is max-age, and a refresh sends the ETag, over HTTP/2")
        func revalidation() async throws {
            let server = try NginxServer(cacheControl: "max-age=300")
            try server.put("jwks.json", set(old))
            let source = try source(server)
            try await source.warmUp(timeout: .seconds(20))
            let next = try #require(source.health.nextFetchIn)
            #expect(next > .seconds(200) && next <= .seconds(270), "\(next)")
            // Nothing is fetched before the refresh is due.
            clock.move(by: 200)
            _ = try source.current()
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await server.log(1).count == 1)
            clock.move(by: 90)
            let verifier = try TokenVerifier(Self.policy, verificationKeys: source)
            #expect(try verifier.verify(token(old)).claims.issuer == "https://i.test")
            let log = try await server.log(2)
            #expect(log.map(\.status) == [200, 304])
            #expect(log.map(\.version) == ["HTTP/2.0", "HTTP/2.0"])
            #expect(log.map(\.ifNoneMatch.isEmpty) == [true, false])
            #expect(log[0].connection == log[1].connection)
            var freshFor: [Duration] = []
            for _ in 0..<30_000 where freshFor.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
                freshFor = events.all.compactMap { if case .notModified(let lifetime) = $0 { lifetime } else { nil } }
            }
            #expect(source.counters.notModified == 1)
            #expect(
                freshFor.count == 1 && freshFor.allSatisfy { $0 > .seconds(290) && $0 <= .seconds(300) }, "\(freshFor)")
            await source.shutdown()
        }

        @Test("after a rotation and a reload a token under the new kid waits for one fetch and verifies")
        func rotation()
            async throws
        {
            let server = try NginxServer()
            try server.put("jwks.json", set(old))
            let source = try source(server)
            let verifier = try TokenVerifier(Self.policy, verificationKeys: source)
            try await source.warmUp(timeout: .seconds(20))
            clock.move(by: 31)
            try server.put("jwks.json", set(old, new))
            try server.reload()
            #expect(throws: TokenError.self) { try verifier.verify(token(new)) }
            _ = try await verifier.verify(token(new), timeout: .seconds(20))
            _ = try verifier.verify(token(new))
            _ = try verifier.verify(token(old))
            #expect(try await server.log(2).map(\.status) == [200, 200])
            #expect(source.counters.rotations == 1)
            await source.shutdown()
        }

        @Test("K25 a connection that the server closes after each request (GOAWAY) loses no fetch") func goAway()
            async throws
        {
            for isHTTP2 in [true, false] {
                let server = try NginxServer(requestsPerConnection: 1, isHTTP2: isHTTP2)
                try server.put("jwks.json", set(old))
                let source = try source(server)
                try await source.warmUp(timeout: .seconds(20))
                for _ in 0..<4 { try await source.refresh() }
                try server.reload()
                for _ in 0..<4 { try await source.refresh() }
                #expect(source.counters.failed == 0)
                let log = try await server.log(9)
                #expect(log.map(\.status) == [200] + Array(repeating: 304, count: 8))
                #expect(Set(log.map(\.connection)).count == 9)
                await source.shutdown()
            }
        }
    }
#endif
