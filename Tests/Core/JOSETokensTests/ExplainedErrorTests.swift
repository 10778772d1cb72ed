import JOSE
import JOSETokens
import TestSupport
import Testing

/// An explanation shows the check that failed, for every error with which a token is rejected or not checked.
@Suite("Explanations of every error") struct ExplainedErrorTests {
    /// Errors that have codes of `RetryableErrorTests`, and belong to other checks.
    private static let further: [JOSEError] = [
        .malformed(ParseFailure(.claims, .json)), .malformed(ParseFailure(.header, .base64URL)),
        .malformed(ParseFailure(.certificate, .base64)), .limitExceeded(.headerBytes), .certificateInvalid(.untrusted),
        .externalKey(.signature(.notDER)),
    ]
    private static let headers: [HeaderFault] = [
        .algorithmMissing, .contentEncryptionMissing, .contentEncryptionDiffers, .memberType("typ"), .memberText,
        .critical, .b64, .ephemeralKey, .agreementInfo, .keyWrap, .password, .compression, .compressionNotBuilt,
        .reservedName, .type, .contentType,
    ]

    @Test("each error code of a token has exactly one line that failed, with the error and its remedy")
    func everyCode() throws {
        let fixture = try Fixture()
        let secret = KeySet(fixture.key)
        let outer = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a128cbcHS256])
        let inner = SignaturePolicy(algorithms: [.hs256])
        let verifiers = [
            try TokenVerifier(.signed(inner, claims: fixture.policy()), verificationKeys: secret),
            try TokenVerifier(.encrypted(outer, claims: fixture.policy()), decryptionKeys: secret),
            try TokenVerifier(
                .nested(outer: outer, inner: inner, claims: fixture.policy()), verificationKeys: secret,
                decryptionKeys: secret),
        ]
        var seen: Set<String> = []
        var ofLayers = RetryableErrorTests.errors.map(\.0) + Self.further
        ofLayers += Self.headers.map { JOSEError.headerInvalid($0) }
        var errors = RetryableErrorTests.others.map(\.0)
        for layer in [TokenLayer.encryption, .signature, .keyBinding] {
            errors += ofLayers.map { TokenError.jose($0, layer: layer) }
        }
        for error in errors {
            seen.insert(error.code)
            for verifier in verifiers {
                let report = verifier.explanation(.failure(error))
                let failed = report.lines.filter { $0.outcome == .failed }
                #expect(failed.count == 1 && report.error == error && !report.isValid, "\(error)")
                let line = try #require(failed.first)
                #expect(line.failure?.isEmpty == false && line.remedy == error.remedy, "\(error)")
                #expect(line.failure.map { "\(error)".hasSuffix($0) } == true, "\(error): \(line.failure ?? "")")
            }
        }
        let types: Set = [
            "JOSEError", "HeaderFault", "ClaimFailure", "TokenError", "ReplayFault", "DisclosureFault",
        ]
        let rows = try ErrorCodeTable().rows
        #expect(types.subtracting(rows.flatMap(\.types)).isEmpty)
        let codes = Set(rows.filter { !$0.types.isDisjoint(with: types) }.map(\.code))
        #expect(codes.subtracting(seen).isEmpty, "\(codes.subtracting(seen))")
        // A valid token has no such line.
        let good = verifiers[0].explain(try fixture.signer.sign(fixture.claims()))
        #expect(good.isValid && good.lines.allSatisfy { $0.outcome == .passed && $0.claim == nil })
    }

    /// A claim that fails, the kind of value that is found, and a value with which it does not fail.
    private struct Row: Sendable {
        let name: String
        let bad: String?
        let found: String
        let good: String?
        var change: @Sendable (inout ClaimPolicy) -> Void = { _ in }
    }

    private static let rows: [Row] = [
        Row(name: "iss", bad: "5", found: "a number", good: #""https://id.example""#),
        Row(name: "iss", bad: #""https://other.example""#, found: "another string", good: #""https://id.example""#),
        Row(name: "iss", bad: nil, found: "nothing", good: #""https://id.example""#),
        Row(name: "aud", bad: "7", found: "a number", good: #""shop""#),
        Row(name: "aud", bad: #"["bank"]"#, found: "another array", good: #"["shop"]"#),
        Row(name: "aud", bad: #"["shop","bank"]"#, found: "another array", good: #"["shop","friend"]"#) {
            $0.trustedAudiences = ["friend"]
        },
        Row(name: "exp", bad: #""4102444800""#, found: "a string", good: "4102444800"),
        Row(name: "exp", bad: "-1", found: "another number", good: "4102444800"),
        Row(name: "exp", bad: "1", found: "an earlier time", good: "4102444800"),
        Row(name: "exp", bad: nil, found: "nothing", good: "4102444800"),
        Row(name: "exp", bad: "4102444800", found: "a later time", good: "1700000100") {
            $0.maximumLifetime = .seconds(300)
        },
        Row(name: "exp", bad: "1700000009", found: "an earlier time", good: "1700000010") {
            $0.minimumRemainingLifetime = .seconds(10)
        },
        Row(name: "nbf", bad: #""soon""#, found: "a string", good: "1"),
        Row(name: "nbf", bad: "1700000001", found: "a later time", good: "1700000000"),
        Row(name: "iat", bad: "null", found: "null", good: "1"),
        Row(name: "iat", bad: "1700000001", found: "a later time", good: "1700000000"),
        Row(name: "iat", bad: "1699999899", found: "an earlier time", good: "1699999900") {
            $0.maximumAge = .seconds(100)
        },
        Row(name: "sub", bad: "12", found: "a number", good: #""12""#),
        Row(name: "jti", bad: "3", found: "a number", good: #""3""#),
        Row(name: "auth_time", bad: #""2026-11-27T12:00:00.000Z""#, found: "a string", good: "1700000000") {
            $0.maximumAuthenticationAge = .seconds(60)
        },
        Row(name: "auth_time", bad: "1", found: "an earlier time", good: "1700000000") {
            $0.maximumAuthenticationAge = .seconds(60)
        },
        Row(name: "nonce", bad: nil, found: "nothing", good: #""n""#) { $0.nonce = "n" },
        Row(name: "nonce", bad: "null", found: "null", good: #""n""#) { $0.nonce = "n" },
        Row(name: "azp", bad: #"["shop"]"#, found: "an array", good: #""shop""#) { $0.authorizedParty = "shop" },
        Row(name: "acr", bad: "1", found: "a number", good: #""1""#) { $0.acceptedACR = ["1"] },
        Row(name: "at_hash", bad: "{}", found: "an object", good: #""77QmUPtjPfzWtF2AnpK9RQ""#) {
            $0.accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        },
        Row(name: "token_use", bad: #""id""#, found: "another string", good: #""access""#) {
            $0.acceptedValues = ["token_use": ["access"]]
        },
        Row(name: "token_use", bad: #"["access"]"#, found: "an array", good: #""access""#) {
            $0.acceptedValues = ["token_use": ["access"]]
        },
        Row(name: "email", bad: nil, found: "nothing", good: "null") { $0.required = ["email"] },
        Row(name: "events", bad: "true", found: "a Boolean value", good: nil) { $0.forbidden = ["events"] },
    ]

    @Test("a claim that fails is named with what was expected and the kind that was found, and not with its value")
    func claims() throws {
        let fixture = try Fixture()
        for row in Self.rows {
            let verifier = try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.hs256]), claims: fixture.policy(row.change)),
                verificationKeys: fixture.key)
            let report = verifier.explain(try fixture.signer.sign(fixture.claims([row.name: row.bad])))
            let failed = report.lines.filter { $0.outcome == .failed }
            let shown = "\(row.name): \(row.bad ?? "absent"): \(failed)"
            #expect(failed.count == 1 && failed.first?.claim?.description == row.name, "\(shown)")
            #expect(failed.first?.expected?.isEmpty == false && failed.first?.found == row.found, "\(shown)")
            #expect(report.error.map { error in failed.first?.failure == "\(error)" } == true, "\(shown)")
            #expect(!report.description.contains("2026-11-27"), "\(shown)")
            #expect(verifier.explain(try fixture.signer.sign(fixture.claims([row.name: row.good]))).isValid, "\(shown)")
        }
    }

    @Test("a claim that fails one of a profile's own checks is named in the same way (RFC 9068, 2.2)")
    func profiles() throws {
        let fixture = try ProfileFixture()
        var profile = AccessTokenProfile(
            issuer: .exactly(ProfileFixture.issuer), resource: "https://rs.example", algorithms: [.es256])
        profile.claims.clock = .fixed(ProfileFixture.now)
        profile.scopes = ["write"]
        let verifier = try TokenVerifier(profile, verificationKeys: fixture.keys)
        let good = [
            "iss": #""https://id.example""#, "aud": #""https://rs.example""#, "sub": #""u""#, "client_id": #""c""#,
            "exp": "1700000300", "iat": "1700000000", "jti": #""x""#, "scope": #""write""#,
        ]
        #expect(try verifier.explain(fixture.sign(ProfileFixture.text(good), type: "at+jwt")).isValid)
        for (name, value, found) in [
            ("client_id", #"["c"]"#, "an array"), ("scope", #"["write read"]"#, "another array"),
            ("scope", "1", "a number"), ("scope", nil, "nothing"),
        ] as [(String, String?, String)] {
            let token = try fixture.sign(ProfileFixture.text(good, [name: value]), type: "at+jwt")
            let failed = verifier.explain(token).lines.filter { $0.outcome == .failed }
            #expect(failed.map(\.check) == ["the profile's own checks"], "\(name)")
            #expect(failed.first?.claim?.description == name && failed.first?.found == found, "\(name): \(failed)")
            #expect(failed.first?.remedy?.contains(name) == true, "\(name)")
        }
    }

    @Test("a clock that shows no valid time fails in a line of its own") func clock() throws {
        let fixture = try Fixture()
        // The clock is examined when a verifier is created only if its time is fixed.
        let broken = fixture.policy { $0.clock = .custom { NumericDate(secondsSince1970: .nan) } }
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: broken), verificationKeys: fixture.key)
        let report = verifier.explain(try fixture.signer.sign(fixture.claims()))
        let failed = report.lines.filter { $0.outcome == .failed }
        #expect(report.error == .policyInvalid(.clock) && failed.count == 1)
        #expect(failed.first?.failure?.contains("clock") == true && failed.first?.remedy?.contains("clock") == true)
    }
}
