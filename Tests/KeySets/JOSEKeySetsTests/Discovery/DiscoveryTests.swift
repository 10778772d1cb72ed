import JOSE
import JOSEKeySets
import Testing

@Suite("Discovery") struct DiscoveryTests {
    let provider = Provider()

    @Test("discovery fetches the metadata, then the keys at its jwks_uri, and caches both (RFC 8414, 3)")
    func chain() async throws {
        provider.setMetadata(more: #","token_endpoint":"https://id.test/t/token""#)
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source()
        #expect(source.issuerMetadata == nil)
        try await source.warmUp(timeout: .seconds(60))
        #expect(source.names == ["a"])
        #expect(source.issuerMetadata?.tokenEndpoint == "https://id.test/t/token")
        #expect(provider.server.requests.map(\.url) == [Provider.metadataURL, Provider.keysURL])
        let question = try #require(provider.server.requests.first)
        #expect(question.bodyLimit == IssuerMetadata.byteLimit)
        #expect(question.headers.contains(TransportHeaderField("Accept", "application/json")))
        for _ in 0..<100 { _ = try source.current() }
        #expect(provider.server.requests.count == 2)
        // The events of the keys have the issuer as their name, and those of the metadata are wrapped.
        #expect(await provider.observer.hears(Provider.issuer) { if case .fetched = $0 { true } else { false } })
        #expect(
            await provider.observer.hears(Provider.issuer) {
                if case .metadata(.fetched) = $0 { true } else { false }
            })
    }

    @Test("an invalid issuer is rejected before any request (RFC 8414, 2)")
    func issuers() throws {
        for issuer in ["http://id.test/t", "https://id.test/t?a", "https://id.test/t#a", "https://u@id.test/t", ""] {
            #expect(throws: KeySetError.discovery(.issuerInvalid), "\(issuer)") { try provider.source(issuer) }
        }
        #expect(throws: KeySetError.discovery(.issuerInvalid)) { try provider.source("http://localhost:1") }
        #expect(throws: Never.self) { try provider.source("http://localhost:1") { $0.allowsLoopbackHTTP = true } }
        #expect(throws: KeySetError.discovery(.addressInvalid)) {
            try provider.source(discovery: .document(at: "http://id.test/x"))
        }
        #expect(provider.server.requests.isEmpty)
    }

    @Test("K20: metadata of another issuer is rejected, however small the difference (RFC 8414, 3.3)")
    func anotherIssuer() async throws {
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        for other in ["https://evil.test", "https://id.test/t/", "https://id.test/T", "https://id.test:443/t"] {
            let provider = Provider()
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            provider.setMetadata(issuer: other)
            let source = try provider.source()
            #expect(await provider.failure(of: source) == .discovery(.issuerMismatch), "\(other)")
            #expect(provider.requests(Provider.keysURL) == 0, "\(other)")
            // The metadata is corrected and fetched again.
            provider.setMetadata()
            await provider.clock.advance(by: 120)
            #expect(await eventually { source.names == ["a"] }, "\(other)")
        }
    }

    @Test("K20: rejected metadata does not replace a known URL")
    func refusedMetadata() async throws {
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let evil = "https://keys.test/evil"
        provider.set(evil, keys: Issuer.key("evil"))
        let source = try provider.source()
        try await source.warmUp(timeout: .seconds(60))
        let bad = [
            #"{"issuer":"https://evil.test","jwks_uri":"\#(evil)"}"#,
            #"{"issuer":"\#(Provider.issuer)","jwks_uri":"http://keys.test/evil"}"#,
            #"{"issuer":"\#(Provider.issuer)","jwks_uri":"\#(evil)","jwks_uri":"\#(evil)"}"#,
            #"{"issuer":"\#(Provider.issuer)"}"#, "<html>", "[]",
        ]
        for text in bad {
            provider.set(Provider.metadataURL, text: text)
            let before = (provider.requests(Provider.metadataURL), provider.requests(Provider.keysURL))
            await provider.clock.advance(by: 1_200)
            #expect(await eventually { provider.requests(Provider.metadataURL) > before.0 }, "\(text)")
            #expect(await eventually { provider.requests(Provider.keysURL) > before.1 }, "\(text)")
            #expect(source.names == ["a"], "\(text)")
        }
        #expect(provider.requests(evil) == 0)
        #expect(
            await provider.observer.hears(Provider.issuer) {
                if case .metadata(.failed(.discovery(.issuerMismatch), _)) = $0 { true } else { false }
            })
        // Positive control: the correct metadata is accepted.
        provider.setMetadata(keys: evil)
        await provider.clock.advance(by: 2_400)
        #expect(await eventually { provider.requests(evil) > 0 })
    }

    @Test("a changed jwks_uri is followed and reported")
    func moved() async throws {
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source()
        try await source.warmUp(timeout: .seconds(60))
        let next = "https://keys.test/b"
        provider.set(next, keys: Issuer.key("b"))
        provider.setMetadata(keys: next)
        await provider.clock.advance(by: 1_500)
        #expect(await eventually { provider.requests(next) > 0 })
        #expect(await eventually { source.names?.contains("b") == true })
        #expect(await provider.observer.hears(Provider.issuer) { $0 == .metadata(.moved) })
    }

    @Test("if the keys are gone from their URL, the metadata is refreshed early")
    func movedAndGone() async throws {
        provider.set(
            Provider.metadataURL,
            .success(
                Issuer.answer(
                    text: #"{"issuer":"\#(Provider.issuer)","jwks_uri":"\#(Provider.keysURL)"}"#,
                    [TransportHeaderField("Cache-Control", "max-age=80000")])))
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source()
        try await source.warmUp(timeout: .seconds(60))
        let next = "https://keys.test/b"
        provider.set(Provider.keysURL, .success(TransportResponse(status: 404)))
        provider.set(next, keys: Issuer.key("b"))
        provider.setMetadata(keys: next)
        await provider.clock.advance(by: 1_800)
        #expect(await eventually { source.names?.contains("b") == true })
    }

    @Test("K01: an outage of the metadata, however long, does not stop refreshes of the keys")
    func metadataOutage() async throws {
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source { $0.outageLimit = .seconds(3_600) }
        try await source.warmUp(timeout: .seconds(60))
        provider.set(Provider.metadataURL, .failure(.connectFailed))
        for hour in 1...3 {
            let name = "hour-\(hour)"
            provider.set(Provider.keysURL, keys: Issuer.key(name))
            await provider.clock.advance(by: 3_600)
            #expect(await eventually { source.names?.contains(name) == true }, "\(name)")
        }
        #expect(source.health.status == .fresh)
    }

    @Test("the next metadata URL is tried if there is no document at one (RFC 8414, 5)")
    func otherwise() async throws {
        let both = Discovery.authorizationServer.otherwise(.openID)
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source(discovery: both)
        try await source.warmUp(timeout: .seconds(60))
        #expect(source.names == ["a"])
        #expect(
            provider.server.requests.map(\.url) == [
                "https://id.test/.well-known/oauth-authorization-server/t", Provider.metadataURL, Provider.keysURL,
            ])
        // Without the second place only the first counts.
        let alone = try provider.source(discovery: .authorizationServer)
        #expect(await provider.failure(of: alone) == .status(404))
    }

    @Test("by default RFC 8414's place is asked after 404 or 410 at OpenID Connect's, and after no other failure")
    func places() async throws {
        let inserted = "https://id.test/.well-known/oauth-authorization-server/t"
        let good = #"{"issuer":"\#(Provider.issuer)","jwks_uri":"\#(Provider.keysURL)"}"#
        for status in [404, 410] {
            let provider = Provider()
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            provider.set(Provider.metadataURL, .success(TransportResponse(status: status)))
            provider.set(inserted, text: good)
            let source = try provider.source(discovery: .standard)
            try await source.warmUp(timeout: .seconds(60))
            #expect(source.names == ["a"], "\(status)")
            #expect(
                provider.server.requests.map(\.url) == [Provider.metadataURL, inserted, Provider.keysURL], "\(status)")
            #expect(
                await provider.observer.hears(Provider.issuer) { $0 == .metadata(.secondSource(.status(status))) })
        }
        let foreign = #"{"issuer":"https://id.test/t/","jwks_uri":"\#(Provider.keysURL)"}"#
        let failures: [(ScriptedTransport.Outcome, KeySetError)] = [
            (.success(TransportResponse(status: 401)), .status(401)),
            (.success(TransportResponse(status: 403)), .status(403)),
            (.success(TransportResponse(status: 429)), .status(429)),
            (.success(TransportResponse(status: 500)), .status(500)),
            (.success(TransportResponse(status: 503)), .status(503)),
            (.success(TransportResponse(status: 204)), .status(204)),
            (.failure(.connectFailed), .transport(.connectFailed)),
            (.failure(.tls(.expired)), .transport(.tls(.expired))),
            (.failure(.redirectNotAllowed), .transport(.redirectNotAllowed)),
            (.success(Issuer.answer(text: "<html>")), .discovery(.malformed)),
            (.success(Issuer.answer(text: foreign)), .discovery(.issuerMismatch)),
            (
                .success(Issuer.answer(text: #"{"issuer":"\#(Provider.issuer)"}"#)),
                .discovery(.missing(.jwksURI))
            ),
            (
                .success(Issuer.answer(text: #"{"issuer":"\#(Provider.issuer)","jwks_uri":"/jwks"}"#)),
                .discovery(.invalid(.jwksURI))
            ),
            (
                .success(
                    TransportResponse(
                        status: 200, headers: [TransportHeaderField("Content-Type", "text/html")],
                        body: Array(good.utf8))), .refused(.contentType)
            ),
        ]
        for (outcome, error) in failures {
            let provider = Provider()
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            provider.set(Provider.metadataURL, outcome)
            provider.set(inserted, text: good)
            let source = try provider.source(discovery: .standard)
            #expect(await provider.failure(of: source) == error)
            #expect(provider.requests(inserted) == 0 && provider.requests(Provider.keysURL) == 0, "\(error)")
        }
        // The document at either place must name the issuer, byte for byte, and the failure of the last place is reported.
        for (second, error) in [
            (.success(Issuer.answer(text: foreign)), .discovery(.issuerMismatch)),
            (.success(TransportResponse(status: 503)), .status(503)),
            (.success(TransportResponse(status: 404)), .status(404)),
        ] as [(ScriptedTransport.Outcome, KeySetError)] {
            let provider = Provider()
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            provider.set(inserted, second)
            let source = try provider.source(discovery: .standard)
            #expect(await provider.failure(of: source) == error)
            #expect(provider.requests(inserted) == 1 && provider.requests(Provider.keysURL) == 0, "\(error)")
        }
    }

    @Test("keys are found whatever the members that verification does not need are, and none replaces jwks_uri")
    func unneededMembers() async throws {
        let values = ["null", #""""#, #""urn:kubernetes:programmatic_authorization""#, #""/relative""#, "{}", "[null]"]
        for value in values {
            let provider = Provider()
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            let unneeded = MetadataMember.all.filter { $0 != .issuer && $0 != .jwksURI }
            let more = unneeded.map { #","\#($0)":\#(value)"# }
            provider.setMetadata(more: more.joined())
            let source = try provider.source()
            try await source.warmUp(timeout: .seconds(60))
            #expect(source.names == ["a"], "\(value)")
            #expect(source.issuerMetadata?.tokenEndpoint == nil)
        }
        // What is needed is checked.
        for (url, error) in [
            ("http://keys.test/a", .invalid(.jwksURI)), ("http://127.0.0.1/a", .invalid(.jwksURI)),
            ("https://u:p@keys.test/a", .invalid(.jwksURI)), ("https://keys.test/a#f", .invalid(.jwksURI)),
            ("file:///etc/passwd", .invalid(.jwksURI)), ("//keys.test/a", .invalid(.jwksURI)), ("", .invalid(.jwksURI)),
            (#"https://keys.test/a","jwks_uri":"https://keys.test/b"#, .malformed),
        ] as [(String, DiscoveryFault)] {
            let provider = Provider()
            provider.setMetadata(keys: url)
            let source = try provider.source()
            #expect(await provider.failure(of: source) == .discovery(error), "\(url)")
            #expect(provider.server.requests.map(\.url) == [Provider.metadataURL], "\(url)")
        }
        // The transport rejects a private address. No other place is asked for the metadata then.
        for url in ["https://10.0.0.1/jwks", "https://169.254.169.254/jwks", "https://[fd00::1]/jwks"] {
            let provider = Provider()
            provider.setMetadata(keys: url)
            provider.set(url, .failure(.addressNotAllowed))
            let source = try provider.source(discovery: .standard)
            #expect(await provider.failure(of: source) == .transport(.addressNotAllowed), "\(url)")
            #expect(provider.server.requests.map(\.url) == [Provider.metadataURL, url], "\(url)")
        }
    }

    @Test("metadata without jwks_uri is rejected (OpenID Connect Discovery 1.0, 3)")
    func withoutKeys() async throws {
        for member in ["", #","jwks_uri":null"#] {
            let provider = Provider()
            provider.set(Provider.metadataURL, text: #"{"issuer":"\#(Provider.issuer)"\#(member)}"#)
            provider.set(Provider.keysURL, keys: Issuer.key("a"))
            let source = try provider.source()
            #expect(await provider.failure(of: source) == .discovery(.missing(.jwksURI)))
            provider.setMetadata()
            await provider.clock.advance(by: 120)
            #expect(await eventually { source.names == ["a"] })
        }
    }

    @Test("K22: shutdown ends the refresh of keys and of metadata")
    func shutdown() async throws {
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source()
        try await source.warmUp(timeout: .seconds(60))
        await source.shutdown()
        #expect(source.outage == .keysUnavailable(.closed))
        let before = provider.server.requests.count
        await provider.clock.advance(by: 100_000)
        #expect(provider.server.requests.count == before)
    }
}
