import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Client assertion (RFC 7523)") struct ClientAssertionProfileTests {
    private static let good = [
        "iss": #""client""#, "sub": #""client""#, "aud": #""https://id.example""#, "exp": "1700000060",
        "iat": "1700000000", "jti": #""x""#,
    ]
    private static func profile(
        store: (any ReplayStore)? = nil, clock: WallClock = .fixed(ProfileFixture.now)
    ) -> ClientAssertionProfile {
        var profile = ClientAssertionProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = clock
        return profile
    }

    private static let cases: [ProfileCase] = [
        .refused("3, step 1: iss", ["iss": nil], .issuerMismatch),
        .refused("3, step 1: another iss", ["iss": #""other""#], .issuerMismatch),
        .refused("3, step 2: sub", ["sub": nil], .missing("sub")),
        .refused("3, step 2: another sub", ["sub": #""other""#], .invalid("sub")),
        .refused("3, step 3: aud", ["aud": #""https://other.example""#], .audienceMismatch),
        .refused(
            "R14: a second audience", ["aud": #"["https://id.example","https://evil.example"]"#], .audienceMismatch),
        .accepted("3, step 3: a list of one", ["aud": #"["https://id.example"]"#]),
        .refused("3, step 4: exp", ["exp": nil], .missing("exp")),
        .refused("3, step 4: expired", ["exp": "1699999940"], .expired),
        .refused("R14: an exp too far ahead", ["exp": "1700000361"], .lifetimeTooLong),
        .accepted("R14: the latest exp", ["exp": "1700000360"]),
        .refused("3, step 5: nbf", ["nbf": "1700000061"], .notYetValid),
        .refused("3, step 6: iat", ["iat": "1700000061"], .issuedInFuture("iat")),
        .accepted("3, step 6: no iat", ["iat": nil]),
        .refused("3, step 7: jti", ["jti": nil], .missing("jti")),
        .refused("3, step 7: an empty jti", ["jti": #""""#], .invalid("jti")),
        .refused("3, step 7: a number as jti", ["jti": "1"], .invalid("jti")),
        .type("at+jwt"), .type("dpop+jwt"), .type(nil, good: true), .type("jwt", good: true),
    ]

    @Test("each rule rejects a violation, and accepts a valid token", arguments: cases) func rules(
        _ one: ProfileCase
    ) throws {
        try one.run(Self.profile(), claims: Self.good, type: "JWT")
    }

    @Test("T67: an assertion is accepted once until it expires, including the leeway") func replay() throws {
        let fixture = try ProfileFixture()
        let store = InMemoryReplayStore()
        let token = try fixture.sign(ProfileFixture.text(Self.good), type: "JWT")
        func verify(at now: NumericDate) throws -> VerifiedToken {
            try TokenVerifier(Self.profile(store: store, clock: .fixed(now)), verificationKeys: fixture.keys)
                .verify(token)
        }
        #expect(throws: Never.self) { try verify(at: ProfileFixture.now) }
        #expect(throws: TokenError.replay(.seen)) { try verify(at: ProfileFixture.now) }
        // In force until exp and 60 seconds.
        #expect(throws: TokenError.replay(.seen)) { try verify(at: ProfileFixture.now + .seconds(119.5)) }
        #expect(throws: TokenError.claim(.expired)) { try verify(at: ProfileFixture.now + .seconds(120)) }
    }

    @Test("T67: a custom replay store receives issuer, jti and expiration of each token once it is valid")
    func mark() async throws {
        let fixture = try ProfileFixture()
        let store = AwaitedReplayStore()
        let verifier = try TokenVerifier(Self.profile(store: store), verificationKeys: fixture.keys)
        let token = try fixture.sign(ProfileFixture.text(Self.good), type: "JWT")
        _ = try await verifier.verify(token, timeout: .ample)
        let mark = try #require(store.marks.first)
        #expect(mark.issuer == "client" && mark.tokenID == "x" && mark.expiration == ProfileFixture.now + .seconds(120))
    }

    @Test("T67: of concurrent calls with one token an asynchronous replay store accepts one")
    func concurrentlyAwaited() async throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(
            Self.profile(store: AwaitedReplayStore()), verificationKeys: fixture.keys)
        let token = Array(try fixture.sign(ProfileFixture.text(Self.good), type: "JWT").utf8)
        let errors = await withTaskGroup(of: TokenError?.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    do {
                        _ = try await verifier.verify(token, timeout: .ample)
                        return nil
                    } catch {
                        return error as? TokenError
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count { $0 == nil } == 1 && errors.count { $0 == .replay(.seen) } == 29)
        // A call that does not wait accepts nothing, and marks nothing.
        let fresh = try TokenVerifier(Self.profile(store: AwaitedReplayStore()), verificationKeys: fixture.keys)
        #expect(throws: TokenError.awaitRequired) { try fresh.verify(token) }
        _ = try await fresh.verify(token, timeout: .ample)
    }

    @Test("R14: a client assertion that is issued with the profile's policy is accepted") func issued() throws {
        let fixture = try ProfileFixture()
        let issuer = try TokenIssuer(
            Self.profile().policy, signingKey: .privateKey(fixture.key), lifetime: .seconds(60))
        let token = try issuer.issue(["jti": "1"])
        let verified = try TokenVerifier(Self.profile(), verificationKeys: fixture.keys).verify(token)
        #expect(verified.claims.issuer == "client" && verified.claims.subject == "client")
    }
}
