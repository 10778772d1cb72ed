import JOSE
import TestSupport
import Testing

@Suite("Detached and unencoded payloads") struct DetachedTests {
    let key: SecretKey
    let verifier: JWSVerifier

    init() throws {
        key = try SecretKey(bytes: Array(0..<32))
        verifier = try JWSVerifier(keys: KeySet(key), policy: SignaturePolicy(algorithms: [.hs256]))
    }

    private func signer(unencoded: Bool) throws -> JWSSigner {
        var header = HeaderParameters()
        header.payloadIsUnencoded = unencoded
        return try JWSSigner(key: key, algorithm: .hs256, header: header)
    }

    @Test(
        "a detached payload verifies, and a different one does not (RFC 7515, appendix F)",
        arguments: [false, true])
    func detached(unencoded: Bool) throws {
        let signer = try signer(unencoded: unencoded)
        for payload in [[], [0], Array("$.02".utf8), [UInt8](0...255)] {
            let token = try signer.sign(detached: payload)
            #expect(token.contains(".."))
            let verified = try verifier.verify(token, detachedPayload: payload)
            #expect(verified.payload == payload && verified.header.payloadIsUnencoded == unencoded)
            #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(token, detachedPayload: payload + [0]) }
            if !payload.isEmpty {
                #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(token) }
            }
        }
    }

    @Test("a signature that is not base64url is malformed, and not invalid (RFC 7515, 5.2, step 2)")
    func signatureText() throws {
        let malformed = JOSEError.malformed(ParseFailure(.signature, .base64URL))
        for unencoded in [false, true] {
            let signer = try signer(unencoded: unencoded)
            let (whole, detached) = (try signer.sign("a payload"), try signer.sign(detached: "a payload"))
            #expect(throws: Never.self) { try verifier.verify(whole) }
            #expect(throws: malformed) { try verifier.verify(whole + "*") }
            #expect(throws: Never.self) { try verifier.verify(detached, detachedPayload: Array("a payload".utf8)) }
            #expect(throws: malformed) { try verifier.verify(detached + "*", detachedPayload: Array("a payload".utf8)) }
            #expect(throws: Never.self) { _ = try verifier.stream(detached) }
            #expect(throws: malformed) { _ = try verifier.stream(detached + "*") }
        }
    }

    @Test("a detached token is the attached one without its payload, for each algorithm") func same() throws {
        for (algorithm, key) in try JWSTests.pairs() {
            let signer = try JWSTests.signer(key, algorithm)
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            let attached = try signer.sign("payload").split(separator: ".")
            let cut = "\(attached[0])..\(attached[2])"
            #expect(try verifier.verify(cut, detachedPayload: Array("payload".utf8)).algorithm == algorithm)
            let detached = try signer.sign(detached: "payload").split(separator: ".", omittingEmptySubsequences: false)
            let whole = "\(detached[0]).\(base64URL("payload".utf8)).\(detached[2])"
            #expect(try verifier.verify(whole).payload == Array("payload".utf8))
        }
    }

    @Test("a token that already has a payload is malformed if a detached payload is given") func twice() throws {
        let signer = try signer(unencoded: false)
        let token = try signer.sign("payload")
        #expect(throws: Never.self) { try verifier.verify(token) }
        let detached = try signer.sign(detached: "payload")
        #expect(throws: Never.self) { try verifier.verify(detached, detachedPayload: Array("payload".utf8)) }
        #expect(throws: JOSEError.self) { try verifier.verify(token, detachedPayload: Array("payload".utf8)) }
        do throws(JOSEError) {
            _ = try verifier.verify(token, detachedPayload: Array("payload".utf8))
        } catch {
            #expect(RFCRunner.name(error) == "malformed")
        }
    }

    @Test("an attached unencoded payload is the text between the dots (RFC 7797, 5.2)") func attached() throws {
        let signer = try signer(unencoded: true)
        for payload in ["", "$02", "abcd", "YWJj", "a b~c!", "{\"a\":1}"] {
            let token = try signer.sign(payload)
            #expect(token.split(separator: ".", omittingEmptySubsequences: false)[1] == payload)
            #expect(try verifier.verify(token).payload == Array(payload.utf8))
        }
        for payload in ["$.02", ".", "\u{1F}", "a\n", "\u{7F}", "é"] {
            #expect(throws: JOSEError.self, "\(payload)") { try signer.sign(payload) }
            // A payload that is rejected there may be detached.
            let token = try signer.sign(detached: payload)
            #expect(try verifier.verify(token, detachedPayload: Array(payload.utf8)).payload == Array(payload.utf8))
        }
    }

    @Test("an attached unencoded payload with characters that a signer rejects is malformed (RFC 7797, 5.2)")
    func foreign() throws {
        let signer = try signer(unencoded: true)
        for payload in ["\u{1F}", "a\n", "\u{7F}", "é"] {
            let parts = try signer.sign(detached: payload).split(separator: ".", omittingEmptySubsequences: false)
            do throws(JOSEError) {
                _ = try verifier.verify("\(parts[0]).\(payload).\(parts[2])")
                Issue.record("\(payload) was accepted")
            } catch {
                #expect(RFCRunner.name(error) == "malformed", "\(payload)")
            }
        }
    }

    @Test("an unencoded payload without b64 false is rejected") func notSaid() throws {
        let parts = try signer(unencoded: false).sign("x").split(separator: ".")
        do throws(JOSEError) {
            _ = try verifier.verify("\(parts[0]).$02.\(parts[2])")
            Issue.record("accepted")
        } catch {
            #expect(RFCRunner.name(error) == "malformed")
        }
    }

    @Test("b64 true has the same effect as its absence, with or without crit (RFC 7797, 3)") func saidTrue() throws {
        for critical in [[], ["b64"]] {
            var header = HeaderParameters()
            header.set("b64", json: Array("true".utf8))
            header.critical = critical
            let token = try JWSSigner(key: key, algorithm: .hs256, header: header).sign("$.02")
            #expect(try verifier.verify(token).payload == Array("$.02".utf8))
        }
    }

    @Test("setting the member b64 to false signs as payloadIsUnencoded does") func byHand() throws {
        var header = HeaderParameters()
        header.set("b64", json: Array("false".utf8))
        header.critical = ["b64"]
        let token = try JWSSigner(key: key, algorithm: .hs256, header: header).sign("$02")
        #expect(try verifier.verify(token).payload == Array("$02".utf8))
    }

    @Test("a detached JWS has the same checks of algorithm, key and crit as an attached one") func policy() throws {
        let token = try signer(unencoded: true).sign(detached: "x")
        #expect(throws: Never.self) { try verifier.verify(token, detachedPayload: Array("x".utf8)) }
        let other = JWSVerifier(unexaminedKeys: KeySet(key), policy: SignaturePolicy(algorithms: [.hs512]))
        #expect(throws: JOSEError.algorithmNotAllowed(.signature)) {
            try other.verify(token, detachedPayload: Array("x".utf8))
        }
        let none = JWSVerifier(unexaminedKeys: KeySet.empty, policy: SignaturePolicy(algorithms: [.hs256]))
        #expect(throws: JOSEError.keyNotFound) { try none.verify(token, detachedPayload: Array("x".utf8)) }
    }

    @Test("b64 is rejected in a JWE") func encryption() throws {
        var header = HeaderParameters()
        header.payloadIsUnencoded = true
        let key = try SecretKey.generate(bits: 256)
        #expect(throws: JOSEError.headerInvalid(.b64)) {
            try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
        }
        header.payloadIsUnencoded = false
        #expect(throws: Never.self) {
            try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
        }
    }
}
