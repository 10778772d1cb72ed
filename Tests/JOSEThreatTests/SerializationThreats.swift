import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Threats: serializations") struct SerializationThreats {
    private static let octets = Array("payload".utf8)

    private func detached(_ header: String, _ payload: [UInt8], encoded: Bool) throws -> String {
        let text = Forge.encoded(Array(header.utf8)) + "."
        let input = Array(text.utf8) + (encoded ? Array(Forge.encoded(payload).utf8) : payload)
        return text + "." + Forge.encoded(try Forge.signature(of: input, with: Keys.secret, .hs256))
    }

    private func judge(
        detached token: String, _ payload: [UInt8] = octets, _ adjust: (inout SignaturePolicy) -> Void = { _ in }
    ) -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        let verifier = Verifier(keys: KeySet([Keys.secret]), policy: policy)
        return verdict { () throws(JOSEError) in try verifier.verify(token, detachedPayload: payload) }
    }

    @Test("T34 a payload that is detached or not encoded is counted too, RFC 7797, 5.2")
    func sizes() throws {
        for encoded in [true, false] {
            let header = encoded ? #"{"alg":"HS256"}"# : #"{"alg":"HS256","b64":false,"crit":["b64"]}"#
            let token = try detached(header, Self.octets, encoded: encoded)
            #expect(judge(detached: token) { $0.limits.plaintextBytes = 7 } == accepted)
            #expect(judge(detached: token) { $0.limits.plaintextBytes = 6 } == .tooLarge)
            #expect(judge(detached: token) { $0.limits.tokenBytes = token.utf8.count } == accepted)
            #expect(judge(detached: token) { $0.limits.tokenBytes = token.utf8.count - 1 } == .tooLarge)
        }
        let attached = try detached(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Self.octets, encoded: false)
            .replacing("..", with: ".payload.")
        for (limit, wanted) in [(7, accepted), (6, .tooLarge)] {
            var policy = SignaturePolicy(algorithms: [.hs256])
            policy.limits.plaintextBytes = limit
            let verifier = Verifier(keys: KeySet([Keys.secret]), policy: policy)
            #expect(verdict { () throws(JOSEError) in try verifier.verify(attached) } == wanted)
        }
    }

    @Test("T37 an extension that is not understood is refused with detached content too, RFC 7515, 4.1.11")
    func critical() throws {
        for (extra, encoded) in [(#""crit":["x"]"#, true), (#""b64":false,"crit":["b64","x"]"#, false)] {
            let token = try detached(#"{"alg":"HS256","x":1,\#(extra)}"#, Self.octets, encoded: encoded)
            #expect(judge(detached: token) == .criticalUnsupported)
            #expect(judge(detached: token) { $0.understoodCritical = ["x"] } == accepted)
        }
    }

    @Test("T38 crit has one form with detached content too, RFC 7515, 4.1.11")
    func criticalForm() throws {
        for crit in ["[]", #""b64""#, "[1]", #"["b64","b64"]"#, #"["b64","x"]"#, #"["b64","alg"]"#, "null", "{}"] {
            let token = try detached(#"{"alg":"HS256","b64":false,"crit":\#(crit)}"#, Self.octets, encoded: false)
            #expect(judge(detached: token) == .headerInvalid, "\(crit)")
        }
        let good = try detached(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Self.octets, encoded: false)
        #expect(judge(detached: good) == accepted)
    }

    @Test("T39 b64 is a boolean that crit names, and one token has one reading, RFC 7797, 6")
    func unencoded() throws {
        for extra in [
            #""b64":false"#, #""b64":"false","crit":["b64"]"#, #""b64":0,"crit":["b64"]"#, #""b64":null"#,
            #""b64":[],"crit":["b64"]"#, #""crit":["b64"]"#,
        ] {
            for encoded in [true, false] {
                let token = try detached(#"{"alg":"HS256",\#(extra)}"#, Self.octets, encoded: encoded)
                #expect(judge(detached: token) == .headerInvalid, "\(extra)")
                let attached = token.replacing("..", with: ".\(encoded ? Forge.encoded(Self.octets) : "payload").")
                // Without b64 the payload is one that must be base64url, and its shape is looked at first.
                let wanted: Refusal = encoded || extra.hasPrefix(#""b64"#) ? .headerInvalid : .malformed
                #expect(JOSEThreatTests.judge(attached, [Keys.secret], [.hs256]) == wanted, "\(extra)")
            }
        }
        // `YWJj` as it stands and `abc` are two payloads; each header has one of them.
        for (header, encoded, payload) in [
            (#"{"alg":"HS256"}"#, true, "abc"), (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, false, "YWJj"),
        ] {
            let token = try detached(header, Array(payload.utf8), encoded: encoded).replacing("..", with: ".YWJj.")
            let verifier = Verifier(keys: KeySet([Keys.secret]), policy: SignaturePolicy(algorithms: [.hs256]))
            #expect(try verifier.verify(token).payload == Array(payload.utf8))
            let crossed = try detached(header, Array(payload.utf8), encoded: !encoded)
            #expect(judge(detached: crossed, Array(payload.utf8)) == .signatureInvalid)
        }
    }

    @Test("T39 a JWT has its payload encoded, RFC 7797, 7")
    func unencodedToken() throws {
        let text = claims().replacing("https://i.test", with: "i").replacing("\\", with: "")
        for (header, wanted) in [
            (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Refusal.headerInvalid), (#"{"alg":"HS256"}"#, nil),
        ] {
            let token = try detached(header, Array(text.utf8), encoded: wanted == nil).replacing(
                "..", with: ".\(wanted == nil ? Forge.encoded(Array(text.utf8)) : text).")
            #expect(try JOSEThreatTests.judge(token: token) { $0.issuer = "i" } == wanted)
        }
        var header = HeaderParameters()
        header.payloadIsUnencoded = true
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "i", audience: "me"))
        #expect(throws: TokenError.jose(.headerInvalid(.b64), layer: .signature)) {
            try TokenIssuer(policy, signingKey: Keys.secret, signatureHeader: header)
        }
        #expect(throws: Never.self) { try TokenIssuer(policy, signingKey: Keys.secret) }
    }

    @Test("T41 a payload that is given beside the token and in it is malformed, RFC 7515, appendix F")
    func twoPayloads() throws {
        let token = try detached(#"{"alg":"HS256"}"#, Self.octets, encoded: true)
        #expect(judge(detached: token) == accepted)
        let whole = token.replacing("..", with: ".\(Forge.encoded(Self.octets)).")
        #expect(judge(detached: whole) == .malformed)
        #expect(JOSEThreatTests.judge(whole, [Keys.secret], [.hs256]) == accepted)
        for text in ["", ".", "..", token + ".", "{}", #"{"payload":"e30"}"#] {
            #expect(judge(detached: text) == .malformed, "\(text)")
        }
    }
}

@Suite("Threats: JWS in JSON") struct JSONSignatureThreats {
    private static let header = #"{"alg":"HS256"}"#
    private static let payload = Forge.encoded(Array("payload".utf8))

    private func judge(_ json: String, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        let verifier = Verifier(keys: KeySet([Keys.secret]), policy: policy)
        return verdict { () throws(JOSEError) in try verifier.verify(json: json) }
    }

    /// The members of one signature over `payload`; `header` nil: nothing is protected.
    private func members(
        _ header: String?, unprotected: String? = nil, payload: String = payload, with key: JWK = Keys.secret
    ) throws -> [(name: String, value: String)] {
        let text = header.map { Forge.encoded(Array($0.utf8)) } ?? ""
        let signature = try Forge.signature(of: Array((text + "." + payload).utf8), with: key, .hs256)
        var members: [(name: String, value: String)] = []
        if header != nil { members.append(("protected", "\"\(text)\"")) }
        if let unprotected { members.append(("header", unprotected)) }
        members.append(("signature", "\"\(Forge.encoded(signature))\""))
        return members
    }

    private func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private func flattened(_ members: [(name: String, value: String)], payload: String = payload) -> String {
        object([("payload", "\"\(payload)\"")] + members)
    }

    private func general(_ signatures: [(name: String, value: String)]..., payload: String = payload) -> String {
        object([
            ("payload", "\"\(payload)\""), ("signatures", "[" + signatures.map(object).joined(separator: ",") + "]"),
        ])
    }

    @Test("T34 sizes are bounded in JSON too, RFC 8725, 2.9") func sizes() throws {
        let text = flattened(try members(Self.header))
        #expect(judge(text) { $0.limits.tokenBytes = text.utf8.count } == accepted)
        #expect(judge(text) { $0.limits.tokenBytes = text.utf8.count - 1 } == .tooLarge)
        #expect(judge(text) { $0.limits.plaintextBytes = 7 } == accepted)
        #expect(judge(text) { $0.limits.plaintextBytes = 6 } == .tooLarge)
        let beside = flattened(try members(Self.header, unprotected: #"{"x":1}"#))
        #expect(judge(beside) { $0.limits.headerBytes = Self.header.utf8.count + 7 } == accepted)
        #expect(judge(beside) { $0.limits.headerBytes = Self.header.utf8.count + 6 } == .tooLarge)
        let many = general(try members(Self.header), try members(Self.header))
        #expect(judge(many) { $0.limits.signatures = 2 } == accepted)
        #expect(judge(many) { $0.limits.signatures = 1 } == .tooLarge)
        let plain = flattened(
            try members(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, payload: "payload"), payload: "payload")
        #expect(judge(plain) { $0.limits.plaintextBytes = 7 } == accepted)
        #expect(judge(plain) { $0.limits.plaintextBytes = 6 } == .tooLarge)
    }

    @Test("T37 an extension that is not understood is refused in JSON too, RFC 7515, 4.1.11") func critical() throws {
        let hostile = try members(#"{"alg":"HS256","x":1,"crit":["x"]}"#)
        for text in [flattened(hostile), general(hostile)] {
            #expect(judge(text) == .criticalUnsupported)
            #expect(judge(text) { $0.understoodCritical = ["x"] } == accepted)
        }
        // Of several, each stands for itself.
        let both = general(hostile, try members(Self.header))
        #expect(judge(both) == accepted)
        #expect(judge(both) { $0.requirement = .all } == .criticalUnsupported)
    }

    @Test("T38 crit has one form and is protected, RFC 7515, 4.1.11") func criticalForm() throws {
        for crit in ["[]", #""x""#, "[1]", #"["x","x"]"#, #"["y"]"#, #"["alg"]"#, "null", "{}"] {
            for text in [
                flattened(try members(#"{"alg":"HS256","x":1,"crit":\#(crit)}"#)),
                flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"crit":\#(crit)}"#)),
            ] {
                #expect(judge(text) { $0.understoodCritical = ["x", "y", "alg"] } == .headerInvalid, "\(text)")
            }
        }
        let beside = flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"crit":["x"]}"#))
        #expect(judge(beside) { $0.understoodCritical = ["x"] } == .headerInvalid)
        let good = flattened(try members(#"{"alg":"HS256","x":1,"crit":["x"]}"#, unprotected: #"{"y":1}"#))
        #expect(judge(good) { $0.understoodCritical = ["x"] } == accepted)
    }

    @Test("T39 b64 is protected, named by crit, and the same for all, RFC 7797, 3 and 6") func unencoded() throws {
        let good = #"{"alg":"HS256","b64":false,"crit":["b64"]}"#
        #expect(judge(flattened(try members(good, payload: "$.02"), payload: "$.02")) == accepted)
        #expect(judge(general(try members(good, payload: "$.02"), payload: "$.02")) == accepted)
        for (header, unprotected) in [
            (#"{"alg":"HS256","b64":false}"#, nil), (#"{"alg":"HS256","b64":"false","crit":["b64"]}"#, nil),
            (#"{"alg":"HS256","b64":0,"crit":["b64"]}"#, nil), (#"{"alg":"HS256"}"#, #"{"b64":false}"#),
            (#"{"alg":"HS256"}"#, #"{"b64":true}"#), (#"{"alg":"HS256","crit":["b64"]}"#, #"{"b64":false}"#),
        ] as [(String, String?)] {
            for payload in ["$.02", Self.payload] {
                let members = try members(header, unprotected: unprotected, payload: payload)
                #expect(judge(flattened(members, payload: payload)) == .headerInvalid, "\(header)")
                #expect(judge(general(members, payload: payload)) == .headerInvalid, "\(header)")
            }
        }
        let mixed = general(
            try members(good, payload: "YWJj"), try members(Self.header, payload: "YWJj"), payload: "YWJj")
        #expect(judge(mixed) == .headerInvalid)
    }

    @Test("T40 alg is taken from the protected header alone, and no name is in both, RFC 7515, 4")
    func unprotectedAlgorithm() throws {
        for header in ["{}", nil] {
            let beside = try members(header, unprotected: Self.header)
            for text in [flattened(beside), general(beside)] {
                #expect(judge(text) == .headerInvalid)
                #expect(judge(text) { $0.acceptsUnprotectedAlgorithm = true } == accepted)
            }
        }
        for (header, unprotected) in [
            (Self.header, Self.header), (Self.header, #"{"alg":"none"}"#), (Self.header, #"{"\u0061lg":"HS256"}"#),
            (#"{"alg":"HS256","x":1}"#, #"{"x":1}"#), (#"{"alg":"HS256","kid":"a"}"#, #"{"kid":"b"}"#),
        ] {
            let text = flattened(try members(header, unprotected: unprotected))
            #expect(judge(text) == .malformed, "\(unprotected)")
            #expect(judge(text) { $0.acceptsUnprotectedAlgorithm = true } == .malformed, "\(unprotected)")
        }
        let twin = flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"X":1,"Alg":"none"}"#))
        #expect(judge(twin) == accepted)
        #expect(judge(flattened(try members(#"{"alg":"none"}"#))) == .algorithmNotAllowed)
    }

    @Test("T41 one text has one reading: JSON is no compact token, a compact token no JSON, and neither is both")
    func polyglots() throws {
        let good = try members(Self.header)
        let compact = try Forge.signed(header: Self.header, payload: "payload", with: Keys.secret, .hs256)
        let evil = Forge.encoded(Array(#"{"alg":"HS256"}"#.utf8)) + "." + Forge.encoded(Array("evil".utf8)) + "."
        var polyglots = [
            object([("  \(evil)", "\"\"")] + [("payload", "\"\(Self.payload)\"")] + good),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "\"\(evil)\"")]),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "{\"\(evil)\":1}")]),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "[1.5,0.25]")]),
            flattened(good) + "." + compact, compact + flattened(good), "\"\(compact)\"", "[\(flattened(good))]",
        ]
        polyglots.append(general(good + [("\(evil)", "1")]))
        for text in polyglots {
            #expect(judge(text) == .malformed, "\(text)")
            #expect(JOSEThreatTests.judge(text, [Keys.secret], [.hs256]) == .malformed, "\(text)")
        }
        for text in [flattened(good), general(good)] {
            #expect(judge(text) == accepted)
            #expect(JOSEThreatTests.judge(text, [Keys.secret], [.hs256]) == .malformed)
        }
        #expect(judge(compact) == .malformed)
        #expect(JOSEThreatTests.judge(compact, [Keys.secret], [.hs256]) == accepted)
        // Members that nobody knows are passed over, RFC 7515, 7.2.1.
        #expect(judge(flattened(good + [("x", #"{"y":[1,null]}"#)])) == accepted)
        #expect(judge(general(good + [("x", "1")])) == accepted)
    }

    @Test("T41 the two forms are not mixed, and no JWS is a JWE, RFC 7515, 7.2; RFC 7516, 9") func mixedForms() throws {
        let good = try members(Self.header)
        let list = ("signatures", "[\(object(good))]")
        for extra in [[list], good + [list], [good[0], list], [good[1], list], [list, ("header", "{}")]] {
            let text = object([("payload", "\"\(Self.payload)\"")] + extra)
            #expect(judge(text) == (extra.count == 1 ? accepted : .malformed), "\(text)")
        }
        #expect(judge(general(good + [("payload", "\"\(Self.payload)\"")])) == .malformed)
        for name in ["ciphertext", "recipients", "encrypted_key", "iv", "tag", "aad", "unprotected"] {
            #expect(judge(flattened(good + [(name, "\"\"")])) == .malformed, "\(name)")
            #expect(judge(general(good + [(name, "\"\"")])) == .malformed, "\(name)")
        }
    }

    @Test("T42 of several signatures the good one is named with its key, RFC 7515, 7.2.1") func several() throws {
        let other = Keys.symmetric(32)
        let good = try members(#"{"alg":"HS256","x":"good"}"#)
        let bad = try members(#"{"alg":"HS256","x":"bad"}"#, with: other)
        let verifier = Verifier(keys: KeySet([Keys.secret]), policy: SignaturePolicy(algorithms: [.hs256]))
        for (text, index) in [(general(good, bad), 0), (general(bad, good), 1), (general(bad, bad, good), 2)] {
            let verified = try verifier.verify(json: text)
            #expect(verified.payload == Array("payload".utf8))
            #expect(verified.signatures.map(\.index) == [index])
            #expect(verified.signatures.map { $0.header.string("x") } == ["good"])
            #expect(verified.signatures.map(\.key) == [Keys.secret])
            #expect(judge(text) { $0.requirement = .all } == .signatureInvalid)
        }
        #expect(judge(general(bad)) == .signatureInvalid)
        #expect(judge(general(good, good)) { $0.requirement = .all } == accepted)
        #expect(judge(object([("payload", "\"\(Self.payload)\""), ("signatures", "[]")])) == .malformed)
        // The signature of another payload, and a header moved from one signature to another.
        #expect(judge(general(try members(Self.header, payload: "YWJj"))) == .signatureInvalid)
        #expect(judge(general([good[0], bad[1]], [bad[0], good[1]])) == .signatureInvalid)
    }

    @Test("T43 a member that is missing or of another kind is malformed, RFC 7515, 7.2") func shapes() throws {
        let wrong = ["null", "1", "true", "[]", "{}", "[{}]", #"["a"]"#]
        let good: [(name: String, value: String)] = [("payload", "\"\(Self.payload)\"")] + (try members(Self.header))
        #expect(judge(object(good)) == accepted)
        for place in good.indices {
            var changed = good
            changed.remove(at: place)
            #expect(judge(object(changed)) == .malformed, "without \(good[place].name)")
            for value in wrong {
                changed = good
                changed[place].value = value
                #expect(judge(object(changed)) == .malformed, "\(good[place].name) \(value)")
            }
        }
        for value in wrong + [#""a""#] where value != "{}" {
            let text = flattened(try members(Self.header, unprotected: value))
            #expect(judge(text) == .malformed, "header \(value)")
            let list = object([("payload", "\"\(Self.payload)\""), ("signatures", value)])
            #expect(judge(list) == .malformed, "signatures \(value)")
            #expect(judge(object([("payload", "\"\(Self.payload)\""), ("signatures", "[\(value)]")])) == .malformed)
        }
        #expect(judge(flattened(try members(Self.header, unprotected: "{}"))) == accepted)
        let signature = try members(Self.header)
        for place in signature.indices {
            var changed = signature
            changed.remove(at: place)
            #expect(judge(general(changed)) == .malformed)
            for value in wrong {
                changed = signature
                changed[place].value = value
                #expect(judge(general(changed)) == .malformed)
                #expect(judge(general(signature, changed)) == .malformed, "beside a good one")
            }
        }
        for text in ["", "{", "{}", "[]", "null", "1", "\"\"", #"{"payload":"","signatures":[{}]}"#, "\u{FEFF}{}"] {
            #expect(judge(text) == .malformed, "\(text)")
        }
        for text in [#""=""#, #""A""#, #""e30=""#, #""e3 0""#, #""""#, #""W10""#, #""bnVsbA""#] {
            var changed = signature
            changed[0].value = text
            #expect(judge(flattened(changed)) == .malformed, "protected \(text)")
        }
    }

    @Test("T47 a name said twice is malformed wherever it is, also behind an escape, RFC 7515, 4") func duplicates()
        throws
    {
        let good = try members(Self.header)
        for name in ["protected", "signature", "payload", "x"] {
            let value = good.first { $0.name == name }?.value ?? "\"\(Self.payload)\""
            let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
            for second in [name, escaped] {
                let extra = name == "x" ? [("x", value)] : []
                #expect(judge(flattened(good + extra + [(second, value)])) == .malformed, "\(second)")
                #expect(judge(flattened(good + extra)) == accepted)
            }
        }
        for unprotected in [#"{"x":1,"x":1}"#, #"{"x":{"y":1,"y":2}}"#, #"{"x":1,"\u0078":2}"#] {
            #expect(judge(flattened(try members(Self.header, unprotected: unprotected))) == .malformed)
        }
        #expect(judge(flattened(try members(#"{"alg":"HS256","x":1,"\u0078":1}"#))) == .malformed)
        #expect(judge(flattened(try members(Self.header, unprotected: #"{"x":1,"X":1}"#))) == accepted)
        let twice = object([
            ("payload", "\"\(Self.payload)\""), ("signatures", "[\(object(good))]"), ("signatures", "[]"),
        ])
        #expect(judge(twice) == .malformed)
    }
}
