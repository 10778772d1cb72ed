import Foundation
import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("The command bulla check") struct CheckTests {
    /// Returns for each error code a request that gets it, and the same request without the fault.
    private func pairs(_ shop: Workshop) throws -> [(error: String, bad: JSON, mended: JSON)] {
        let jwt = try shop.request("jwt-verify", shop.signed())
        let token = try shop.signed()
        let parts = token.split(separator: ".").map(String.init)
        var critical = HeaderParameters()
        critical.set("x", 1)
        critical.critical = ["x"]
        let extended = try shop.signed(Workshop.claims, by: nil, critical)
        let otherSignature = try shop.signed(Workshop.claims, by: shop.stranger)
        let jwe = try shop.request("jwe-decrypt", shop.encrypted("text"), shop.nestedKeys)
        var short = try SecretKey(bytes: Array(repeating: 7, count: 16))
        short.keyID = "h1"
        let mac = try JWSSigner(key: shop.secret, algorithm: .hs256).sign(Workshop.claims)
        let secretJWK = try shop.secretJWK
        let shortJWK = try JSON(short.exportSecretJWK())
        let encryptionUse = try shop.signingJWK.with("use", .string("enc"))
        let offCurve = try shop.signingJWK.with("x", shop.signingJWK["y"] ?? .null)
        func option(_ name: String, _ bad: JSON, _ good: JSON) throws -> (JSON, JSON) {
            (
                try shop.request("jwt-verify", token, nil, [name: bad]),
                try shop.request("jwt-verify", token, nil, [name: good])
            )
        }
        func strings(_ texts: String...) -> JSON { .array(texts.map { .string($0) }) }
        let allowed = try option("algs", strings("RS256"), strings("RS256", "ES256"))
        let issuer = try option("iss", .string("j"), .string("i"))
        let audience = try option("aud", .string("A"), .string("b"))
        let type = try option("typ", .string("jwt"), .null)
        let time = try option("now", .number(2_000_000_160), .number(2_000_000_159))
        let early = try option("now", .number(1_999_999_929), .number(1_999_999_930))
        let nonce = try option("nonce", .string("N"), .string("n"))
        let required = try option("require", strings("exp", "jti"), strings("exp"))
        func audiences(_ trusted: JSON) throws -> JSON {
            try shop.request("jwt-verify", token, nil, ["aud": .string("a"), "trusted_aud": trusted])
        }
        let value = try option("claim", .object(["sub": .string("t")]), .object(["sub": strings("t", "s")]))
        let absent = try option("claim", .object(["x": .string("s")]), .object(["nonce": .string("n")]))
        let text = "a-shared-secret-of-more-than-32-octets"
        let shared = try JWSSigner(key: SecretKey(bytes: Array(text.utf8)), algorithm: .hs256).sign(Workshop.claims)
        func secret(_ text: String) throws -> JSON {
            try shop.request("jwt-verify", shared, .null, ["secret": .string(text)])
        }
        func contentType(_ type: JSON) throws -> JSON {
            try shop.request("nested-verify", shop.encrypted(token), shop.nestedKeys, ["cty": type])
        }
        func unsigned(_ token: String) throws -> JSON {
            try shop.request(
                "nested-verify", shop.encrypted(token), shop.nestedKeys, ["cty": .string("any")])
        }
        let size = try option(
            "max_token_bytes", .number(Double(token.utf8.count - 1)), .number(Double(token.utf8.count)))
        return [
            ("malformed", try shop.request("jws-verify", token + "."), try shop.request("jws-verify", token)),
            (
                "header_alg_missing",
                try shop.request(
                    "jws-verify", [base64URL(#"{"typ":"x"}"#.utf8), parts[1], parts[2]].joined(separator: ".")),
                try shop.request("jws-verify", token)
            ),
            ("algorithm_not_allowed", allowed.0, allowed.1),
            (
                "critical_header_unknown", try shop.request("jws-verify", extended),
                try shop.request("jws-verify", extended, nil, ["crit": strings("x")])
            ),
            ("key_not_found", jwt.with("keys", try shop.signingJWK.with("kid", .string("s2"))), jwt),
            ("key_unsuitable", jwt.with("keys", encryptionUse), jwt),
            ("key_invalid", jwt.with("keys", offCurve), jwt),
            (
                "key_unsuitable", try shop.request("jws-verify", mac, shortJWK),
                try shop.request("jws-verify", mac, secretJWK)
            ),
            ("signature_invalid", jwt.with("token", .string(otherSignature)), jwt),
            ("decryption_failed", jwe.with("token", .string(try shop.changedTag())), jwe),
            ("limit_exceeded", size.0, size.1),
            ("token_expired", time.0, time.1),
            ("token_issued_in_future", early.0, early.1),
            ("claim_missing", required.0, required.1),
            ("claim_invalid", nonce.0, nonce.1),
            ("audience_mismatch", try audiences(strings("c")), try audiences(strings("b"))),
            ("claim_invalid", value.0, value.1),
            ("claim_missing", absent.0, absent.1),
            ("signature_invalid", try secret(text + "."), try secret(text)),
            ("key_unsuitable", try secret(""), try secret(text)),
            ("key_unsuitable", try secret("too short for HS256"), try secret(text)),
            ("header_cty_mismatch", try contentType(.string("JWT")), try contentType(.string("any"))),
            ("malformed", try unsigned(Workshop.claims), try unsigned(token)),
            ("issuer_mismatch", issuer.0, issuer.1),
            ("audience_mismatch", audience.0, audience.1),
            ("header_typ_mismatch", type.0, type.1),
        ]
    }

    @Test("bulla check reports each error by its code, and accepts the same request without the fault")
    func everyName() throws {
        let pairs = try pairs(Workshop.shared.get())
        let requests = pairs.flatMap { [$0.bad, $0.mended] }.enumerated().map { $1.with("n", .number(Double($0))) }
        let answers = try Driver.answers(requests)
        #expect(answers.map(\.n) == (0..<answers.count).map { .number(Double($0)) })
        for (index, pair) in pairs.enumerated() {
            let bad = answers[2 * index]
            let mended = answers[2 * index + 1]
            #expect(bad.result == "invalid" && bad.error == pair.error && bad.payload == nil, "\(pair.error): \(bad)")
            #expect(mended.result == "valid" && mended.error == nil, "\(pair.error), mended: \(mended)")
        }
    }

    @Test("bulla check returns the payload of a valid token and the thumbprint of its key") func payloads() throws {
        let shop = try Workshop.shared.get()
        let jwk = try shop.signingJWK
        let set = JSON.object(["keys": .array([jwk])])
        let answers = try Driver.answers([
            shop.request("jws-verify", shop.signed("any bytes")),
            shop.request("jwt-verify", shop.signed()),
            shop.request("jwe-decrypt", shop.encrypted("other bytes"), shop.nestedKeys),
            shop.request("nested-verify", shop.nested(), shop.nestedKeys),
            shop.request("jwk-parse", jwk.text),
            shop.request("jwk-parse", set.text, nil, ["kind": .string("jwks")]),
        ])
        let thumbprint = try shop.signing.thumbprint()
        let wanted: [[UInt8]] = [
            Array("any bytes".utf8), Array(Workshop.claims.utf8), Array("other bytes".utf8),
            Array(Workshop.claims.utf8),
            thumbprint, thumbprint,
        ]
        #expect(answers.map(\.payload) == wanted)
        #expect(answers.allSatisfy { $0.result == "valid" && $0.n == .null })
    }

    @Test("bulla check rejects durations that are negative or too large to be exact")
    func durations() throws {
        let shop = try Workshop.shared.get()
        let token = try shop.signed()
        for name in ["leeway", "max_age", "max_auth_age"] {
            let requests = try [1e300, 0x1p54, -1, -1e-7, 299, 0].map {
                try shop.request("jwt-verify", token, nil, [name: .number($0)])
            }
            let answers = try Driver.answers(requests)
            #expect(answers.prefix(4).allSatisfy { $0.result == "invalid" && $0.error == "malformed" }, "\(name)")
            // A maximum age needs its claim, which this token may not have; a leeway is accepted in any case.
            #expect(answers.suffix(2).allSatisfy { $0.error != "malformed" }, "\(name): \(answers.suffix(2))")
            #expect(name != "leeway" || answers.suffix(2).allSatisfy { $0.result == "valid" })
        }
    }

    @Test("max_keys and max_candidate_keys set the limits on keys, each for its own request") func keyLimits() throws {
        let shop = try Workshop.shared.get()
        let own = try shop.signingJWK
        func keys(_ count: Int) -> JSON {
            .object(["keys": .array((1..<count).map { own.with("kid", .string("t\($0)")) } + [own])])
        }
        var nameless = shop.signing
        nameless.keyID = nil
        let (named, bare) = (try shop.signed(), try shop.signed("x", by: nameless))
        func answers(_ token: String, _ count: Int, _ name: String, _ limits: JSON?...) throws -> [String] {
            let requests = try limits.map { limit in
                try shop.request("jws-verify", token, keys(count), limit.map { [name: $0] } ?? [:])
            }
            return try Driver.answers(requests).map { $0.error ?? $0.result }
        }
        #expect(try answers(named, 100, "max_keys", nil, .number(99)) == ["valid", "limit_exceeded"])
        #expect(
            try answers(named, 101, "max_keys", nil, .number(101), .number(100), .number(-1))
                == ["limit_exceeded", "valid", "limit_exceeded", "malformed"])
        #expect(try answers(bare, 8, "max_candidate_keys", nil, .number(7)) == ["valid", "key_unsuitable"])
        #expect(
            try answers(bare, 9, "max_candidate_keys", nil, .number(9), .string("9"))
                == ["key_unsuitable", "valid", "malformed"])
    }

    @Test("the JWK member use determines the layer of a nested token for which a key is used") func nestedUse() throws {
        let shop = try Workshop.shared.get()
        let request = try shop.request("nested-verify", shop.nested(), shop.nestedKeys)
        func swapped() throws -> JSON {
            let signing = try shop.signingJWK.with("use", .string("enc"))
            let decryption = try JSON(shop.decryption.exportPrivateJWK()).with("use", .string("sig"))
            return request.with("keys", .object(["keys": .array([signing, decryption])]))
        }
        let answers = try Driver.answers([
            request, swapped(), request.with("token", .string(shop.signed())),
            shop.request("nested-verify", shop.encrypted(Workshop.claims, contentType: "JWT"), shop.nestedKeys),
            shop.request("nested-verify", shop.nested(Workshop.claims, by: shop.stranger), shop.nestedKeys),
            shop.request("nested-verify", shop.encrypted(shop.signed()), shop.nestedKeys),
        ])
        #expect(
            answers.map { $0.error ?? "valid" } == [
                "valid", "key_unsuitable", "malformed", "malformed", "signature_invalid", "header_cty_mismatch",
            ])
    }

    @Test("reports unsupported only if the caller's own list or key names an algorithm that is not built in")
    func unsupported()
        throws
    {
        let shop = try Workshop.shared.get()
        let token = try shop.signed()
        func forged(_ header: String) -> String {
            base64URL(header.utf8) + token.drop { $0 != "." }
        }
        func strings(_ texts: String...) -> JSON { .array(texts.map { .string($0) }) }
        let forgedLattice = forged(#"{"alg":"ML-DSA-44"}"#)
        // A libcrypto that is too old has no ML-DSA.
        let lattice = JSON.object([
            "kty": .string("AKP"), "alg": .string("ML-DSA-44"), "pub": .string(String(repeating: "A", count: 1750)),
        ])
        let isOld = !SignatureAlgorithm.mlDSA44.isAvailable
        let parts = token.split(separator: ".").map(String.init)
        let flattened = #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
        let detached = "\(parts[0])..\(parts[2])"
        let gcm =
            base64URL(#"{"alg":"A128GCMKW","enc":"A128GCM"}"#.utf8) + ".AA.AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
        let requests = try [
            shop.request("jws-verify", forgedLattice, lattice, ["algs": strings("ML-DSA-44", "ES256")]),
            shop.request("jws-verify", forgedLattice, nil, ["algs": strings("ML-DSA-44", "ES256")]),
            shop.request("jws-verify", forgedLattice, lattice, ["algs": strings("ES256")]),
            shop.request("jws-verify", token, nil, ["algs": strings("ML-DSA-44", "ES256")]),
            shop.request("jws-verify", token, nil, ["algs": strings("ML-DSA-44")]),
            shop.request("jws-verify", forged(#"{"alg":"none"}"#), nil, ["algs": strings("none")]),
            shop.request("jws-verify", forged(#"{"alg":"FOO"}"#), nil, ["algs": strings("FOO")]),
            shop.request("jwe-decrypt", gcm, shop.nestedKeys, ["key_algs": strings("A128GCMKW")]),
            shop.request("jwe-decrypt", gcm, shop.nestedKeys),
            shop.request("jws-verify", token, nil, ["serialization": .string("json")]),
            shop.request("jws-verify", flattened, nil, ["serialization": .string("json")]),
            shop.request("jwt-verify", flattened, nil, ["serialization": .string("json")]),
            shop.request("jws-verify", token, nil, ["serialization": .string("compact")]),
            shop.request("jws-verify", token, nil, ["detached_payload_b64url": .string("e30")]),
            shop.request("jws-verify", detached, nil, ["detached_payload_b64url": .string(parts[1])]),
            shop.request("jws-verify", detached, nil, ["detached_payload_b64url": .string("e30")]),
            shop.request("jwk-parse", lattice.text),
            shop.request("jwk-parse", #"{"kty":"AKP","alg":"ML-DSA-44","pub":"AA"}"#),
            shop.request("jwk-parse", #"{"kty":"EC","crv":"P-255","x":"AA","y":"AA"}"#),
            shop.request("jws-verify", token, nil, ["algs": .array([])]),
        ]
        let answers = try Driver.answers(requests)
        #expect(
            answers.map { $0.error ?? $0.result } == [
                isOld ? "unsupported" : "signature_invalid", "key_unsuitable", "algorithm_not_allowed", "valid",
                "algorithm_not_allowed", "algorithm_not_allowed", "algorithm_not_allowed",
                "header_iv_tag_invalid", "header_iv_tag_invalid",
                "malformed", "valid", "malformed", "valid", "malformed", "valid", "signature_invalid",
                isOld ? "unsupported" : "valid", "key_invalid", "key_invalid",
                "algorithm_not_allowed",
            ])
    }

    @Test("malformed lines get an error each, the next lines are processed, and n is returned byte for byte")
    func badLines() throws {
        let shop = try Workshop.shared.get()
        let good = try shop.request("jws-verify", shop.signed()).text.dropFirst()
        let long = String(repeating: "a", count: 9_000_000)
        let lines: [(line: String, answer: String)] = [
            ("{\"n\":1," + good, #"{"n":1,"result":"valid","payload_b64url":"\#(base64URL(Workshop.claims.utf8))"}"#),
            ("", #"{"n":null,"result":"invalid","error":"malformed"}"#),
            ("nonsense", #"{"n":null,"result":"invalid","error":"malformed"}"#),
            ("[1]", #"{"n":null,"result":"invalid","error":"malformed"}"#),
            (#"{"n":1e2,"op":"jws-verify","token":"#, #"{"n":1e2,"result":"invalid","error":"malformed"}"#),
            (
                #"{"n":12345678901234567890,"n":2}"#,
                #"{"n":12345678901234567890,"result":"invalid","error":"malformed"}"#
            ),
            (#"{"op":"jws-verify","n" : "a\"b","token":1}"#, #"{"n":"a\"b","result":"invalid","error":"malformed"}"#),
            (#"{"n":{"a":[1]},"op":"what","token":""}"#, #"{"n":{"a":[1]},"result":"invalid","error":"malformed"}"#),
            (#"{"x":{"n":3},"op":"jws-verify""#, #"{"n":null,"result":"invalid","error":"malformed"}"#),
            (
                #"{"n":4,"op":"jws-verify","token":"x","options":{"algs":"ES256"}}"#,
                #"{"n":4,"result":"invalid","error":"malformed"}"#
            ),
            (#"{"n":5,"op":"jws-verify","token":"\#(long)"}"#, #"{"n":5,"result":"invalid","error":"limit_exceeded"}"#),
            (
                "{\"n\":6," + good + "\r",
                #"{"n":6,"result":"valid","payload_b64url":"\#(base64URL(Workshop.claims.utf8))"}"#
            ),
        ]
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        let result = try run(tool, ["check"], stdin: lines.map { $0.line + "\n" }.joined())
        #expect(result.status == 0)
        #expect(result.stderr == "")
        #expect(result.stdout.components(separatedBy: "\n").dropLast() == lines.map(\.answer)[...])
    }

    @Test("an unknown option is reported once, not for each line") func unknownOption() throws {
        let shop = try Workshop.shared.get()
        let request = try shop.request("jws-verify", shop.signed(), nil, ["isss": .string("x")]).text + "\n"
        let (answers, errors) = try Driver.answers(request + request)
        #expect(answers.map(\.result) == ["valid", "valid"])
        #expect(errors == "bulla check: unknown option 'isss' is ignored\n")
    }

    @Test("the responses to 1 000 requests keep their order on four threads") func order() throws {
        let shop = try Workshop.shared.get()
        let good = try shop.request("jwt-verify", shop.signed())
        let bad = try shop.request("jwt-verify", shop.signed(), nil, ["iss": .string("x")])
        let input = (0..<1_000).map { ($0 % 3 == 0 ? bad : good).with("n", .number(Double($0))).text + "\n" }.joined()
        let answers = try Driver.answers(input, ["--jobs", "4"]).answers
        #expect(answers.map(\.n) == (0..<1_000).map { .number(Double($0)) })
        #expect(answers.map { $0.error == "issuer_mismatch" } == (0..<1_000).map { $0 % 3 == 0 })
    }
}

extension Workshop {
    fileprivate func changedTag() throws -> String {
        let token = try encrypted("text")
        let last = token.index(before: token.endIndex)
        let middle = token.index(token.endIndex, offsetBy: -5)
        return token[..<middle] + (token[middle] == "A" ? "B" : "A") + token[token.index(after: middle)...last]
    }
}
