import JOSE
import JOSEItsme
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("The claims parameter") struct ClaimsParameterTests {
    private func fixture() throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(.openID(issuer: LoginFixture.issuer), manner: manner, request: LoginRequest())
    }

    private func failure(
        _ fixture: LoginFixture, acr: String?, base: LoginRequest = LoginRequest(),
        _ ask: (inout ClaimsRequest) -> Void
    ) async throws -> RelyingPartyError? {
        var request = base
        var claims = ClaimsRequest()
        ask(&claims)
        request.claims = claims
        fixture.provider.script.idTokenClaims = { set in
            set["acr"] = acr.map { .string($0) }
        }
        return try await fixture.failure(request)
    }

    private func levels(_ values: [String], isEssential: Bool = true) -> ClaimsRequest.Requirement {
        var requirement = ClaimsRequest.Requirement()
        (requirement.isEssential, requirement.values) = (isEssential, values.map { .string($0) })
        return requirement
    }

    @Test("an essential acr must be present and one of the requested values (OpenID Connect Core, 5.5.1.1)")
    func essentialLevels() async throws {
        let fixture = try fixture()
        let tooLow = RelyingPartyError.idToken(.acrTooLow)
        func asked(_ requirement: ClaimsRequest.Requirement, _ acr: String?) async throws -> RelyingPartyError? {
            try await failure(fixture, acr: acr) { $0.askInIDToken("acr", requirement) }
        }
        let both = levels(["urn:silver", "urn:gold"])
        for acr in ["urn:gold", "urn:silver"] { #expect(try await asked(both, acr) == nil) }
        for acr in ["urn:bronze", "URN:GOLD", "urn:gold ", "", nil] {
            #expect(try await asked(both, acr) == tooLow, "\(acr ?? "none")")
        }
        #expect(try await asked(.essential(value: "urn:gold"), "urn:gold") == nil)
        #expect(try await asked(.essential(value: "urn:gold"), "urn:silver") == tooLow)
        #expect(try await asked(.essential, "urn:anything") == nil)
        #expect(try await asked(.essential, nil) == tooLow)
        // A value that is requested as voluntary is not required.
        #expect(try await asked(levels(["urn:gold"], isEssential: false), "urn:bronze") == nil)
        for value in ["", "urn:gold urn:silver"] {
            #expect(try await asked(.essential(value: value), "urn:gold") == .request(.invalidParameter("claims")))
        }
    }

    @Test("itsme: an essential acr is compared by rank, in each spelling") func itsme()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let advanced = "http://itsme.services/v2/claim/acr_advanced"
        let base = LoginRequest.itsme(service: "SHOP")
        for (acr, expected) in [
            ("http://itsme.services/V2/claim/acr_advanced", nil),
            ("http://itsme.services/V2/claim/acr_basic", RelyingPartyError.idToken(.acrTooLow)),
            (nil, .idToken(.acrTooLow)),
        ] as [(String?, RelyingPartyError?)] {
            let error = try await failure(fixture, acr: acr, base: base) {
                $0.askInIDToken("acr", .essential(value: advanced))
            }
            #expect(error == expected, "\(acr ?? "none")")
        }
    }

    @Test(
        "a sub other than the requested one is rejected, and a request may have only one (OpenID Connect Core, 5.5.1)"
    )
    func subjects()
        async throws
    {
        let fixture = try fixture()
        let setters: [(inout ClaimsRequest, ClaimsRequest.Requirement) -> Void] = [
            { $0.askInIDToken("sub", $1) }, { $0.askInUserInfo("sub", $1) },
        ]
        for set in setters {
            for (wanted, expected) in [
                ("user-1", nil), ("user-2", RelyingPartyError.idToken(.subjectMismatch)),
                ("USER-1", .idToken(.subjectMismatch)),
            ] {
                var requirement = ClaimsRequest.Requirement()
                requirement.value = .string(wanted)
                #expect(try await failure(fixture, acr: nil) { set(&$0, requirement) } == expected)
            }
            #expect(try await failure(fixture, acr: nil) { set(&$0, .voluntary) } == nil)
            #expect(
                try await failure(fixture, acr: nil) { set(&$0, levels(["user-1", "user-2"])) }
                    == .request(.invalidParameter("claims")))
        }
        var request = LoginRequest()
        for (expected, error) in [("user-1", nil), ("user-2", RelyingPartyError.request(.invalidParameter("claims")))] {
            request.expectedSubject = expected
            let found = try await failure(fixture, acr: nil, base: request) {
                $0.askInIDToken("sub", .essential(value: "user-1"))
            }
            #expect(found == error)
        }
    }

    @Test("itsme case 35: a requested value is a scalar or a list of strings, and value and values exclude each other")
    func values() async throws {
        let fixture = try fixture()
        var claims = ClaimsRequest()
        var levels = ClaimsRequest.Requirement()
        levels.value = ["tag:acr_basic", "tag:acr_advanced"]
        claims.askInIDToken("acr_values", levels)
        claims.askInIDToken("auth_time", .essential)
        var ages = ClaimsRequest.Requirement()
        ages.values = [18, "adult", true]
        claims.askInUserInfo("age", ages)
        claims.askInUserInfo("email_verified", .essential(value: true))
        var request = LoginRequest()
        request.claims = claims
        #expect(
            request["claims"]
                == #"{"userinfo":{"age":{"values":[18,"adult",true]},"email_verified":{"essential":true,"value":true}},"#
                + #""id_token":{"acr_values":{"value":["tag:acr_basic","tag:acr_advanced"]},"auth_time":{"essential":true}}}"#
        )
        #expect(try await fixture.failure(request) == nil)
        for (value, values) in [
            ("a", ["a"]), (nil, []), ([], nil), ([1], nil), (.null, nil), (1.5, nil), (nil, [["a"]]), (nil, [.null]),
            (["a": 1], nil), (.json([0x31]), nil),
        ] as [(ClaimValue?, [ClaimValue]?)] {
            let error = try await failure(fixture, acr: nil) { claims in
                var requirement = ClaimsRequest.Requirement()
                (requirement.value, requirement.values) = (value, values)
                claims.askInUserInfo("x", requirement)
            }
            #expect(error == .request(.invalidParameter("claims")), "\(String(describing: value))")
        }
        for requirement in [ClaimsRequest.Requirement.essential(value: 1), .essential(value: true)] {
            #expect(
                try await failure(fixture, acr: "1") { $0.askInIDToken("acr", requirement) }
                    == .request(.invalidParameter("claims")))
        }
        // A list of levels accepts each of them.
        #expect(try await failure(fixture, acr: "b") { $0.askInIDToken("acr", .essential(value: ["a", "b"])) } == nil)
    }

    @Test("itsme case 35: the claims parameter has at most 8 KiB") func size() async throws {
        let fixture = try LoginFixture.itsmeV2()
        for (size, error) in [(8_192, nil), (8_193, RelyingPartyError.request(.invalidParameter("claims")))] {
            let rest = #"{"userinfo":{"":null}}"#.utf8.count
            let found = try await failure(
                fixture, acr: "http://itsme.services/V2/claim/acr_basic", base: .itsme(service: "SHOP")
            ) { $0.askInUserInfo(String(repeating: "c", count: size - rest)) }
            #expect(found == error, "\(size)")
        }
    }
}
