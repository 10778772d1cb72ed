import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT (RFC 9901)") struct SDJWTTests {
    private static let everything: [ClaimPath] = [
        "sub", "name", "address", ["address", "street"], ["tongues", 0], ["tongues", 2],
        ["proofs", .everyElement], ["proofs", .everyElement, "number"],
    ]

    @Test(
        "with all disclosures, verified claims are those issued, for any decoys and hash (RFC 9901, 4)",
        arguments: HashAlgorithm.allCases) func whole(_ hash: HashAlgorithm) throws
    {
        let table = try SDJWTTable()
        for decoys in [0, 3] {
            let token = try table.issue(Self.everything, decoys: decoys, hash: hash)
            #expect(token.disclosures.count == 10)
            let verified = try table.verifier.verify(token.text)
            let wanted = try JSON(
                Array(
                    #"""
                    {"iss":"https://id.example","exp":1700000600,"sub":"u","name":"Ann",
                    "address":{"street":"Main \"1\"","city":"Any"},"tongues":["en","nl","de"],
                    "proofs":[{"kind":"passport","number":7},{"kind":"bill","number":8.5}]}
                    """#.utf8))
            #expect(try JSON(verified.claims.payload) == wanted)
            let payload = String(decoding: part(1, of: token.text), as: UTF8.self)
            // With their quotes: digests are chance, and may hold the letters.
            #expect(!payload.contains(#""Ann""#) && !payload.contains(#""Main "#) && !payload.contains(#""Any""#))
            #expect(payload.contains(hash.rawValue))
        }
    }

    @Test("a cached credential has each presentation's own claims, and ends with its keys and its time (RFC 9901, 7)")
    func cached() throws {
        let table = try SDJWTTable()
        let token = try table.issue(["sub", "name"])
        let source = ChangingKeys(table.fixture.keys)
        let cache = TokenCache()
        func verifier(at now: NumericDate) throws -> SDJWTVerifier {
            var claims = table.verifier.claims
            claims.clock = .fixed(now)
            return try SDJWTVerifier(
                table.verifier.signature, claims: claims, verificationKeys: source, cache: cache)
        }
        let now = try verifier(at: ProfileFixture.now)
        for (count, name) in ["sub", "name", "sub"].enumerated() {
            let claims = try now.verify(token.presenting { $0.name == name }.text).claims
            #expect(claims.string(name) != nil && claims.contains("sub") == (name == "sub"))
            #expect(cache.lookups == (count, 1))
        }
        // The key was used each time, by the signature or by the cache.
        #expect(source.used.count == 3)
        let late = try verifier(at: 1_700_001_000)
        #expect(throws: TokenError.claim(.expired)) { try late.verify(token.text) }
        source.set(KeySet(try PrivateKey.generate(.p256).publicKey))
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try now.verify(token.text) }
    }

    @Test("a cached credential is removed when it has expired, and stays after another error") func expired() throws {
        let clock = TestClock(ProfileFixture.now)
        let table = try SDJWTTable { $0.clock = clock.wallClock }
        let token = try table.issue(["sub"])
        let cache = TokenCache()
        let verifier = try SDJWTVerifier(
            table.verifier.signature, claims: table.verifier.claims, verificationKeys: table.fixture.keys, cache: cache)
        #expect(try verifier.verify(token.text).claims.string("sub") == "u" && cache.count == 1)
        let odd = token.text + base64URL(Array(#"["s","x","y"]"#.utf8)) + "~"
        #expect(throws: TokenError.self) { try verifier.verify(odd) }
        #expect(cache.count == 1 && cache.lookups == (1, 1))
        clock.now = 1_700_001_000
        #expect(throws: TokenError.claim(.expired)) { try verifier.verify(token.text) }
        #expect(cache.count == 0 && cache.lookups == (2, 1))
    }

    @Test("digests are sorted together with decoys, and no two salts are equal (RFC 9901, 4.2)") func decoys() throws {
        let table = try SDJWTTable()
        let token = try table.issue(["sub", "name"], decoys: 5)
        guard case .array(let digests)? = try JSON(part(1, of: token.text))["_sd"] else {
            Issue.record("no digests")
            return
        }
        let texts = digests.compactMap(\.string)
        #expect(texts.count == 7 && texts == texts.sorted() && Set(texts).count == 7)
        #expect(texts.allSatisfy { $0.utf8.count == 43 })
        let again = try table.issue(["sub", "name"])
        #expect(Set(token.text.split(separator: "~")).isDisjoint(with: again.text.split(separator: "~")))
    }

    @Test("a presentation shows the chosen claims and the objects that contain them (RFC 9901, 6.3 and 7.2)")
    func presentation() throws {
        let table = try SDJWTTable()
        let token = try table.issue(Self.everything)
        func shown(_ choose: (Disclosure) -> Bool) throws -> JSON {
            try JSON(table.verifier.verify(token.presenting(choose).text).claims.payload)
        }
        let street = try shown { $0.name == "street" }
        #expect(street["address"]?["city"] == .string("Any") && street["address"]?["street"] != nil)
        #expect(street["name"] == nil && street["tongues"] == .array([.string("nl")]) && street["proofs"] == .array([]))
        let tongue = try shown { $0.string == "de" }
        #expect(tongue["tongues"] == .array([.string("nl"), .string("de")]) && tongue["address"] == nil)
        let number = try shown { $0.name == "number" && $0.json == Array("8.5".utf8) }
        #expect(number["proofs"] == .array([.object(["kind": .string("bill"), "number": .number(8.5)])]))
    }

    @Test("key binding verifies with the holder's key only (RFC 9901, 7.3)") func keyBinding() throws {
        let table = try SDJWTTable()
        let policy = KeyBindingPolicy(algorithms: [.ed25519, .hs256], audience: "v", nonce: "n")
        func bound(_ token: SDJWT, by key: PrivateKey) throws -> String {
            try token.bound(
                by: key, algorithm: .ed25519, audience: "v", nonce: "n", clock: .fixed(ProfileFixture.now)
            ).text
        }
        let token = try table.issue(["name"], bound: true)
        let good = try bound(token, by: table.holder)
        #expect(try table.verifier.verify(good, keyBinding: policy).holder == table.holder.publicKey)
        let thief = try bound(token, by: PrivateKey.generate(.ed25519))
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .keyBinding)) {
            try table.verifier.verify(thief, keyBinding: policy)
        }
        let keyless = try bound(table.issue(["name"]), by: table.holder)
        #expect(throws: TokenError.disclosure(.holderKeyMissing)) {
            try table.verifier.verify(keyless, keyBinding: policy)
        }
        var other = policy
        other.algorithms = [.es256]
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.signature), layer: .keyBinding)) {
            try table.verifier.verify(good, keyBinding: other)
        }
        // What was bound once is bound anew when other claims are shown.
        let less = try SDJWT(good).presenting { _ in false }
        #expect(!less.text.hasSuffix(good.suffix(20)) && less.text.hasSuffix("~"))
        // The type and each claim of the key binding JWT, 4.3.
        func hand(_ type: String, _ changes: [String: String?]) throws -> TokenError? {
            let hash = try SDJWTTable.digest(token.text)
            let claims = ["iat": "1700000000", "aud": #""v""#, "nonce": #""n""#, "sd_hash": "\"\(hash)\""]
            var key = table.holder
            key.keyID = nil
            let jwt = try JWSSigner(key: key, algorithm: .ed25519, header: HeaderParameters(type: type))
                .sign(ProfileFixture.text(claims, changes))
            do throws(TokenError) {
                _ = try table.verifier.verify(token.text + jwt, keyBinding: policy)
                return nil
            } catch {
                return error
            }
        }
        #expect(try hand("kb+jwt", [:]) == nil)
        #expect(try hand("JWT", [:]) == .jose(.headerInvalid(.type), layer: .keyBinding))
        for (name, failure) in [
            ("iat", ClaimFailure.missing("iat")), ("aud", .audienceMismatch), ("nonce", .missing("nonce")),
            ("sd_hash", .missing("sd_hash")),
        ] {
            #expect(try hand("kb+jwt", [name: nil]) == .disclosure(.keyBinding(failure)))
            #expect(DisclosureFault.keyBinding(failure).claimFailure == failure)
        }
        #expect(try hand("kb+jwt", ["aud": #"["v"]"#]) == .disclosure(.keyBinding(.audienceMismatch)))
        #expect(try hand("kb+jwt", ["sd_hash": "5"]) == .disclosure(.keyBinding(.invalid("sd_hash"))))
        #expect(DisclosureFault.keyBindingMissing.claimFailure == nil)
    }

    @Test("a required claim is missing unless it is disclosed (RFC 9901, 7.1, step 6)") func hiddenClaims() throws {
        let table = try SDJWTTable { $0.required = ["name"] }
        let token = try table.issue(["name"])
        #expect(throws: Never.self) { try table.verifier.verify(token.text) }
        let hidden = try token.presenting { _ in false }
        #expect(throws: TokenError.claim(.missing("name"))) { try table.verifier.verify(hidden.text) }
    }

    @Test("X01: a disclosure path matches claim names byte by byte") func names() throws {
        let table = try SDJWTTable()
        let issuer = try SDJWTIssuer(key: table.fixture.key, algorithm: .es256, type: "example+sd-jwt")
        let claims: ClaimsBuilder = ["iss": "https://id.example", "exp": 1_700_000_600, "\u{e9}": 1, "e\u{301}": 2]
        let token = try issuer.issue(claims, hiding: ["\u{e9}"])
        #expect(token.disclosures.count == 1 && token.disclosures[0].json == Array("1".utf8))
        #expect(try JSON(part(1, of: token.text))["e\u{301}"] == .number(2))
        #expect(try table.verifier.verify(token.text).claims.integer("\u{e9}") == 1)
    }

    @Test("an issuer rejects a path to iss, exp or cnf, to an absent claim, or to a reserved name (RFC 9901, 9.7)")
    func paths() throws {
        let table = try SDJWTTable()
        for path: ClaimPath in ["sub", ["tongues", 2], ["address", "street"]] {
            #expect(throws: Never.self) { try table.issue([path]) }
        }
        for path: ClaimPath in ["iss", "exp", "cnf", "nothing", ["tongues", 3], ["sub", "x"], []] {
            #expect(throws: TokenError.disclosure(.path)) { try table.issue([path]) }
        }
        let issuer = try SDJWTIssuer(key: table.fixture.key, algorithm: .es256, type: "example+sd-jwt")
        for name in ["_sd", "...", "_sd_alg"] {
            #expect(throws: TokenError.disclosure(.reservedName)) {
                try issuer.issue(["a": .object([(name, .integer(1))])], hiding: [])
            }
        }
        #expect(throws: Never.self) { try issuer.issue(["a": .object([("sd", .integer(1))])], hiding: []) }
    }
}
