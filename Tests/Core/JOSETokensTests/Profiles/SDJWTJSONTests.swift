import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT in JSON (RFC 9901, 8)") struct SDJWTJSONTests {
    private let issuers: [PrivateKey]
    private let holder: PrivateKey
    private let token: SDJWT
    private let policy = KeyBindingPolicy(algorithms: [.ed25519], audience: "v", nonce: "n")

    init() throws {
        issuers = [try PrivateKey.generate(.p256, keyID: "1"), try PrivateKey.generate(.p256, keyID: "2")]
        holder = try PrivateKey.generate(.ed25519)
        token = try SDJWTIssuer(key: issuers[0], algorithm: .es256, type: "example+sd-jwt").issue(
            ["iss": "i", "exp": 2000, "name": "Ann", "sub": "u"], hiding: ["name", "sub"], holder: holder.publicKey)
    }

    private func verifier(_ requirement: SignatureRequirement = .any) throws -> SDJWTVerifier {
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("example+sd-jwt")
        signature.requirement = requirement
        var claims = ClaimPolicy(issuer: "i", audience: .anyAudienceUnchecked)
        claims.clock = .fixed(1000)
        let keys = KeySet(issuers.map { .publicKey($0.publicKey) })
        return try SDJWTVerifier(signature, claims: claims, verificationKeys: keys)
    }

    private func bound(_ token: SDJWT) throws -> SDJWT {
        try token.bound(by: holder, algorithm: .ed25519, audience: "v", nonce: "n", clock: .fixed(1000))
    }

    /// Returns the payload signed by both issuers. `header` returns the two unprotected headers.
    private func general(_ headers: [JSON]) throws -> String {
        let first = try JSON(token.json(.flattened).utf8)
        let payload = part(1, of: token.text)
        var entries: [JSONSigner.Entry] = []
        for key in issuers {
            entries.append(
                JSONSigner.Entry(
                    try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(type: "example+sd-jwt"))))
        }
        let signed = try JSON(JSONSigner(entries).sign(payload).utf8)
        guard case .array(let signatures)? = signed["signatures"], let text = first["payload"] else { return "" }
        var whole: [JSON] = []
        for (signature, header) in zip(signatures, headers) {
            guard case .object(var members) = signature else { return "" }
            members["header"] = header
            whole.append(.object(members))
        }
        return JSON.object(["payload": text, "signatures": .array(whole)]).text
    }

    private var disclosures: JSON {
        get throws { try JSON(token.json().utf8)["header"]?["disclosures"] ?? .null }
    }

    @Test("an SD-JWT, its presentation and its key binding survive a round trip through both JSON forms (RFC 9901, 8)")
    func forms() throws {
        let verifier = try verifier()
        for form in [JSONForm.flattened, .general] {
            let read = try SDJWT(json: token.json(form))
            #expect(read.text == token.text && read.disclosures.count == 2)
            #expect(try verifier.verify(json: token.json(form)).claims.string("name") == "Ann")
            let presented = try bound(read.presenting { $0.name == "sub" }).json(form)
            let verified = try verifier.verify(json: presented, keyBinding: policy)
            #expect(verified.claims.subject == "u" && !verified.claims.contains("name"))
            #expect(verified.holder == holder.publicKey && verified.key == .publicKey(issuers[0].publicKey))
            // The presentation in compact form is valid too: `sd_hash` is computed over that text in both.
            #expect(throws: Never.self) { try verifier.verify(SDJWT(json: presented).text, keyBinding: policy) }
            #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) { try verifier.verify(json: presented) }
            #expect(throws: TokenError.disclosure(.keyBindingMissing)) {
                try verifier.verify(json: token.json(form), keyBinding: policy)
            }
        }
    }

    @Test("a presentation keeps the other signatures, and the policy decides which must verify (RFC 9901, 8.3)")
    func several() throws {
        let text = try general([
            .object(["disclosures": disclosures, "note": .string("ü")]), .object(["x": .array([.number(1)])]),
        ])
        #expect(try verifier(.all).verify(json: text).claims.string("name") == "Ann")
        let presented = try bound(SDJWT(json: text).presenting { $0.name == "sub" })
        #expect(throws: TokenError.disclosure(.form)) { try presented.json(.flattened) }
        let again = try presented.json(.general)
        #expect(try verifier(.all).verify(json: again, keyBinding: policy).claims.subject == "u")
        guard case .array(let signatures)? = try JSON(again.utf8)["signatures"] else {
            Issue.record("no signatures")
            return
        }
        #expect(signatures[0]["header"]?["note"] == .string("ü"))
        #expect(signatures[1]["header"] == .object(["x": .array([.number(1)])]))
        // The second signature broken: enough for one policy, too little for the other.
        let broken = again.replacing(signatures[1]["signature"]?.string ?? "?", with: String(repeating: "A", count: 86))
        #expect(broken != again)
        #expect(throws: Never.self) { try verifier(.any).verify(json: broken, keyBinding: policy) }
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) {
            try verifier(.all).verify(json: broken, keyBinding: policy)
        }
    }

    @Test("disclosures and key binding are accepted in the first unprotected header only (RFC 9901, 8.1)")
    func hostile() throws {
        let verifier = try verifier(.all)
        let shown = try disclosures
        func refused(_ error: TokenError, _ first: [String: JSON], _ second: [String: JSON] = [:]) throws {
            let text = try general([.object(first), .object(second)])
            #expect(throws: error) { try verifier.verify(json: text) }
        }
        let good = try general([.object(["disclosures": shown]), .object([:])])
        #expect(throws: Never.self) { try verifier.verify(json: good) }
        try refused(.disclosure(.form), ["disclosures": shown], ["disclosures": .array([])])
        try refused(.disclosure(.form), ["disclosures": shown], ["kb_jwt": .string("a.b.c")])
        try refused(.disclosure(.form), [:], ["disclosures": shown])
        try refused(.disclosure(.form), ["disclosures": .string("x")])
        try refused(.disclosure(.form), ["disclosures": .array([.number(1)])])
        try refused(.disclosure(.form), ["disclosures": shown, "kb_jwt": .null])
        try refused(.disclosure(.keyBindingUnexpected), ["disclosures": shown, "kb_jwt": .string("a.b.c")])
        guard case .array(let texts) = shown else { return }
        try refused(.disclosure(.repeatedDisclosure), ["disclosures": .array(texts + [texts[0]])])
        try refused(.disclosure(.malformed), ["disclosures": .array([.string("!")])])
        try refused(
            .disclosure(.unreferenced), ["disclosures": .array([.string(base64URL(Array(#"["s","n",1]"#.utf8)))])])
        // A name in the protected header and beside it.
        let twice = try general([.object(["disclosures": shown, "typ": .string("x")]), .object([:])])
        #expect {
            try verifier.verify(json: twice)
        } throws: { error in
            guard case .jose(.malformed(let fault), layer: .signature)? = error as? TokenError else { return false }
            return fault.part == .header && fault.reason == .duplicateName
        }
    }

    @Test("the compact form is rejected as JSON and the reverse, and so is truncated or repeated text (T33)")
    func confusion() throws {
        let verifier = try verifier()
        let text = try token.json()
        #expect(throws: TokenError.disclosure(.form)) { try verifier.verify(json: token.text) }
        #expect(throws: TokenError.disclosure(.form)) { try verifier.verify(text) }
        for bad in [
            "", "[]", "{}", String(text.dropLast()), text + "{}", text.replacing(#""payload""#, with: #""load""#),
            text.replacing(#""header":{"#, with: #""header":{"kb_jwt":null,"#),
            text.replacing(#""header":{"#, with: #""header":{"disclosures":[],"#),
            text.replacing(#""header":{"#, with: #""header":[{"#)
                .replacing(#"},"signature""#, with: #"}],"signature""#),
        ] {
            #expect(bad != text)
            #expect(throws: TokenError.disclosure(.form), "\(bad)") { try verifier.verify(json: bad) }
        }
        let both = text.dropLast() + #","signatures":[\#(text)]}"#
        #expect(throws: TokenError.self) { try verifier.verify(json: String(both)) }
        #expect(throws: Never.self) { try verifier.verify(json: text) }
    }

    @Test("an SD-JWT whose JWT does not have three parts has no JSON serialization (RFC 9901, 8)")
    func parts() throws {
        for form in [JSONForm.flattened, .general] {
            for text in ["a.b.c.d~", "a.b~", "a~"] {
                let token = try SDJWT(text)
                #expect(throws: TokenError.disclosure(.form), "\(text)") { try token.json(form) }
            }
            #expect(try SDJWT(json: SDJWT("a.b.c~").json(form)).text == "a.b.c~")
        }
    }

    @Test("an SD-JWT without a payload in base64url has no presentation and no key binding (RFC 9901, 7.2)")
    func payload() throws {
        let good = try token.presenting { _ in false }
        #expect(good.disclosures.isEmpty)
        #expect(throws: Never.self) { try bound(good) }
        for text in ["a.b~", "a~", "a.*.c~", "a.b.c.d~"] {
            let token = try SDJWT(text)
            #expect(throws: TokenError.disclosure(.form), "\(text)") { try token.presenting { _ in true } }
            #expect(throws: TokenError.disclosure(.form), "\(text)") { try bound(token) }
        }
    }

    @Test("T36: the disclosures of a JSON serialization are limited like the members of an object") func count() throws
    {
        let token = try SDJWTIssuer(key: issuers[0], algorithm: .es256, type: "example+sd-jwt").issue(
            ["n0": 0, "n1": 1, "n2": 2, "n3": 3, "n4": 4, "n5": 5], hiding: ["n0", "n1", "n2", "n3", "n4", "n5"])
        var limits = ParsingLimits.standard
        for form in [JSONForm.flattened, .general] {
            let text = try token.json(form)
            limits.objectMembers = 6
            #expect(try SDJWT(json: text, limits: limits).disclosures.count == 6)
            limits.objectMembers = 5
            #expect(throws: TokenError.jose(.limitExceeded(.objectMembers), layer: .signature)) {
                try SDJWT(json: text, limits: limits)
            }
        }
    }

    @Test("T34: a JSON serialization over the size limit is rejected before parsing") func size() throws {
        var limits = ParsingLimits.standard
        let text = try token.json()
        limits.tokenBytes = text.utf8.count
        #expect(throws: Never.self) { try SDJWT(json: text, limits: limits) }
        limits.tokenBytes -= 1
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try SDJWT(json: text, limits: limits)
        }
    }
}
