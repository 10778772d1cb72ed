import JOSE
import JOSEKeySets
import JOSETesting
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("itsme: redirect URIs and subjects") struct ItsmeRegistrationTests {
    private static let secret = "a secret of thirty-two bytes, and of some more"

    private static func party(
        _ profile: ProviderProfile, _ redirectURIs: [String]
    ) throws -> RelyingParty {
        let isSecret = profile.name == "itsme.now.secret"
        let client = RelyingPartyClient(
            id: "partner-code", redirectURIs: redirectURIs,
            credentials: try isSecret
                ? .secret(secret) : .keys(signing: TestKeys.client, decryption: KeySet(TestKeys.clientEncryption)))
        let clock = TestClock()
        return try RelyingParty(
            profile, in: .sandbox(issuer: LoginFixture.issuer), client: client,
            transport: ScriptedProvider(
                issuer: LoginFixture.issuer, manner: ProviderManner(authentication: .secretPost), clock: clock),
            store: MemoryLoginStore(clock: clock.wallClock), clock: clock.wallClock)
    }

    private static let profiles: [ProviderProfile] = [
        .itsmeV1(), .itsmeV1Nested, .itsmeV2, .itsmeKey, .itsmeSecret(), .itsmeBackChannel(),
    ]

    @Test("R49 a redirect URI with a query, a fragment, user information or another scheme is rejected for itsme")
    func redirectURIs() throws {
        let plain = LoginFixture.redirectURI
        for profile in Self.profiles {
            #expect(throws: Never.self, "\(profile.name)") { try Self.party(profile, [plain]) }
            for uri in [
                plain + "?", plain + "?a=b", plain + "#", "http://service.test/callback", "app://service.test/callback",
                "https://user@service.test/callback", "",
            ] {
                for uris in [[uri], [plain, uri]] {
                    #expect(
                        throws: RelyingPartyError(.configurationError, in: .configuration), "\(profile.name): \(uri)"
                    ) { try Self.party(profile, uris) }
                }
            }
        }
    }

    @Test("a client of itsme registers several redirect URIs, and each login has one of them, byte for byte (R07)")
    func severalRedirectURIs() async throws {
        let uris = [LoginFixture.redirectURI, "https://service.test/other", "https://service.test/Other"]
        for profile in [ProviderProfile.itsmeV1(), .itsmeV2, .itsmeKey] {
            let party = try Self.party(profile, uris)
            for (wanted, sent) in [(nil, uris[0])] + uris.map({ ($0, $0) }) as [(String?, String)] {
                var request = LoginFixture.basic
                request.redirectURI = wanted
                let start = try await party.beginLogin(request)
                #expect(FormFields(ofURL: start.url)["redirect_uri"] == sent, "\(profile.name)")
            }
            var request = LoginFixture.basic
            request.redirectURI = "https://service.test/OTHER"
            #expect(
                try await refusal { try await party.beginLogin(request) } == .request(.invalidParameter("redirect_uri"))
            )
        }
    }

    @Test("R49 a sub of the second generation has 32 characters, and that of other generations may have another length")
    func subjects() async throws {
        let right = LoginFixture.secondSubject
        #expect(right.utf8.count == 32)
        let second = try LoginFixture.itsmeV2()
        #expect(try await second.failure() == nil)
        for subject in [String(right.dropLast()), right + "0", "user-1"] {
            let error = try await second.failure { script in
                script.idTokenClaims = { $0["sub"] = .string(subject) }
                script.userInfoClaims = { $0["sub"] = .string(subject) }
            }
            #expect(error == .idToken(.claimType("sub")), "\(subject.utf8.count)")
        }
        for fixture in [try LoginFixture.itsmeV1(), try .itsmeV1Nested(), try .itsmeKey()] {
            for subject in ["user-1", right, right + "0123"] {
                let error = try await fixture.failure { script in
                    script.idTokenClaims = { $0["sub"] = .string(subject) }
                    script.userInfoClaims = { $0["sub"] = .string(subject) }
                }
                #expect(error == nil, "\(subject.utf8.count)")
            }
        }
    }
}
