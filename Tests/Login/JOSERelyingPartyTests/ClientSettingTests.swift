import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Testing

@testable import JOSERelyingParty

@Suite("Settings of a client") struct ClientSettingTests {
    private static let rejected = RelyingPartyError(.configurationError, in: .configuration)

    private static func fixture(
        signing: PrivateKey = TestKeys.client, _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        manner.clientKey = signing.publicKey
        var profile = ProviderProfile(name: "own", production: nil)
        change(&profile)
        return try LoginFixture(
            profile, manner: manner, request: LoginRequest(), credentials: .keys(signing: signing))
    }

    @Test("a signing key must have a kid that is not empty, so that the provider finds its public key")
    func keyIDs() async throws {
        for (keyID, isAccepted) in [("k", true), ("", false), (nil, false)] as [(String?, Bool)] {
            var key = TestKeys.client
            key.keyID = keyID
            guard isAccepted else {
                #expect(throws: Self.rejected) { try Self.fixture(signing: key) }
                continue
            }
            #expect(try await Self.fixture(signing: key).login().subject == "user-1")
        }
    }

    @Test("a client assertion requires a signing key for one of the profile's algorithms (RFC 7523, 3)")
    func assertionAlgorithms() async throws {
        let curve = try PrivateKey.generate(.p256, keyID: "curve")
        for (key, algorithms, isSuitable) in [
            (curve, [.rs256, .es256], true), (curve, [.rs256], false), (curve, [], false),
            (TestKeys.client, [.rs256], true), (TestKeys.client, [.es256], false),
        ] as [(PrivateKey, [SignatureAlgorithm], Bool)] {
            let fixture = try Self.fixture(signing: key) { $0.client.assertionAlgorithms = algorithms }
            let failure = RelyingPartyError(.keyUnsuitable, in: .tokenResponse)
            #expect(try await fixture.failure() == (isSuitable ? nil : failure), "\(algorithms)")
        }
    }

    @Test("a request object is valid for at most ten minutes") func requestLifetimes() async throws {
        for (seconds, isAccepted) in [(1, true), (600, true), (601, false), (0, false), (-1, false)] {
            let fixture = try Self.fixture {
                $0.request.deliveries = [.object]
                $0.request.object = RequestObjectRules()
                $0.request.object?.lifetime = .seconds(seconds)
            }
            #expect(try await fixture.failure() == (isAccepted ? nil : .request(.configurationError)), "\(seconds)")
        }
    }

    @Test("a request of a client without any redirect URI is a configuration error, and not one of the request")
    func redirectURIs() throws {
        let profile = ProviderProfile(name: "own", production: nil)
        func prepare(_ redirectURIs: [String], wanted: String? = nil) -> RelyingPartyError.Reason? {
            var request = LoginRequest()
            request.redirectURI = wanted
            let client = RelyingPartyClient(
                id: "c", redirectURIs: redirectURIs, credentials: .keys(signing: TestKeys.client))
            return failure { try PreparedRequest(request, profile, client) }
        }
        #expect(prepare([LoginFixture.redirectURI]) == nil)
        #expect(prepare([LoginFixture.redirectURI], wanted: LoginFixture.redirectURI) == nil)
        #expect(prepare([]) == .configurationError)
        #expect(prepare([], wanted: LoginFixture.redirectURI) == .invalidParameter("redirect_uri"))
        #expect(prepare([LoginFixture.redirectURI], wanted: "") == .invalidParameter("redirect_uri"))
    }
}
