import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Testing

/// The samples of the article "Logging in".
private struct LoginSample {
    let party: RelyingParty

    let request: LoginRequest

    init(
        _ profile: ProviderProfile, _ request: LoginRequest, signingKey: PrivateKey, decryptionKey: PrivateKey,
        transport: any HTTPTransport
    ) throws {
        self.request = request
        // Sample: a relying party
        let keys = ClientCredentials.keys(signing: signingKey, decryption: KeySet(decryptionKey))
        let client = RelyingPartyClient(
            id: "my-partner-code", redirectURI: "https://service.example/callback", credentials: keys)
        let party = try RelyingParty(
            profile, in: .production, client: client, transport: transport, store: MemoryLoginStore())
        // Sample: end
        self.party = party
    }

    // Sample: begin a login
    func begin() async throws(RelyingPartyError) -> (location: String, setCookie: String) {
        let start = try await party.beginLogin(request)
        return (start.url, start.cookie)
    }
    // Sample: end

    // Sample: complete a login
    func complete(query: String, cookies: String) async throws(RelyingPartyError) -> String {
        let callback = AuthorizationCallback.query(query)
        let binding = callback.binding(inCookies: cookies)
        let user = try await party.completeLogin(callback: callback, binding: binding)
        return user.subject
    }
    // Sample: end
}

// Sample: an OpenID login in production
struct CompanyLogin {
    let party: RelyingParty

    init(signingKey: PrivateKey, transport: any HTTPTransport) throws {
        let client = RelyingPartyClient(
            id: "shop", redirectURI: "https://shop.example/callback", credentials: .keys(signing: signingKey))
        party = try RelyingParty(
            .openID(issuer: "https://id.example.com"), in: .production, client: client, transport: transport,
            store: MemoryLoginStore())
    }

    func begin() async throws(RelyingPartyError) -> (location: String, setCookie: String) {
        var request = LoginRequest()
        request.scopes = ["openid", "email"]
        let start = try await party.beginLogin(request)
        return (start.url, start.cookie)
    }

    func complete(query: String, cookies: String) async throws(RelyingPartyError) -> LoggedInUser {
        let callback = AuthorizationCallback.query(query)
        let binding = callback.binding(inCookies: cookies)
        let user = try await party.completeLogin(callback: callback, binding: binding)
        let claims = user.standardClaims
        let isVerified = claims.isEmailVerified ?? false
        print("\(user.subject) has \(claims.email ?? "no e-mail address"), verified: \(isVerified)")
        return user
    }
}
// Sample: end

/// The samples of the article "Logging in" about logouts.
private struct LogoutSample {
    let party: RelyingParty

    // Sample: end sessions from the back channel
    func endSessions(of token: String, by end: (LogoutNotice) async throws -> Void) async throws {
        let notice = try await party.acceptLogout(token: token)
        try await end(notice)
        try await party.confirmLogout(notice)
    }
    // Sample: end

    // Sample: log out at the provider
    func logOut(idToken: String) async throws(RelyingPartyError) -> (html: String, contentSecurityPolicy: String) {
        let form = try await party.logoutForm(idToken: idToken, returnTo: "https://service.example/goodbye")
        return (form.page, BrowserForm.contentSecurityPolicy)
    }
    // Sample: end
}

@Suite("Documentation of logins") struct LoginSampleTests {
    @Test("the sample ends sessions before it confirms the logout, and sends the ID token by form_post") func logout()
        async throws
    {
        let issuer = LoginFixture.issuer
        let manner = ProviderManner(authentication: .assertion(audience: issuer, isEncrypted: false))
        let fixture = try LoginFixture(.openID(issuer: issuer), manner: manner, request: LoginRequest())
        let sample = LogoutSample(party: fixture.party)
        let now = Int64(fixture.clock.now.secondsSince1970)
        let token = try Forge.signed(
            header: #"{"alg":"RS256","kid":"provider-signature","typ":"logout+jwt"}"#,
            payload: #"{"iss":"\#(issuer)","aud":"\#(manner.clientID)","iat":\#(now),"exp":\#(now + 120),"jti":"1","#
                + #""sid":"s1","events":{"http://schemas.openid.net/event/backchannel-logout":{}}}"#,
            with: .privateKey(TestKeys.provider), .rs256)
        struct Fault: Error {}
        await #expect(throws: Fault.self) { try await sample.endSessions(of: token) { _ in throw Fault() } }
        var ended: [String?] = []
        try await sample.endSessions(of: token) { ended.append($0.sessionID) }
        #expect(ended == ["s1"])
        let replay = try await refusal { try await sample.endSessions(of: token) { ended.append($0.sessionID) } }
        #expect(replay?.reason == .replayed && ended.count == 1)
        let page = try await sample.logOut(idToken: "a.b.c")
        #expect(page.html.contains(#"value="a.b.c""#) && page.contentSecurityPolicy.contains("script-src 'sha256-"))
    }

    @Test("the sample of an OpenID provider asks for the e-mail address and reads it") func email() async throws {
        let issuer = "https://id.example.com"
        var manner = ProviderManner(authentication: .assertion(audience: issuer, isEncrypted: false))
        (manner.clientID, manner.idToken, manner.userInfo, manner.usesPKCE) = ("shop", .signed, .json, true)
        let provider = ScriptedProvider(issuer: issuer, manner: manner, clock: TestClock(.now))
        provider.script.userInfoClaims = {
            $0["email"] = "jan@example.com"
            $0["email_verified"] = true
        }
        let sample = try CompanyLogin(signingKey: TestKeys.client, transport: provider)
        let start = try await sample.begin()
        #expect(start.location.contains("scope=openid%20email") || start.location.contains("scope=openid+email"))
        let cookies = String(start.setCookie.prefix { $0 != ";" })
        // The sample has the clock of the system, which may have gone on by more than the leeway.
        provider.clock.now = .now
        let user = try await sample.complete(query: provider.authorize(start.location), cookies: cookies)
        #expect(user.string("email") == "jan@example.com" && user.userInfo?.bool("email_verified") == true)
    }

    @Test("the sample logs a user in only in the browser that began the login") func login() async throws {
        let issuer = "https://idp.prd.itsme.services/v2"
        var manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: true))
        manner.clientID = "my-partner-code"
        manner.acr = "http://itsme.services/V2/claim/acr_basic"
        manner.subject = LoginFixture.secondSubject
        let provider = ScriptedProvider(issuer: issuer, manner: manner, clock: TestClock(.now))
        let sample = try LoginSample(
            .itsmeV2, .itsme(service: "MY_LOGIN", level: .basic, scopes: [.profile]),
            signingKey: TestKeys.client, decryptionKey: TestKeys.clientEncryption, transport: provider)
        for (isSame, subject) in [(true, LoginFixture.secondSubject), (false, nil)] {
            let start = try await sample.begin()
            let cookie = isSame ? start.setCookie : try await sample.begin().setCookie
            let query = provider.authorize(start.location)
            let cookies = String(cookie.prefix { $0 != ";" })
            provider.clock.now = .now
            let found = try? await sample.complete(query: query, cookies: cookies)
            #expect(found == subject)
        }
    }
}
