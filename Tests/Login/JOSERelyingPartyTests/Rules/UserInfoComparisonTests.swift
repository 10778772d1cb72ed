import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@testable import JOSERelyingParty

/// One userinfo response is given to `UserInfoProfile` and to a login. Except for `jti`, both must reject it, or both accept it.
@Suite("Userinfo: the rules of UserInfoProfile and of a login") struct UserInfoComparisonTests {
    private static let forms: [ItsmeUserInfoForm] = [.signed, .nested, .encrypted, .json]
    private static let outer = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])

    /// Returns the profile of a form; nil for plain JSON, which is no token.
    private static func profile(_ form: ItsmeUserInfoForm, _ fixture: LoginFixture) -> UserInfoProfile? {
        let signature = SignaturePolicy(algorithms: [.rs256])
        let layers: UserInfoProfile.Form
        switch form {
        case .signed: layers = .signed(signature)
        case .nested: layers = .nested(outer: outer, inner: signature)
        case .encrypted: layers = .encrypted(outer)
        case .json: return nil
        }
        var profile = UserInfoProfile(
            issuer: LoginFixture.issuer, clientID: fixture.client.id, subject: "user-1", form: layers)
        profile.claims.clock = fixture.clock.wallClock
        return profile
    }

    /// Returns the errors of both for one response; nil where it is accepted. That of the profile is nil for plain JSON.
    private func errors(
        _ form: ItsmeUserInfoForm, _ fixture: LoginFixture, header more: String = "",
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void
    ) async throws -> (core: TokenError?, login: RelyingPartyError?) {
        let provider = fixture.provider
        let made = Mutex("")
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"\#(more)}"#
        let login = try await fixture.failure { script in
            script.userInfo = { claims in
                var claims = claims
                change(&claims)
                let text = String(decoding: claims.json(), as: UTF8.self)
                let body: String
                switch form {
                case .json: return .json(text)
                case .signed: body = try provider.sign(claims)
                case .nested: body = try provider.wrap(try provider.sign(claims), nestedLayers, header: header)
                case .encrypted: body = try provider.wrap(text, nestedLayers, header: header)
                }
                made.withLock { $0 = body }
                return .jwt(body)
            }
        }
        guard let profile = Self.profile(form, fixture) else { return (nil, login) }
        let verifier = try TokenVerifier(
            profile, verificationKeys: form == .encrypted ? KeySet.empty : KeySet(TestKeys.provider.publicKey),
            decryptionKeys: KeySet(TestKeys.clientEncryption))
        do {
            _ = try verifier.verify(made.withLock { $0 })
            return (nil, login)
        } catch {
            return (error, login)
        }
    }

    /// A change of a valid response. A rule for signed responses alone is `isOfSigned`, one for tokens alone `isOfTokens`.
    private struct Row: Sendable {
        let claim: String
        let value: ClaimValue?
        let core: ClaimFailure?
        let login: RelyingPartyError.Reason?
        var isOfSigned = false
        var isOfTokens = false
    }

    private static func rows(now: Int64) -> [Row] {
        [
            Row(claim: "iss", value: "https://other.test", core: .issuerMismatch, login: .issuerMismatch),
            Row(claim: "iss", value: nil, core: .issuerMismatch, login: .issuerMismatch, isOfSigned: true),
            Row(claim: "aud", value: "other", core: .audienceMismatch, login: .audienceMismatch),
            Row(claim: "aud", value: ["other"], core: .audienceMismatch, login: .audienceMismatch),
            Row(claim: "aud", value: ["other", "partner-code"], core: nil, login: nil),
            Row(claim: "aud", value: nil, core: .audienceMismatch, login: .audienceMismatch, isOfSigned: true),
            Row(claim: "exp", value: .integer(now - 60), core: .expired, login: .expired, isOfTokens: true),
            Row(claim: "exp", value: .integer(now - 59), core: nil, login: nil),
            Row(claim: "exp", value: "x", core: .invalid("exp"), login: .claimType("exp"), isOfTokens: true),
            Row(claim: "nbf", value: .integer(now + 61), core: .notYetValid, login: .notYetValid, isOfTokens: true),
            Row(
                claim: "iat", value: .integer(now + 61), core: .issuedInFuture("iat"), login: .issuedInFuture,
                isOfTokens: true),
            Row(claim: "iat", value: "x", core: .invalid("iat"), login: .claimType("iat"), isOfTokens: true),
            // The profile judges `jti`, which is one of the claims of every JWT, and a login has no use for it.
            Row(claim: "jti", value: 1, core: .invalid("jti"), login: nil, isOfTokens: true),
            // No rule of userinfo asks for these.
            Row(claim: "auth_time", value: "x", core: nil, login: nil),
            Row(claim: "azp", value: 1, core: nil, login: nil),
            Row(claim: "nonce", value: 1, core: nil, login: nil),
            Row(claim: "sub", value: "user-2", core: .invalid("sub"), login: .subjectMismatch),
            Row(claim: "sub", value: nil, core: .missing("sub"), login: .claimMissing("sub")),
            Row(claim: "sub", value: 1, core: .invalid("sub"), login: .claimType("sub")),
        ]
    }

    @Test("R46 iss and aud of userinfo are compared wherever they are present, in a login as in the profile (5.3.2)")
    func claims() async throws {
        for form in Self.forms {
            let fixture = try LoginFixture.itsmeV1(form)
            let isSigned = form == .signed || form == .nested
            let (core, login) = try await errors(form, fixture) { _ in }
            #expect(core == nil && login == nil, "\(form)")
            for row in Self.rows(now: Int64(fixture.clock.now.secondsSince1970)) {
                let (core, login) = try await errors(form, fixture) { $0[row.claim] = row.value }
                let applies = (isSigned || !row.isOfSigned) && (form != .json || !row.isOfTokens)
                #expect(
                    login == (applies ? row.login.map { RelyingPartyError($0, in: .userInfo) } : nil),
                    "\(form): \(row.claim)")
                guard form != .json else { continue }
                #expect(core == (applies ? row.core.map { .claim($0) } : nil), "\(form): \(row.claim)")
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
                #expect(try await errors(form, fixture) { $0[claim] = value }.login == nil, "\(form): \(claim)")
            }
            // The times of a token are checked, although they may be absent.
            let late = Int64(fixture.clock.now.secondsSince1970) - 61
            let expected = form == .json ? nil : RelyingPartyError(.expired, in: .userInfo)
            #expect(try await errors(form, fixture) { $0["exp"] = .integer(late) }.login == expected, "\(form)")
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
                let login = try await errors(form, fixture) { $0[claim] = value }.login
                #expect(
                    login == reason.map { RelyingPartyError($0, in: .userInfo) },
                    "\(form): \(isRequired) \(claim)")
            }
            let fixture = try LoginFixture.itsmeV1(form) { $0.userInfo?.requiresIssuerAndAudience = false }
            let neither = try await errors(form, fixture) { claims in
                claims["iss"] = nil
                claims["aud"] = nil
            }
            #expect(neither.login == nil)
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
            for (header, core, login) in [
                (#","iss":"\#(LoginFixture.issuer)""#, nil, nil),
                (#","iss":"https://other.test""#, .headerCopyDiffers("iss"), .issuerMismatch),
                (#","aud":"other""#, .headerCopyDiffers("aud"), .audienceMismatch),
                (#","sub":"user-2""#, .headerCopyDiffers("sub"), .claimUnexpected("sub")),
            ] as [(String, ClaimFailure?, RelyingPartyError.Reason?)] {
                let found = try await errors(form, fixture, header: header) { _ in }
                #expect(found.core == core.map { .claim($0) }, "\(form): \(header)")
                #expect(found.login == login.map { RelyingPartyError($0, in: .userInfo) }, "\(form): \(header)")
            }
        }
    }
}
