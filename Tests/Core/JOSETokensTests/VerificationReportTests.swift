import JOSE
import JOSETokens
import Testing

@Suite("Verification reports") struct ExplanationTests {
    @Test("a valid token passes every check") func good() throws {
        let fixture = try Fixture()
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy()),
            verificationKeys: KeySet(fixture.key))
        let explanation = verifier.explain(try fixture.signer.sign(fixture.claims()))
        #expect(explanation.isValid && explanation.lines.allSatisfy { $0.outcome == .passed })
        #expect(explanation.claims?.subject == "u")
        let lines = explanation.description.split(separator: "\n")
        #expect(lines.count == explanation.lines.count && lines.allSatisfy { $0.hasPrefix("passed: ") })
    }

    @Test("the description of a report names each failure and its remedy, and contains nothing of the token")
    func descriptions() throws {
        let fixture = try Fixture()
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy()),
            verificationKeys: KeySet(fixture.key))
        let expired = verifier.explain(
            try fixture.signer.sign(fixture.claims(["sub": #""confidential""#, "exp": "1"])))
        #expect(
            expired.description.split(separator: "\n").filter { $0.hasPrefix("failed: ") } == [
                """
                failed: exp is present and has not passed: the token has expired; exp: expected a time after now, found an \
                earlier time; remedy: get a new token; if a new token has expired too, synchronize the clocks
                """
            ])
        #expect(expired.error?.remedy == "get a new token; if a new token has expired too, synchronize the clocks")
        let malformed = verifier.explain("Bearer confidential")
        #expect(malformed.description.contains("\nnot reached: signature layer: signature\n"))
        for report in [expired, malformed] { #expect(!report.description.contains("confidential")) }
        guard case .jose(.malformed(let fault), _)? = verifier.explain("a.b").error else {
            Issue.record("not malformed")
            return
        }
        #expect("\(fault)" == "the token has the wrong number of parts")
    }

    @Test("a report ends with the first check of a layer that fails") func layers() throws {
        let fixture = try Fixture()
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy()),
            verificationKeys: KeySet(fixture.key))
        let good = try fixture.signer.sign(fixture.claims())
        let parts = good.split(separator: ".")
        let other = try JWSSigner(key: fixture.key, algorithm: .hs256, header: HeaderParameters(keyID: "other"))
        var named = fixture.key
        named.keyID = "mine"
        let strict = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy()), verificationKeys: KeySet(named))
        let cases: [(TokenVerifier, String, String)] = [
            (verifier, String(repeating: "a", count: 256 * 1024 + 1), "size"),
            (verifier, "a.b", "three parts"), (verifier, "e30.\(parts[1]).\(parts[2])", "header"),
            (verifier, "eyJhbGciOiJub25lIn0.\(parts[1]).", "alg"), (strict, try other.sign(fixture.claims()), "a key"),
            (verifier, "\(parts[0]).\(parts[1]).AAAA", "signature"),
            (verifier, try fixture.signer.sign("[]"), "claims"),
        ]
        for (verifier, token, check) in cases {
            let explanation = verifier.explain(token)
            let failed = explanation.lines.filter { $0.outcome == .failed }
            #expect(failed.count == 1 && failed[0].check.hasPrefix(check), "\(check): \(failed.map(\.check))")
            #expect(failed.first?.remedy?.isEmpty == false && failed.first?.failure?.isEmpty == false)
            let place = explanation.lines.firstIndex { $0.outcome == .failed } ?? 0
            #expect(explanation.lines[..<place].allSatisfy { $0.outcome == .passed })
            #expect(explanation.lines[(place + 1)...].allSatisfy { $0.outcome == .notReached })
            let error = try #require(explanation.error)
            #expect(throws: error) { try verifier.verify(token) }
            #expect(explanation.claims == nil)
        }
    }

    @Test("a report has a line for every failed claim") func claims() throws {
        let fixture = try Fixture()
        let verifier = try TokenVerifier(
            .signed(
                SignaturePolicy(algorithms: [.hs256]),
                claims: fixture.policy {
                    $0.nonce = "n"
                    $0.forbidden = ["sub"]
                }), verificationKeys: KeySet(fixture.key))
        let explanation = verifier.explain(try fixture.signer.sign(fixture.claims(["exp": "1", "aud": "[]"])))
        let failed = explanation.lines.filter { $0.outcome == .failed }
        #expect(failed.count == 4)
        #expect(explanation.error == .claim(.audienceMismatch))
        #expect(failed.allSatisfy { $0.layer == nil && $0.remedy != nil })
        let bounded = try TokenVerifier(
            .signed(
                SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy { $0.maximumLifetime = .seconds(300) }),
            verificationKeys: KeySet(fixture.key))
        let long = bounded.explain(try fixture.signer.sign(fixture.claims())).lines.filter { $0.outcome == .failed }
        #expect(long.map(\.check) == ["exp is within the maximum lifetime"])
    }

    @Test("an unverified token shows header and issuer, and cannot be used as a verified one")
    func unverified() throws {
        let fixture = try Fixture()
        let shown = try UnverifiedToken(try fixture.signer.sign(fixture.claims()))
        #expect(shown.issuer == "https://id.example" && !shown.isEncrypted && shown.header.algorithmName == "HS256")
        for bad in ["", "a.b", "e30.e30", "e30.!.a", "e30.W10.a"] {
            #expect(throws: JOSEError.self, "\(bad)") { try UnverifiedToken(bad) }
        }
        let token = try fixture.signer.sign(fixture.claims())
        var limits = ParsingLimits.standard
        limits.tokenBytes = token.utf8.count
        #expect(throws: Never.self) { try UnverifiedToken(token, limits: limits) }
        limits.tokenBytes -= 1
        #expect(throws: JOSEError.limitExceeded(.tokenBytes)) { try UnverifiedToken(token, limits: limits) }
    }

    @Test("for an explanation, claims are read of a token within the limits, and of no other") func limits() throws {
        let token = try Fixture().signer.sign(Fixture().claims())
        func issuer(_ bytes: Int) -> String? {
            var limits = ParsingLimits.standard
            limits.tokenBytes = bytes
            return Claims(unverified: token.utf8.span, limits: limits)?.issuer
        }
        #expect(issuer(token.utf8.count) == "https://id.example")
        #expect(issuer(token.utf8.count - 1) == nil)
    }
}
