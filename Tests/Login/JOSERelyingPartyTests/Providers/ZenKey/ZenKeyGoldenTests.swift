import Foundation
import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty
@testable import JOSEZenKey

/// Messages that were written after the provider's guide and signed by another library. Requests and responses must
/// equal them byte for byte.
@Suite("ZenKey: golden messages") struct ZenKeyGoldenTests {
    private struct Golden: Decodable {
        let now: Double
        let client, secret, redirectURI, state, nonce, verifier, binding, context, mccmnc, issuer: String
        let authorization, callback, tokenAuthorization, tokenForm, userInfoAuthorization: String
        let pages: [String: String]
    }

    private func golden() throws -> Golden {
        let file = VectorFile.folder.appending(path: "Providers/zenkey.json")
        return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
    }

    @Test("sends the requests of a login with a port token byte for byte")
    func login() async throws {
        let golden = try golden()
        let web = CarrierWeb()
        for (url, body) in golden.pages { web[url] = CarrierWeb.json(body) }
        let clock = TestClock(NumericDate(secondsSince1970: golden.now))
        let store = MemoryLoginStore(clock: clock.wallClock)
        let client = RelyingPartyClient(
            id: golden.client, redirectURI: golden.redirectURI, credentials: try .secret(golden.secret))
        let party = try RelyingParty(
            .zenKey, in: .production, client: client, transport: web, store: store, clock: clock.wallClock,
            keySets: nil, observer: nil, fetching: LoginFixture.environment(clock))

        var request = LoginRequest.zenKey([.email])
        request.acrValues = ["a3"]
        request.zenKeyContext = golden.context
        request.provider = golden.mccmnc
        let prepared = try PreparedRequest(request, party.profile, client)
        var transaction = try prepared.transaction(
            party.profile, client, issuer: golden.issuer, binding: golden.binding, now: golden.now)
        (transaction.state, transaction.nonce, transaction.verifier) = (golden.state, golden.nonce, golden.verifier)
        let parameters = try prepared.parameters(transaction, client)
        let sent = FormText.write(parameters.map { (name: $0.name, value: $0.value.text) })
        #expect(sent == golden.authorization)

        try await party.remember(transaction)
        let user = try await party.completeLogin(callback: .query(golden.callback), binding: golden.binding)
        #expect(user.subject == "mccmnc-new" && user.issuer == golden.issuer)
        #expect(user.zenKey?.network?.digits == "001001" && user.zenKey?.correlationID == "abcdefgh")
        #expect(user.zenKey?.info?.isEmailVerified == true && user.zenKey?.info?.name == "Jane Doe")
        let token = try #require(web.requests.first { $0.url == golden.issuer + "/token" })
        #expect(String(decoding: token.body, as: UTF8.self) == golden.tokenForm)
        #expect(token.headers.first { $0.name == "Authorization" }?.value == golden.tokenAuthorization)
        let userInfo = try #require(web.requests.first { $0.url == golden.issuer + "/userinfo" })
        #expect(userInfo.headers.first { $0.name == "Authorization" }?.value == golden.userInfoAuthorization)

        let accounts = MemoryAccountStore<String>()
        let old = AccountReference(issuer: CarrierWeb.att, subject: "mccmnc-old")
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let report = try await PortTokenMigration(party, store: accounts).resolve(user)
        #expect(report.outcome == .moved("jane"))
        #expect(web.requests.allSatisfy { golden.pages[$0.url] != nil })
        // The control: with one changed letter in the token, the login fails.
        let answer = try #require(golden.pages[golden.issuer + "/token"])
        let start = try #require(answer.range(of: #""id_token":"eyJ"#)?.upperBound)
        web[golden.issuer + "/token"] = CarrierWeb.json(
            answer.replacingCharacters(in: start..<answer.index(after: start), with: answer[start] == "A" ? "B" : "A"))
        try await party.remember(transaction)
        let error = try await refusal {
            try await party.completeLogin(callback: .query(golden.callback), binding: golden.binding)
        }
        #expect(error?.step == .idToken)
    }
}
