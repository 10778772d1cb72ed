import JOSE
import JOSEKeySets
import JOSETokens
import Testing

@Suite("Issuer that follows a rotation") struct FollowingIssuerTests {
    let clock = SettableClock()

    private func policy() -> TokenPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = clock.wallClock
        return .signed(SignaturePolicy(algorithms: [.ed25519, .es256]), claims: claims)
    }

    @Test("each token is signed with the current key, and verifies with the published key set until it expires")
    func follows() throws {
        let keys = try SigningKeyRotation(Fixture.rules, clock: clock.wallClock)
        let policy = policy()
        #expect(throws: TokenError.jose(.keysUnavailable(.noSigningKey), layer: .signature)) {
            try TokenIssuer(policy, signingKeys: keys)
        }
        try keys.add(Fixture.signing("a"))
        let issuer = try TokenIssuer(policy, signingKeys: keys, lifetime: .seconds(300))
        // The next key is of another algorithm.
        let handOver = try keys.add(PrivateKey.generate(.p256, keyID: "b"))
        var issued: [(token: String, at: NumericDate)] = []
        for seconds in stride(from: clock.now.secondsSince1970, through: handOver.secondsSince1970 + 700, by: 50) {
            let moment = NumericDate(secondsSince1970: seconds)
            clock.now = moment
            let token = try issuer.issue(["sub": "u"])
            issued.append((token, moment))
            let name = moment < handOver ? "a" : "b"
            #expect(try UnverifiedToken(token).header.keyID == name)
            // A verifier that fetches the document now can verify all valid tokens, and so can one that fetched it
            // `documentLifetime` ago.
            let now = try KeySet(parsing: KeySetDocument(keys).body)
            clock.now = moment - .seconds(600)
            let held = try KeySet(parsing: KeySetDocument(keys).body)
            clock.now = moment
            for (token, at) in issued where at > moment - .seconds(300) {
                _ = try TokenVerifier(policy, verificationKeys: now).verify(token)
                if at >= 1_000_600 { _ = try TokenVerifier(policy, verificationKeys: held).verify(token) }
            }
        }
        let algorithms = try issued.map { try UnverifiedToken($0.token).header.algorithmName }
        #expect(Set(algorithms) == ["Ed25519", "ES256"])
    }

    @Test("a token's lifetime may not exceed the publication of its key")
    func promise() throws {
        let keys = try SigningKeyRotation(Fixture.rules, clock: clock.wallClock)
        try keys.add(Fixture.signing("a"))
        #expect(throws: TokenError.policyInvalid(.lifetime)) {
            try TokenIssuer(policy(), signingKeys: keys, lifetime: .seconds(301))
        }
        let issuer = try TokenIssuer(policy(), signingKeys: keys, lifetime: .seconds(300))
        let most = Int(clock.now.secondsSince1970) + 300
        #expect(throws: Never.self) { try issuer.issue(json: Array(#"{"exp":\#(most)}"#.utf8)) }
        #expect(throws: TokenError.policyInvalid(.lifetime)) {
            try issuer.issue(json: Array(#"{"exp":\#(most + 1)}"#.utf8))
        }
        // A fixed key has no longest lifetime.
        let fixed = try TokenIssuer(policy(), signingKey: .privateKey(keys.signingKey()))
        #expect(throws: Never.self) { try fixed.issue(json: Array(#"{"exp":\#(most + 1)}"#.utf8)) }
    }

    @Test("a signing key for which the policy has no algorithm is rejected")
    func unfit() throws {
        let keys = try SigningKeyRotation(Fixture.rules, clock: clock.wallClock)
        try keys.add(Fixture.signing("a"))
        let issuer = try TokenIssuer(policy(), signingKeys: keys)
        clock.now = try keys.add(PrivateKey.generate(.p384, keyID: "b"))
        #expect(throws: TokenError.jose(.keyUnsuitable(.kind), layer: .signature)) { try issuer.issue() }
        try keys.remove(keyID: "b", force: true)
        #expect(throws: Never.self) { try issuer.issue() }
    }

    @Test("concurrent tasks issue tokens only with the current key while keys rotate")
    func concurrent() async throws {
        let keys = try SigningKeyRotation(Fixture.rules, clock: clock.wallClock)
        try keys.add(Fixture.signing("k0"))
        let policy = policy()
        let issuer = try TokenIssuer(policy, signingKeys: keys)
        var all = [JWK.privateKey(try keys.signingKey())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            let stop = SettableClock(0)
            defer { stop.now = 1 }
            for _ in 0..<4 {
                group.addTask {
                    var last = 0
                    while stop.now == 0 {
                        let token: String
                        do throws(TokenError) {
                            token = try issuer.issue()
                        } catch {
                            // The clock may pass the token's lifetime while it is issued.
                            guard case .claim(.expired) = error else { throw error }
                            continue
                        }
                        let name = try UnverifiedToken(token).header.keyID ?? ""
                        let number = try #require(Int(name.dropFirst()))
                        #expect(number >= last)
                        last = number
                        await Task.yield()
                    }
                }
            }
            for number in 1...20 {
                let key = try Fixture.signing("k\(number)")
                all.append(.privateKey(key))
                clock.now = try keys.add(key)
                #expect(try keys.signingKey() == key)
                await Task.yield()
            }
            stop.now = 1
            try await group.waitForAll()
        }
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(all))
        #expect(try verifier.verify(issuer.issue()).header.keyID == "k20")
    }
}
