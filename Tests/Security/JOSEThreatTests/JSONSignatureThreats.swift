import JOSE
import JOSETesting
import Testing

@Suite("Threats: JWS in JSON") struct JSONSignatureThreats: JSONSignatureFixture {
    @Test("T34 JSON tokens over the size limits are rejected (RFC 8725, 2.9)") func sizes() throws {
        let text = flattened(try members(Self.header))
        #expect(outcome(of: text) { $0.limits.tokenBytes = text.utf8.count } == accepted)
        #expect(outcome(of: text) { $0.limits.tokenBytes = text.utf8.count - 1 } == .tooLarge)
        #expect(outcome(of: text) { $0.limits.plaintextBytes = 7 } == accepted)
        #expect(outcome(of: text) { $0.limits.plaintextBytes = 6 } == .tooLarge)
        let beside = flattened(try members(Self.header, unprotected: #"{"x":1}"#))
        #expect(outcome(of: beside) { $0.limits.headerBytes = Self.header.utf8.count + 7 } == accepted)
        #expect(outcome(of: beside) { $0.limits.headerBytes = Self.header.utf8.count + 6 } == .tooLarge)
        let many = general(try members(Self.header), try members(Self.header))
        #expect(outcome(of: many) { $0.limits.signatures = 2 } == accepted)
        #expect(outcome(of: many) { $0.limits.signatures = 1 } == .tooLarge)
        let plain = flattened(
            try members(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, payload: "payload"), payload: "payload")
        #expect(outcome(of: plain) { $0.limits.plaintextBytes = 7 } == accepted)
        #expect(outcome(of: plain) { $0.limits.plaintextBytes = 6 } == .tooLarge)
    }

    @Test("T37 an extension that is not understood is rejected in JSON too (RFC 7515, 4.1.11)") func critical() throws {
        let hostile = try members(#"{"alg":"HS256","x":1,"crit":["x"]}"#)
        for text in [flattened(hostile), general(hostile)] {
            #expect(outcome(of: text) == .criticalUnsupported)
            #expect(outcome(of: text) { $0.understoodCritical = ["x"] } == accepted)
        }
        // Each of several signatures is checked separately.
        let both = general(hostile, try members(Self.header))
        #expect(outcome(of: both) == accepted)
        #expect(outcome(of: both) { $0.requirement = .all } == .criticalUnsupported)
    }

    @Test("T38 crit that is malformed or unprotected is rejected (RFC 7515, 4.1.11)") func criticalForm() throws {
        for crit in ["[]", #""x""#, "[1]", #"["x","x"]"#, #"["y"]"#, #"["alg"]"#, "null", "{}"] {
            for text in [
                flattened(try members(#"{"alg":"HS256","x":1,"crit":\#(crit)}"#)),
                flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"crit":\#(crit)}"#)),
            ] {
                #expect(outcome(of: text) { $0.understoodCritical = ["x", "y", "alg"] } == .headerInvalid, "\(text)")
            }
        }
        let beside = flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"crit":["x"]}"#))
        #expect(outcome(of: beside) { $0.understoodCritical = ["x"] } == .headerInvalid)
        let good = flattened(try members(#"{"alg":"HS256","x":1,"crit":["x"]}"#, unprotected: #"{"y":1}"#))
        #expect(outcome(of: good) { $0.understoodCritical = ["x"] } == accepted)
    }

    @Test("T39 b64 must be protected, listed in crit, and equal in all signatures (RFC 7797, 3 and 6)")
    func unencoded() throws {
        let good = #"{"alg":"HS256","b64":false,"crit":["b64"]}"#
        #expect(outcome(of: flattened(try members(good, payload: "$.02"), payload: "$.02")) == accepted)
        #expect(outcome(of: general(try members(good, payload: "$.02"), payload: "$.02")) == accepted)
        for (header, unprotected) in [
            (#"{"alg":"HS256","b64":false}"#, nil), (#"{"alg":"HS256","b64":"false","crit":["b64"]}"#, nil),
            (#"{"alg":"HS256","b64":0,"crit":["b64"]}"#, nil), (#"{"alg":"HS256"}"#, #"{"b64":false}"#),
            (#"{"alg":"HS256"}"#, #"{"b64":true}"#), (#"{"alg":"HS256","crit":["b64"]}"#, #"{"b64":false}"#),
        ] as [(String, String?)] {
            for payload in ["$.02", Self.payload] {
                let members = try members(header, unprotected: unprotected, payload: payload)
                #expect(outcome(of: flattened(members, payload: payload)) == .headerInvalid, "\(header)")
                #expect(outcome(of: general(members, payload: payload)) == .headerInvalid, "\(header)")
            }
        }
        let mixed = general(
            try members(good, payload: "YWJj"), try members(Self.header, payload: "YWJj"), payload: "YWJj")
        #expect(outcome(of: mixed) == .headerInvalid)
    }

    @Test("T40 alg is read from the protected header only, and a name in both headers is rejected (RFC 7515, 4)")
    func unprotectedAlgorithm() throws {
        for header in ["{}", nil] {
            let beside = try members(header, unprotected: Self.header)
            for text in [flattened(beside), general(beside)] {
                #expect(outcome(of: text) == .headerInvalid)
                #expect(outcome(of: text) { $0.acceptsUnprotectedAlgorithm = true } == accepted)
            }
        }
        for (header, unprotected) in [
            (Self.header, Self.header), (Self.header, #"{"alg":"none"}"#), (Self.header, #"{"\u0061lg":"HS256"}"#),
            (#"{"alg":"HS256","x":1}"#, #"{"x":1}"#), (#"{"alg":"HS256","kid":"a"}"#, #"{"kid":"b"}"#),
        ] {
            let text = flattened(try members(header, unprotected: unprotected))
            #expect(outcome(of: text) == .malformed, "\(unprotected)")
            #expect(outcome(of: text) { $0.acceptsUnprotectedAlgorithm = true } == .malformed, "\(unprotected)")
        }
        let control = flattened(try members(#"{"alg":"HS256","x":1}"#, unprotected: #"{"X":1,"Alg":"none"}"#))
        #expect(outcome(of: control) == accepted)
        #expect(outcome(of: flattened(try members(#"{"alg":"none"}"#))) == .algorithmNotAllowed)
    }

    @Test("T42 the valid one of several signatures is reported with its key (RFC 7515, 7.2.1)") func several() throws {
        let other = Keys.symmetric(32)
        let good = try members(#"{"alg":"HS256","x":"good"}"#)
        let bad = try members(#"{"alg":"HS256","x":"bad"}"#, with: other)
        let verifier = try JWSVerifier(keys: KeySet([Keys.secret]), policy: SignaturePolicy(algorithms: [.hs256]))
        for (text, index) in [(general(good, bad), 0), (general(bad, good), 1), (general(bad, bad, good), 2)] {
            let verified = try verifier.verify(json: text)
            #expect(verified.payload == Array("payload".utf8))
            #expect(verified.signatures.map(\.index) == [index])
            #expect(verified.signatures.map { $0.header.string("x") } == ["good"])
            #expect(verified.signatures.map(\.key) == [Keys.secret])
            #expect(outcome(of: text) { $0.requirement = .all } == .signatureInvalid)
        }
        #expect(outcome(of: general(bad)) == .signatureInvalid)
        #expect(outcome(of: general(good, good)) { $0.requirement = .all } == accepted)
        #expect(outcome(of: object([("payload", "\"\(Self.payload)\""), ("signatures", "[]")])) == .malformed)
        // One signature belongs to another payload, and one header to another signature.
        #expect(outcome(of: general(try members(Self.header, payload: "YWJj"))) == .signatureInvalid)
        #expect(outcome(of: general([good[0], bad[1]], [bad[0], good[1]])) == .signatureInvalid)
    }

}
