import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("MitID: the age of a user") struct MitIDAgeTests {
    private let fixture: MitIDFixture

    init() throws { fixture = try MitIDFixture() }

    private static let verified: @Sendable (String) -> @Sendable (inout ClaimsBuilder) -> Void = { text in
        { claims in
            claims["idbrokerdk_age_verified"] = .string(text)
            claims["loa"] = .string(MitIDFixture.level + "Low")
        }
    }

    @Test("MitID case 37: the answer is for the requested age, and the ID token and userinfo have the same")
    func verification() async throws {
        let request = LoginRequest.mitIDAge(atLeast: 18)
        #expect(request.scopes == ["openid", "minimal", "age_verify:18"] && request.mitIDProviders == [.mitID])
        let unexpected = RelyingPartyError(.claimUnexpected("age"), in: .userInfo)
        let type = RelyingPartyError(.claimType("idbrokerdk_age_verified"), in: .userInfo)
        for (text, repeated, expected) in [
            ("18:true", nil, nil), ("18:true", "true", nil), ("18:false", "false", nil), ("16:true", nil, unexpected),
            ("018:true", nil, unexpected), ("21:true", nil, unexpected), ("18:true", "false", unexpected),
            ("18:yes", nil, type), ("18", nil, type), (":true", nil, type), ("18:true:true", nil, type),
            ("18:true", "1", RelyingPartyError(.claimType("idbrokerdk_age_verify_18"), in: .userInfo)),
        ] as [(String, String?, RelyingPartyError?)] {
            let info = repeated.map { ["idbrokerdk_age_verify_18": ClaimValue.string($0)] } ?? [:]
            let error = try await fixture.refused(request, by: "mitid", userInfo: info, Self.verified(text))
            #expect(error == expected, "\(text) \(repeated ?? "absent")")
        }
        #expect(
            try await fixture.refused(request, by: "mitid")
                == RelyingPartyError(.claimMissing("idbrokerdk_age_verified"), in: .userInfo))
        let user = try await fixture.answer(request, by: "mitid", Self.verified("18:false"))
        #expect(user.mitIDAge?.reached == [18: false] && user.mitIDAge?.years == nil)
        // The subject identifies nobody later.
        #expect(!user.mitIDSubjectLasts && user.mitIDProvider == .mitID)
    }

    @Test("a request for an age alone requires no level, unless it has parameters or other scopes")
    func levels() async throws {
        #expect(
            try await fixture.refused(.mitIDAge(atLeast: 18), by: "mitid", Self.verified("18:true")) == nil)
        var wider = LoginRequest.mitIDAge(atLeast: 18)
        wider.scopes.append("mitid")
        #expect(try await fixture.refused(wider, by: "mitid", Self.verified("18:true")) == .idToken(.acrTooLow))
        // Without `minimal` the response identifies a person.
        var named = LoginRequest.mitIDAge(atLeast: 18)
        named.scopes = named.scopes.map { $0 == "minimal" ? "mitid" : $0 }
        #expect(try await fixture.refused(named, by: "mitid", Self.verified("18:true")) == .idToken(.acrTooLow))
        var parameters = LoginRequest.mitIDAge(atLeast: 18)
        parameters.mitID = MitIDParameters()
        #expect(try await fixture.refused(parameters, by: "mitid", Self.verified("18:true")) == .idToken(.acrTooLow))
    }

    @Test("the age in years is in the ID token or in userinfo, and is one age")
    func years() async throws {
        let request = LoginRequest.mitIDAge()
        let name = "idbrokerdk_age"
        for (first, second, expected) in [
            ("35", nil, nil), (nil, "35", nil), ("35", "35", nil),
            ("35", "36", RelyingPartyError(.claimUnexpected("age"), in: .userInfo)),
            (nil, nil, RelyingPartyError(.claimMissing("idbrokerdk_age"), in: .userInfo)),
            ("old", nil, RelyingPartyError(.claimType("idbrokerdk_age"), in: .userInfo)),
        ] as [(String?, String?, RelyingPartyError?)] {
            let info = second.map { [name: ClaimValue.string($0)] } ?? [:]
            let error = try await fixture.refused(request, by: "mitid", userInfo: info) { claims in
                claims[name] = first.map { .string($0) }
            }
            #expect(error == expected, "\(first ?? "absent") \(second ?? "absent")")
        }
        let user = try await fixture.answer(request, by: "mitid") { $0[name] = "35" }
        let age = try #require(user.mitIDAge)
        #expect(age.years == 35 && age.hasReached(35) == true && age.hasReached(36) == false)
        #expect(try await fixture.answer(.mitID(), by: "mitid").mitIDAge == nil)
    }
}
