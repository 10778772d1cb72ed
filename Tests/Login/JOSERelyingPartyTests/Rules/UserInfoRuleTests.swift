import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("Userinfo: the rules of OpenID Connect Core in a login") struct UserInfoRuleTests {
    private static let forms: [ItsmeUserInfoForm] = [.signed, .nested, .encrypted, .json]

    /// Returns the error of a login with a changed response; nil if the login succeeds.
    private func failure(
        _ form: ItsmeUserInfoForm, _ fixture: LoginFixture, header more: String = "",
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void
    ) async throws -> RelyingPartyError? {
        let provider = fixture.provider
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"\#(more)}"#
        return try await fixture.failure { script in
            script.userInfo = { claims in
                var claims = claims
                change(&claims)
                let text = String(decoding: claims.json(), as: UTF8.self)
                switch form {
                case .json: return .json(text)
                case .signed: return .jwt(try provider.sign(claims))
                case .nested:
                    return .jwt(try provider.wrap(try provider.sign(claims), nestedLayers, header: header))
                case .encrypted: return .jwt(try provider.wrap(text, nestedLayers, header: header))
                }
            }
        }
    }

    /// A change of a valid response. A rule for signed responses alone is `isOfSigned`, one for tokens alone
    /// `isOfTokens`.
    private struct Row: Sendable {
        let claim: String
        let value: ClaimValue?
        let reason: RelyingPartyError.Reason?
        var isOfSigned = false
        var isOfTokens = false
    }

    private static func rows(now: Int64) -> [Row] {
        [
            Row(claim: "iss", value: "https://other.test", reason: .issuerMismatch),
            Row(claim: "iss", value: nil, reason: .issuerMismatch, isOfSigned: true),
            Row(claim: "aud", value: "other", reason: .audienceMismatch),
            Row(claim: "aud", value: ["other"], reason: .audienceMismatch),
            Row(claim: "aud", value: ["other", "partner-code"], reason: nil),
            Row(claim: "aud", value: nil, reason: .audienceMismatch, isOfSigned: true),
            Row(claim: "exp", value: .integer(now - 60), reason: .expired, isOfTokens: true),
            Row(claim: "exp", value: .integer(now - 59), reason: nil),
            Row(claim: "exp", value: "x", reason: .claimType("exp"), isOfTokens: true),
            Row(claim: "nbf", value: .integer(now + 61), reason: .notYetValid, isOfTokens: true),
            Row(claim: "iat", value: .integer(now + 61), reason: .issuedInFuture, isOfTokens: true),
            Row(claim: "iat", value: "x", reason: .claimType("iat"), isOfTokens: true),
            // No rule of userinfo asks for these.
            Row(claim: "jti", value: 1, reason: nil),
            Row(claim: "auth_time", value: "x", reason: nil),
            Row(claim: "azp", value: 1, reason: nil),
            Row(claim: "nonce", value: 1, reason: nil),
            Row(claim: "sub", value: "user-2", reason: .subjectMismatch),
            Row(claim: "sub", value: nil, reason: .claimMissing("sub")),
            Row(claim: "sub", value: 1, reason: .claimType("sub")),
        ]
    }

    @Test("R46 iss and aud of userinfo are compared wherever they are present (5.3.2)")
    func claims() async throws {
        for form in Self.forms {
            let fixture = try LoginFixture.itsmeV1(form)
            let isSigned = form == .signed || form == .nested
            #expect(try await failure(form, fixture) { _ in } == nil, "\(form)")
            for row in Self.rows(now: Int64(fixture.clock.now.secondsSince1970)) {
                let error = try await failure(form, fixture) { $0[row.claim] = row.value }
                let applies = (isSigned || !row.isOfSigned) && (form != .json || !row.isOfTokens)
                #expect(
                    error == (applies ? row.reason.map { RelyingPartyError($0, in: .userInfo) } : nil),
                    "\(form): \(row.claim)")
            }
        }
    }

    @Test("a claim of userinfo that no rule requires ends no login, whatever its value is")
    func unneededClaims() async throws {
        for form in Self.forms {
            let fixture = try LoginFixture.itsmeV1(form)
            for (claim, value) in [
                ("auth_time", "x"), ("auth_time", .null), ("jti", 1), ("azp", 1), ("azp", .null), ("azp", ["other"]),
                ("nonce", 1), ("acr", []), ("updated_at", "yesterday"), ("email_verified", "true"),
            ] as [(String, ClaimValue)] {
                #expect(try await failure(form, fixture) { $0[claim] = value } == nil, "\(form): \(claim)")
            }
            // The times of a token are checked, although they may be absent.
            let late = Int64(fixture.clock.now.secondsSince1970) - 61
            let expected = form == .json ? nil : RelyingPartyError(.expired, in: .userInfo)
            #expect(try await failure(form, fixture) { $0["exp"] = .integer(late) } == expected, "\(form)")
        }
    }

    @Test("a profile says whether signed userinfo has iss and aud, which are compared where they are (5.3.2)")
    func namelessResponses() async throws {
        for form in [ItsmeUserInfoForm.signed, .nested] {
            for (isRequired, claim, value, reason) in [
                (true, "iss", nil, .issuerMismatch), (false, "iss", nil, nil),
                (true, "aud", nil, .audienceMismatch), (false, "aud", nil, nil),
                (true, "iss", .null, .issuerMismatch), (false, "iss", .null, nil),
                (true, "aud", .null, .audienceMismatch), (false, "aud", .null, nil),
                (true, "iss", "https://other.test", .issuerMismatch),
                (false, "iss", "https://other.test", .issuerMismatch), (false, "iss", "", .issuerMismatch),
                (false, "iss", 1, .issuerMismatch), (true, "aud", "other", .audienceMismatch),
                (false, "aud", "other", .audienceMismatch), (false, "aud", ["other"], .audienceMismatch),
                (false, "aud", [], .audienceMismatch), (false, "sub", "user-2", .subjectMismatch),
                (false, "sub", nil, .claimMissing("sub")), (false, "exp", 1, .expired),
            ] as [(Bool, String, ClaimValue?, RelyingPartyError.Reason?)] {
                let fixture = try LoginFixture.itsmeV1(form) { $0.userInfo?.requiresIssuerAndAudience = isRequired }
                let error = try await failure(form, fixture) { $0[claim] = value }
                #expect(
                    error == reason.map { RelyingPartyError($0, in: .userInfo) },
                    "\(form): \(isRequired) \(claim)")
            }
            let fixture = try LoginFixture.itsmeV1(form) { $0.userInfo?.requiresIssuerAndAudience = false }
            let neither = try await failure(form, fixture) { claims in
                claims["iss"] = nil
                claims["aud"] = nil
            }
            #expect(neither == nil)
            // The signature is verified all the same.
            let forged = try await fixture.failure { script in
                script.userInfo = { claims in
                    var other = ScriptedProvider.Script()
                    other.signingKey = TestKeys.stranger
                    return .jwt(try fixture.provider.make(claims, fixture.provider.manner.userInfo, other))
                }
            }
            #expect(forged?.step == .userInfo, "\(form)")
        }
    }

    @Test("R48 claims that the outer header repeats must equal those of userinfo, in a login too (RFC 7519, 5.3)")
    func copies() async throws {
        for form in [ItsmeUserInfoForm.nested, .encrypted] {
            let fixture = try LoginFixture.itsmeV1(form)
            for (header, reason) in [
                (#","iss":"\#(LoginFixture.issuer)""#, nil), (#","iss":"https://other.test""#, .issuerMismatch),
                (#","aud":"other""#, .audienceMismatch), (#","sub":"user-2""#, .claimUnexpected("sub")),
            ] as [(String, RelyingPartyError.Reason?)] {
                let error = try await failure(form, fixture, header: header) { _ in }
                #expect(error == reason.map { RelyingPartyError($0, in: .userInfo) }, "\(form): \(header)")
            }
        }
    }
}
