import JOSE
import JOSEEntra
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

/// Logins with Microsoft Entra ID, whose tenants are issuers of one template.
@Suite("Logins with Entra ID") struct EntraTests {
    static let text = "https://login.provider.test/{tenantid}/v2.0"
    static let common = "https://login.provider.test/common/v2.0"
    static let tenantA = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let tenantB = "b9419818-09af-49c2-b0c3-653adc1f376e"
    static let personal = IssuerTemplate.entraPersonalTenant

    static func issuer(_ tenant: String) -> String { "https://login.provider.test/\(tenant)/v2.0" }

    /// Returns the public half of a key with a member `issuer`.
    static func published(_ key: PrivateKey, issuer: String?) throws -> PublicKey {
        guard let issuer else { return key.publicKey }
        return try PublicKey(jwk: String(key.publicKey.jwk().dropLast()) + ",\"issuer\":\"\(issuer)\"}")
    }

    static func fixture(
        _ tenants: TenantRule = .any(except: [personal]), template: String = text,
        _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .secretPost)
        (manner.idToken, manner.userInfo, manner.usesPKCE) = (.signed, .json, true)
        var profile = ProviderProfile.entra(tenants)
        change(&profile)
        let fixture = try LoginFixture(
            profile, manner: manner, request: LoginRequest(), environment: .sandbox(issuer: template), issuer: common,
            credentials: .secret(manner.secret))
        fixture.provider.script.metadata["issuer"] = "\"\(text)\""
        fixture.provider.script.published = [
            try published(TestKeys.provider, issuer: text),
            try published(TestKeys.nextProvider, issuer: issuer(personal)),
            try published(TestKeys.stranger, issuer: nil),
        ]
        fixture.provider.script.idTokenClaims = claims(tenantA)
        return fixture
    }

    static func claims(_ tenant: String, iss: String? = nil) -> @Sendable (inout ClaimsBuilder) -> Void {
        { claims in
            claims["tid"] = .string(tenant)
            claims["iss"] = .string(iss ?? issuer(tenant))
        }
    }

    @Test("Entra case 1: a user of an allowed tenant logs in, and the issuer of the user is that of the tenant")
    func accepted() async throws {
        let fixture = try Self.fixture(.oneOf([Self.tenantA]))
        let user = try await fixture.login()
        #expect(user.issuer == Self.issuer(Self.tenantA) && user.subject == "user-1")
        #expect(fixture.provider.calls(.userInfo) == 0)
    }

    @Test("Entra case 2, Entra case 3, Entra case 4: iss must be the issuer of tid, and tid a GUID in lower case")
    func tenantAndIssuer() async throws {
        let fixture = try Self.fixture()
        for (tenant, iss, reason) in [
            (Self.tenantA, Self.issuer(Self.tenantA), nil),
            (Self.tenantA, Self.issuer(Self.tenantB), RelyingPartyError.Reason.issuerMismatch),
            ("../x", nil, .claimType("tid")), (Self.tenantA.uppercased(), nil, .claimType("tid")),
            ("{\(Self.tenantA)}", nil, .claimType("tid")), ("{tenantid}", Self.text, .claimType("tid")),
        ] as [(String, String?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = Self.claims(tenant, iss: iss) }
            #expect(error?.reason == reason, "\(tenant)")
        }
        let error = try await fixture.failure { $0.idTokenClaims = { $0["iss"] = .string(Self.issuer(Self.tenantA)) } }
        #expect(error == .idToken(.claimMissing("tid")))
    }

    @Test(
        "Entra case 5, Entra case 6: a key signs only for the issuer that it is published for, and not at all without one"
    )
    func keys() async throws {
        let fixture = try Self.fixture(.any(except: []))
        for (key, tenant, reason) in [
            (TestKeys.provider, Self.tenantA, nil), (TestKeys.nextProvider, Self.personal, nil),
            (TestKeys.nextProvider, Self.tenantA, RelyingPartyError.Reason.keyUnsuitable),
            (TestKeys.stranger, Self.tenantA, .keyUnsuitable),
        ] as [(PrivateKey, String, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure {
                $0.signingKey = key
                $0.idTokenClaims = Self.claims(tenant)
            }
            #expect(error?.reason == reason, "\(key.keyID ?? "") \(tenant)")
        }
    }

    @Test(
        "Entra case 5, Entra case 7: of two faults, that of the issuer is reported first, and the key before the tenant"
    )
    func order() async throws {
        let fixture = try Self.fixture(.oneOf([Self.tenantA]))
        for (key, tenant, iss, age, reason) in [
            (TestKeys.provider, Self.tenantA, nil, 0, nil),
            (
                TestKeys.nextProvider, Self.tenantB, Self.issuer(Self.tenantA), 0,
                RelyingPartyError.Reason.issuerMismatch
            ),
            (TestKeys.nextProvider, Self.tenantB, nil, 0, .keyUnsuitable),
            (TestKeys.stranger, Self.tenantB, nil, 0, .keyUnsuitable),
            (TestKeys.nextProvider, Self.tenantA, nil, 900, .keyUnsuitable),
            (TestKeys.provider, Self.tenantB, nil, 900, .untrustedIssuer),
            (TestKeys.provider, Self.tenantA, nil, 900, .expired),
        ] as [(PrivateKey, String, String?, Int64, RelyingPartyError.Reason?)] {
            let end = Int64(fixture.clock.now.secondsSince1970) + 300 - age
            let error = try await fixture.failure {
                $0.signingKey = key
                $0.idTokenClaims = { claims in
                    Self.claims(tenant, iss: iss)(&claims)
                    claims["exp"] = .integer(end)
                }
            }
            #expect(error?.reason == reason, "\(key.keyID ?? "") \(tenant) \(age)")
        }
    }

    @Test("Entra case 11: with the issuer of one tenant, iss is compared with it, and no key needs a member issuer")
    func oneTenant() async throws {
        let issuer = Self.issuer(Self.tenantA)
        var manner = ProviderManner(authentication: .assertion(audience: issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        let fixture = try LoginFixture(
            .openID(issuer: issuer), manner: manner, request: LoginRequest(), environment: .production, issuer: issuer)
        for (tenant, reason) in [
            (Self.tenantA, nil), (Self.tenantB, RelyingPartyError.Reason.issuerMismatch),
        ] as [(String, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = Self.claims(tenant) }
            #expect(error?.reason == reason, "\(tenant)")
        }
        #expect(JWK.publicKey(TestKeys.provider.publicKey).issuer == nil)
    }

    @Test(
        "Entra case 7: a tenant that is not allowed is an untrusted issuer, and personal accounts are a tenant of their own"
    )
    func tenants() async throws {
        for (rule, tenant, isAllowed) in [
            (TenantRule.oneOf([Self.tenantA]), Self.tenantA, true), (.oneOf([Self.tenantA]), Self.tenantB, false),
            (.any(except: [Self.personal]), Self.tenantB, true), (.any(except: [Self.personal]), Self.personal, false),
            (.any(except: []), Self.personal, true),
        ] {
            let fixture = try Self.fixture(rule)
            let error = try await fixture.failure { $0.idTokenClaims = Self.claims(tenant) }
            #expect(error == (isAllowed ? nil : .idToken(.untrustedIssuer)), "\(tenant)")
        }
    }

    @Test("Entra case 8: a template with two placeholders, one in the host, or http is a configuration error")
    func templates() throws {
        #expect(throws: Never.self) { try Self.fixture() }
        for text in [
            "https://login.provider.test/{tenantid}/{tenantid}", "https://{tenantid}.provider.test/v2.0",
            "http://login.provider.test/{tenantid}/v2.0", Self.common,
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration), "\(text)") {
                try Self.fixture(template: text)
            }
        }
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) { try Self.fixture(.oneOf([])) }
    }

    @Test(
        "Entra case 9: metadata must name the template, and endpoints on its host; userinfo may be at the named address"
    )
    func metadata() async throws {
        for (member, value, isAccepted) in [
            (.issuer, Self.text, true), (.issuer, Self.issuer(Self.tenantA), false), (.issuer, Self.common, false),
            (.tokenEndpoint, "https://other.test/token", false), (.jwksURI, "https://other.test/keys", false),
            (.authorizationEndpoint, "https://login.provider.test:8443/authorize", false),
            // This login does not need them.
            (.userInfoEndpoint, "https://graph.microsoft.com/other", true),
            (.endSessionEndpoint, "https://other.test/logout", true), (.revocationEndpoint, "", true),
            (.pushedAuthorizationRequestEndpoint, "urn:none", true),
        ] as [(MetadataMember, String, Bool)] {
            let fixture = try Self.fixture()
            fixture.provider.script.metadata[member.description] = "\"\(value)\""
            let error = try await fixture.failure()
            let reason: RelyingPartyError.Reason = member == .issuer ? .discoveryMismatch : .metadataInvalid(member)
            #expect(error == (isAccepted ? nil : RelyingPartyError(reason, in: .discovery)), "\(member)")
        }
        for (endpoint, isAccepted) in [
            (Self.common + "/userinfo", true), ("https://graph.microsoft.com/oidc/userinfo", true),
            ("https://graph.microsoft.com/other", false), ("https://other.test/userinfo", false),
        ] {
            let fixture = try Self.fixture { $0.userInfo = UserInfoRules(form: .json) }
            fixture.provider.script.metadata["userinfo_endpoint"] = "\"\(endpoint)\""
            let error = try await fixture.failure()
            let isRequested = fixture.provider.state.withLock { state in
                state.requests.contains { $0.request.url == endpoint }
            }
            #expect(isRequested == isAccepted, "\(endpoint)")
            let rejected = RelyingPartyError(.metadataInvalid(.userInfoEndpoint), in: .discovery)
            #expect((error == rejected) == !isAccepted, "\(endpoint)")
        }
        for (endpoint, isAccepted) in [(Self.common + "/logout", true), ("https://other.test/logout", false)] {
            let fixture = try Self.fixture()
            fixture.provider.script.metadata["end_session_endpoint"] = "\"\(endpoint)\""
            let error = try await refusal { try await fixture.party.logoutURL() }
            let rejected = RelyingPartyError(.metadataInvalid(.endSessionEndpoint), in: .discovery)
            #expect(error == (isAccepted ? nil : rejected), "\(endpoint)")
        }
    }

    @Test("Entra case 10: equal subjects of two tenants are two accounts")
    func accounts() async throws {
        let fixture = try Self.fixture()
        var references: Set<AccountReference> = []
        for tenant in [Self.tenantA, Self.tenantB] {
            fixture.provider.script.idTokenClaims = Self.claims(tenant)
            let user = try await fixture.login()
            references.insert(AccountReference(issuer: user.issuer, subject: user.subject))
        }
        #expect(references.count == 2)
    }

    @Test("Entra case 12: ver, if it is present, must be 2.0")
    func version() async throws {
        let fixture = try Self.fixture()
        for (version, reason) in [
            (nil, nil), ("2.0", nil), ("1.0", RelyingPartyError.Reason.claimUnexpected("ver")),
            (2, .claimType("ver")),
        ] as [(ClaimValue?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure {
                $0.idTokenClaims = { claims in
                    Self.claims(Self.tenantA)(&claims)
                    claims["ver"] = version
                }
            }
            #expect(error?.reason == reason)
        }
    }

    @Test("a refreshed ID token must be of the tenant of the login")
    func refresh() async throws {
        let fixture = try Self.fixture()
        fixture.provider.script.tokenResponse = { $0.replacing("{\"access", with: "{\"refresh_token\":\"r\",\"access") }
        let user = try await fixture.login()
        let ticket = try #require(user.refreshTicket)
        #expect(ticket.issuer == Self.issuer(Self.tenantA))
        #expect(try await fixture.party.refresh(ticket).idToken?.claims.issuer == ticket.issuer)
        fixture.provider.script.idTokenClaims = Self.claims(Self.tenantB)
        #expect(try await refusal { try await fixture.party.refresh(ticket) } == .idToken(.issuerMismatch))
        let foreign = RefreshTicket(refreshToken: "r", issuer: "https://other.test", subject: "user-1")
        let error = try await refusal { try await fixture.party.refresh(foreign) }
        #expect(error == RelyingPartyError(.issuerMismatch, in: .request))
    }

    @Test("iss of the callback must be that of the ID token, where there is one (RFC 9207, 2.4)")
    func callback() async throws {
        let fixture = try Self.fixture()
        for (iss, isAccepted) in [
            (Self.issuer(Self.tenantA), true), (Self.issuer(Self.tenantB), false), (Self.common, false),
        ] {
            let start = try await fixture.party.beginLogin()
            let query = fixture.provider.authorize(start.url) + "&iss=" + FormFields.encoded(iss)
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error == (isAccepted ? nil : RelyingPartyError(.issuerMismatch, in: .callback)), "\(iss)")
        }
    }

    @Test("the header of a client assertion names the certificate of the key, which is required (RFC 7515, 4.1.8)")
    func assertion() async throws {
        let thumbprint = String(repeating: "A", count: 43)
        let text = String(decoding: try TestKeys.client.exportPrivateJWK().dropLast(), as: UTF8.self)
        let certified = try PrivateKey(jwk: text + ",\"x5t#S256\":\"\(thumbprint)\"}")
        for (key, isAccepted) in [(certified, true), (TestKeys.client, false)] {
            let audience = Self.common + ScriptedProvider.Endpoint.token.rawValue
            var manner = ProviderManner(authentication: .assertion(audience: audience, isEncrypted: false))
            (manner.idToken, manner.userInfo, manner.usesPKCE) = (.signed, .json, true)
            manner.clientKey = key.publicKey
            let fixture = try LoginFixture(
                .entra(.oneOf([Self.tenantA])), manner: manner, request: LoginRequest(),
                environment: .sandbox(issuer: Self.text), issuer: Self.common,
                credentials: .keys(signing: key, decryption: KeySet.empty))
            fixture.provider.script.metadata["issuer"] = "\"\(Self.text)\""
            fixture.provider.script.published = [try Self.published(TestKeys.provider, issuer: Self.text)]
            fixture.provider.script.idTokenClaims = Self.claims(Self.tenantA)
            let error = try await fixture.failure()
            #expect((error == nil) == isAccepted && (isAccepted || error?.reason == .configurationError))
            guard isAccepted else { continue }
            let assertion = try #require(fixture.provider.lastForm(.token)["client_assertion"])
            let header = try UnverifiedToken(Array(assertion.utf8)).header
            #expect(header.json("x5t#S256").map { String(decoding: $0, as: UTF8.self) } == "\"\(thumbprint)\"")
        }
    }
}
