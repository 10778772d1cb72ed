import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("MitID: userinfo") struct MitIDUserTests {
    @Test("MitID case 21: strings become Booleans and numbers, and another subject is rejected (R11)")
    func values() async throws {
        let fixture = try MitIDFixture()
        let logged = try await fixture.login()
        let user = try #require(logged.mitID)
        #expect(user.subject == "user-1")
        #expect(user.uuid == "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d")
        #expect(user.age == 35)
        #expect(user.dateOfBirth == "1988-02-29")
        #expect(user.hasCPR == true)
        #expect(user.isPSD2 == false)
        #expect(user.cpr == CPRNumber("290288-1234"))
        #expect(user.sessionIsActive == true)
        #expect(user.sessionExpiry == 1_700_003_600)
        #expect(user.identityName == nil)
        let other = try await fixture.failure { $0.userInfoClaims = { $0["sub"] = "user-2" } }
        #expect(other == RelyingPartyError(.subjectMismatch, in: .userInfo))
        for text in ["\(user)", String(reflecting: user), "\(logged)", "\(Optional(user) as Any)", "\(logged.tokens)"] {
            #expect(!text.contains("1234") && !text.contains("1988"), "\(text)")
        }
        var dumped = ""
        dump(logged, to: &dumped)
        #expect(!dumped.contains("2902"))
    }

    @Test("rejects a claim that is not a string, or has an invalid value, with its name") func types()
        async throws
    {
        let fixture = try MitIDFixture()
        for (name, value) in [
            ("mitid.age", ClaimValue.integer(35)), ("mitid.age", "thirty"), ("mitid.age", "-1"),
            ("mitid.has_cpr", true),
            ("mitid.has_cpr", "True"), ("mitid.date_of_birth", "29/02/1988"), ("dk.cpr", "123"), ("session_expiry", 1),
            ("mitid.uuid", ""), ("mitid.age", "1000000000000000000"), ("mitid.age", ""),
        ] as [(String, ClaimValue)] {
            let error = try await fixture.failure { $0.userInfoClaims = { $0[name] = value } }
            #expect(error == RelyingPartyError(.claimType(ClaimName(name)), in: .userInfo), "\(name)")
        }
        // A number may have 18 digits.
        #expect(try await fixture.failure { $0.userInfoClaims = { $0["mitid.age"] = "999999999999999999" } } == nil)
        let misspelled = try await fixture.failure { $0.userInfoClaims = { $0["da.cpr"] = "2902881234" } }
        #expect(misspelled == nil)
        let two = try await fixture.failure {
            $0.userInfoClaims = { claims in
                claims["dk.cpr"] = "2902881234"
                claims["da.cpr"] = "2902881235"
            }
        }
        #expect(two == RelyingPartyError(.claimUnexpected("da.cpr"), in: .userInfo))
    }

    @Test("reports the error code of the broker's endpoint") func refusals() async throws {
        let fixture = try MitIDFixture()
        let error = try await fixture.failure {
            $0.answers[.userInfo] = { _ in
                TransportResponse(
                    status: 401,
                    headers: [TransportHeaderField("WWW-Authenticate", "Bearer realm=\"x\",error=\"invalid_token\"")])
            }
        }
        #expect(error?.reason == .providerError(try #require(ProviderErrorCode("invalid_token"))))
        #expect(error?.step == .userInfo)
        #expect(try await fixture.failure() == nil)
    }

    @Test("R44 a userinfo token is checked like an ID token, without the nonce; an ID token in its place is rejected")
    func token() async throws {
        let fixture = try MitIDFixture(request: .mitID(scopes: [.userInfoToken]))
        let provider = fixture.provider
        func answer(type: String = "at+jwt", _ more: String = "", sub: String = "user-1", aud: String = "partner-code")
            throws
            -> @Sendable (String) -> String
        {
            let token = try Forge.signed(
                header: #"{"alg":"RS256","kid":"\#(TestKeys.provider.keyID ?? "")","typ":"\#(type)"}"#,
                payload:
                    #"{"iss":"\#(MitIDFixture.issuer)","aud":"\#(aud)","sub":"\#(sub)","iat":1700000000,"exp":1700000300,"mitid.age":"35"\#(more)}"#,
                with: .privateKey(TestKeys.provider), .rs256)
            return { $0.dropLast() + #","userinfo_token":"\#(token)"}"# }
        }
        provider.script.tokenResponse = try answer()
        #expect(try await fixture.login().mitIDUserInfoToken?.string("mitid.age") == "35")
        let wrongType = try answer(type: "JWT")
        #expect(
            try await fixture.failure { $0.tokenResponse = wrongType }
                == RelyingPartyError(.contentTypeMismatch, in: .userInfo))
        for (more, reason) in [
            (#","azp":"partner-code""#, nil), (#","azp":"another""#, .authorizedPartyMismatch),
            (#","at_hash":"x""#, .hashMismatch), (#","events":{}"#, .claimUnexpected("events")),
        ] as [(String, RelyingPartyError.Reason?)] {
            let changed = try answer(more)
            #expect(
                try await fixture.failure { $0.tokenResponse = changed }
                    == reason.map { RelyingPartyError($0, in: .userInfo) }, "\(more)")
        }
        let wrongAudience = try answer(aud: "another")
        #expect(
            try await fixture.failure { $0.tokenResponse = wrongAudience }
                == RelyingPartyError(.audienceMismatch, in: .userInfo))
        let wrongSubject = try answer(sub: "user-2")
        #expect(
            try await fixture.failure { $0.tokenResponse = wrongSubject }
                == RelyingPartyError(.subjectMismatch, in: .userInfo))
        #expect(
            try await fixture.failure { $0.tokenResponse = nil }
                == RelyingPartyError(.missingParameter("userinfo_token"), in: .tokenResponse))
    }
}
