import JOSE
import JOSETokens
import Testing

/// A rule, the values of one claim that violate it, each with the kind of its fault, and values that meet it.
struct ClaimRuleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: ClaimRule
    let name: String
    let bad: [(String?, ClaimFault.Kind)]
    let good: [String?]
    var algorithm: SignatureAlgorithm? = .es256
}

@Suite("Claim rules, one at a time") struct ClaimRuleTests {
    /// The values that the rules compare claims with.
    private static var policy: ClaimPolicy {
        var policy = ClaimPolicy(issuer: "https://id.example", audience: "client")
        policy.authorizedParty = "client"
        policy.nonce = "n"
        policy.acceptedACR = ["1", "2"]
        policy.accessToken = "access"
        return policy
    }
    private static let hash = (try? SignatureAlgorithm.es256.tokenHash(of: "access")).map { "\"\($0)\"" }

    static let cases: [ClaimRuleCase] = [
        ClaimRuleCase(
            testDescription: "sub is present and has 1 to 255 ASCII characters, OpenID Connect Core, 2",
            rule: .subject, name: "sub",
            bad: [
                (nil, .absent), ("1234", .malformed), ("[]", .malformed), ("null", .malformed), (#""""#, .empty),
                (#""é""#, .malformed), ("\"\(String(repeating: "a", count: 256))\"", .malformed),
            ], good: [#""u""#, "\"\(String(repeating: "a", count: 255))\""]),
        ClaimRuleCase(
            testDescription: "acr is one of the accepted strings, OpenID Connect Core, 3.1.3.7, step 12",
            rule: .acr, name: "acr",
            bad: [(nil, .absent), ("1", .malformed), ("[]", .malformed), ("null", .malformed), (#""3""#, .mismatch)],
            good: [#""1""#, #""2""#]),
        ClaimRuleCase(
            testDescription: "aud names nobody whom the client does not trust, OpenID Connect Core, 3.1.3.7, step 3",
            rule: .audience(isRequired: true, trusted: ["friend"]), name: "aud",
            bad: [
                (#""other""#, .mismatch), (#"["client","other"]"#, .mismatch), (#""""#, .mismatch),
                (#""friend""#, .mismatch), (nil, .mismatch), ("null", .mismatch),
            ], good: [#""client""#, #"["client","friend"]"#]),
        ClaimRuleCase(
            testDescription: "aud that is not required may be absent or null",
            rule: .audience(isRequired: false, trusted: nil), name: "aud",
            bad: [(#""other""#, .mismatch), ("[]", .mismatch)],
            good: [#"["client","other"]"#, nil, "null"]),
        ClaimRuleCase(
            testDescription: "iss that is not required may be absent or null",
            rule: .issuer(isRequired: false), name: "iss", bad: [(#""other""#, .mismatch), ("1", .mismatch)],
            good: [#""https://id.example""#, nil, "null"]),
        ClaimRuleCase(
            testDescription: "nonce is the one sent, and its faults differ, OpenID Connect Core, 3.1.3.7, step 11",
            rule: .nonce, name: "nonce",
            bad: [(nil, .absent), ("5", .malformed), ("null", .malformed), (#""N""#, .mismatch), (#""""#, .mismatch)],
            good: [#""n""#, #""\u006e""#]),
        ClaimRuleCase(
            testDescription: "a required string is present, a string and not empty", rule: .requiredString("tid"),
            name: "tid", bad: [(nil, .absent), ("5", .malformed), (#""""#, .empty)], good: [#""t""#]),
        ClaimRuleCase(
            testDescription: "at_hash is the hash of the access token, OpenID Connect Core, 3.1.3.8",
            rule: .accessTokenHash, name: "at_hash",
            bad: [(#""""#, .mismatch), ("5", .mismatch), (#""AAAAAAAAAAAAAAAAAAAAAA""#, .mismatch)],
            good: [hash, nil]),
        ClaimRuleCase(
            testDescription:
                "no at_hash matches if the token has no signature, whose algorithm names the hash function",
            rule: .accessTokenHash, name: "at_hash", bad: [(#""""#, .mismatch), (hash, .mismatch)],
            good: [nil], algorithm: nil),
    ]

    @Test(
        "each rule rejects the values that violate it with the kind of the fault, and accepts others", arguments: cases)
    func each(_ test: ClaimRuleCase) throws {
        func check(_ value: String?) throws {
            let text = Array("{\(value.map { "\"\(test.name)\":\($0)" } ?? "")}".utf8)
            let claims = try Claims(payload: text, limits: .standard, layer: .signature)
            try ClaimEvaluation(claims, under: Self.policy, algorithm: test.algorithm, now: 0).check(test.rule)
        }
        for (value, kind) in test.bad {
            let fault = #expect(throws: ClaimFault.self, "\(value ?? "absent")") { try check(value) }
            #expect(fault?.claim.description == test.name && fault?.kind == kind, "\(value ?? "absent")")
        }
        for value in test.good { #expect(throws: Never.self, "\(value ?? "absent")") { try check(value) } }
    }

    private func evaluation(_ text: String) throws -> ClaimEvaluation {
        let claims = try Claims(payload: Array(text.utf8), limits: .standard, layer: .signature)
        return ClaimEvaluation(claims, under: Self.policy, algorithm: .es256, now: 0)
    }

    @Test("azp is required if there is more than one audience (OpenID Connect Core, 3.1.3.7, step 4)")
    func authorizedParty() throws {
        for (claims, kind) in [
            (#"{"aud":"client"}"#, nil), (#"{"aud":["client"]}"#, nil), (#"{"aud":["client","b"]}"#, .absent),
            (#"{"aud":["client","b"],"azp":"client"}"#, nil), (#"{"aud":["client","b"],"azp":"b"}"#, .mismatch),
            // Null names no party.
            (#"{"aud":"client","azp":null}"#, nil), (#"{"aud":["client","b"],"azp":null}"#, .absent),
            (#"{"aud":"client","azp":["client"]}"#, .malformed),
        ] as [(String, ClaimFault.Kind?)] {
            let rule = ClaimRule.authorizedParty(isRequiredForSeveral: true)
            if let kind {
                let fault = #expect(throws: ClaimFault.self, "\(claims)") { try evaluation(claims).check(rule) }
                #expect(fault?.claim.description == "azp" && fault?.kind == kind, "\(claims)")
            } else {
                #expect(throws: Never.self, "\(claims)") { try evaluation(claims).check(rule) }
            }
        }
        let optional = ClaimRule.authorizedParty(isRequiredForSeveral: false)
        #expect(throws: Never.self) { try evaluation(#"{"aud":["client","b"]}"#).check(optional) }
    }

    @Test("a rule that compares with a value of the policy accepts nothing, or any value, if the policy has none")
    func valuesOfPolicy() throws {
        let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
        let issuer = "https://id.example/\(tenant)"
        func kind(_ claims: String, _ rule: ClaimRule, _ change: (inout ClaimPolicy) -> Void) throws -> ClaimFault.Kind?
        {
            var policy = Self.policy
            change(&policy)
            let claims = try Claims(payload: Array(claims.utf8), limits: .standard, layer: .signature)
            do throws(ClaimFault) {
                try ClaimEvaluation(claims, under: policy, algorithm: .es256, now: 0).check(rule)
                return nil
            } catch {
                return error.kind
            }
        }
        // Without an authorized party there is none that `azp` could name.
        for claims in [#"{"aud":"client"}"#, #"{"aud":"client","azp":"client"}"#, #"{"azp":""}"#] {
            let found = try kind(claims, .authorizedParty(isRequiredForSeveral: false)) { $0.authorizedParty = nil }
            #expect(found == .mismatch, "\(claims)")
        }
        // If any issuer or any audience is accepted, the claim is required all the same, and must be of its type.
        for (isRequired, value, wanted) in [
            (true, nil, .absent), (true, #""x""#, nil), (true, "1", .malformed), (true, "null", .malformed),
            (false, nil, nil), (false, #""x""#, nil), (false, "1", .malformed), (false, "null", nil),
        ] as [(Bool, String?, ClaimFault.Kind?)] {
            let issuer = try kind("{\(value.map { "\"iss\":\($0)" } ?? "")}", .issuer(isRequired: isRequired)) {
                $0.issuer = .anyIssuerUnchecked
            }
            #expect(issuer == wanted, "iss \(isRequired) \(value ?? "absent")")
            let rule = ClaimRule.audience(isRequired: isRequired, trusted: [])
            let audience = try kind("{\(value.map { "\"aud\":\($0)" } ?? "")}", rule) {
                $0.audience = .anyAudienceUnchecked
            }
            #expect(audience == wanted, "aud \(isRequired) \(value ?? "absent")")
        }
        // A template that is no template of issuers accepts none.
        for (text, wanted) in [("https://id.example/{tenantid}", nil), ("https://id.example", .mismatch)]
            as [(String, ClaimFault.Kind?)]
        {
            let found = try kind(#"{"tid":"\#(tenant)","iss":"\#(issuer)"}"#, .issuer(isRequired: true)) {
                $0.issuer = .template(IssuerTemplate(text, tenants: .oneOf([tenant])))
            }
            #expect(found == wanted, "\(text)")
        }
    }

    @Test("a claim that is read as a time is a number of at most 2^53 that is not negative (RFC 7519, 2)")
    func time() throws {
        for (value, time) in [
            ("0", 0.0), ("1.5", 1.5), ("9007199254740992", 9_007_199_254_740_992),
        ] {
            #expect(try evaluation("{\"t\":\(value)}").time("t") == time, "\(value)")
        }
        #expect(try evaluation("{}").time("t") == nil)
        let dates = try evaluation(#"{"a":-9007199254740992,"b":9007199254740992,"c":9007199254740994}"#).claims
        #expect(dates.date("a")?.secondsSince1970 == -9_007_199_254_740_992)
        #expect(dates.date("b")?.secondsSince1970 == 9_007_199_254_740_992 && dates.date("c") == nil)
        for value in ["9007199254740994", "-1", #""5""#, "null", "[]"] {
            let fault = #expect(throws: ClaimFault.self, "\(value)") { try evaluation("{\"t\":\(value)}").time("t") }
            #expect(fault?.claim.description == "t" && fault?.kind == .malformed, "\(value)")
        }
        #expect(throws: Never.self) { try evaluation("{}").check(authenticatedAt: 0, maximumAge: 10) }
        let fault = #expect(throws: ClaimFault.self) {
            try evaluation("{}").check(authenticatedAt: nil, maximumAge: 10)
        }
        #expect(fault?.kind == .absent)
    }

    @Test("where every failure is reported, a missing or malformed auth_time is reported once")
    func authenticationTime() throws {
        let fixture = try Fixture()
        let rule: (inout ClaimPolicy) -> Void = {
            $0.maximumAuthenticationAge = .seconds(300)
            $0.reportsEveryFailure = true
        }
        for (value, failure) in [
            (nil, .missing("auth_time")), (#""1700000000""#, .invalid("auth_time")),
            ("1699999699", .tooOld("auth_time")), ("1700000000", nil),
        ] as [(String?, ClaimFailure?)] {
            let payload = fixture.claims(["auth_time": value])
            if let failure {
                #expect(throws: TokenError.claims([failure]), "\(value ?? "absent")") {
                    try fixture.verify(payload, rule)
                }
            } else {
                #expect(throws: Never.self) { try fixture.verify(payload, rule) }
            }
        }
    }

    @Test("a policy's times are at most 2^53 seconds, which is the bound of the times of claims (RFC 7519, 2)")
    func longest() throws {
        let fixture = try Fixture()
        let bound = 9_007_199_254_740_992.0
        let places: [WritableKeyPath<ClaimPolicy, Double?>] = [
            \.maximumAgeSeconds, \.maximumLifetimeSeconds, \.maximumAuthenticationAgeSeconds,
        ]
        let claims = fixture.claims(["auth_time": "1700000000"])
        for place in places {
            #expect(throws: Never.self) { try fixture.verify(claims) { $0[keyPath: place] = bound } }
            for time in [bound.nextUp, -1, .nan] {
                #expect(throws: TokenError.policyInvalid(.duration), "\(time)") {
                    try fixture.verify(claims) { $0[keyPath: place] = time }
                }
            }
            // Zero is allowed, whatever the claims are.
            do {
                _ = try fixture.verify(claims) { $0[keyPath: place] = 0 }
            } catch {
                #expect(error as? TokenError != .policyInvalid(.duration))
            }
        }
    }
}
