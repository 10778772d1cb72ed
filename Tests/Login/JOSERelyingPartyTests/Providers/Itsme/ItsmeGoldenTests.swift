import Foundation
import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

/// Messages that were written after itsme's documents, and signed and encrypted by another library, which also decrypts
/// and verifies what is sent.
@Suite("itsme: golden messages") struct ItsmeGoldenTests {
    private struct Golden: Decodable {
        struct Keys: Decodable { let signing, decryption, provider: String }
        struct Login: Decodable {
            let profile, issuer, discovery, jwks, authorization, callback, tokenForm, tokenResponse: String
            let level: String
            let claims: [String]
            let userInfoAuthorization, userInfo, bareUserInfo: String
        }
        let now: Double
        let client, service, redirectURI, state, nonce, verifier, binding, subject: String
        let keys: Keys
        let logins: [String: Login]
    }

    /// A transport that returns the golden responses and records the requests.
    private final class Pages: HTTPTransport {
        private let pages: Mutex<[String: TransportResponse]>
        private let asked = Mutex<[TransportRequest]>([])

        init(_ login: Golden.Login) {
            pages = Mutex([
                login.issuer + "/.well-known/openid-configuration": .json(login.discovery),
                login.issuer + "/jwkSet": .json(login.jwks), login.issuer + "/token": .json(login.tokenResponse),
                login.issuer + "/userinfo": .jwt(login.userInfo),
            ])
        }

        subscript(_ url: String) -> TransportResponse? {
            get { pages.withLock { $0[url] } }
            set { pages.withLock { $0[url] = newValue } }
        }

        func last(_ url: String) -> TransportRequest? { asked.withLock { asked in asked.last { $0.url == url } } }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            asked.withLock { $0.append(request) }
            return self[request.url] ?? TransportResponse(status: 404)
        }
    }

    private static let profiles: [(String, ProviderProfile)] = [
        ("v1", .itsmeV1(userInfo: .signed)), ("v2", .itsmeV2), ("now", .itsmeKey),
    ]

    private static let file = VectorFile.folder.appending(path: "Providers/itsme.json")

    /// A login of one generation, with the golden values in place of the random ones.
    private struct Fixture {
        let golden: Golden
        let login: Golden.Login
        let json: JSON
        let pages: Pages
        let party: RelyingParty
        let transaction: LoginTransaction
        let parameters: [(name: String, value: ParameterValue)]

        init(_ name: String, _ profile: ProviderProfile) throws {
            let data = try Data(contentsOf: ItsmeGoldenTests.file)
            golden = try JSONDecoder().decode(Golden.self, from: data)
            login = try #require(golden.logins[name])
            json = try #require(try JSON(Array(data))["logins"]?[name])
            #expect(profile.name == login.profile)
            pages = Pages(login)
            let clock = TestClock(NumericDate(secondsSince1970: golden.now))
            let signing = try PrivateKey(jwk: golden.keys.signing)
            let decryption = try PrivateKey(jwk: golden.keys.decryption)
            let client = RelyingPartyClient(
                id: golden.client, redirectURI: golden.redirectURI,
                credentials: .keys(signing: signing, decryption: KeySet(decryption)))
            party = try RelyingParty(
                profile, in: .production, client: client, transport: pages,
                store: MemoryLoginStore(clock: clock.wallClock), clock: clock.wallClock, keySets: nil, observer: nil,
                fetching: LoginFixture.environment(clock))
            var request = LoginRequest.itsme(service: golden.service, level: .advanced, scopes: [.profile])
            var claims = ClaimsRequest()
            claims.askInUserInfo(login.claims[0])
            claims.askInUserInfo(login.claims[1], .essential)
            request.claims = claims
            let prepared = try PreparedRequest(request, party.profile, client)
            var transaction = try prepared.transaction(
                party.profile, client, issuer: login.issuer, binding: golden.binding,
                now: golden.now)
            (transaction.state, transaction.nonce) = (golden.state, golden.nonce)
            if transaction.verifier != nil { transaction.verifier = golden.verifier }
            self.transaction = transaction
            parameters = try prepared.parameters(transaction, client)
        }

        func complete() async throws -> LoggedInUser {
            try await party.remember(transaction)
            return try await party.completeLogin(callback: .query(login.callback), binding: golden.binding)
        }

        func form() throws -> String {
            String(decoding: try #require(pages.last(login.issuer + "/token")).body, as: UTF8.self)
        }
    }

    @Test(
        "requests equal the golden messages byte for byte, and golden responses are read", arguments: profiles)
    func logins(_ name: String, _ profile: ProviderProfile) async throws {
        let fixture = try Fixture(name, profile)
        let (golden, login) = (fixture.golden, fixture.login)
        func pairs(_ text: String) -> [Substring] { text.split(separator: "&").sorted() }
        // The order is not specified.
        let sent = FormText.write(fixture.parameters.map { (name: $0.name, value: $0.value.text) })
        #expect(pairs(sent) == pairs(login.authorization))
        let user = try await fixture.complete()
        #expect(user.subject == golden.subject && user.issuer == login.issuer)
        #expect(user.itsme.level == .advanced && user.itsme.givenName == "Zoë")
        #expect(user.itsme.familyName == "D'Hondt" && user.itsme.citizenship == "BE")
        let form = try fixture.form()
        #expect(pairs(form).filter { !$0.hasPrefix("client_assertion=") } == pairs(login.tokenForm))
        let userInfo = try #require(fixture.pages.last(login.issuer + "/userinfo"))
        #expect(userInfo.headers.first { $0.name == "Authorization" }?.value == login.userInfoAuthorization)
        // The control: the login fails with userinfo that is not signed, and with one changed letter in the token.
        fixture.pages[login.issuer + "/userinfo"] = .json(login.bareUserInfo)
        let bare = try await refusal { try await fixture.complete() }
        #expect(bare == RelyingPartyError(name == "v1" ? .notSigned : .notEncrypted, in: .userInfo))
        let start = try #require(login.tokenResponse.range(of: #""id_token":"eyJ"#)?.upperBound)
        let letter = login.tokenResponse[start] == "A" ? "B" : "A"
        fixture.pages[login.issuer + "/token"] = .json(
            login.tokenResponse.replacingCharacters(
                in: start..<login.tokenResponse.index(after: start), with: letter))
        #expect(try await refusal { try await fixture.complete() }?.step == .idToken)
    }

    private struct Question: Encodable { let jwt, decrypt, verify: String }

    @Test(
        "joserfc decrypts and verifies the request object and the assertion, with the expected claims",
        .enabled(if: Peers.areHere, "SKIPPED: Python or its packages are missing; `make test` installs them"),
        arguments: profiles)
    func sent(_ name: String, _ profile: ProviderProfile) async throws {
        let fixture = try Fixture(name, profile)
        let (golden, login) = (fixture.golden, fixture.login)
        _ = try await fixture.complete()
        let provider = try await fixture.party.directory.provider(nil, until: nil)
        let object = try await fixture.party.object(
            fixture.parameters, to: provider, until: fixture.party.callDeadline())
        let assertion = try #require(FormFields(try fixture.form())["client_assertion"])
        let questions = [object, assertion].map {
            Question(jwt: $0, decrypt: golden.keys.provider, verify: golden.keys.signing)
        }
        let input = String(decoding: try JSONEncoder().encode(questions), as: UTF8.self)
        let result = try run(Peers.python, ["-B", Peers.script("golden_itsme.py"), "--open"], stdin: input)
        #expect(result.status == 0, "\(result.stderr)")
        guard case .array(let opened) = try JSON(Array(result.stdout.utf8)) else {
            Issue.record("not a list")
            return
        }
        for (found, (claims, headers, life)) in zip(
            opened, [("object", "objectHeaders", 120), ("assertion", "assertionHeaders", 120)])
        {
            #expect(found["headers"] == fixture.json[headers], "\(name) \(claims)")
            guard case .object(var members)? = found["claims"] else {
                Issue.record("no claims")
                continue
            }
            // The value is random, and differs in each request.
            #expect((members.removeValue(forKey: "jti")?.string ?? "").utf8.count >= 16)
            #expect(members.removeValue(forKey: "iat")?.text == "\(Int(golden.now))")
            #expect(members.removeValue(forKey: "exp")?.text == "\(Int(golden.now) + life)")
            #expect(JSON.object(members) == fixture.json[claims], "\(name) \(claims)")
        }
        #expect(login.issuer == provider.issuer && opened.count == 2)
    }
}
