import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("DPoP (RFC 9449)") struct DPoPTests {
    private static func verifier(
        at now: NumericDate = ProfileFixture.now, store: (any ReplayStore)? = nil,
        algorithms: [SignatureAlgorithm] = [.es256]
    ) throws(TokenError) -> DPoPVerifier {
        try DPoPVerifier(algorithms: algorithms, replayStore: store) { $0.claims.clock = .fixed(now) }
    }

    @Test("the published proofs are valid for their own requests only (RFC 9449, 4.3 and 7.1)")
    func published() throws {
        for vector in try VectorFile("rfc9449/dpop").vectors {
            let method = try #require(vector.method)
            let url = try #require(vector.url)
            let thumbprint = try #require(vector.thumbprint.flatMap { bytes(base64URL: $0) })
            let bound = KeyConfirmation(keyThumbprint: thumbprint)
            func request(_ method: String, _ url: String) -> DPoPRequest {
                guard let token = vector.accessToken else { return DPoPRequest(method: method, url: url) }
                return DPoPRequest(method: method, url: url, accessToken: token, confirmation: bound)
            }
            let verifier = try Self.verifier(at: NumericDate(secondsSince1970: try #require(vector.now)))
            let proof = try verifier.verify(vector.tokenText, for: request(method, url))
            #expect(try proof.key.thumbprint() == thumbprint, "\(vector.id)")
            #expect(throws: TokenError.claim(.invalid("htm")), "\(vector.id)") {
                try verifier.verify(vector.tokenText, for: request("PUT", url))
            }
            #expect(throws: TokenError.claim(.invalid("htu")), "\(vector.id)") {
                try verifier.verify(vector.tokenText, for: request(method, url + "/x"))
            }
            let stranger = DPoPRequest(method: method, url: url, accessToken: "other", confirmation: bound)
            #expect(throws: TokenError.self, "\(vector.id)") { try verifier.verify(vector.tokenText, for: stranger) }
        }
    }

    @Test("a proof is valid only for its own access token, nonce and key") func made() throws {
        let key = try PrivateKey.generate(.p256, keyID: "mine")
        let prover = try DPoPProver(key: key, algorithm: .es256, clock: .fixed(ProfileFixture.now))
        let bound = KeyConfirmation(keyThumbprint: try key.publicKey.thumbprint())
        let url = "https://rs.example/a?b=c#d"
        let proof = try prover.proof(method: "GET", url: url, accessToken: "t", nonce: "n")
        var request = DPoPRequest(method: "GET", url: url, accessToken: "t", confirmation: bound)
        let held = try Self.verifier().verify(proof, for: request)
        #expect(held.key == key.publicKey && held.token.claims.string("htu") == "https://rs.example/a")
        // Nothing but the numbers of the key is shown (4.2).
        #expect(try JSON(held.token.header.json("jwk") ?? []) == JSON(Array(prover.key.jwk().utf8)))
        #expect(held.token.header.keyID == nil && !prover.key.jwk().contains("mine"))
        request.nonces = ["m", "n"]
        #expect(throws: Never.self) { try Self.verifier().verify(proof, for: request) }
        request.nonces = ["N"]
        #expect(throws: TokenError.claim(.invalid("nonce"))) { try Self.verifier().verify(proof, for: request) }
        let plain = try prover.proof(method: "GET", url: url, accessToken: "t")
        #expect(throws: TokenError.claim(.missing("nonce"))) { try Self.verifier().verify(plain, for: request) }
        request.nonces = nil
        #expect(try plain != prover.proof(method: "GET", url: url, accessToken: "t"))
        let other = DPoPRequest(method: "GET", url: url, accessToken: "T", confirmation: bound)
        #expect(throws: TokenError.claim(.invalid("ath"))) { try Self.verifier().verify(plain, for: other) }
        let without = try prover.proof(method: "GET", url: url)
        #expect(throws: TokenError.claim(.missing("ath"))) { try Self.verifier().verify(without, for: request) }
        let foreign = try KeyConfirmation(keyThumbprint: PrivateKey.generate(.p256).publicKey.thumbprint())
        let stolen = DPoPRequest(method: "GET", url: url, accessToken: "t", confirmation: foreign)
        #expect(throws: TokenError.claim(.invalid("cnf"))) { try Self.verifier().verify(plain, for: stolen) }
        #expect(throws: TokenError.claim(.invalid("htu"))) { try prover.proof(method: "GET", url: "rs.example") }
        #expect(throws: TokenError.claim(.invalid("htm"))) { try prover.proof(method: "", url: url) }
    }

    @Test("T67: a proof is accepted once for its key, until its maximum age (RFC 9449, 11.1)")
    func replay() async throws {
        let prover = try DPoPProver(
            key: PrivateKey.generate(.p256), algorithm: .es256, clock: .fixed(ProfileFixture.now))
        let request = DPoPRequest(method: "POST", url: "https://as.example/token")
        let proof = try prover.proof(method: "POST", url: request.url)
        let store = InMemoryReplayStore()
        func verify(after seconds: Double, _ request: DPoPRequest = request) throws {
            _ = try Self.verifier(at: ProfileFixture.now + .seconds(seconds), store: store).verify(proof, for: request)
        }
        // A rejected use does not count.
        #expect(throws: TokenError.claim(.invalid("htm"))) {
            try verify(after: 0, DPoPRequest(method: "GET", url: request.url))
        }
        let awaited = AwaitedReplayStore()
        let waiting = try Self.verifier(store: awaited)
        _ = try await waiting.verifyAwaitingStore(proof, for: request)
        let mark = try #require(awaited.marks.first)
        #expect(try mark.issuer == prover.key.thumbprintURI())
        #expect(mark.expiration == ProfileFixture.now + .seconds(71))
        await #expect(throws: TokenError.replay(.seen)) {
            try await waiting.verifyAwaitingStore(proof, for: request)
        }
        #expect(throws: TokenError.awaitRequired) { try waiting.verify(proof, for: request) }
        #expect(throws: Never.self) { try verify(after: 0) }
        for seconds in [0, 1, 70.0] {
            #expect(throws: TokenError.replay(.seen)) { try verify(after: seconds) }
        }
        #expect(throws: TokenError.claim(.tooOld("iat"))) { try verify(after: 70.001) }
        #expect(throws: TokenError.claim(.issuedInFuture("iat"))) { try verify(after: -10.001) }
    }

    private struct Hand {
        let key: PrivateKey
        var header = HeaderParameters(type: "dpop+jwt")
        var claims = [
            "jti": #""x""#, "htm": #""POST""#, "htu": #""https://as.example/token""#, "iat": "1700000000",
        ]

        init() throws { key = try PrivateKey.generate(.p256) }

        func verify(
            jwk: String?, algorithms: [SignatureAlgorithm] = [.es256],
            for request: DPoPRequest = DPoPRequest(method: "POST", url: "https://as.example/token")
        ) throws {
            var header = header
            if let jwk { header.set("jwk", json: Array(jwk.utf8)) }
            let proof = try JWSSigner(key: key, algorithm: .es256, header: header).sign(ProfileFixture.text(claims))
            _ = try DPoPTests.verifier(algorithms: algorithms).verify(proof, for: request)
        }
    }

    private static func jose(_ error: JOSEError) -> TokenError { .jose(error, layer: .signature) }

    @Test("a proof with a wrong typ, algorithm or key in its header is rejected (RFC 9449, 4.3)") func header() throws {
        var hand = try Hand()
        let jwk = hand.key.publicKey.jwk()
        #expect(throws: Never.self) { try hand.verify(jwk: jwk) }
        #expect(throws: Self.jose(.keyNotFound)) { try hand.verify(jwk: nil) }
        let secret = String(decoding: try hand.key.exportPrivateJWK(), as: UTF8.self)
        #expect(throws: Self.jose(.keyInvalid(.publicKeyRequired))) { try hand.verify(jwk: secret) }
        let oct = #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#
        #expect(throws: Self.jose(.keyInvalid(.publicKeyRequired))) { try hand.verify(jwk: oct) }
        let other = try PrivateKey.generate(.p256).publicKey.jwk()
        #expect(throws: Self.jose(.signatureInvalid)) { try hand.verify(jwk: other) }
        let rsa = try PrivateKey.generate(.ed25519).publicKey.jwk()
        #expect(throws: Self.jose(.keyUnsuitable(.kind))) { try hand.verify(jwk: rsa) }
        #expect(throws: Self.jose(.algorithmNotAllowed(.signature))) {
            try hand.verify(jwk: jwk, algorithms: [.es384])
        }
        var bound = hand.key.publicKey
        bound.use = .encryption
        #expect(throws: Self.jose(.keyUnsuitable(.use))) { try hand.verify(jwk: bound.jwk()) }
        for type in [nil, "JWT", "at+jwt", "dpop+jwt2"] {
            hand.header.type = type
            #expect(throws: Self.jose(.headerInvalid(.type))) { try hand.verify(jwk: jwk) }
        }
    }

    @Test("a proof with a MAC is rejected, whatever algorithms are allowed (RFC 9449, 4.3, step 5)") func mac() throws {
        let key = try SecretKey(bytes: Array(0..<32))
        var header = HeaderParameters(type: "dpop+jwt")
        header.set("jwk", json: Array(#"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#.utf8))
        let proof = try JWSSigner(key: key, algorithm: .hs256, header: header).sign(ProfileFixture.text(Hand().claims))
        #expect(throws: Self.jose(.algorithmNotAllowed(.signature))) {
            try Self.verifier(algorithms: SignatureAlgorithm.all).verify(
                proof, for: DPoPRequest(method: "POST", url: "https://as.example/token"))
        }
        // As a positive control, the same claims are accepted with a signature.
        let hand = try Hand()
        let jwk = hand.key.publicKey.jwk()
        #expect(throws: Never.self) { try hand.verify(jwk: jwk, algorithms: SignatureAlgorithm.all) }
    }

    @Test(
        "a proof whose claim is missing, or has a wrong type or value, is rejected (RFC 9449, 4.3)",
        arguments: [
            ("jti", nil, ClaimFailure.missing("jti")), ("jti", "5", .invalid("jti")), ("jti", #""""#, .invalid("jti")),
            ("htm", nil, .missing("htm")), ("htm", #""post""#, .invalid("htm")), ("htm", #"["POST"]"#, .invalid("htm")),
            ("htu", nil, .missing("htu")), ("htu", "5", .invalid("htu")),
            ("htu", #""https://as.example/token/""#, .invalid("htu")),
            ("htu", #""http://as.example/token""#, .invalid("htu")),
            ("iat", nil, .missing("iat")), ("iat", #""1700000000""#, .invalid("iat")),
            ("iat", "1699999929", .tooOld("iat")), ("iat", "1700000011", .issuedInFuture("iat")),
            ("exp", "1", .expired),
        ] as [(String, String?, ClaimFailure)])
    func claims(_ name: String, _ value: String?, _ failure: ClaimFailure) throws {
        var hand = try Hand()
        let jwk = hand.key.publicKey.jwk()
        #expect(throws: Never.self) { try hand.verify(jwk: jwk) }
        hand.claims[name] = value
        #expect(throws: TokenError.claim(failure)) { try hand.verify(jwk: jwk) }
    }

    @Test("an htm or nonce that is no string does not equal an empty one (RFC 9449, 4.3, steps 8 and 10)")
    func empty() throws {
        var request = DPoPRequest(method: "", url: "https://as.example/token")
        request.nonces = [""]
        var hand = try Hand()
        (hand.claims["htm"], hand.claims["nonce"]) = (#""""#, #""""#)
        let jwk = hand.key.publicKey.jwk()
        #expect(throws: Never.self) { try hand.verify(jwk: jwk, for: request) }
        for name in ["htm", "nonce"] {
            for value in ["5", "null", "[]"] {
                var other = hand
                other.claims[name] = value
                #expect(throws: TokenError.claim(.invalid(ClaimName(name))), "\(name) \(value)") {
                    try other.verify(jwk: jwk, for: request)
                }
            }
        }
    }

    @Test(
        "htu is compared in normalized form (RFC 9449, 4.3, step 9)",
        arguments: [
            ("https://RS.example:443/a/./b/../c", "https://rs.example/a/c", true),
            ("HTTPS://rs.example", "https://rs.example/", true), ("http://rs.example:80/", "http://rs.example", true),
            ("https://rs.example:/a", "https://rs.example/a", true),
            ("https://rs.example/%7euser/%2fx", "https://rs.example/~user/%2Fx", true),
            ("https://rs.example/a?x=1", "https://rs.example/a#y", true),
            ("https://rs.example/%2e%2e/a", "https://rs.example/a", true),
            ("https://[::1]:443/a", "https://[::1]/a", true), ("https://rs.example/a/..", "https://rs.example/", true),
            ("https://rs.example/a", "https://rs.example/A", false),
            ("https://rs.example/a/", "https://rs.example/a", false),
            ("https://rs.example//a", "https://rs.example/a", false),
            ("https://rs.example:444/a", "https://rs.example/a", false),
            ("https://rs.example:80/a", "https://rs.example/a", false),
            ("https://rs.example/a%2Fb", "https://rs.example/a/b", false),
            ("https://u@rs.example/", "https://u@rs.example/", false),
            ("https://r%73.example/", "https://rs.example/", true),
            ("https://a%2fb.example/", "https://a%2fb.example/", false),
            ("https://a%C3%A9.example/", "https://a%c3%a9.example/", false),
            ("https://rs.example/%zz", "https://rs.example/%zz", false),
            ("https://rs.example/%z1", "https://rs.example/%z1", false),
            ("https://rs.example/%1z", "https://rs.example/%1z", false),
            ("https://rs.example/%2", "https://rs.example/%2", false),
            ("https:///a", "https:///a", false), ("ftp://rs.example/", "ftp://rs.example/", false),
            ("https:rs.example/a", "https://rs.example/a", false),
            ("https:xxrs.example/a", "https://rs.example/a", false),
            ("https:/xrs.example/a", "https://rs.example/a", false),
            ("/a", "/a", false), ("https://rs.example\\a", "https://rs.example/a", false),
            ("https://rs.example/a b", "https://rs.example/a b", false),
            ("https://rs.example/\u{e9}", "https://rs.example/\u{e9}", false),
            ("https://rs.example:4x3/", "https://rs.example:4x3/", false), ("", "", false),
        ]) func uris(_ htu: String, _ url: String, _ same: Bool) throws
    {
        var hand = try Hand()
        let jwk = hand.key.publicKey.jwk()
        #expect(throws: Never.self) { try hand.verify(jwk: jwk) }
        hand.claims["htu"] = JSON.string(htu).text
        let request = DPoPRequest(method: "POST", url: url)
        if same {
            #expect(throws: Never.self) { try hand.verify(jwk: jwk, for: request) }
        } else {
            #expect(throws: TokenError.claim(.invalid("htu"))) { try hand.verify(jwk: jwk, for: request) }
        }
    }
}
