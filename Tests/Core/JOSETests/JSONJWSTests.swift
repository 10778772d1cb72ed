import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("JWS in JSON") struct JSONJWSTests {
    private func key(_ fill: UInt8, _ id: String?) throws -> SecretKey {
        var key = try SecretKey(bytes: [UInt8](repeating: fill, count: 64))
        key.keyID = id
        return key
    }

    private func signer(
        _ fill: UInt8, _ id: String? = nil, _ algorithm: SignatureAlgorithm = .hs256,
        _ header: HeaderParameters = HeaderParameters()
    ) throws -> JWSSigner {
        try JWSSigner(key: key(fill, id), algorithm: algorithm, header: header)
    }

    private func verifier(
        _ keys: [SecretKey], _ adjust: (inout SignaturePolicy) -> Void = { _ in }
    ) -> JWSVerifier {
        var policy = SignaturePolicy(algorithms: [.hs256, .hs512])
        adjust(&policy)
        return JWSVerifier(unexaminedKeys: KeySet(keys.map(JWK.symmetricKey)), policy: policy)
    }

    @Test("each algorithm verifies both JSON forms of its signature, which equals the compact one (RFC 7515, 7.2)")
    func forms() throws {
        for (algorithm, key) in try JWSTests.pairs() {
            let signer = try JWSTests.signer(key, algorithm)
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            for form in [JSONForm.flattened, .general] {
                let json = try JSONSigner([.init(signer)], form: form).sign("payload")
                let verified = try verifier.verify(json: json)
                #expect(verified.payload == Array("payload".utf8))
                #expect(verified.signatures.map(\.algorithm) == [algorithm])
                #expect(verified.signatures[0].key == key && verified.signatures[0].index == 0)
                #expect(verified.signatures[0].unprotected == nil)
                let token = try JSON(json.utf8)
                var part = token
                if case .array(let list)? = token["signatures"] { part = list[0] }
                let compact = [part["protected"], token["payload"], part["signature"]].map { $0?.string ?? "" }
                #expect(try verifier.verify(compact.joined(separator: ".")).payload == verified.payload)
            }
        }
    }

    @Test("a payload that is not base64url, or a header that is no object, is malformed (RFC 7515, 7.2.1)")
    func malformed() throws {
        let signer = try signer(1, "a")
        let verifier = try verifier([key(1, "a")])
        for form in [JSONForm.flattened, .general] {
            let json = try JSONSigner([.init(signer)], form: form).sign("payload")
            #expect(throws: Never.self) { try verifier.verify(json: json) }
            for text in ["*", "cGF5bG9hZA==", "cGF5bG9hZB"] {
                #expect(throws: JOSEError.malformed(ParseFailure(.payload, .base64URL)), "\(text)") {
                    try verifier.verify(json: json.replacing(base64URL("payload".utf8), with: text))
                }
            }
            func with(_ header: String) -> String {
                json.replacing(#""protected""#, with: #""header":\#(header),"protected""#)
            }
            #expect(throws: Never.self) { try verifier.verify(json: with(#"{"x":1}"#)) }
            for header in ["1", "[]", "null", #""x""#] {
                #expect(throws: JOSEError.malformed(ParseFailure(.header, .json)), "\(header)") {
                    try verifier.verify(json: with(header))
                }
            }
        }
    }

    @Test("any, all and keys decide which signatures must be valid, and each valid one is reported (RFC 7515, 5.2)")
    func requirements() throws {
        let json = try JSONSigner([
            .init(signer(1, "a")), .init(signer(2, "b", .hs512)), .init(signer(3, "c")),
        ]).sign("x")
        let a = try key(1, "a")
        let b = try key(2, "b")
        let c = try key(3, "c")
        let wrong = try key(9, "c")
        func validIndices(_ keys: [SecretKey], _ requirement: SignatureRequirement) throws -> [Int] {
            try verifier(keys) { $0.requirement = requirement }.verify(json: json).signatures.map(\.index)
        }
        #expect(try validIndices([a, b, c], .any) == [0, 1, 2])
        #expect(try validIndices([b], .any) == [1])
        #expect(try validIndices([a, wrong], .any) == [0])
        #expect(throws: JOSEError.keyNotFound) { try validIndices([], .any) }
        #expect(throws: JOSEError.signatureInvalid) { try validIndices([wrong], .any) }
        #expect(try validIndices([c, b, a], .all) == [0, 1, 2])
        #expect(throws: JOSEError.keyNotFound) { try validIndices([a, b], .all) }
        #expect(throws: JOSEError.signatureInvalid) { try validIndices([a, b, wrong], .all) }
        let thumbprint = try b.thumbprint()
        #expect(try validIndices([a, b], .keys([.keyID("a")])) == [0, 1])
        #expect(try validIndices([b], .keys([.thumbprint(thumbprint)])) == [1])
        #expect(try validIndices([a, b, c], .keys([.keyID("c"), .thumbprint(thumbprint)])) == [0, 1, 2])
        #expect(throws: JOSEError.keyNotFound) { try validIndices([a, b], .keys([.keyID("c")])) }
        #expect(throws: JOSEError.signatureInvalid) { try validIndices([a, b, wrong], .keys([.keyID("c")])) }
        #expect(throws: JOSEError.keyNotFound) { try validIndices([a, c], .keys([.thumbprint(thumbprint)])) }
        #expect(throws: JOSEError.keyNotFound) { try validIndices([], .keys([])) }
    }

    @Test("SignatureRequirement.keys selects by the kid of the verifier's key, not by that of the token")
    func named() throws {
        let json = try JSONSigner(signer(1), unprotected: HeaderParameters(keyID: "admin")).sign("x")
        let bare = try key(1, nil)
        #expect(throws: Never.self) { try verifier([bare]).verify(json: json) }
        #expect(throws: JOSEError.keyNotFound) {
            try verifier([bare]) { $0.requirement = .keys([.keyID("admin")]) }.verify(json: json)
        }
    }

    @Test("an unprotected header can select the key by kid (RFC 7515, 7.2.1)")
    func unprotected()
        throws
    {
        var header = HeaderParameters(keyID: "a")
        header.set("note", "n")
        let json = try JSONSigner(signer(1), unprotected: header).sign("x")
        let signature = try verifier([key(1, "a"), key(2, "b")]).verify(json: json).signatures[0]
        #expect(signature.header.keyID == nil && signature.unprotected?.keyID == "a")
        #expect(signature.header.string("note") == nil && signature.unprotected?.string("note") == "n")
        #expect(throws: JOSEError.keyNotFound) { try verifier([key(1, "z")]).verify(json: json) }
    }

    @Test("typ and cty are read from the protected header only (RFC 7515, 4.1.9)") func types() throws {
        let beside = try JSONSigner(signer(1), unprotected: HeaderParameters(type: "good")).sign("x")
        let within = try JSONSigner(signer(1, nil, .hs256, HeaderParameters(type: "good"))).sign("x")
        let verifier = try verifier([key(1, nil)]) { $0.type = .exactly("good") }
        #expect(throws: JOSEError.headerInvalid(.type)) { try verifier.verify(json: beside) }
        #expect(throws: Never.self) { try verifier.verify(json: within) }
    }

    @Test("detached and unencoded JSON signatures verify (RFC 7515, F; RFC 7797, 4.2)", arguments: [false, true])
    func detached(unencoded: Bool) throws {
        var header = HeaderParameters()
        header.payloadIsUnencoded = unencoded
        let verifier = try verifier([key(1, nil)])
        for form in [JSONForm.flattened, .general] {
            let json = try JSONSigner([.init(signer(1, nil, .hs256, header))], form: form)
            for payload in ["", "$.02", "é\u{1F600}\"\\\n\u{0}", #"{"a":"b.c"}"#] {
                let octets = Array(payload.utf8)
                let whole = try json.sign(payload)
                #expect(try verifier.verify(json: whole).payload == octets)
                let cut = try json.sign(detached: payload)
                #expect(try verifier.verify(json: cut, detachedPayload: octets).payload == octets)
                #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(json: cut, detachedPayload: [1]) }
                for (text, isDetached) in [(whole, true), (cut, false)] {
                    do throws(JOSEError) {
                        _ =
                            isDetached
                            ? try verifier.verify(json: text, detachedPayload: octets) : try verifier.verify(json: text)
                        Issue.record("accepted")
                    } catch {
                        #expect(RFCRunner.name(error) == "malformed")
                    }
                }
            }
            let octets: [UInt8] = [0xFF, 0xFE]
            #expect(try verifier.verify(json: json.sign(detached: octets), detachedPayload: octets).payload == octets)
            if unencoded { #expect(throws: JOSEError.self) { try json.sign(octets) } }
        }
    }

    @Test("signatures with different values of b64 are rejected (RFC 7797, 3)") func mixed() throws {
        var header = HeaderParameters()
        header.payloadIsUnencoded = true
        let encoded = try signer(1)
        let plain = try signer(1, nil, .hs256, header)
        #expect(throws: JOSEError.headerInvalid(.b64)) { try JSONSigner([.init(encoded), .init(plain)]) }
        // The payload member is the text that was signed, or its base64url.
        func entry(_ signer: JWSSigner, _ payload: String) throws -> Substring {
            let json = try JSONSigner([.init(signer)]).sign(payload)
            return json[json.firstIndex(of: "[")!...].dropFirst().dropLast(2)
        }
        let (one, other) = (try entry(encoded, "abc"), try entry(plain, "YWJj"))
        for (first, second, isMixed) in [(one, other, true), (one, one, false), (other, other, false)] {
            let text = #"{"payload":"YWJj","signatures":[\#(first),\#(second)]}"#
            if isMixed {
                #expect(throws: JOSEError.headerInvalid(.b64)) { try verifier([key(1, nil)]).verify(json: text) }
            } else {
                #expect(throws: Never.self) { try verifier([key(1, nil)]).verify(json: text) }
            }
        }
    }

    @Test("headers that a verifier would reject are rejected when the JSON signer is created") func refused() throws {
        let signer = try signer(1, "a")
        let faults: [(inout HeaderParameters) -> Void] = [
            { $0.keyID = "b" }, { $0.set("alg", "HS256") }, { $0.critical = ["x"] }, { $0.payloadIsUnencoded = true },
            { $0.set("b64", json: Array("true".utf8)) }, { $0.set("crit", json: Array(#"["x"]"#.utf8)) },
            { $0.agreementPartyU = [1] }, { $0.set("x", json: Array("1,".utf8)) },
        ]
        for fault in faults {
            var header = HeaderParameters()
            fault(&header)
            #expect(throws: JOSEError.self) { try JSONSigner(signer, unprotected: header) }
        }
        #expect(throws: JOSEError.self) { try JSONSigner([]) }
        #expect(throws: JOSEError.self) { try JSONSigner([.init(signer), .init(signer)], form: .flattened) }
        #expect(throws: Never.self) { try JSONSigner([.init(signer), .init(signer)]) }
        #expect(throws: JOSEError.limitExceeded(.signatures)) {
            try JSONSigner(Array(repeating: .init(signer), count: 17))
        }
    }

    @Test("more signatures than the limit are rejected before any is verified") func limit() throws {
        let json = try JSONSigner(Array(repeating: .init(signer(1)), count: 3)).sign("x")
        #expect(throws: Never.self) { try verifier([key(1, nil)]) { $0.limits.signatures = 3 }.verify(json: json) }
        #expect(throws: JOSEError.limitExceeded(.signatures)) {
            try verifier([key(1, nil)]) { $0.limits.signatures = 2 }.verify(json: json)
        }
    }
}
