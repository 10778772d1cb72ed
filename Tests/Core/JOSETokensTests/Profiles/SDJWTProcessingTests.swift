import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT: what a verifier processes (RFC 9901, 7.1)") struct SDJWTProcessingTests {
    private static let visible = ["iss", "exp"]

    /// A payload and disclosures with one fault, and the same without it.
    private struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let payload: String
        let disclosures: [String]
        let fault: DisclosureFault
        let good: (payload: String, disclosures: [String])
        init(
            _ title: String, _ payload: String, _ disclosures: [String], _ fault: DisclosureFault,
            goodPayload: String? = nil, good: [String]? = nil
        ) {
            (testDescription, self.payload, self.disclosures, self.fault) = (title, payload, disclosures, fault)
            self.good = (goodPayload ?? payload, good ?? disclosures)
        }
    }

    private static let claim = #"["s","n",1]"#

    private static let bad: [Bad] = [
        Bad("step 3.b: _sd is an array", ##""_sd":"#0""##, [claim], .digests, goodPayload: ##""_sd":["#0"]"##),
        Bad("step 3.b: of strings", ##""_sd":["#0",5]"##, [claim], .digests, goodPayload: ##""_sd":["#0","5"]"##),
        Bad("step 3.b: ... is a string", #""a":[{"...":5}]"#, [], .digests, goodPayload: #""a":[{"...":"5"}]"#),
        Bad(
            "4.2.4.2: ... stands by itself", ##""a":[{"...":"#0","x":1}]"##, [#"["s",1]"#], .digests,
            goodPayload: ##""a":[{"...":"#0"}]"##),
        Bad(
            "... is no claim's name", ##""a":{"...":"#0"}"##, [#"["s",1]"#], .reservedName,
            goodPayload: ##""a":[{"...":"#0"}]"##),
        Bad(
            "4.1.1: _sd_alg is at the top alone", #""a":{"_sd_alg":"sha-256"}"#, [], .reservedName,
            goodPayload: #""a":{},"_sd_alg":"sha-256""#),
        Bad("4.1.1: an unknown hash", #""_sd_alg":"md5""#, [], .hash, goodPayload: #""_sd_alg":"sha-256""#),
        Bad("4.1.1: another spelling", #""_sd_alg":"SHA-256""#, [], .hash, goodPayload: #""_sd_alg":"sha-256""#),
        Bad("4.1.1: no string", #""_sd_alg":256"#, [], .hash, goodPayload: #""_sd_alg":"sha-256""#),
        Bad("step 3.c: a claim for an element", ##""a":[{"...":"#0"}]"##, [claim], .wrongPlace, good: [#"["s",1]"#]),
        Bad("step 3.c: an element for a claim", ##""_sd":["#0"]"##, [#"["s",1]"#], .wrongPlace, good: [claim]),
        Bad(
            "step 3.c: _sd as a name", ##""_sd":["#0"]"##, [#"["s","_sd",[]]"#], .reservedName,
            good: [#"["s","sd",[]]"#]),
        Bad(
            "step 3.c: ... as a name", ##""_sd":["#0"]"##, [#"["s","...","x"]"#], .reservedName,
            good: [#"["s","..","x"]"#]),
        Bad(
            "_sd_alg as a name", ##""_sd":["#0"]"##, [#"["s","_sd_alg","sha-512"]"#], .reservedName,
            good: [#"["s","sd_alg","sha-512"]"#]),
        Bad(
            "step 3.c: a name that is there", ##""n":2,"_sd":["#0"]"##, [claim], .nameTaken,
            goodPayload: ##""m":2,"_sd":["#0"]"##),
        Bad(
            "step 3.c: a registered one", ##""_sd":["#0"]"##, [#"["s","iss","x"]"#], .nameTaken,
            good: [#"["s","sub","x"]"#]),
        Bad(
            "step 3.c: two of one name", ##""_sd":["#0","#1"]"##, [claim, #"["t","n",2]"#], .nameTaken,
            good: [claim, #"["t","m",2]"#]),
        Bad(
            "step 4: a digest twice", ##""_sd":["#0","#0"]"##, [claim], .repeatedDigest, goodPayload: ##""_sd":["#0"]"##
        ),
        Bad(
            "step 4: in two places", ##""_sd":["#0"],"a":{"_sd":["#0"]}"##, [claim], .repeatedDigest,
            goodPayload: ##""_sd":["#0"],"a":{"_sd":["x"]}"##),
        Bad(
            "step 4: a decoy twice", #""_sd":["x"],"a":[{"...":"x"}]"#, [], .repeatedDigest,
            goodPayload: #""_sd":["x"],"a":[{"...":"y"}]"#),
        Bad("step 5: a disclosure of nothing", "", [claim], .unreferenced, goodPayload: ##""_sd":["#0"]"##),
        Bad(
            "step 5: within what is hidden", #""_sd":["x"]"#, [claim], .unreferenced,
            goodPayload: ##""_sd":["x","#0"]"##),
        Bad("7.2: a disclosure twice", ##""_sd":["#0"]"##, [claim, claim], .repeatedDisclosure, good: [claim]),
        Bad("4.2: no array", ##""_sd":["#0"]"##, [#"{"s":1}"#], .malformed, good: [claim]),
        Bad("4.2: one element", ##""_sd":["#0"]"##, [#"["s"]"#], .malformed, good: [claim]),
        Bad("4.2: four elements", ##""_sd":["#0"]"##, [#"["s","n",1,2]"#], .malformed, good: [claim]),
        Bad("4.2: a salt that is no string", ##""_sd":["#0"]"##, [#"[1,"n",1]"#], .malformed, good: [claim]),
        Bad("4.2: a name that is no string", ##""_sd":["#0"]"##, [#"["s",1,1]"#], .malformed, good: [claim]),
        Bad(
            "T35: a name twice within", ##""_sd":["#0"]"##, [#"["s","n",{"a":1,"a":2}]"#], .malformed,
            good: [#"["s","n",{"a":1,"b":2}]"#]),
        Bad("4.2: text after the array", ##""_sd":["#0"]"##, [#"["s","n",1] x"#], .malformed, good: [#"["s","n",1] "#]),
    ]

    @Test("each processing rule rejects a token that violates it, and no other (RFC 9901, 7.1)", arguments: bad)
    private func processing(_ one: Bad) throws {
        let table = try SDJWTTable()
        #expect(throws: TokenError.disclosure(one.fault)) { try table.verify(one.payload, one.disclosures) }
        // As a positive control, the same without the fault is accepted.
        #expect(throws: Never.self) { try table.verify(one.good.payload, one.good.disclosures) }
    }

    @Test("valid disclosures are accepted, and undisclosed claims are absent (RFC 9901, 7.1)") func good() throws {
        let table = try SDJWTTable()
        func rest(_ payload: String, _ disclosures: [String]) throws -> JSON {
            guard case .object(var members) = try table.verify(payload, disclosures) else { return .null }
            for name in Self.visible { members[name] = nil }
            return .object(members)
        }
        func json(_ text: String) throws -> JSON { try JSON(Array(text.utf8)) }
        #expect(try rest(##""_sd":["#0"]"##, [#"["s","n",1]"#]) == json(#"{"n":1}"#))
        #expect(try rest(##""a":[{"...":"#0"},2,{"...":"x"}]"##, [#"["s",1]"#]) == json(#"{"a":[1,2]}"#))
        #expect(try rest(#""_sd":["x"],"a":{"_sd":[]}"#, []) == json(#"{"a":{}}"#))
        // One name at two levels is accepted, and so is one that differs only by its bytes.
        #expect(
            try rest(##""n":2,"a":{"_sd":["#0"]},"_sd_alg":"sha-256""##, [#"["s","n",1]"#])
                == json(#"{"n":2,"a":{"n":1}}"#))
        #expect(try rest(##""N":2,"_sd":["#0"]"##, [#"["s","n",null]"#]) == json(#"{"N":2,"n":null}"#))
        #expect(try rest(##""_sd":["#0"]"##, [#" [ "s" , "\u006e" , {"a":[true]} ] "#]) == json(#"{"n":{"a":[true]}}"#))
    }

    @Test("a digest that is written with escapes is the same one (RFC 8259, 7; RFC 9901, 4.2.4.2)")
    func escapedDigests() throws {
        let table = try SDJWTTable()
        for (disclosure, digests) in [
            (#"["s",1]"#, { #""a":["# + $0.map { #"{"...":"\#($0)"}"# }.joined(separator: ",") + "]" }),
            (#"["s","a",[1]]"#, { #""_sd":["# + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }),
        ] as [(String, ([String]) -> String)] {
            let text = base64URL(Array(disclosure.utf8))
            let plain = try SDJWTTable.digest(text)
            let escaped = plain.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
            for digest in [plain, escaped] {
                let claims = try table.verify(digests([digest]), texts: [text])
                #expect(try claims["a"] == JSON(Array("[1]".utf8)), "\(digest)")
            }
            #expect(throws: TokenError.disclosure(.repeatedDigest)) {
                try table.verify(digests([plain, escaped]), texts: [text])
            }
        }
    }

    @Test(
        "a digest or a disclosure twice is rejected among few and among many (RFC 9901, 7.1, step 4, and 7.2)",
        arguments: 9...12)
    func repetitions(count: Int) throws {
        let table = try SDJWTTable()
        let texts = (0..<count).map { base64URL(Array(#"["s","n\#($0)",\#($0)]"#.utf8)) }
        let digests = try texts.map(SDJWTTable.digest)
        func payload(_ digests: [String]) -> String {
            #""_sd":["# + digests.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
        #expect(throws: Never.self) { try table.verify(payload(digests), texts: texts) }
        for again in [0, count - 1] {
            #expect(throws: TokenError.disclosure(.repeatedDigest)) {
                try table.verify(payload(digests + [digests[again]]), texts: texts)
            }
            #expect(throws: TokenError.disclosure(.repeatedDisclosure)) {
                try table.verify(payload(digests), texts: texts + [texts[again]])
            }
        }
    }

    @Test("T49: a disclosure must be canonical base64url, and the token must end with ~ (RFC 9901, 4)")
    func form() throws {
        let table = try SDJWTTable()
        let good = base64URL(Array(Self.claim.utf8))
        #expect(throws: Never.self) { try table.verify(##""_sd":["#0"]"##, texts: [good]) }
        for text in [good + "=", good + " ", "", "!", good + "A"] {
            #expect(throws: TokenError.disclosure(.malformed)) { try table.verify(##""_sd":["#0"]"##, texts: [text]) }
        }
        let jwt = try table.fixture.sign(#"{"iss":"https://id.example","exp":1700000600}"#, type: "example+sd-jwt")
        #expect(throws: Never.self) { try table.verifier.verify(jwt + "~") }
        for text in [jwt, "~" + jwt, "", "~", "\(jwt)"] {
            #expect(throws: TokenError.disclosure(.form)) { try table.verifier.verify(text) }
        }
        #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) { try table.verifier.verify(jwt + "~x") }
        let plain = try table.fixture.sign(#"{"iss":"https://id.example","exp":1700000600}"#, type: "JWT")
        #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature)) {
            try table.verifier.verify(plain + "~")
        }
    }

    @Test("T36: the depth limit of the payload applies to nested disclosures too, before any rule about the rest")
    func depth() throws {
        let table = try SDJWTTable()
        let tooDeep = TokenError.jose(.limitExceeded(.jsonDepth), layer: .signature)
        let loose = base64URL(Array(#"["s","loose",1]"#.utf8))
        for (name, wrap) in [(#""n","#, { #"{"_sd":["\#($0)"]}"# }), ("", { #"[{"...":"\#($0)"}]"# })]
            as [(String, (String) -> String)]
        {
            func chain(_ levels: Int) throws -> (payload: String, texts: [String]) {
                var texts: [String] = []
                var inner = "1"
                for level in 0..<levels {
                    texts.append(base64URL(Array(#"["s\#(level)",\#(name)\#(inner)]"#.utf8)))
                    inner = wrap(try SDJWTTable.digest(texts[level]))
                }
                return (name.isEmpty ? #""a":"# + inner : String(inner.dropFirst().dropLast()), texts)
            }
            // The object of all claims is the first level, and contains the outermost array.
            let most = ParsingLimits.standard.jsonDepth - (name.isEmpty ? 1 : 0)
            let (shallow, deep) = (try chain(most), try chain(most + 1))
            #expect(throws: Never.self, "\(name)") { try table.verify(shallow.payload, texts: shallow.texts) }
            #expect(throws: tooDeep, "\(name)") { try table.verify(deep.payload, texts: deep.texts) }
            // Claims that are too deep are not read to their end: the disclosure of nothing would be found after them.
            #expect(throws: TokenError.disclosure(.unreferenced), "\(name)") {
                try table.verify(shallow.payload, texts: shallow.texts + [loose])
            }
            #expect(throws: tooDeep, "\(name)") { try table.verify(deep.payload, texts: deep.texts + [loose]) }
        }
    }
}
