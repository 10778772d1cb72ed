import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSEDigiD
@testable import JOSEEntra
@testable import JOSEItsme
@testable import JOSEMitID
@testable import JOSERelyingParty
@testable import JOSEZenKey

@Suite("Publicly known private keys") struct PublishedKeyTests {
    /// Returns the keys with `kid`, `use` and `alg` as their publisher wrote them.
    private static func published() throws -> [PrivateKey] {
        let defaults = try ProviderSample("itsme/default-keys").message
        guard case .array(let keys)? = defaults["keys"] else { return [] }
        let cookbook = try #require(try VectorFile("rfc7520/jws").keys?["bilbo.baggins-rsa"])
        return try (keys.map(\.text) + [cookbook.text]).map { try PrivateKey(jwk: $0) }
    }

    /// All profiles, of which DigiD's requires in production the keys that sign its metadata.
    private static let profiles: [(profile: ProviderProfile, clientID: String, needsSecret: Bool)] = [
        (.itsmeV1(), "partner-code", false), (.itsmeV1Nested, "partner-code", false), (.itsmeV2, "partner-code", false),
        (.itsmeKey, "partner-code", false), (.itsmeSecret(), "partner-code", true),
        (.itsmeBackChannel(), "partner-code", false), (.mitID(), "client", false), (.mitIDPushed(), "client", false),
        (.mitIDEncrypted(), "client", false), (.mitIDBackChannel(), "client", false), (altIDAge, "client", false),
        (.zenKey, "ccid-service", true), (digiD, DigiDOpenIDFixture.clientID, false),
        (.entra(.any(except: [])), "client", false), (.openID(issuer: LoginFixture.issuer), "client", false),
    ]

    private static var altIDAge: ProviderProfile {
        var settings = MitIDSettings()
        settings.ageAuthority = "https://age.broker.test/op"
        return .altIDAge(settings)
    }

    private static var digiD: ProviderProfile {
        var settings = DigiDOpenIDSettings(issuer: DigiDOpenIDFixture.issuer)
        settings.metadataKeys = KeySet(TestKeys.provider.publicKey)
        return .digiDOpenID(settings)
    }

    /// Returns the environments of a profile other than production.
    private static func otherEnvironments(_ profile: ProviderProfile) -> [ProviderEnvironment] {
        let sandbox = profile.name == "entra" ? EntraTests.text : LoginFixture.issuer
        return [.sandbox(issuer: sandbox)] + (profile.location(.test) == nil ? [] : [.test])
    }

    private func party(
        _ profile: ProviderProfile, _ clientID: String, _ environment: ProviderEnvironment,
        _ credentials: ClientCredentials
    ) throws -> RelyingParty {
        let manner = ProviderManner(authentication: .secretPost)
        return try RelyingParty(
            profile, in: environment,
            client: RelyingPartyClient(id: clientID, redirectURI: LoginFixture.redirectURI, credentials: credentials),
            transport: ScriptedProvider(issuer: LoginFixture.issuer, manner: manner, clock: TestClock()),
            store: MemoryLoginStore())
    }

    @Test(
        "itsme case 22, itsme case 34: publicly known keys are rejected in production, and itsme's outside itsme's tests (R39)"
    )
    func configuration() async throws {
        let refused = RelyingPartyError(.configurationError, in: .configuration)
        let published = try Self.published()
        #expect(published.count == 3)
        for (profile, clientID, needsSecret) in Self.profiles {
            func credentials(_ signing: PrivateKey, _ decryption: PrivateKey) throws -> ClientCredentials {
                try needsSecret
                    ? .secret(String(repeating: "s", count: 32)).decrypting(with: KeySet(decryption))
                    : .keys(signing: signing, decryption: KeySet(decryption))
            }
            #expect(throws: Never.self, "\(profile.name)") {
                try party(profile, clientID, .production, credentials(TestKeys.client, TestKeys.clientEncryption))
            }
            for var key in published {
                key.keyID = "another"
                (key.use, key.algorithm, key.operations) = (nil, nil, nil)
                #expect(throws: refused, "\(profile.name)") {
                    try party(profile, clientID, .production, credentials(TestKeys.client, key))
                }
                let isOfTests = try CompromisedKeys.ofTests.contains(.privateKey(key))
                for environment in Self.otherEnvironments(profile) {
                    let isAccepted = !isOfTests || profile.name.hasPrefix("itsme")
                    #expect(
                        try await refusal { try party(profile, clientID, environment, credentials(key, key)) }
                            == (isAccepted ? nil : refused), "\(profile.name), \(environment)")
                }
                guard !needsSecret else { continue }
                #expect(throws: refused, "\(profile.name)") {
                    try party(profile, clientID, .production, credentials(key, TestKeys.clientEncryption))
                }
                #expect(throws: refused, "\(profile.name)") {
                    try party(
                        profile, clientID, .production,
                        .keys(signing: RemoteSigner(key), decryption: KeySet(TestKeys.clientEncryption)))
                }
            }
        }
    }

    @Test("R39 itsme: a sandbox with the issuer of production is production, and one with an issuer of its own is not")
    func productionAsSandbox() throws {
        let refused = RelyingPartyError(.configurationError, in: .configuration)
        let published = try Self.published()
        for (profile, clientID, needsSecret) in Self.profiles {
            let production = try #require(profile.location(.production)).issuer
            // The issuer of a registration names production and test alike, which the environment then tells apart.
            guard profile.location(.test)?.issuer != production else { continue }
            func credentials(_ key: PrivateKey) throws -> ClientCredentials {
                try needsSecret
                    ? .secret(String(repeating: "s", count: 32)).decrypting(with: KeySet(key))
                    : .keys(signing: TestKeys.client, decryption: KeySet(key))
            }
            for key in published {
                #expect(throws: refused, "\(profile.name)") {
                    try party(profile, clientID, .sandbox(issuer: production), credentials(key))
                }
            }
            #expect(throws: Never.self, "\(profile.name)") {
                try party(profile, clientID, .sandbox(issuer: production), credentials(TestKeys.clientEncryption))
            }
            for environment in Self.otherEnvironments(profile) {
                #expect(throws: Never.self, "\(profile.name)") {
                    try party(profile, clientID, environment, credentials(published[2]))
                }
            }
        }
    }

    @Test("R39 itsme: an issuer on any host of itsme's production is production, with every profile of itsme")
    func productionHosts() throws {
        let refused = RelyingPartyError(.configurationError, in: .configuration)
        let key = try Self.published()[0]
        for (profile, clientID, needsSecret) in Self.profiles where profile.name.hasPrefix("itsme") {
            let credentials: ClientCredentials =
                try needsSecret
                ? .secret(String(repeating: "s", count: 32)).decrypting(with: KeySet(key))
                : .keys(signing: key, decryption: KeySet(TestKeys.clientEncryption))
            for (issuer, isAccepted) in [
                ("https://idp.prd.itsme.services/v2", false), ("https://idp.prd.itsme.services/v2/", false),
                ("https://IDP.prd.itsme.services", false), ("https://idp.prd.itsme.services.", false),
                ("https://new.prd.itsme.services/v3", false), ("https://merchant.itsme.be/oidc", false),
                ("https://prd.itsme.services.test", true), ("https://aprd.itsme.services", true),
                ("https://idp.e2e.itsme.services/v2", true), ("https://idp.itsme.test/v2", true),
            ] {
                func make() throws -> RelyingParty {
                    try party(profile, clientID, .sandbox(issuer: issuer), credentials)
                }
                if isAccepted {
                    #expect(throws: Never.self, "\(profile.name) \(issuer)") { try make() }
                } else {
                    #expect(throws: refused, "\(profile.name) \(issuer)") { try make() }
                }
            }
        }
    }

    @Test(
        "R39 itsme: the default keys of the E2E environment are on the list of publicly known keys, and others are not")
    func thumbprints() throws {
        for key in try Self.published() { #expect(try CompromisedKeys.all.contains(.publicKey(key.publicKey))) }
        #expect(try !CompromisedKeys.all.contains(.privateKey(TestKeys.client)))
    }

    /// Signs with a key that a test changes.
    private final class ChangingSigner: SigningKeySource {
        private let key: Mutex<PrivateKey>
        init(_ key: PrivateKey) { self.key = Mutex(key) }
        func set(_ new: PrivateKey) { key.withLock { $0 = new } }
        func signingKey() throws(JOSEError) -> PrivateKey { key.withLock { $0 } }
        var longestTokenLifetime: Duration? { nil }
    }

    @Test("R39 itsme: a publicly known key of a later rotation signs nothing and decrypts nothing")
    func rotation() async throws {
        let published = try Self.published()
        for isProduction in [true, false] {
            let signer = ChangingSigner(TestKeys.client)
            let decryption = ChangingKeys(KeySet(TestKeys.clientEncryption))
            let address = isProduction ? LoginFixture.second : LoginFixture.issuer
            var manner = ProviderManner(authentication: .assertion(audience: address + "/token", isEncrypted: true))
            manner.acr = "http://itsme.services/V2/claim/acr_basic"
            manner.subject = LoginFixture.secondSubject
            let fixture = try LoginFixture(
                .itsmeV2, manner: manner, request: .itsme(service: "SHOP"),
                environment: isProduction ? .production : .sandbox(issuer: address), issuer: address,
                credentials: .keys(signing: signer, decryption: decryption))
            #expect(try await fixture.failure() == nil)
            signer.set(published[0])
            let signed = try await fixture.failure()
            #expect(signed?.reason == (isProduction ? .configurationError : .providerError(try #require(Self.client))))
            signer.set(TestKeys.client)
            #expect(try await fixture.failure() == nil)
            var leaked = published[1]
            leaked.keyID = TestKeys.clientEncryption.keyID
            decryption.set(KeySet([.privateKey(leaked)]))
            let opened = try await fixture.failure()
            #expect(opened == RelyingPartyError(isProduction ? .keyUnsuitable : .decryptionFailed, in: .idToken))
            guard isProduction else { continue }
            // The set's other keys are used as before.
            decryption.set(KeySet([.privateKey(leaked), .privateKey(TestKeys.clientEncryption)]))
            #expect(try await fixture.failure() == nil)
        }
    }

    private static let client = ProviderErrorCode("invalid_client")
}

extension LoginFixture {
    /// itsme's second generation in production.
    static let second = "https://idp.prd.itsme.services/v2"
}
