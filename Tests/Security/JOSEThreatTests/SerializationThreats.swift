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

    private func outcome(
        ofDetached token: String, _ payload: [UInt8] = octets, _ adjust: (inout SignaturePolicy) -> Void = { _ in }
    ) -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        let verifier = JWSVerifier(unexaminedKeys: KeySet([Keys.secret]), policy: policy)
        return verdict { () throws(JOSEError) in try verifier.verify(token, detachedPayload: payload) }
    }

    @Test("T34 size limits apply to detached and unencoded payloads (RFC 7797, 5.2)")
    func sizes() throws {
        for encoded in [true, false] {
            let header = encoded ? #"{"alg":"HS256"}"# : #"{"alg":"HS256","b64":false,"crit":["b64"]}"#
            let token = try detached(header, Self.octets, encoded: encoded)
            #expect(outcome(ofDetached: token) { $0.limits.plaintextBytes = 7 } == accepted)
            #expect(outcome(ofDetached: token) { $0.limits.plaintextBytes = 6 } == .tooLarge)
            #expect(outcome(ofDetached: token) { $0.limits.tokenBytes = token.utf8.count } == accepted)
            #expect(outcome(ofDetached: token) { $0.limits.tokenBytes = token.utf8.count - 1 } == .tooLarge)
        }
        let attached = try detached(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Self.octets, encoded: false)
            .replacing("..", with: ".payload.")
        for (limit, wanted) in [(7, accepted), (6, .tooLarge)] {
            var policy = SignaturePolicy(algorithms: [.hs256])
            policy.limits.plaintextBytes = limit
            let verifier = try JWSVerifier(keys: KeySet([Keys.secret]), policy: policy)
            #expect(verdict { () throws(JOSEError) in try verifier.verify(attached) } == wanted)
        }
    }

    @Test("T37 an extension that is not understood is rejected with detached content too (RFC 7515, 4.1.11)")
    func critical() throws {
        for (extra, encoded) in [(#""crit":["x"]"#, true), (#""b64":false,"crit":["b64","x"]"#, false)] {
            let token = try detached(#"{"alg":"HS256","x":1,\#(extra)}"#, Self.octets, encoded: encoded)
            #expect(outcome(ofDetached: token) == .criticalUnsupported)
            #expect(outcome(ofDetached: token) { $0.understoodCritical = ["x"] } == accepted)
        }
    }

    @Test("T38 malformed crit is rejected with detached content too (RFC 7515, 4.1.11)")
    func criticalForm() throws {
        for crit in ["[]", #""b64""#, "[1]", #"["b64","b64"]"#, #"["b64","x"]"#, #"["b64","alg"]"#, "null", "{}"] {
            let token = try detached(#"{"alg":"HS256","b64":false,"crit":\#(crit)}"#, Self.octets, encoded: false)
            #expect(outcome(ofDetached: token) == .headerInvalid, "\(crit)")
        }
        let good = try detached(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Self.octets, encoded: false)
        #expect(outcome(ofDetached: good) == accepted)
    }

    @Test("T39 b64 is a Boolean listed in crit, and decides how the payload is read (RFC 7797, 6)")
    func unencoded() throws {
        for extra in [
            #""b64":false"#, #""b64":"false","crit":["b64"]"#, #""b64":0,"crit":["b64"]"#, #""b64":null"#,
            #""b64":[],"crit":["b64"]"#, #""crit":["b64"]"#,
        ] {
            for encoded in [true, false] {
                let token = try detached(#"{"alg":"HS256",\#(extra)}"#, Self.octets, encoded: encoded)
                #expect(outcome(ofDetached: token) == .headerInvalid, "\(extra)")
                let attached = token.replacing("..", with: ".\(encoded ? Forge.encoded(Self.octets) : "payload").")
                // Without b64 the payload must be base64url, and its form is checked first.
                let wanted: Refusal = encoded || extra.hasPrefix(#""b64"#) ? .headerInvalid : .malformed
                #expect(JOSEThreatTests.outcome(of: attached, [Keys.secret], [.hs256]) == wanted, "\(extra)")
            }
        }
        // `YWJj` unencoded and `abc` are two payloads; each header selects one.
        for (header, encoded, payload) in [
            (#"{"alg":"HS256"}"#, true, "abc"), (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, false, "YWJj"),
        ] {
            let token = try detached(header, Array(payload.utf8), encoded: encoded).replacing("..", with: ".YWJj.")
            let verifier = try JWSVerifier(keys: KeySet([Keys.secret]), policy: SignaturePolicy(algorithms: [.hs256]))
            #expect(try verifier.verify(token).payload == Array(payload.utf8))
            let crossed = try detached(header, Array(payload.utf8), encoded: !encoded)
            #expect(outcome(ofDetached: crossed, Array(payload.utf8)) == .signatureInvalid)
        }
    }

    @Test("T39 the payload of a JWT must be encoded (RFC 7797, 7)")
    func unencodedToken() throws {
        let text = claims().replacing("https://i.test", with: "i").replacing("\\", with: "")
        for (header, wanted) in [
            (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, Refusal.headerInvalid), (#"{"alg":"HS256"}"#, nil),
        ] {
            let token = try detached(header, Array(text.utf8), encoded: wanted == nil).replacing(
                "..", with: ".\(wanted == nil ? Forge.encoded(Array(text.utf8)) : text).")
            #expect(try JOSEThreatTests.outcome(ofToken: token) { $0.issuer = "i" } == wanted)
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

    @Test("T41 a token with a payload is malformed if a detached payload is given too (RFC 7515, appendix F)")
    func twoPayloads() throws {
        let token = try detached(#"{"alg":"HS256"}"#, Self.octets, encoded: true)
        #expect(outcome(ofDetached: token) == accepted)
        let whole = token.replacing("..", with: ".\(Forge.encoded(Self.octets)).")
        #expect(outcome(ofDetached: whole) == .malformed)
        #expect(JOSEThreatTests.outcome(of: whole, [Keys.secret], [.hs256]) == accepted)
        for text in ["", ".", "..", token + ".", "{}", #"{"payload":"e30"}"#] {
            #expect(outcome(ofDetached: text) == .malformed, "\(text)")
        }
    }
}
