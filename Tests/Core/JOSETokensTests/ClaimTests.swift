import Foundation
import JOSE
import JOSETokens
import Testing

/// A key, a fixed time, and tokens of any payload.
struct Fixture {
    static let now: NumericDate = 1_700_000_000
    let key: SecretKey
    let signer: JWSSigner

    init() throws {
        key = try SecretKey(bytes: Array(0..<32))
        signer = try JWSSigner(key: key, algorithm: .hs256)
    }

    func policy(_ change: (inout ClaimPolicy) -> Void = { _ in }) -> ClaimPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(Self.now)
        claims.leeway = .zero
        change(&claims)
        return claims
    }

    func verify(_ payload: String, _ change: (inout ClaimPolicy) -> Void = { _ in }) throws -> VerifiedToken {
        try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: policy(change)), verificationKeys: KeySet(key)
        ).verify(signer.sign(payload))
    }

    /// The good claims with members put before or over them.
    func claims(_ changes: [String: String?] = [:]) -> String {
        var members = [
            ("iss", #""https://id.example""#), ("sub", #""u""#), ("aud", #""shop""#), ("exp", "1700000600"),
            ("iat", "1699999990"),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}

/// A claim that fails, the failure, and the same claim mended.
struct ClaimCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let bad: [String?]
    let good: [String?]
    let failure: ClaimFailure
    var change: @Sendable (inout ClaimPolicy) -> Void = { _ in }
}

@Suite("Claims") struct ClaimTests {
    static let cases: [ClaimCase] = [
        ClaimCase(
            testDescription: "iss is one of the policy's, byte by byte, RFC 7519, 4.1.1", name: "iss",
            bad: [
                nil, "5", "null", #"["https://id.example"]"#, #""https://id.example/""#, #""https://id.exampl""#,
                #""HTTPS://id.example""#, #""https://id.example\u0000""#, #""""#,
            ],
            good: [#""https://id.example""#, #""https:\/\/id.example""#, #""\u0068ttps://id.example""#],
            failure: .issuerMismatch),
        ClaimCase(
            testDescription: "aud is or holds the policy's, RFC 7519, 4.1.3", name: "aud",
            bad: [
                nil, "5", "null", "[]", #"{"shop":1}"#, #"["shop",5]"#, #"[["shop"]]"#, #""sho""#, #""shop ""#,
                #"["s","h"]"#,
            ],
            good: [#""shop""#, #"["shop"]"#, #"["other","shop"]"#], failure: .audienceMismatch),
        ClaimCase(
            testDescription: "exp is later than now, RFC 7519, 4.1.4", name: "exp",
            bad: ["1700000000", "1699999999.999", "0", "-0"],
            good: ["1700000001", "1700000000.001", "1.7000006e9", "9007199254740992"], failure: .expired),
        ClaimCase(
            testDescription: "exp is a number from 0 to 2^53, RFC 7519, 2", name: "exp",
            bad: [
                #""1700000600""#, "true", "null", "[1700000600]", "{}", "9007199254740994", "1e19", "-1e30", "-1",
                "-0.001", "-1700000600",
            ],
            good: ["1700000600"], failure: .invalid("exp")),
        ClaimCase(
            testDescription: "exp is required by default", name: "exp", bad: [nil], good: ["1700000600"],
            failure: .missing("exp")),
        ClaimCase(
            testDescription: "nbf is not later than now, RFC 7519, 4.1.5", name: "nbf",
            bad: ["1700000000.001", "1700000001"], good: [nil, "1700000000", "0"], failure: .notYetValid),
        ClaimCase(
            testDescription: "nbf of a wrong type is not an absent one", name: "nbf",
            bad: ["true", #""0""#, "null", "18446744073709551616"], good: ["0"], failure: .invalid("nbf")),
        ClaimCase(
            testDescription: "nbf is not negative", name: "nbf", bad: ["-1", "-0.5", "-9007199254740992"],
            good: [nil, "0", "-0"], failure: .invalid("nbf")),
        ClaimCase(
            testDescription: "iat is not negative", name: "iat", bad: ["-1", "-0.5", "-9007199254740992"],
            good: [nil, "0", "-0"], failure: .invalid("iat")),
        ClaimCase(
            testDescription: "auth_time is not judged where its age is not checked", name: "auth_time", bad: [],
            good: [
                nil, "0", "-1", #""2026-11-27T12:00:00.000Z""#, #""1700000000""#, "null", "[]", "{}", "true", "1e300",
            ],
            failure: .invalid("auth_time")),
        ClaimCase(
            testDescription: "auth_time is a time where its age is checked", name: "auth_time",
            bad: ["-1", #""2026-11-27T12:00:00.000Z""#, "null", "[1700000000]", "{}", "true", "1e300"],
            good: ["1700000000"], failure: .invalid("auth_time"),
            change: { $0.maximumAuthenticationAge = .seconds(300) }),
        ClaimCase(
            testDescription: "azp is not judged where the policy names no party", name: "azp", bad: [],
            good: [nil, #""shop""#, "null", #"["shop"]"#, "5", "{}"], failure: .invalid("azp")),
        ClaimCase(
            testDescription: "nonce is not judged where none was sent", name: "nonce", bad: [],
            good: [nil, #""n""#, "null", "5", "[]"], failure: .invalid("nonce")),
        ClaimCase(
            testDescription: "acr is not judged where no level is asked for", name: "acr", bad: [],
            good: [nil, #""0""#, "null", "1", #"["high"]"#], failure: .invalid("acr")),
        ClaimCase(
            testDescription: "aud has no other value than the trusted ones, OpenID Connect Core, 3.1.3.7, step 3",
            name: "aud",
            bad: [
                #"["shop","other"]"#, #"["shop","friend","other"]"#, #"["shop","friend "]"#, #"["shop",null]"#,
                #"["friend"]"#, #""friend""#, nil,
            ], good: [#""shop""#, #"["shop"]"#, #"["friend","shop"]"#, #"["shop","shop"]"#],
            failure: .audienceMismatch, change: { $0.trustedAudiences = ["friend"] }),
        ClaimCase(
            testDescription: "aud has no other value at all where the list of trusted ones is empty", name: "aud",
            bad: [#"["shop","friend"]"#], good: [#""shop""#, #"["shop"]"#], failure: .audienceMismatch,
            change: { $0.trustedAudiences = [] }),
        ClaimCase(
            testDescription: "a claim has the required value, byte by byte", name: "token_use",
            bad: [
                #""id""#, #""ACCESS""#, #""access ""#, #""acces""#, #""""#, #"["access"]"#, "null", "1", "true", "{}",
                #""\u00e1ccess""#,
            ], good: [#""access""#, #""\u0061ccess""#, #""refresh""#], failure: .invalid("token_use"),
            change: { $0.acceptedValues = ["token_use": ["access", "refresh"]] }),
        ClaimCase(
            testDescription: "a claim with a required value is there", name: "token_use", bad: [nil],
            good: [#""access""#], failure: .missing("token_use"),
            change: { $0.acceptedValues = ["token_use": ["access"]] }),
        ClaimCase(
            testDescription: "a number and a Boolean value have the required JSON text", name: "verified",
            bad: ["false", "1.0", "10", "null", #""True""#, "[true]"], good: ["true", #""true""#, "1"],
            failure: .invalid("verified"), change: { $0.acceptedValues = ["verified": ["true", "1"]] }),
        ClaimCase(
            testDescription: "iat is not in the future", name: "iat", bad: ["1700000001"], good: ["1700000000", nil],
            failure: .issuedInFuture("iat")),
        ClaimCase(
            testDescription: "iat is no older than the maximum age", name: "iat", bad: ["1699999899"],
            good: ["1699999900"], failure: .tooOld("iat"), change: { $0.maximumAge = .seconds(100) }),
        ClaimCase(
            testDescription: "iat is required where there is a maximum age", name: "iat", bad: [nil],
            good: ["1699999900"], failure: .missing("iat"), change: { $0.maximumAge = .seconds(100) }),
        ClaimCase(
            testDescription: "exp is no further ahead than the longest lifetime", name: "exp",
            bad: ["1700000600.001", "9007199254740992"], good: ["1700000600", "1700000001"], failure: .lifetimeTooLong,
            change: { $0.maximumLifetime = .seconds(610) }),
        ClaimCase(
            testDescription: "exp is no further from iat than the longest lifetime", name: "iat", bad: ["1699999989"],
            good: ["1699999990", "1700000000", nil], failure: .lifetimeTooLong,
            change: { $0.maximumLifetime = .seconds(610) }),
        ClaimCase(
            testDescription: "exp is no further from nbf than the longest lifetime", name: "nbf",
            bad: ["1699999989.9"], good: ["1699999990", nil], failure: .lifetimeTooLong,
            change: { $0.maximumLifetime = .seconds(610) }),
        ClaimCase(
            testDescription: "exp is required where there is a longest lifetime", name: "exp", bad: [nil],
            good: ["1700000600"], failure: .missing("exp"),
            change: {
                $0.maximumLifetime = .seconds(610)
                $0.requiresExpiration = false
            }),
        ClaimCase(
            testDescription: "sub is the policy's", name: "sub", bad: [#""U""#, #""u ""#, "5", "null"], good: [#""u""#],
            failure: .invalid("sub"), change: { $0.subject = "u" }),
        ClaimCase(
            testDescription: "sub is there where the policy names one", name: "sub", bad: [nil], good: [#""u""#],
            failure: .missing("sub"), change: { $0.subject = "u" }),
        ClaimCase(
            testDescription: "sub and jti are strings wherever they stand, RFC 7519, 4.1.2", name: "sub",
            bad: ["5", "null", "[]"], good: [nil, #""x""#], failure: .invalid("sub")),
        ClaimCase(
            testDescription: "nonce is the one sent, OpenID Connect Core, 3.1.3.7, step 11", name: "nonce",
            bad: [#""N-1""#, #""n-12""#, #""n-""#, "1"], good: [#""n-1""#], failure: .invalid("nonce"),
            change: { $0.nonce = "n-1" }),
        ClaimCase(
            testDescription: "nonce is there", name: "nonce", bad: [nil], good: [#""n-1""#], failure: .missing("nonce"),
            change: { $0.nonce = "n-1" }),
        ClaimCase(
            testDescription: "azp is the client, OpenID Connect Core, 3.1.3.7, step 5", name: "azp",
            bad: [#""other""#, #"["shop"]"#], good: [#""shop""#], failure: .invalid("azp"),
            change: { $0.authorizedParty = "shop" }),
        ClaimCase(
            testDescription: "azp is there where the policy names the client", name: "azp", bad: [nil],
            good: [#""shop""#], failure: .missing("azp"), change: { $0.authorizedParty = "shop" }),
        ClaimCase(
            testDescription: "acr is an accepted level", name: "acr", bad: [#""low""#, #"["high"]"#, "2"],
            good: [#""high""#, #""higher""#], failure: .invalid("acr"), change: { $0.acceptedACR = ["high", "higher"] }),
        ClaimCase(
            testDescription: "acr is there where levels are given", name: "acr", bad: [nil], good: [#""high""#],
            failure: .missing("acr"), change: { $0.acceptedACR = ["high"] }),
        ClaimCase(
            testDescription: "auth_time is recent where asked", name: "auth_time", bad: ["1699999699"],
            good: ["1699999700", "1700000000"], failure: .tooOld("auth_time"),
            change: { $0.maximumAuthenticationAge = .seconds(300) }),
        ClaimCase(
            testDescription: "auth_time is a number", name: "auth_time", bad: [#""1699999700""#], good: ["1699999700"],
            failure: .invalid("auth_time"), change: { $0.maximumAuthenticationAge = .seconds(300) }),
        // RFC 7515, A.1 has no access token: these are of OpenID Connect Core, A.3, whose token and at_hash are published.
        ClaimCase(
            testDescription: "at_hash is of the access token, OpenID Connect Core, 3.1.3.6 and A.3", name: "at_hash",
            bad: [#""77QmUPtjPfzWtF2AnpK9RR""#, #""""#, "7"], good: [#""77QmUPtjPfzWtF2AnpK9RQ""#],
            failure: .invalid("at_hash"), change: { $0.accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y" }),
        ClaimCase(
            testDescription: "c_hash is of the code, OpenID Connect Core, 3.3.2.11 and A.4", name: "c_hash",
            bad: [#""LDktKdoQak3Pk0cnXxCltB""#], good: [#""LDktKdoQak3Pk0cnXxCltA""#], failure: .invalid("c_hash"),
            change: { $0.code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk" }),
        ClaimCase(
            testDescription: "a required claim is there", name: "email", bad: [nil], good: [#""e""#, "null"],
            failure: .missing("email"), change: { $0.required = ["email"] }),
        ClaimCase(
            testDescription: "a forbidden claim is not there", name: "email", bad: [#""e""#, "null"], good: [nil],
            failure: .forbidden("email"), change: { $0.forbidden = ["email"] }),
    ]

    @Test("each claim rule rejects the values that violate it, and accepts the others", arguments: cases)
    func each(_ test: ClaimCase) throws {
        let fixture = try Fixture()
        for value in test.bad {
            #expect(throws: TokenError.claim(test.failure), "\(value ?? "absent")") {
                try fixture.verify(fixture.claims([test.name: value]), test.change)
            }
        }
        for value in test.good {
            #expect(throws: Never.self, "\(value ?? "absent")") {
                try fixture.verify(fixture.claims([test.name: value]), test.change)
            }
        }
    }

    @Test("a token with the exact time of its issue as iat and nbf is valid at once, and one of the next hour is not")
    func exactTimes() throws {
        let fixture = try Fixture()
        for reportsEveryFailure in [false, true] {
            func verify(_ time: Double, lifetime: Double) throws -> VerifiedToken {
                let times = ["iat": "\(time)", "nbf": "\(time)", "exp": "\(time + lifetime)"]
                return try fixture.verify(fixture.claims(times)) { claims in
                    claims.clock = .system
                    claims.maximumLifetime = .seconds(600)
                    claims.reportsEveryFailure = reportsEveryFailure
                }
            }
            func now() -> Double { Date().timeIntervalSince1970 }
            for _ in 0..<200 { #expect(throws: Never.self) { try verify(now(), lifetime: 600) } }
            #expect(throws: TokenError.self) { try verify(now() + 3_600, lifetime: 600) }
            #expect(throws: TokenError.self) { try verify(now(), lifetime: 601) }
        }
    }

    @Test("the leeway extends exp, nbf and iat by exactly its length") func leeway() throws {
        let fixture = try Fixture()
        for (name, bad, good) in [("exp", "1699999940", "1699999941"), ("nbf", "1700000061", "1700000060")] {
            #expect(throws: TokenError.self) {
                try fixture.verify(fixture.claims([name: bad])) { $0.leeway = .seconds(60) }
            }
            #expect(throws: Never.self) {
                try fixture.verify(fixture.claims([name: good])) { $0.leeway = .seconds(60) }
            }
        }
    }

    @Test(
        "explicitly named opt-ins skip the checks of issuer and audience, but not of their types"
    )
    func unchecked() throws {
        let fixture = try Fixture()
        let loud: (inout ClaimPolicy) -> Void = {
            $0.issuer = .anyIssuerUnchecked
            $0.audience = .anyAudienceUnchecked
        }
        #expect(throws: Never.self) { try fixture.verify(fixture.claims(["iss": nil, "aud": nil]), loud) }
        #expect(throws: Never.self) { try fixture.verify(fixture.claims(["iss": #""x""#, "aud": #"["y"]"#]), loud) }
        #expect(throws: TokenError.claim(.invalid("iss"))) { try fixture.verify(fixture.claims(["iss": "5"]), loud) }
        for aud in ["[5]", "[]", #"["y",5]"#] {
            #expect(throws: TokenError.claim(.invalid("aud"))) {
                try fixture.verify(fixture.claims(["aud": aud]), loud)
            }
        }
    }

    @Test("every failed claim is reported, in the order of the checks, if the policy requests it")
    func everyFailure() throws {
        let fixture = try Fixture()
        let bad = fixture.claims(["iss": #""x""#, "exp": "1", "nonce": nil])
        let all: (inout ClaimPolicy) -> Void = {
            $0.nonce = "n"
            $0.reportsEveryFailure = true
        }
        #expect(throws: TokenError.claims([.issuerMismatch, .expired, .missing("nonce")])) {
            try fixture.verify(bad, all)
        }
        #expect(throws: TokenError.claim(.issuerMismatch)) { try fixture.verify(bad) { $0.nonce = "n" } }
        #expect(throws: Never.self) { try fixture.verify(fixture.claims(["nonce": #""n""#]), all) }
    }

    @Test("accepted values are checked in the order of their names, and an audience that is not trusted fails once")
    func orderOfValues() throws {
        let fixture = try Fixture()
        let bad = fixture.claims(["aud": #"["shop","other"]"#, "client_id": #""b""#])
        let all: (inout ClaimPolicy) -> Void = {
            $0.trustedAudiences = []
            $0.acceptedValues = ["token_use": ["access"], "client_id": ["a"], "sub": ["u"]]
            $0.reportsEveryFailure = true
        }
        #expect(throws: TokenError.claims([.audienceMismatch, .invalid("client_id"), .missing("token_use")])) {
            try fixture.verify(bad, all)
        }
        let good = fixture.claims(["client_id": #""a""#, "token_use": #""access""#])
        #expect(throws: Never.self) { try fixture.verify(good, all) }
        // The description of a policy has the names of the claims, and not the values.
        let policy = "\(fixture.policy { $0.acceptedValues = ["email": ["a@b.test"]] })"
        #expect(policy.contains("email") && !policy.contains("a@b.test"))
    }

    @Test("an invalid policy is rejected when the verifier is created") func policyFaults() throws {
        let fixture = try Fixture()
        let cases: [(PolicyFault, (inout ClaimPolicy) -> Void)] = [
            (.leeway, { $0.leeway = .seconds(-1) }), (.leeway, { $0.leeway = .seconds(301) }),
            (.leeway, { $0.leewaySeconds = .nan }), (.duration, { $0.maximumLifetime = .seconds(-1) }),
            (.duration, { $0.maximumLifetimeSeconds = .nan }),
            (.duration, { $0.maximumLifetime = .seconds(Int64.max) }),
            (.duration, { $0.maximumLifetimeSeconds = .infinity }), (.duration, { $0.maximumAge = .seconds(-1) }),
            (.duration, { $0.maximumAuthenticationAgeSeconds = .infinity }),
            (.clock, { $0.clock = .fixed(NumericDate(secondsSince1970: .nan)) }),
            (.emptyList, { $0.issuer = .oneOf([]) }), (.emptyList, { $0.issuer = "" }),
            (.emptyList, { $0.issuer = .oneOf(["a", ""]) }), (.emptyList, { $0.audience = .exactly("") }),
            (.emptyList, { $0.audience = .oneOf([]) }), (.emptyList, { $0.acceptedACR = [] }),
            (.emptyList, { $0.acceptedValues = ["a": []] }), (.emptyList, { $0.trustedAudiences = [""] }),
            (
                .contradiction,
                {
                    $0.audience = .anyAudienceUnchecked
                    $0.trustedAudiences = ["friend"]
                }
            ),
            (
                .contradiction,
                {
                    $0.acceptedValues = ["a": ["1"]]
                    $0.forbidden = ["a"]
                }
            ),
            (
                .contradiction,
                {
                    $0.required = ["a"]
                    $0.forbidden = ["a"]
                }
            ),
        ]
        for (fault, change) in cases {
            #expect(throws: TokenError.policyInvalid(fault)) { try fixture.verify(fixture.claims(), change) }
        }
        #expect(throws: Never.self) { try fixture.verify(fixture.claims()) }
    }

    @Test("claims of each type are read, and their description contains no value") func reading() throws {
        let token = try Fixture().verify(
            Fixture().claims([
                "n": "12", "f": "1.5", "b": "true", "s": #""\u00e9\ud83d\ude00""#, "l": #"["a","b"]"#,
                "o": #"{"x":[1]}"#, "m": #"["a",1]"#,
            ]))
        let claims = token.claims
        #expect(claims.integer("n") == 12 && claims.number("f") == 1.5 && claims.bool("b") == true)
        #expect(claims.string("s") == "é😀" && claims.strings("l") == ["a", "b"])
        #expect(claims.json("o") == Array(#"{"x":[1]}"#.utf8))
        #expect(claims.string("n") == nil && claims.number("s") == nil && claims.strings("o") == nil)
        #expect(claims.strings("m") == nil && claims.strings("s") == ["é😀"])
        #expect(!"\(claims)".contains("shop") && !String(reflecting: claims).contains("shop"))
    }
}
