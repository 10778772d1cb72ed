import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty

/// Clients whose signing key is outside the process, such as in an HSM.
@Suite("Clients with external keys") struct ExternalClientKeyTests {
    private static func fixture(
        _ signer: RemoteSigner, _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        manner.clientKey = signer.publicKey
        var profile = ProviderProfile(name: "own", production: nil)
        profile.request.deliveries = [.object]
        profile.request.object = RequestObjectRules()
        change(&profile)
        return try LoginFixture(
            profile, manner: manner, request: LoginRequest(), credentials: .keys(signing: signer))
    }

    @Test("an external key signs the request object and the client assertion of a login (RFC 7523, 3; RFC 9101, 4)")
    func login() async throws {
        let curve = try PrivateKey.generate(.p256, keyID: "curve")
        for (key, algorithm) in [(TestKeys.client, "RS256"), (curve, "ES256")] {
            let service = RemoteService()
            let fixture = try Self.fixture(RemoteSigner(key, service)) {
                $0.client.assertionAlgorithms = [.rs256, .es256]
                $0.request.object?.algorithms = [.rs256, .es256]
            }
            let start = try await fixture.party.beginLogin()
            #expect(await service.calls == 1)
            #expect(try await fixture.finish(start).subject == "user-1")
            #expect(await service.calls == 2)
            let request = try #require(FormFields(ofURL: start.url)["request"])
            let assertion = try #require(fixture.provider.lastForm(.token)["client_assertion"])
            for token in [request, assertion] {
                let header = try UnverifiedToken(token).header
                #expect(header.keyID == key.keyID && header.string("alg") == algorithm)
                let policy = SignaturePolicy(algorithms: [.rs256, .es256])
                #expect(throws: Never.self) {
                    try JWSVerifier(keys: KeySet(key.publicKey), policy: policy).verify(token)
                }
            }
        }
    }

    @Test("the failure of an external key is an internal fault of the step that needed it, and a later login succeeds")
    func failures() async throws {
        let service = RemoteService(.failing(RemoteService.Fault.offline))
        let fixture = try Self.fixture(RemoteSigner(TestKeys.client, service))
        #expect(try await fixture.failure() == .request(.internalFault))
        await service.set(.well)
        let start = try await fixture.party.beginLogin()
        await service.set(.lying { signature in signature.map { $0 ^ 1 } })
        #expect(
            try await refusal { try await fixture.finish(start) }?.reason == .internalFault)
        #expect(fixture.provider.calls(.token) == 0)
        await service.set(.well)
        #expect(try await fixture.failure() == nil)
    }

    @Test("a login whose task is cancelled while an external key signs is interrupted")
    func cancellation() async throws {
        let service = RemoteService(.slow(.ample))
        let fixture = try Self.fixture(RemoteSigner(TestKeys.client, service))
        let waiting = Task { try await refusal { try await fixture.party.beginLogin() } }
        while await service.calls == 0 { await Task.yield() }
        waiting.cancel()
        #expect(try await waiting.value == .request(.interrupted))
        await service.set(.well)
        #expect(try await fixture.failure() == nil)
    }

    @Test("an external key that does not answer within the profile's time limit ends the login")
    func timeLimit() async throws {
        let service = RemoteService(.deaf)
        // The clock of the fixture stands still, so that the key alone takes time.
        let limited = try Self.fixture(RemoteSigner(TestKeys.client, service)) { $0.timeLimit = .milliseconds(50) }
        #expect(try await limited.failure() == .request(.internalFault))
        await service.release()
        #expect(try await Self.fixture(RemoteSigner(TestKeys.client, service)).failure() == nil)
    }

    @Test("an external key must have a kid, and must fit one of the profile's algorithms")
    func unsuitable() async throws {
        let rejected = RelyingPartyError(.configurationError, in: .configuration)
        var unnamed = TestKeys.client
        unnamed.keyID = nil
        #expect(throws: rejected) { try Self.fixture(RemoteSigner(unnamed)) }
        let service = RemoteService()
        let curve = RemoteSigner(try .generate(.p256, keyID: "curve"), service)
        let fixture = try Self.fixture(curve) {
            $0.client.assertionAlgorithms = [.es256]
            $0.request.object?.algorithms = [.rs256]
        }
        #expect(try await fixture.failure() == .request(.keyUnsuitable))
        #expect(await service.calls == 0)
        let credentials = ClientCredentials.keys(signing: curve)
        #expect("\(credentials)" == "ClientCredentials" && Mirror(reflecting: credentials).children.isEmpty)
    }
}
