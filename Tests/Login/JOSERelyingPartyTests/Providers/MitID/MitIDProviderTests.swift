import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: identity providers of the broker") struct MitIDProviderTests {
    private let fixture: MitIDFixture

    init() throws { fixture = try MitIDFixture(.mitID(MitIDFixture.altIDSettings)) }

    private static let others: [(MitIDProvider, [String])] = [
        (.altIDPerson, ["full_name"]), (.soloID, ["soloid"]), (.eBoks, ["eboks", "eboks_info", "eboks_national_id"]),
    ]

    @Test("MitID case 32: a provider that was asked for answers without identity_type and loa, and no other answers")
    func optionalClaims() async throws {
        let proofs = try AltIDFixture()
        let age = try await proofs.prove()
        #expect(age.hasReached(18) == true && age.hasReached(21) == nil && age.years == nil)
        for (provider, scopes) in Self.others {
            let request = MitIDFixture.request([provider], scopes: scopes)
            let user = try await fixture.answer(request, by: provider.rawValue, MitIDFixture.bare)
            #expect(user.mitIDProvider == provider && user.mitIDSubjectLasts && user.mitIDAuthenticators.isEmpty)
            #expect(user.mitIDCPRTicket == nil)
            #expect(
                try await fixture.refused(.mitID(), by: provider.rawValue, MitIDFixture.bare)
                    == .idToken(.claimUnexpected("idp")), "\(provider)")
        }
        #expect(
            try await fixture.refused(.mitID(), by: "euav", MitIDFixture.bare) == .idToken(.claimUnexpected("idp")))
        // MitID itself states all of them.
        #expect(
            try await fixture.refused(.mitID(), by: "mitid", MitIDFixture.bare) == .idToken(.acrTooLow))
        #expect(
            try await fixture.refused(.mitID(), by: "mitid") { $0["identity_type"] = nil }
                == .idToken(.claimMissing("identity_type")))
        let user = try await fixture.answer(.mitID(), by: "mitid")
        #expect(user.mitIDProvider == .mitID && user.mitIDSubjectLasts)
    }

    @Test("MitID case 33: a level that the request names is required of whichever provider answers")
    func namedLevels() async throws {
        var named = LoginRequest.mitID(level: .substantial)
        named.mitIDProviders = [.mitID, .altIDAge, .eBoks]
        #expect(try await fixture.refused(named, by: "mitid") { $0["loa"] = nil } == .idToken(.acrTooLow))
        #expect(try await fixture.refused(named, by: "mitid") == nil)
        #expect(try await fixture.refused(named, by: "eboks", MitIDFixture.bare) == .idToken(.acrTooLow))
        #expect(try await fixture.refused(named, by: "eboks") == nil)
        // The broker's default level is that of MitID and MitID Erhverv.
        var open = LoginRequest.mitID()
        open.mitIDProviders = [.mitID, .altIDAge]
        #expect(try await fixture.refused(open, by: "mitid") { $0["loa"] = nil } == nil)
        #expect(try await fixture.refused(.mitID(), by: "mitid") { $0["loa"] = nil } == .idToken(.acrTooLow))
        var both = LoginRequest.mitID()
        both.mitIDProviders = [.mitID, .mitIDErhverv]
        #expect(try await fixture.refused(both, by: "mitid") { $0["loa"] = nil } == .idToken(.acrTooLow))
        #expect(try await fixture.refused(both, by: "mitid") == nil)
        // An age alone needs no level of MitID; MitID Erhverv has one, and states no age.
        var age = LoginRequest.mitIDAge(atLeast: 18)
        age.mitIDProviders = [.mitID, .mitIDErhverv]
        #expect(
            try await fixture.refused(age, by: "mitid_erhverv") { claims in
                claims["identity_type"] = "professional"
                claims["loa"] = nil
            } == .idToken(.acrTooLow))
        #expect(
            try await fixture.refused(age, by: "mitid_erhverv") { $0["identity_type"] = "professional" }
                == RelyingPartyError(.claimMissing("age"), in: .userInfo))
    }

    @Test("MitID case 34: MitID Erhverv is not asked for the highest level, and amr loses its prefix")
    func business() async throws {
        #expect(try await fixture.refused(.mitIDErhverv(level: .substantial)) == nil)
        var both = LoginRequest.mitID(level: .high)
        #expect(try await fixture.refused(both) == nil)
        let before = fixture.provider.calls
        #expect(
            try await fixture.refused(.mitIDErhverv(level: .high)) == .request(.invalidParameter("idp_params")))
        both.mitIDProviders = [.mitID, .mitIDErhverv]
        #expect(try await fixture.refused(both) == .request(.invalidParameter("idp_params")))
        #expect(fixture.provider.calls == before)
        let professional: @Sendable (inout ClaimsBuilder) -> Void = { claims in
            claims["identity_type"] = "professional"
            claims["amr"] = ["mitid:code_app", "password"]
            claims["loip"] = "extended"
        }
        let user = try await fixture.answer(.mitIDErhverv(), by: "mitid_erhverv", professional)
        #expect(user.mitIDAuthenticators == [.codeApp, .password])
        #expect(user.mitIDIdentityProofing == .extended && user.mitIDProvider == .mitIDErhverv)
        // The prefix is that of MitID Erhverv alone.
        let plain = try await fixture.answer(.mitID(), by: "mitid") { $0["amr"] = ["mitid:code_app"] }
        #expect(plain.mitIDAuthenticators == [MitIDAuthenticator("mitid:code_app")])
        var settings = MitIDFixture.settings
        settings.authenticators = [.codeApp]
        let strict = try MitIDFixture(.mitID(settings))
        #expect(try await strict.refused(.mitIDErhverv(), by: "mitid_erhverv", professional) == nil)
        #expect(
            try await strict.refused(.mitIDErhverv(), by: "mitid_erhverv") { claims in
                professional(&claims)
                claims["amr"] = ["mitid:code_token"]
            } == .idToken(.claimUnexpected("amr")))
        for (name, value) in [("loa", MitIDFixture.level + "High"), ("loip", "thorough")] {
            let error = try await fixture.refused(.mitIDErhverv(), by: "mitid_erhverv") { claims in
                professional(&claims)
                claims[name] = .string(value)
            }
            #expect(error == .idToken(.claimUnexpected(ClaimName(name))))
        }
        // The accepted authenticators are MitID's, and other providers have none of them.
        var either = LoginRequest.mitID()
        either.mitIDProviders = [.mitID, .eBoks]
        #expect(try await strict.refused(either, by: "eboks") { $0["amr"] = nil } == nil)
        #expect(
            try await strict.refused(either, by: "mitid") { $0["amr"] = nil } == .idToken(.claimMissing("amr")))
        // Other providers have no such claim with two values.
        #expect(try await fixture.refused(.mitID(), by: "mitid") { $0["loip"] = "thorough" } == nil)
    }

    @Test("MitID case 35: MitID Erhverv answers for a private person only if the request allows it")
    func privatePersons() async throws {
        let unexpected = RelyingPartyError.idToken(.claimUnexpected("identity_type"))
        for (request, type, isAccepted) in [
            (.mitIDErhverv(), "private", false), (.mitIDErhverv(allowsPrivate: true), "private", true),
            (.mitIDErhverv(), "professional", true), (.mitIDErhverv(allowsPrivate: true), "professional", true),
            (.mitIDErhverv(), "robot", false), (.mitIDErhverv(), "test", true),
        ] as [(LoginRequest, String, Bool)] {
            let error = try await fixture.refused(request, by: "mitid_erhverv") { $0["identity_type"] = .string(type) }
            #expect(error == (isAccepted ? nil : unexpected), "\(type)")
        }
        #expect(
            try await fixture.refused(.mitIDErhverv(), by: "mitid_erhverv") { $0["identity_type"] = nil }
                == .idToken(.claimMissing("identity_type")))
        // The settings are those of MitID.
        #expect(
            try await fixture.refused(.mitID(), by: "mitid") { $0["identity_type"] = "professional" } == unexpected)
        let sent = try #require(LoginRequest.mitIDErhverv(allowsPrivate: true)["idp_params"])
        #expect(sent == #"{"mitid_erhverv":{"allow_private":true}}"#)
    }

    @Test("MitID case 36: each scope belongs to a provider that is asked for")
    func scopes() async throws {
        let own: [(MitIDProvider, [String])] =
            Self.others + [
                (.mitID, ["mitid"]), (.mitID, ["minimal", "age"]), (.mitID, ["age_verify:18"]),
                (.mitIDErhverv, ["nemlogin"]), (.altIDPerson, AltIDClaim.allCases.map(\.rawValue)),
            ]
        for (provider, scopes) in own {
            let request = MitIDFixture.request([provider], scopes: scopes + ["offline_access"])
            #expect(try await fixture.refused(request) == nil, "\(scopes)")
            for other in [MitIDProvider.mitID, .mitIDErhverv, .soloID, .eBoks] where other != provider {
                let error = try await fixture.refused(MitIDFixture.request([other], scopes: scopes))
                #expect(error == .request(.invalidParameter("scope")), "\(other): \(scopes)")
            }
        }
        var proof = MitIDFixture.request([.mitID, .altIDAge], scopes: ["mitid", "age_over:18"])
        #expect(try await fixture.refused(proof) == nil)
        for wrong in [
            "age_over:19", "age_over:018", "age_over:", "age_over:+18", "age_verify:0", "age_verify:151",
            "age_verify:1e1",
            "email",
        ] {
            proof.scopes[2] = wrong
            #expect(try await fixture.refused(proof) == .request(.invalidParameter("scope")), "\(wrong)")
        }
        // A response has one answer.
        for pair in [["age", "age_verify:18"], ["age_verify:16", "age_verify:18"]] {
            let error = try await fixture.refused(MitIDFixture.request([.mitID], scopes: pair))
            #expect(error == .request(.invalidParameter("scope")))
        }
    }

    @Test("idp_values names known providers once, of which one can answer a login")
    func values() async throws {
        for (text, isAccepted) in [
            ("mitid", true), ("eboks mitid", true), ("mitid euav", true), ("", false), ("mitid mitid", false),
            ("MitID", false), ("mobilepay", false), ("mitid ", false), ("euav", false),
        ] {
            var request = LoginRequest()
            request["idp_values"] = text
            let error = try await fixture.refused(request)
            #expect(error == (isAccepted ? nil : .request(.invalidParameter("idp_values"))), "\(text)")
        }
    }

    @Test("idp_params has members of the providers that are asked for, each of its own type")
    func parameters() async throws {
        let erhverv = #"{"mitid_erhverv":{"allow_private":true}}"#
        for (providers, text, name) in [
            ([.mitIDErhverv], erhverv, nil), ([.mitID, .mitIDErhverv], erhverv, nil), ([.mitID], erhverv, "idp_params"),
            ([.mitIDErhverv], #"{"mitid":{"reference_text":"aGVq"}}"#, nil),
            ([.eBoks], #"{"mitid":{"reference_text":"aGVq"}}"#, "idp_params"),
            ([.eBoks], #"{"mitid":{}}"#, "idp_params"),
            ([.mitIDErhverv], #"{"mitid_erhverv":{"allow_private":"true"}}"#, "allow_private"),
            ([.mitIDErhverv], #"{"mitid_erhverv":true}"#, "idp_params"), ([.mitIDErhverv], "{}", "idp_params"),
        ] as [([MitIDProvider], String, ParameterName?)] {
            var request = MitIDFixture.request(providers)
            request["idp_params"] = text
            let error = try await fixture.refused(request)
            #expect(error == name.map { RelyingPartyError.request(.invalidParameter($0)) }, "\(providers) \(text)")
        }
    }

    @Test("a login that the back end begins names its identity providers in the hint")
    func backChannel() async throws {
        let fixture = try BackChannelFixture()
        for (type, isAccepted) in [("private", true), ("robot", false)] {
            let answer = try fixture.tokens { claims in
                claims["idp"] = "mitid_erhverv"
                claims["identity_type"] = .string(type)
            }
            fixture.broker.state.withLock { $0.answers = [answer] }
            let login = try await fixture.resumed(.mitIDErhverv(allowsPrivate: true))
            let sent = FormFields(
                String(decoding: try #require(fixture.broker.calls("/ciba").last?.body), as: UTF8.self))
            let hint = try JSON(Array(try #require(sent["login_hint_token"]).utf8))
            #expect(hint["idp_values"]?.string == "mitid_erhverv" && sent["scope"] == "openid nemlogin")
            #expect(sent["idp_params"] == #"{"mitid_erhverv":{"allow_private":true}}"#)
            fixture.clock.advance(by: login.interval)
            if isAccepted {
                #expect(try await fixture.poll(login)?.mitIDProvider == .mitIDErhverv)
            } else {
                let error = try await refusal { try await fixture.poll(login) }
                #expect(error == .idToken(.claimUnexpected("identity_type")))
            }
        }
    }

    @Test("R35 a person whom the request names is not replaced by one whom another provider identifies")
    func hints() async throws {
        let uuid = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"
        var request = LoginRequest.mitID()
        request.mitIDProviders = [.mitID, .eBoks]
        #expect(try await fixture.refused(request, by: "eboks") == nil)
        var parameters = MitIDParameters()
        parameters.uuidHint = uuid
        request.mitID = parameters
        #expect(try await fixture.refused(request, by: "eboks") == .idToken(.subjectMismatch))
        #expect(try await fixture.refused(request, by: "mitid", userInfo: ["mitid.uuid": .string(uuid)]) == nil)
        parameters = MitIDParameters()
        parameters.cprHint = CPRNumber("290288-1234")
        request.mitID = parameters
        // The number is in no URL.
        let pushed = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        #expect(try await pushed.refused(request, by: "eboks") == .idToken(.subjectMismatch))
        #expect(try await pushed.refused(request, by: "mitid") == nil)
    }
}
