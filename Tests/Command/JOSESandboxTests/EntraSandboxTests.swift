import JOSE
import JOSEEntra
import JOSEKeySets
import JOSERelyingParty
import JOSESandbox
import JOSETokens
import TestSupport
import Testing

/// Tests of the provider whose issuers are of one template. All its misbehaviours are rows of `MisbehaviourTests`.
@Suite("Sandbox: Entra ID") struct EntraSandboxTests {
    private let login: RawLogin

    init() async throws { login = try await RawLogin("entra") }

    /// Returns the issuer of a tenant.
    private func issuer(_ tenant: String) -> String { "https://provider.test:8443/entra/\(tenant)/v2.0" }

    /// Returns the relying party, which gets the metadata of a tenant in place of those of all tenants.
    private func party(
        _ profile: ProviderProfile, _ issuer: String, metadataOf tenant: String = "common"
    ) throws -> RelyingParty {
        let sandbox = login.bench.sandbox
        return try RelyingParty(
            profile.limited(to: busyTimeLimit), in: .sandbox(issuer: issuer),
            client: RelyingPartyClient(
                id: login.client.clientID, redirectURI: login.client.redirectURI,
                credentials: .secret(try #require(login.client.secret))),
            transport: Wire { request in
                var request = request
                if request.path.hasSuffix("/.well-known/openid-configuration") {
                    request.path = request.path.replacing("/common/", with: "/\(tenant)/")
                }
                return sandbox.answer(request)
            }, store: MemoryLoginStore())
    }

    /// Logs a person in, and returns the user.
    private func user(
        _ profile: ProviderProfile, _ issuer: String, person: String = "anna", _ more: [String: String] = [:]
    ) async throws -> LoggedInUser {
        let party = try party(profile, issuer)
        let start = try await party.beginLogin()
        var surfer = Surfer(login.bench)
        surfer.keepsAwayFromService = true
        await surfer.get(start.url)
        let form = ["person": person, "misbehaviour": "", "decision": "approve"]
        await surfer.submit(form.merging(more) { $1 })
        let query = surfer.url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        return try await party.completeLogin(callback: .query(query), binding: start.binding)
    }

    @Test(
        "the ID token has the members of Microsoft's sample, and metadata and keys have the members that it publishes")
    func messages() async throws {
        let code = try await login.code([("scope", "openid profile")])
        let proof = [("client_id", login.client.clientID), ("client_secret", try #require(login.client.secret))]
        let response = login.post(try login.endpoint("token_endpoint"), login.exchange(code) + proof)
        let answer = try JSON(response.body)
        #expect(Set(answer.members) == ["access_token", "token_type", "expires_in", "scope", "id_token"])
        let token = try #require(answer["id_token"]?.string)
        let keys = KeySet(login.provider.publishedKeys.map { .publicKey($0) })
        let verified = try JWSVerifier(keys: keys, policy: SignaturePolicy(algorithms: [.rs256])).verify(token)
        let claims = try JSON(verified.payload)
        #expect(
            Set(claims.members) == [
                "ver", "iss", "sub", "aud", "exp", "iat", "nbf", "name", "preferred_username", "oid", "tid", "nonce",
                "aio",
            ])
        #expect(claims["ver"]?.string == "2.0" && claims["iss"]?.string == issuer(Tenants.first))
        #expect(claims["tid"]?.string == Tenants.first && claims["oid"]?.string?.utf8.count == 36)

        let metadata = try JSON(login.get(login.provider.metadataURL).body)
        let base = "https://provider.test:8443/entra/common/"
        #expect(metadata["issuer"]?.string == issuer("{tenantid}"))
        #expect(metadata["authorization_endpoint"]?.string == base + "oauth2/v2.0/authorize")
        #expect(metadata["token_endpoint"]?.string == base + "oauth2/v2.0/token")
        #expect(metadata["jwks_uri"]?.string == base + "discovery/v2.0/keys")
        #expect(metadata["userinfo_endpoint"]?.string == "https://graph.microsoft.com/oidc/userinfo")
        let issuers = try JSON(login.get(login.endpoint("jwks_uri")).body)["keys"]?.array?.map { $0["issuer"]?.string }
        #expect(issuers == [issuer("{tenantid}"), issuer(Tenants.personal), nil])
    }

    @Test(
        "a personal account is rejected where organizations are accepted, and signs in where its tenant is (Entra case 7)"
    )
    func personalAccounts() async throws {
        #expect(try await login.bench.login("entra", person: "low").item("failure") == "untrusted_issuer")
        #expect(try await login.bench.login("entra", person: "bo").title == "You are signed in")
        let template = issuer("{tenantid}")
        let user = try await user(.entra(.any(except: [])), template, person: "low")
        #expect(user.issuer == issuer(Tenants.personal))
        await #expect(throws: RelyingPartyError(.untrustedIssuer, in: .idToken)) {
            try await self.user(.entra(.any(except: [Tenants.personal])), template, person: "low")
        }
    }

    @Test(
        "a wrong tenant, issuer, key or version ends with its own code (Entra case 2, Entra case 3, Entra case 4, Entra case 5, Entra case 6, Entra case 12)"
    )
    func faults() async throws {
        for (fault, failure) in [
            (nil, nil), (.tenantIssuer, "issuer_mismatch"), (.pathTenant, "claim_type_invalid(tid)"),
            (.upperTenant, "claim_type_invalid(tid)"), (.bracedTenant, "claim_type_invalid(tid)"),
            (.missingTenant, "claim_missing(tid)"), (.templateIssuer, "claim_type_invalid(tid)"),
            (.personalKey, "key_unsuitable"), (.unboundKey, "key_unsuitable"), (.oldVersion, "claim_unexpected(ver)"),
        ] as [(Misbehaviour?, String?)] {
            let surfer = try await login.bench.login("entra", fault)
            #expect(surfer.item("failure") == failure, "\(fault?.name ?? "")")
            #expect((surfer.title == "You are signed in") == (fault == nil), "\(fault?.name ?? "")")
        }
    }

    @Test("a guest has the same subject in two tenants, which are two accounts (Entra case 10)") func guests()
        async throws
    {
        let profile = ProviderProfile.entra(.oneOf(Tenants.organizations))
        let home = try await user(profile, issuer("{tenantid}"))
        let guest = try await user(profile, issuer("{tenantid}"), ["guest": "yes"])
        #expect(home.subject == guest.subject)
        #expect(home.issuer == issuer(Tenants.first) && guest.issuer == issuer(Tenants.second))
    }

    @Test("metadata with the issuer of a tenant do not match the template (Entra case 9)") func metadata() async throws
    {
        let profile = ProviderProfile.entra(.oneOf(Tenants.organizations))
        for (tenant, isAccepted) in [("common", true), (Tenants.first, false)] {
            let party = try party(profile, issuer("{tenantid}"), metadataOf: tenant)
            let expected = isAccepted ? nil : RelyingPartyError(.discoveryMismatch, in: .discovery)
            #expect(
                await Self.failure { () async throws(RelyingPartyError) in try await party.beginLogin() } == expected)
        }
    }

    @Test("a client of one tenant signs users of that tenant in with an exact issuer (Entra case 11)") func oneTenant()
        async throws
    {
        let exact = issuer(Tenants.second)
        var profile = ProviderProfile(name: "entra-exact", production: nil)
        profile.client.authentication = [.clientSecretPost]
        let user = try await user(profile, exact, person: "bo")
        #expect(user.issuer == exact)
        // The page of the tenant offers its accounts only.
        let start = try await party(profile, exact).beginLogin()
        var surfer = Surfer(login.bench)
        await surfer.get(start.url)
        #expect(surfer.text.contains("value=\"bo\"") && !surfer.text.contains("value=\"anna\""))
        await surfer.submit(["person": "anna", "misbehaviour": "", "decision": "approve"])
        #expect(surfer.title == "Entra ID (sandbox): this request is refused")
    }

    private static func failure<Result>(_ body: () async throws(RelyingPartyError) -> Result) async
        -> RelyingPartyError?
    {
        do throws(RelyingPartyError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}
