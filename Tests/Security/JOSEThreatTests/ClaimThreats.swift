import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Threats: claims") struct ClaimThreats {
    @Test("T51 a time of a wrong type is rejected, and not treated as absent (RFC 7519, 2)")
    func types() throws {
        for name in ["exp", "nbf", "iat"] {
            for value in [
                #""1700000100""#, #""""#, "true", "false", "null", "[1700000100]", "[]", "{}", #"{"t":1700000100}"#,
            ] {
                for required in [true, false] {
                    let refusal = try outcome(ofClaims: claims((name, value))) { $0.requiresExpiration = required }
                    #expect(refusal == .claimInvalid, "\(name): \(value)")
                }
            }
            let good = name == "exp" ? "1700000100" : "1699999999"
            #expect(try outcome(ofClaims: claims((name, good))) == accepted)
        }
        #expect(try outcome(ofClaims: claims(("exp", nil))) == .claimMissing)
        #expect(try outcome(ofClaims: claims(("exp", nil))) { $0.requiresExpiration = false } == accepted)
        let authenticated = claims(("auth_time", #""1""#))
        #expect(try outcome(ofClaims: authenticated) { $0.maximumAuthenticationAge = .seconds(10) } == .claimInvalid)
    }

    @Test("T52 a time is a Double from 0 to 2^53, neither wrapped nor truncated (RFC 7519, 2)")
    func numbers() throws {
        for name in ["exp", "nbf", "iat"] {
            for value in [
                "1e19", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551516",
                "-1e30",
                "1e308", "-9223372036854775809", "9007199254740994", "-9007199254740994", "-9007199254740992", "-1",
                "-1e-300",
                "1" + String(repeating: "0", count: 300),
            ] { #expect(try outcome(ofClaims: claims((name, value))) == .claimInvalid, "\(name): \(value)") }
            for value in ["1e400", "-1e400", String(repeating: "9", count: 400)] {
                #expect(try outcome(ofClaims: claims((name, value))) == .malformed, "\(name): \(value)")
            }
        }
        for value in ["9007199254740992", "1.7000001e9", "1700000000.001", "17000000001e-1"] {
            #expect(try outcome(ofClaims: claims(("exp", value))) == accepted, "\(value)")
        }
        for value in ["0", "0.5", "1699999999.999", "-0", "1e-300"] {
            #expect(try outcome(ofClaims: claims(("nbf", value))) == accepted, "\(value)")
        }
        #expect(try outcome(ofClaims: claims(("nbf", "1700000000.001"))) == .notYetValid)
        #expect(try outcome(ofClaims: claims(("exp", "1699999999.999"))) == .expired)
        #expect(try outcome(ofClaims: claims(("exp", "0"))) == .expired)
        #expect(try outcome(ofClaims: claims(("exp", "-0"))) == .expired)
        #expect(try outcome(ofClaims: claims(("exp", "1e-300"))) == .expired)
    }

    @Test("T53 a token is rejected from exp on, and accepted from nbf on, to the second (RFC 7519, 4.1.4 and 4.1.5)")
    func boundary() throws {
        #expect(try outcome(ofClaims: claims(("exp", "1700000000"))) == .expired)
        #expect(try outcome(ofClaims: claims(("exp", "1700000001"))) == accepted)
        #expect(try outcome(ofClaims: claims(("nbf", "1700000000"))) == accepted)
        #expect(try outcome(ofClaims: claims(("nbf", "1700000001"))) == .notYetValid)
        #expect(try outcome(ofClaims: claims(("iat", "1700000000"))) == accepted)
        #expect(try outcome(ofClaims: claims(("iat", "1700000001"))) == .issuedInFuture)
        #expect(try outcome(ofClaims: claims(("exp", "1699999970"))) { $0.leeway = .seconds(30) } == .expired)
        #expect(try outcome(ofClaims: claims(("exp", "1699999971"))) { $0.leeway = .seconds(30) } == accepted)
        #expect(try outcome(ofClaims: claims(("nbf", "1700000030"))) { $0.leeway = .seconds(30) } == accepted)
        #expect(try outcome(ofClaims: claims(("nbf", "1700000031"))) { $0.leeway = .seconds(30) } == .notYetValid)
        #expect(ClaimPolicy(issuer: "a", audience: "b").leeway == .seconds(60))
        for leeway in [Duration.seconds(-1), .milliseconds(300_500), .seconds(Int64.max), .seconds(Int64.min)] {
            #expect(throws: TokenError.policyInvalid(.leeway)) {
                try outcome(ofClaims: claims()) { $0.leeway = leeway }
            }
        }
        for clock in [Double.nan, .infinity, -1e300] {
            #expect(throws: TokenError.policyInvalid(.clock)) {
                try outcome(ofClaims: claims()) { $0.clock = .fixed(NumericDate(secondsSince1970: clock)) }
            }
        }
    }

    @Test("T54 an audience that differs in any byte is rejected (RFC 7519, 4.1.3)")
    func audience() throws {
        for value in [
            nil, "[]", "1", "null", "true", "{}", #"{"me":1}"#, #"[["me"]]"#, #"[{"me":1}]"#, #"["m","e"]"#, #""m""#,
            #""mee""#, #""ME""#,
            #""me ""#, #"" me""#, #""""#, #"[""]"#, #"["me",1]"#, #"[null,"me"]"#, #""me\u0000""#, #""me,other""#,
            #""me other""#,
            #"["other"]"#, #"["ME","mE"]"#,
        ] { #expect(try outcome(ofClaims: claims(("aud", value))) == .audienceMismatch, "\(value ?? "none")") }
        for value in [
            #""me""#, #"["me"]"#, #"["other","me"]"#, #"["me","me"]"#, #""\u006de""#, #"["x","\u006d\u0065"]"#,
        ] {
            #expect(try outcome(ofClaims: claims(("aud", value))) == accepted, "\(value)")
        }
        let others = claims(("aud", #""other""#))
        #expect(try outcome(ofClaims: others) { $0.audience = .oneOf(["me", "other"]) } == accepted)
        #expect(try outcome(ofClaims: others) { $0.audience = .anyAudienceUnchecked } == accepted)
        #expect(try outcome(ofClaims: claims(("aud", nil))) { $0.audience = .anyAudienceUnchecked } == accepted)
        #expect(throws: TokenError.policyInvalid(.emptyList)) {
            try outcome(ofClaims: others) { $0.audience = .oneOf([]) }
        }
    }

    @Test("T55 an issuer that differs in any byte is rejected (RFC 8725, 3.8)")
    func issuer() throws {
        for value in [
            nil, #"["https://i.test"]"#, "[]", "1", "null", "true", "{}", #""https://i.tes""#, #""https://i.test/""#,
            #""https://i.test:443""#,
            #""https://i.test.evil""#, #""https://i.test@evil""#, #""https://evil@i.test""#, #""HTTPS://i.test""#,
            #""https://I.test""#,
            #""http://i.test""#, #""https://i.test\u0000""#, #""https://i.test ""#, #"" https://i.test""#, #""""#,
            #""i.test""#,
            #""https://i%2Etest""#, #""https://i.test#""#, #""https://i.test?""#, #""https://\u0456.test""#,
        ] { #expect(try outcome(ofClaims: claims(("iss", value))) == .issuerMismatch, "\(value ?? "none")") }
        for value in [#""https://i.test""#, #""https:\/\/i.test""#, #""\u0068ttps://i.test""#] {
            #expect(try outcome(ofClaims: claims(("iss", value))) == accepted, "\(value)")
        }
        #expect(try outcome(ofClaims: claims(("iss", #""other""#))) { $0.issuer = .oneOf(["x", "other"]) } == accepted)
        #expect(
            try outcome(ofClaims: claims(("iss", #""oth""#))) { $0.issuer = .oneOf(["x", "other"]) } == .issuerMismatch)
        #expect(try outcome(ofClaims: claims(("iss", "[1]"))) { $0.issuer = .anyIssuerUnchecked } == .claimInvalid)
        #expect(try outcome(ofClaims: claims(("iss", nil))) { $0.issuer = .anyIssuerUnchecked } == accepted)
        #expect(throws: TokenError.policyInvalid(.emptyList)) {
            try outcome(ofClaims: claims()) { $0.issuer = .oneOf([]) }
        }
    }

    @Test("T56 no claim is checked before the signature is verified (RFC 7519, 7.2)")
    func order() throws {
        let bad = claims(("iss", #""other""#), ("aud", "1"), ("exp", "1"), ("nbf", "9e9"))
        let wrongKey = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: bad, with: Keys.symmetric(32), .hs256)
        #expect(try outcome(ofToken: wrongKey) == .signatureInvalid)
        let notJSON = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: "{", with: Keys.symmetric(32), .hs256)
        #expect(try outcome(ofToken: notJSON) == .signatureInvalid)
        // The claims are checked in one order, whatever their order in the token.
        #expect(try outcome(ofClaims: bad) == .issuerMismatch)
        #expect(try outcome(ofClaims: claims(("exp", "1"), ("aud", "1"))) == .audienceMismatch)
        #expect(try outcome(ofClaims: claims(("nbf", "9e9"), ("exp", "1"))) == .expired)
        #expect(try outcome(ofClaims: claims()) == accepted)

        var policy = ClaimPolicy(issuer: "https://i.test", audience: "me")
        (policy.leeway, policy.clock, policy.reportsEveryFailure) = (.zero, .fixed(Now.date), true)
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: policy), verificationKeys: KeySet(Keys.secret))
        let signed = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: bad, with: Keys.secret, .hs256)
        #expect(throws: TokenError.claims([.issuerMismatch, .audienceMismatch, .expired, .notYetValid])) {
            try verifier.verify(signed)
        }
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verifier.verify(wrongKey) }
    }

    @Test("T57 kinds of tokens are distinguished by claims too: required, forbidden, nonce, azp (RFC 8725, 3.12)")
    func kinds() throws {
        let more = claims(("nonce", #""n""#), ("azp", #""me""#), ("events", "{}"))
        #expect(try outcome(ofClaims: more) { $0.forbidden = ["events"] } == .claimInvalid)
        #expect(try outcome(ofClaims: claims()) { $0.required = ["events"] } == .claimMissing)
        #expect(try outcome(ofClaims: more) { $0.nonce = "N" } == .claimInvalid)
        #expect(try outcome(ofClaims: more) { $0.nonce = "n\0" } == .claimInvalid)
        #expect(try outcome(ofClaims: claims()) { $0.nonce = "n" } == .claimMissing)
        #expect(try outcome(ofClaims: claims(("nonce", #"["n"]"#))) { $0.nonce = "n" } == .claimInvalid)
        #expect(try outcome(ofClaims: more) { $0.authorizedParty = "you" } == .claimInvalid)
        #expect(
            try outcome(ofClaims: more) { ($0.required, $0.nonce, $0.authorizedParty) = (["events"], "n", "me") }
                == accepted)
        #expect(try outcome(ofClaims: claims()) { $0.forbidden = ["events", "Iss"] } == accepted)
    }

    private struct Wanted: Decodable { let exp: Int }

    @Test("T66 claims are read from verified tokens only (RFC 8725, 3.3)")
    func unverified() throws {
        let own = Keys.symmetric(32)
        let token = try Forge.signed(
            header: #"{"alg":"HS256","kid":"k"}"#, payload: claims(("sub", #""canary""#)), with: own, .hs256)
        let seen = try UnverifiedToken(token)
        #expect(seen.issuer == "https://i.test" && seen.header.keyID == "k" && !seen.isEncrypted)
        // An unverified token shows its header, its issuer and whether it is encrypted, and nothing else.
        #expect(Set(Mirror(reflecting: seen).children.compactMap(\.label)) == ["header", "issuer", "isEncrypted"])
        var text = ""
        dump(seen, to: &text)
        #expect(!text.contains("canary") && !"\(seen)".contains("canary"))
        var policy = ClaimPolicy(issuer: "https://i.test", audience: "me")
        policy.clock = .fixed(1_700_000_000)
        for (key, expected) in [(Keys.secret, Refusal.signatureInvalid), (own, accepted)] {
            let verifier = try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.hs256]), claims: policy), verificationKeys: KeySet(key))
            let decoded = verdict { () throws(TokenError) in try verifier.verify(token, as: Wanted.self) }
            #expect(decoded == expected)
        }
    }

    @Test(
        "T67 a jti that is not a string is rejected, and the application can store it against replay (RFC 7519, 4.1.7)"
    )
    func replay() throws {
        for value in ["1", "null", "[]", "{}", "true"] {
            #expect(try outcome(ofClaims: claims(("jti", value))) == .claimInvalid, "\(value)")
        }
        #expect(try outcome(ofClaims: claims()) { $0.required = ["jti"] } == .claimMissing)
        #expect(try outcome(ofClaims: claims(("jti", #""once""#))) { $0.required = ["jti"] } == accepted)
        let issuer = try TestIssuer()
        let verified = try issuer.verifier().verify(try issuer.issue(["jti": "once"]))
        #expect(verified.claims.tokenID == "once" && verified.claims.issuer == issuer.issuer)
    }
}
