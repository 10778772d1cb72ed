import JOSE
import JOSETokens
import Testing

@Suite("Samples: verifying") struct VerifyingSamples {
    private static let provider = "https://id.example.com"

    private static func token(
        _ key: PrivateKey, _ claims: ClaimsBuilder, audience: AudienceRule = "shop", type: String = "JWT"
    ) throws -> String {
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: .exactly(provider), audience: audience))
        return try TokenIssuer(
            policy, signingKey: .privateKey(key), signatureHeader: HeaderParameters(type: type)
        ).issue(claims)
    }

    @Test("tokens are verified with an issuer's remote JWKS") func published() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let jwks = KeySet(key).jwks()
        let token = try Self.token(key, ["sub": "u-1", "roles": ["buyer"]])
        // Sample: verify
        let keys = try KeySet(parsing: jwks, as: .publicOnly)
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let verifier = try TokenVerifier(policy, verificationKeys: keys)

        let verified = try verifier.verify(token)
        let user = verified.claims.subject
        let roles = verified.claims.strings("roles") ?? []
        // Sample: end
        #expect(user == "u-1" && roles == ["buyer"])

        // Sample: ask for more
        var claims = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")
        claims.required = ["sub", "jti"]
        claims.maximumAge = .seconds(3_600)
        claims.leeway = .seconds(30)
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("at+jwt")
        let strict = try TokenVerifier(.signed(signature, claims: claims), verificationKeys: keys)
        // Sample: end
        #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature)) { try strict.verify(token) }
        let typed = try Self.token(key, ["sub": "u-1"], type: "at+jwt")
        #expect(throws: TokenError.claim(.missing("jti"))) { try strict.verify(typed) }
        _ = try strict.verify(Self.token(key, ["sub": "u-1", "jti": "7"], type: "at+jwt"))

        // Sample: accept several audiences
        let severalNames = ClaimPolicy(
            issuer: "https://id.example.com", audience: .oneOf(["shop", "https://shop.example"]))
        let renamed = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: severalNames), verificationKeys: keys)
        // Sample: end
        for audience in ["shop", "https://shop.example"] {
            _ = try renamed.verify(Self.token(key, ["sub": "u-1"], audience: .exactly(audience)))
        }
        let foreign = try Self.token(key, ["sub": "u-1"], audience: "billing")
        #expect(throws: TokenError.claim(.audienceMismatch)) { try renamed.verify(foreign) }

        // Sample: require values
        var access = ClaimPolicy(issuer: "https://id.example.com", audience: .anyAudienceUnchecked)
        access.acceptedValues = ["token_use": ["access"], "client_id": ["app1", "app2"]]
        let ofApps = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: access), verificationKeys: keys)
        // Sample: end
        _ = try ofApps.verify(Self.token(key, ["token_use": "access", "client_id": "app2"]))
        let ofUser = try Self.token(key, ["token_use": "id", "client_id": "app2"])
        #expect(throws: TokenError.claim(.invalid("token_use"))) { try ofApps.verify(ofUser) }
    }

    @Test("the verifier is selected by the token's issuer") func severalIssuers() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let verifiers = [
            Self.provider: try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        ]
        // Sample: choose by issuer
        func verify(_ token: String) throws -> VerifiedToken? {
            guard let issuer = try UnverifiedToken(token).issuer, let verifier = verifiers[issuer] else { return nil }
            return try verifier.verify(token)
        }
        // Sample: end
        #expect(try verify(Self.token(key, ["sub": "u-1"]))?.claims.subject == "u-1")
        let other = try TokenIssuer(
            .signed(
                SignaturePolicy(algorithms: [.es256]),
                claims: ClaimPolicy(issuer: "https://other.example", audience: "shop")),
            signingKey: .privateKey(key))
        #expect(try verify(other.issue()) == nil)
    }

    @Test("ID tokens are verified by their profile") func idToken() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let keys = KeySet(key.publicKey)
        let nonce = "n-0S6_WzA2Mj"
        let idToken = try Self.token(key, ["sub": "u-1", "nonce": .string(nonce)], audience: "client-7")
        // Sample: verify an ID token
        let profile = IDTokenProfile(
            issuer: "https://id.example.com", clientID: "client-7", nonce: nonce, algorithms: [.es256])
        let verified = try TokenVerifier(profile, verificationKeys: keys).verify(idToken)
        // Sample: end
        #expect(verified.claims.subject == "u-1")
        #expect(throws: TokenError.claim(.audienceMismatch)) {
            try TokenVerifier(profile, verificationKeys: keys).verify(
                Self.token(key, ["sub": "u-1", "nonce": .string(nonce)]))
        }
    }

    @Test("a logout token is accepted once") func once() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let keys = KeySet(key.publicKey)
        // Sample: use a token once
        let used = InMemoryReplayStore(capacity: 200_000)
        var profile = LogoutTokenProfile(
            issuer: "https://id.example.com", clientID: "client-7", algorithms: [.es256], replayStore: used)
        profile.maximumLifetime = .seconds(120)
        let verifier = try TokenVerifier(profile, verificationKeys: keys)
        // Sample: end
        let issuer = try TokenIssuer(profile.policy, signingKey: .privateKey(key), lifetime: .seconds(120))
        let token = try issuer.issue([
            "jti": "1", "sub": "u-1", "events": .object([(LogoutTokenProfile.event, .object([]))]),
        ])
        #expect(try verifier.verify(token).claims.subject == "u-1")
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
    }

    @Test("each kind of error gets its HTTP response") func refusals() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        var logged: [String] = []
        func log(_ line: String) { logged.append(line) }
        // Sample: answer a refusal
        func answer(_ token: String) -> (status: Int, header: String?) {
            do throws(TokenError) {
                _ = try verifier.verify(token)
                return (200, nil)
            } catch .claim(.expired) {
                return (401, #"Bearer error="invalid_token", error_description="token_expired""#)
            } catch let error where error.isRetryable {
                return (503, nil)
            } catch {
                log("token rejected: \(error)")
                return (401, #"Bearer error="invalid_token""#)
            }
        }
        // Sample: end
        #expect(answer(try Self.token(key, ["sub": "u-1"])).status == 200)
        var lapsed = policy.claims
        lapsed.clock = .fixed(1_700_000_000)
        let old = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: lapsed), signingKey: .privateKey(key)
        ).issue()
        #expect(answer(old).header?.contains("expired") == true)
        #expect(answer("no token").status == 401)
        #expect(logged.count == 1 && logged[0].hasPrefix("token rejected: signature layer: malformed"))

        let token = try Self.token(key, ["sub": "u-1"], audience: "another")
        // Sample: explain
        for line in verifier.explain(token).lines where line.outcome == .failed {
            log("\(line.check): \(line.failure ?? "") \(line.remedy ?? "")")
        }
        // Sample: end
        #expect(logged.count == 2)

        // Sample: an error and its code
        do throws(TokenError) {
            _ = try verifier.verify(token)
        } catch let error where error == .claim(.expired) {
            log("a new token is needed: \(error.code)")
        } catch {
            switch error {
            case .claim(.issuerMismatch), .claim(.audienceMismatch): log("wrong configuration? \(error.code)")
            case .jose(let cause, layer: let layer): log("\(layer): \(cause.code)")
            default: log(error.isRetryable ? "not verified: \(error.code)" : "rejected: \(error.code)")
            }
        }
        // Sample: end
        #expect(logged.last == "wrong configuration? audience_mismatch")
    }
}
