import JOSE
import JOSEKeySets
import JOSETokens
import Synchronization
import Testing

@Suite("Several issuers") struct IssuerKeySetsTests {
    let provider = Provider()
    let a = "https://a.test"
    let b = "https://b.test"

    func sets(_ entries: [IssuerKeys], options change: (inout KeySetOptions) -> Void = { _ in })
        throws(KeySetError) -> IssuerKeySets
    {
        var options = KeySetOptions()
        options.retries = 0
        change(&options)
        return try IssuerKeySets(
            entries, transport: provider.server, options: options, observer: provider.observer,
            environment: provider.environment)
    }

    /// Returns two issuers, each with a key `k1` of its own at a URL of its own.
    func both() throws -> (sets: IssuerKeySets, ofA: PrivateKey, ofB: PrivateKey) {
        let (ofA, ofB) = (Issuer.key("k1"), Issuer.key("k1"))
        provider.set("https://a.test/jwks", keys: ofA)
        provider.set("https://b.test/jwks", keys: ofB)
        let sets = try sets([IssuerKeys(a, url: "https://a.test/jwks"), IssuerKeys(b, url: "https://b.test/jwks")])
        return (sets, ofA, ofB)
    }

    @Test("each issuer has its own key source, selected by its bytes (RFC 7519, 4.1.1)")
    func sources() async throws {
        let (sets, ofA, ofB) = try both()
        #expect(sets.issuers == [a, b])
        #expect(provider.server.requests.isEmpty)
        #expect(try await sets.warmUp(timeout: .seconds(60)).isEmpty)
        let first = try #require(sets.source(for: a))
        let second = try #require(sets.source(for: b))
        #expect(try first.current().keys.map(\.publicKey) == [ofA.publicKey])
        #expect(try second.current().keys.map(\.publicKey) == [ofB.publicKey])
        for other in ["https://A.test", "https://a.test/", "https://a.test:443", "", "https://c.test"] {
            #expect(sets.source(for: other) == nil, "\(other)")
        }
        #expect(provider.server.requests.count == 2)
        #expect(sets.issuers == [a, b] && sets.sources.allSatisfy { $0.health.status == .fresh })
        #expect(sets.sources.allSatisfy { $0.counters.fetches == 1 })
        // Events have the issuer as their name, wherever its keys are.
        #expect(await provider.observer.hears(a) { if case .fetched = $0 { true } else { false } })
        await sets.shutdown()
        #expect(sets.sources.allSatisfy { $0.health.status == .closed })
    }

    @Test("duplicate issuers and invalid entries are rejected")
    func configuration() throws {
        let entry = IssuerKeys(a, url: "https://a.test/jwks")
        #expect(throws: KeySetError.issuerRepeated) { try sets([entry, entry]) }
        #expect(throws: KeySetError.issuerRepeated) { try sets([entry, IssuerKeys(a)]) }
        // Unicode considers these equal, and they are two issuers.
        let (composed, decomposed) = ("https://a.test/\u{E9}", "https://a.test/e\u{301}")
        let url = "https://a.test/jwks"
        #expect(try sets([IssuerKeys(composed, url: url), IssuerKeys(decomposed, url: url)]).issuers.count == 2)
        #expect(throws: KeySetError.discovery(.issuerInvalid)) { try sets([entry, IssuerKeys("http://b.test")]) }
        #expect(throws: KeySetError.urlInvalid) { try sets([entry, IssuerKeys(b, url: "b.test/jwks")]) }
        var odd = KeySetOptions()
        odd.keyLimit = 0
        #expect(throws: KeySetError.optionInvalid("keyLimit")) { try sets([entry, IssuerKeys(b, options: odd)]) }
        #expect(try sets([entry, IssuerKeys(b)]).issuers == [a, b])
    }

    @Test("an issuer that does not respond delays no other, and is reported")
    func partial() async throws {
        let ofA = Issuer.key("k1")
        provider.set("https://a.test/jwks", keys: ofA)
        provider.setMetadata("https://b.test/.well-known/openid-configuration", issuer: "https://evil.test")
        let sets = try sets([IssuerKeys(a, url: "https://a.test/jwks"), IssuerKeys(b)])
        let failures = try await sets.warmUp(timeout: .seconds(60), maxConcurrent: 1)
        #expect(failures.map(\.issuer) == [b] && failures.map(\.error) == [.discovery(.issuerMismatch)])
        #expect(sets.source(for: a)?.names == ["k1"] && sets.source(for: b)?.names == nil)
    }

    @Test("K13: a flood of unknown kids at one issuer uses no budget of another, and sends it no request")
    func budgets() async throws {
        let (sets, ofA, ofB) = try both()
        try await sets.warmUp(timeout: .seconds(60))
        let policy = { (issuer: String) in
            TokenPolicy.signed(
                SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: .exactly(issuer), audience: "shop"))
        }
        let verifier = try TokenVerifier(
            issuers: try [a, b].map { TrustedIssuer(policy($0), keys: try #require(sets.source(for: $0))) })
        func token(_ issuer: String, _ key: PrivateKey) throws -> String {
            try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":"\#(issuer)","aud":"shop","exp":9999999999}"#)
        }
        var stray = ofA
        for number in 0..<500 {
            stray.keyID = "made-up-\(number)"
            let flood = try token(a, stray)
            #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verifier.verify(flood) }
        }
        // Within the cooldown after the first fetch, names that are requested once cause no fetch.
        #expect(provider.requests("https://a.test/jwks") == 1 && provider.requests("https://b.test/jwks") == 1)
        #expect(sets.sources[0].counters.misses == 500 && sets.sources[1].counters.misses == 0)
        // The cooldown of both is over: one may fetch, whatever happened at the other.
        await provider.clock.advance(by: 31)
        let flood = try token(a, stray)
        #expect(throws: TokenError.self) { try verifier.verify(flood) }
        var next = ofB
        next.keyID = "k2"
        provider.set("https://b.test/jwks", keys: ofB, next)
        // The delay is long enough for the token to find the fetch in progress.
        provider.delay.withLock { $0 = .milliseconds(50) }
        let fresh = try token(b, next)
        #expect(try await verifier.verify(fresh, timeout: .seconds(10)).key?.keyID == "k2")
        #expect(provider.requests("https://b.test/jwks") == 2)
        #expect(await eventually { provider.requests("https://a.test/jwks") == 2 })
        #expect(await eventually { sets.sources.allSatisfy { !$0.health.isFetching } })
        // A name that both issuers use stands for two keys.
        for (issuer, good, bad) in [(a, ofA, ofB), (b, ofB, ofA)] {
            #expect(throws: Never.self) { try verifier.verify(token(issuer, good)) }
            #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) {
                try verifier.verify(token(issuer, bad))
            }
        }
        // A signature that fails causes a fetch of the keys of its issuer alone.
        #expect(await eventually { provider.requests("https://a.test/jwks") == 3 })
        #expect(await eventually { provider.requests("https://b.test/jwks") == 3 })
        let stranger = try token("https://c.test", ofA)
        #expect(throws: TokenError.issuerUnknown) { try verifier.verify(stranger) }
        #expect(provider.server.requests.count == 6)
    }
}

extension IssuerKeySets {
    /// The key sets, in the order of the issuers.
    fileprivate var sources: [RemoteKeySet] { issuers.compactMap { source(for: $0) } }
}
