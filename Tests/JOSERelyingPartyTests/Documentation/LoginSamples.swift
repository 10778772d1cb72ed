import Foundation
import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Testing

/// What "Logging in" shows.
private struct LoginSample {
    let party: RelyingParty

    init(signingKey: PrivateKey, decryptionKey: PrivateKey, transport: any Transport) throws {
        // Sample: a relying party
        let keys = ClientCredentials.keys(signing: signingKey, decryption: KeySet(decryptionKey))
        let client = RelyingPartyClient(
            id: "my-partner-code", redirectURI: "https://service.example/callback", credentials: keys)
        let party = try RelyingParty(
            .itsmeV2, in: .production, client: client, transport: transport, store: MemoryLoginStore())
        // Sample: end
        self.party = party
    }

    // Sample: begin a login
    func begin() async throws(RelyingPartyError) -> (location: String, setCookie: String) {
        let start = try await party.beginLogin(.itsme(service: "MY_LOGIN", level: .basic, scopes: [.profile]))
        return (start.url, start.cookie)
    }
    // Sample: end

    // Sample: complete a login
    func complete(query: String, cookies: String) async throws(RelyingPartyError) -> String {
        let callback = Callback.query(query)
        let binding = callback.binding(inCookies: cookies)
        let user = try await party.completeLogin(callback: callback, binding: binding)
        return user.subject
    }
    // Sample: end
}

@Suite("Documentation of logins") struct LoginSampleTests {
    @Test("the sample logs a user in, in the browser that began alone") func login() async throws {
        let issuer = "https://idp.prd.itsme.services/v2"
        var manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: true))
        manner.clientID = "my-partner-code"
        manner.acr = "http://itsme.services/V2/claim/acr_basic"
        let provider = ScriptedProvider(issuer: issuer, manner: manner, clock: TestClock(Date().timeIntervalSince1970))
        let sample = try LoginSample(
            signingKey: TestKeys.client, decryptionKey: TestKeys.clientEncryption, transport: provider)
        for (isSame, subject) in [(true, "user-1"), (false, nil)] {
            let start = try await sample.begin()
            let cookie = isSame ? start.setCookie : try await sample.begin().setCookie
            let query = provider.authorize(start.location)
            let cookies = String(cookie.prefix { $0 != ";" })
            let found = try? await sample.complete(query: query, cookies: cookies)
            #expect(found == subject)
        }
    }
}
