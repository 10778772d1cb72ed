import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT, RFC 9901") struct SDJWTTests {
    private static let claims: ClaimSet = [
        "iss": "https://id.example", "exp": 1_700_000_600, "sub": "u", "name": "Ann",
        "address": ["street": "Main \"1\"", "city": "Any"], "tongues": ["en", "nl", "de"],
        "proofs": [["kind": "passport", "number": 7], ["kind": "bill", "number": 8.5]],
    ]
    private static let visible = ["iss", "exp"]

    private struct Table {
        let desk: ProfileDesk
        let holder: PrivateKey
        let verifier: SDJWTVerifier

        init(_ change: (inout ClaimPolicy) -> Void = { _ in }) throws {
            desk = try ProfileDesk()
            holder = try PrivateKey.generate(.ed25519, keyID: "h")
            var signature = SignaturePolicy(algorithms: [.es256])
            signature.type = .exactly("example+sd-jwt")
            var claims = ClaimPolicy(issuer: .exactly(ProfileDesk.issuer), audience: .anyAudienceUnchecked)
            claims.clock = .fixed(ProfileDesk.now)
            change(&claims)
            verifier = try SDJWTVerifier(signature, claims: claims, verificationKeys: desk.keys)
        }

        func issue(
            _ hidden: [DisclosurePath], decoys: Int = 0, hash: DisclosureHash = .sha256, bound: Bool = false
        ) throws -> SDJWT {
            try SDJWTIssuer(key: desk.key, algorithm: .es256, type: "example+sd-jwt", hash: hash, decoys: decoys)
                .issue(SDJWTTests.claims, hiding: hidden, holder: bound ? holder.publicKey : nil)
        }

        /// A token of any payload and disclosures, the payload's `#0`, `#1` standing for their digests.
        func verify(_ payload: String, _ disclosures: [String]) throws -> JSON {
            let texts = disclosures.map { base64URL(Array($0.utf8)) }
            return try verify(payload, texts: texts)
        }

        func verify(_ payload: String, texts: [String]) throws -> JSON {
            var payload =
                #"{"iss":"https://id.example","exp":1700000600"# + (payload.isEmpty ? "" : ",") + payload + "}"
            for (index, text) in texts.enumerated() {
                payload = payload.replacing("#\(index)", with: try SDJWTTests.digest(text))
            }
            let jwt = try desk.sign(payload, type: "example+sd-jwt")
            return try JSON(verifier.verify(jwt + "~" + texts.map { $0 + "~" }.joined()).claims.payload)
        }
    }

    /// Another's SHA-256: of the thumbprint would be ours, so that of `ath` in a proof is taken.
    private static func digest(_ text: String) throws -> String {
        let prover = try DPoPProver(key: PrivateKey.generate(.p256), algorithm: .es256, clock: .fixed(0))
        let proof = try prover.proof(method: "GET", url: "https://x.example", accessToken: text)
        return try JSON(part(1, of: proof))["ath"]?.string ?? ""
    }

    private static let everything: [DisclosurePath] = [
        "sub", "name", "address", ["address", "street"], ["tongues", 0], ["tongues", 2],
        ["proofs", .everyElement], ["proofs", .everyElement, "number"],
    ]

    @Test(
        "what is issued and wholly disclosed is what the issuer said, with decoys and each hash, 4",
        arguments: DisclosureHash.allCases) func whole(_ hash: DisclosureHash) throws
    {
        let table = try Table()
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

    @Test("a digest list is sorted, decoys in it, and salts are never the same, 4.2") func decoys() throws {
        let table = try Table()
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

    @Test("a presentation shows what is chosen, and what that stands in, 6.3 and 7.2") func presentation() throws {
        let table = try Table()
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

    @Test("key binding holds for the holder's key, and for it alone, 7.3") func keyBinding() throws {
        let table = try Table()
        let policy = KeyBindingPolicy(algorithms: [.ed25519, .hs256], audience: "v", nonce: "n")
        func bound(_ token: SDJWT, by key: PrivateKey) throws -> String {
            try token.bound(
                by: key, algorithm: .ed25519, audience: "v", nonce: "n", clock: .fixed(ProfileDesk.now)
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
            let hash = try Self.digest(token.text)
            let claims = ["iat": "1700000000", "aud": #""v""#, "nonce": #""n""#, "sd_hash": "\"\(hash)\""]
            var key = table.holder
            key.keyID = nil
            let jwt = try Signer(key: key, algorithm: .ed25519, header: HeaderParameters(type: type))
                .sign(ProfileDesk.text(claims, changes))
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
        }
        #expect(try hand("kb+jwt", ["aud": #"["v"]"#]) == .disclosure(.keyBinding(.audienceMismatch)))
        #expect(try hand("kb+jwt", ["sd_hash": "5"]) == .disclosure(.keyBinding(.invalid("sd_hash"))))
    }

    private struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let payload: String
        let disclosures: [String]
        let fault: DisclosureFault
        init(_ title: String, _ payload: String, _ disclosures: [String], _ fault: DisclosureFault) {
            (testDescription, self.payload, self.disclosures, self.fault) = (title, payload, disclosures, fault)
        }
    }

    private static let bad: [Bad] = [
        Bad("step 3.b: _sd is an array", ##""_sd":"#0""##, [#"["s","n",1]"#], .digests),
        Bad("step 3.b: of strings", ##""_sd":["#0",5]"##, [#"["s","n",1]"#], .digests),
        Bad("step 3.b: ... is a string", #""a":[{"...":5}]"#, [], .digests),
        Bad("4.2.4.2: ... stands by itself", ##""a":[{"...":"#0","x":1}]"##, [#"["s",1]"#], .digests),
        Bad("... is no claim's name", ##""a":{"...":"#0"}"##, [#"["s",1]"#], .reservedName),
        Bad("4.1.1: _sd_alg is at the top alone", #""a":{"_sd_alg":"sha-256"}"#, [], .reservedName),
        Bad("4.1.1: an unknown hash", #""_sd_alg":"md5""#, [], .hash),
        Bad("4.1.1: another spelling", #""_sd_alg":"SHA-256""#, [], .hash),
        Bad("4.1.1: no string", #""_sd_alg":256"#, [], .hash),
        Bad("step 3.c: a claim for an element", ##""a":[{"...":"#0"}]"##, [#"["s","n",1]"#], .wrongPlace),
        Bad("step 3.c: an element for a claim", ##""_sd":["#0"]"##, [#"["s",1]"#], .wrongPlace),
        Bad("step 3.c: _sd as a name", ##""_sd":["#0"]"##, [#"["s","_sd",[]]"#], .reservedName),
        Bad("step 3.c: ... as a name", ##""_sd":["#0"]"##, [#"["s","...","x"]"#], .reservedName),
        Bad("_sd_alg as a name", ##""_sd":["#0"]"##, [#"["s","_sd_alg","sha-512"]"#], .reservedName),
        Bad("step 3.c: a name that is there", ##""n":2,"_sd":["#0"]"##, [#"["s","n",1]"#], .nameTaken),
        Bad("step 3.c: a registered one", ##""_sd":["#0"]"##, [#"["s","iss","x"]"#], .nameTaken),
        Bad(
            "step 3.c: two of one name", ##""_sd":["#0","#1"]"##, [#"["s","n",1]"#, #"["t","n",2]"#], .nameTaken),
        Bad("step 4: a digest twice", ##""_sd":["#0","#0"]"##, [#"["s","n",1]"#], .repeatedDigest),
        Bad("step 4: in two places", ##""_sd":["#0"],"a":{"_sd":["#0"]}"##, [#"["s","n",1]"#], .repeatedDigest),
        Bad("step 4: a decoy twice", #""_sd":["x"],"a":[{"...":"x"}]"#, [], .repeatedDigest),
        Bad("step 5: a disclosure of nothing", "", [#"["s","n",1]"#], .unreferenced),
        Bad("step 5: within what is hidden", #""_sd":["x"]"#, [#"["s","n",1]"#], .unreferenced),
        Bad("7.2: a disclosure twice", ##""_sd":["#0"]"##, [#"["s","n",1]"#, #"["s","n",1]"#], .repeatedDisclosure),
        Bad("4.2: no array", ##""_sd":["#0"]"##, [#"{"s":1}"#], .malformed),
        Bad("4.2: one element", ##""_sd":["#0"]"##, [#"["s"]"#], .malformed),
        Bad("4.2: four elements", ##""_sd":["#0"]"##, [#"["s","n",1,2]"#], .malformed),
        Bad("4.2: a salt that is no string", ##""_sd":["#0"]"##, [#"[1,"n",1]"#], .malformed),
        Bad("4.2: a name that is no string", ##""_sd":["#0"]"##, [#"["s",1,1]"#], .malformed),
        Bad("T35: a name twice within", ##""_sd":["#0"]"##, [#"["s","n",{"a":1,"a":2}]"#], .malformed),
        Bad("4.2: text after the array", ##""_sd":["#0"]"##, [#"["s","n",1] x"#], .malformed),
    ]

    @Test("7.1: each rule of processing", arguments: bad) private func processing(_ one: Bad) throws {
        let table = try Table()
        #expect(throws: TokenError.disclosure(one.fault)) { try table.verify(one.payload, one.disclosures) }
    }

    @Test("7.1: their twins: good disclosures, and what is hidden is left out") func good() throws {
        let table = try Table()
        func rest(_ payload: String, _ disclosures: [String]) throws -> JSON {
            guard case .object(var members) = try table.verify(payload, disclosures) else { return .null }
            for name in Self.visible { members[name] = nil }
            return .object(members)
        }
        func json(_ text: String) throws -> JSON { try JSON(Array(text.utf8)) }
        #expect(try rest(##""_sd":["#0"]"##, [#"["s","n",1]"#]) == json(#"{"n":1}"#))
        #expect(try rest(##""a":[{"...":"#0"},2,{"...":"x"}]"##, [#"["s",1]"#]) == json(#"{"a":[1,2]}"#))
        #expect(try rest(#""_sd":["x"],"a":{"_sd":[]}"#, []) == json(#"{"a":{}}"#))
        // The same name at two levels, and one that differs by its bytes alone.
        #expect(
            try rest(##""n":2,"a":{"_sd":["#0"]},"_sd_alg":"sha-256""##, [#"["s","n",1]"#])
                == json(#"{"n":2,"a":{"n":1}}"#))
        #expect(try rest(##""N":2,"_sd":["#0"]"##, [#"["s","n",null]"#]) == json(#"{"N":2,"n":null}"#))
        #expect(try rest(##""_sd":["#0"]"##, [#" [ "s" , "\u006e" , {"a":[true]} ] "#]) == json(#"{"n":{"a":[true]}}"#))
    }

    @Test("T49: base64url is strict, and the form whole, 4") func form() throws {
        let table = try Table()
        let good = base64URL(Array(#"["s","n",1]"#.utf8))
        for text in [good + "=", good + " ", "", "!", good + "A"] {
            #expect(throws: TokenError.disclosure(.malformed)) { try table.verify(##""_sd":["#0"]"##, texts: [text]) }
        }
        let jwt = try table.desk.sign(#"{"iss":"https://id.example","exp":1700000600}"#, type: "example+sd-jwt")
        #expect(throws: Never.self) { try table.verifier.verify(jwt + "~") }
        for text in [jwt, "~" + jwt, "", "~", "\(jwt)"] {
            #expect(throws: TokenError.disclosure(.form)) { try table.verifier.verify(text) }
        }
        #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) { try table.verifier.verify(jwt + "~x") }
        let plain = try table.desk.sign(#"{"iss":"https://id.example","exp":1700000600}"#, type: "JWT")
        #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature)) {
            try table.verifier.verify(plain + "~")
        }
    }

    @Test("T36: disclosures within one another are bounded as the payload is") func depth() throws {
        let table = try Table()
        var texts: [String] = []
        var inner = "1"
        for level in 0..<40 {
            texts.append(base64URL(Array(#"["s\#(level)","n",\#(inner)]"#.utf8)))
            inner = #"{"_sd":["\#(try Self.digest(texts[level]))"]}"#
        }
        let payload = String(inner.dropFirst().dropLast())
        #expect(throws: TokenError.jose(.limitExceeded(.jsonDepth), layer: .signature)) {
            try table.verify(payload, texts: texts)
        }
    }

    @Test("a claim that the policy requires is missing while it is hidden, 7.1, step 6") func hiddenClaims() throws {
        let table = try Table { $0.required = ["name"] }
        let token = try table.issue(["name"])
        #expect(throws: Never.self) { try table.verifier.verify(token.text) }
        let hidden = try token.presenting { _ in false }
        #expect(throws: TokenError.claim(.missing("name"))) { try table.verifier.verify(hidden.text) }
    }

    @Test("X01: a path is to a name by its bytes") func names() throws {
        let table = try Table()
        let issuer = try SDJWTIssuer(key: table.desk.key, algorithm: .es256, type: "example+sd-jwt")
        let claims: ClaimSet = ["iss": "https://id.example", "exp": 1_700_000_600, "\u{e9}": 1, "e\u{301}": 2]
        let token = try issuer.issue(claims, hiding: ["\u{e9}"])
        #expect(token.disclosures.count == 1 && token.disclosures[0].json == Array("1".utf8))
        #expect(try JSON(part(1, of: token.text))["e\u{301}"] == .number(2))
        #expect(try table.verifier.verify(token.text).claims.integer("\u{e9}") == 1)
    }

    @Test("an issuer hides no claim that validity hangs on, none that is not there, and none of a reserved name, 9.7")
    func paths() throws {
        let table = try Table()
        for path: DisclosurePath in ["iss", "exp", "cnf", "nothing", ["tongues", 3], ["sub", "x"], []] {
            #expect(throws: TokenError.disclosure(.path)) { try table.issue([path]) }
        }
        let issuer = try SDJWTIssuer(key: table.desk.key, algorithm: .es256, type: "example+sd-jwt")
        for name in ["_sd", "...", "_sd_alg"] {
            #expect(throws: TokenError.disclosure(.reservedName)) {
                try issuer.issue(["a": .object([(name, .integer(1))])], hiding: [])
            }
        }
    }
}
