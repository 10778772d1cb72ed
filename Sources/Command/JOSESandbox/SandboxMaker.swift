internal import JOSE
internal import JOSEItsme
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey

/// Creates the providers from the table of issuers, clients and their registrations.
struct SandboxMaker {
    let port: UInt16
    let service: String
    /// The origin of the service at its port that requires a client certificate.
    let serviceAPI: String
    let publicKeys: KeySet
    let authority: TestAuthority
    let clock: WallClock
    let makeKey: RSAKeyMaker

    func authority(_ host: Int) -> String { "\(Sandbox.hosts[host]):\(port)" }
    func callback(_ name: String) -> String { "\(service)/callback/\(name)" }

    private static let profiles: [(name: String, title: String, profile: String)] = [
        ("itsme-v1", "itsme v1", "itsme.v1"), ("itsme-v1-nested", "itsme v1, encrypted", "itsme.v1.nested"),
        ("itsme-v2", "itsme v2", "itsme.v2"),
        ("itsme-v2-reference", "itsme v2, by reference", "itsme.v2.reference"),
        ("itsme-now-key", "itsme today, with keys", "itsme.now.key"),
        ("itsme-now-secret", "itsme today, with a secret", "itsme.now.secret"),
        ("itsme-ciba", "itsme, begun by the service", "itsme.now.ciba"), ("zenkey", "ZenKey", "zenkey"),
        ("zenkey-app", "ZenKey, by an app with the SDK", "zenkey.app"),
        ("mitid", "MitID", "mitid.broker"), ("mitid-pushed", "MitID, by a pushed request", "mitid.par"),
        ("mitid-ciba", "MitID, begun by the service", "mitid.ciba"), ("mitid-app", "MitID, from an app", "mitid.app"),
        ("mitid-business", "MitID Erhverv", "mitid.business"),
        ("mitid-age", "MitID, whether an age is reached", "mitid.age"),
        ("mitid-years", "MitID, the age in years", "mitid.years"),
        ("altid", "AltID", "altid.person"), ("altid-age", "AltID, an age alone", "altid.age"),
        ("altid-age-ciba", "AltID, an age alone, begun by the service", "altid.age.ciba"),
        ("openid", "OpenID Connect", "openid"),
        ("entra", "Microsoft Entra ID", "entra"),
    ]

    private static func name(_ profile: String) -> String {
        profiles.first { $0.profile == profile }?.name ?? profile
    }
    private func logout(_ profile: String) -> String { "\(service)/logout-notice/" + Self.name(profile) }

    private func client(
        _ profile: String, _ flavour: Flavour, _ authentication: [Registration.ClientAuthentication],
        _ tokens: Registration.TokenForm, id: String? = nil, secret: String? = nil, userinfoIsJSON: Bool = false,
        pkce: Registration.PKCE = .none, requestObjects: [Registration.RequestObject] = []
    ) -> Registration {
        let name = Self.name(profile)
        return Registration(
            flavour: flavour, profile: profile, clientID: id ?? "sandbox-" + name, redirectURIs: [callback(name)],
            secret: secret, authentication: authentication, tokens: tokens, userinfoIsJSON: userinfoIsJSON, pkce: pkce,
            requestObjects: requestObjects, keys: publicKeys)
    }

    private func provider(
        _ title: String, host: Int = 0, base: String, _ paths: Provider.Paths = Provider.Paths(),
        encrypts: Bool = false, certifiedBy authority: TestAuthority? = nil, _ clients: [Registration],
        former: Provider? = nil, tenants: Tenants? = nil
    ) throws -> Provider {
        Provider(
            title + " (sandbox)", authority: self.authority(host), base: base, paths: paths,
            keys: try ProviderKeys(encrypts: encrypts, certifiedBy: authority, tenants: tenants, makeKey: makeKey),
            clients: clients, clock: clock, former: former, tenants: tenants)
    }

    func itsme() throws -> [Provider] {
        let nested = Registration.TokenForm.nested(.rsaOAEP, .a128cbcHS256)
        let v1 = client("itsme.v1", .itsmeV1, [.signedAssertion], .signed)
        var nestedV1 = client(
            "itsme.v1.nested", .itsmeV1, [.nestedAssertion], nested, requestObjects: [.signed, .nested])
        nestedV1.requestAudienceIsEndpoint = true
        var v2 = client("itsme.v2", .itsmeV2, [.nestedAssertion], nested, requestObjects: [.nested])
        v2.requestAudienceIsEndpoint = true
        var reference = client("itsme.v2.reference", .itsmeV2, [.nestedAssertion], nested, requestObjects: [.nested])
        reference.requestAudienceIsEndpoint = true
        reference.requestURIs = ServiceCalls.documents
        let key = client(
            "itsme.now.key", .itsmeNow, [.signedAssertion, .nestedAssertion], .nested(.rsaOAEP256, .a256gcm),
            pkce: .required, requestObjects: [.nested])
        let secret = client(
            "itsme.now.secret", .itsmeNow, [.post], .direct, secret: "sandbox-" + Randomness.text(), pkce: .required)
        var backChannel = client("itsme.now.ciba", .itsmeNow, [.signedAssertion], .nested(.rsaOAEP256, .a256gcm))
        backChannel.isBackChannel = true
        let paths = Provider.Paths(backChannel: "/backchannel/authentication", search: "/user_discovery_sessions")
        let direct = Provider.Paths(
            authorization: "/connect/authorize", token: "/connect/token", userinfo: "/connect/userinfo",
            keys: "/.well-known/jwks")
        return [
            try provider("itsme", base: "/oidc", encrypts: true, [v1, nestedV1]),
            try provider("itsme", base: "/v2", paths, encrypts: true, [v2, reference, key, backChannel]),
            try provider("itsme", base: "/clientsecret-oidc/csapi/v0.1", direct, [secret]),
        ]
    }

    func carriers() throws -> [Provider] {
        // The secrets contain characters that an encoder would change: they must be sent unchanged.
        let client = client(
            "zenkey", .zenKey, [.basic], .signed, id: "ccid-SANDBOX000000001", secret: "sandbox:+" + Randomness.text(),
            userinfoIsJSON: true, pkce: .required)
        var app = self.client(
            "zenkey.app", .zenKey, [.basic], .signed, id: Self.appID, secret: "sandbox:+" + Randomness.text(),
            userinfoIsJSON: true, pkce: .required)
        app.redirectURIs = ["https://\(authority(6))/callback"]
        let paths = Provider.Paths(keys: "/jwks", wellKnown: "/.well-known/openid_configuration")
        let one = try provider("Carrier One", host: 1, base: "", paths, [client, app])
        return [one, try provider("Carrier Two", host: 2, base: "", paths, [client, app], former: one)]
    }

    /// The client ID of the app with the SDK.
    private static let appID = "ccid-SANDBOX000000002"

    func app(_ discovery: ZenKeyDiscovery, transport: (any HTTPTransport)?) -> ZenKeyApp {
        ZenKeyApp(
            authority: authority(6), clientID: Self.appID, carriers: discovery.carriers,
            service: "\(service)/app/\(Self.name("zenkey.app"))", transport: transport, clock: clock)
    }

    func discovery() -> ZenKeyDiscovery {
        ZenKeyDiscovery(
            authority: authority(3), clientID: "ccid-SANDBOX000000001", redirectURI: callback("zenkey"),
            otherClients: [Self.appID],
            carriers: [
                ZenKeyDiscovery.ZenKeyCarrier(code: "310410", title: "Carrier One", authority: authority(1)),
                // As a JSON number the code has four digits.
                ZenKeyDiscovery.ZenKeyCarrier(code: "001001", title: "Carrier Two", authority: authority(2)),
            ])
    }

    /// Returns a client of MitID's broker.
    private func brokerClient(_ profile: String, _ id: String) -> Registration {
        var client = client(
            profile, .mitID, [.encodedBasic, .post, .signedAssertion], .signed,
            id: "00000000-0000-4000-8000-00000000" + id, secret: "a+b/c=" + Randomness.text(), userinfoIsJSON: true,
            pkce: .required, requestObjects: [.signed, .nested])
        client.assertionAudienceIsIssuer = true
        client.isBackChannel = profile.hasSuffix(".ciba")
        client.answersByPost = !client.isBackChannel
        return client
    }

    func mitID() throws -> Provider {
        let logins = [("mitid.broker", "c11e"), ("mitid.par", "c12e"), ("mitid.ciba", "c13e")].map { profile, id in
            var client = brokerClient(profile, id)
            client.logoutURI = logout(profile)
            return client
        }
        let withoutLogout = [
            ("altid.person", "c14e"), ("mitid.business", "c17e"), ("mitid.age", "c19e"), ("mitid.years", "c20e"),
            ("mitid.app", "c21e"),
        ].map(brokerClient)
        let paths = Provider.Paths(
            authorization: "/connect/authorize", token: "/connect/token", userinfo: "/connect/userinfo",
            keys: "/.well-known/openid-configuration/jwks", pushed: "/connect/par", backChannel: "/connect/ciba",
            endSession: "/connect/endsession")
        return try provider(
            "MitID", base: "/op", paths, encrypts: true, certifiedBy: authority, logins + withoutLogout)
    }

    /// Creates the issuer of age proofs with the wallet AltID, which is another one than that of logins.
    func altID() throws -> Provider {
        try provider(
            "AltID", base: "/altid", Provider.Paths(keys: "/jwks", backChannel: "/connect/ciba"), encrypts: true,
            certifiedBy: authority, [brokerClient("altid.age", "c15e"), brokerClient("altid.age.ciba", "c18e")])
    }

    /// Creates the provider with many tenants, whose paths are those of Entra ID's metadata.
    func entra() throws -> Provider {
        let client = client(
            "entra", .entra, [.post, .encodedBasic], .signed, id: "00000000-0000-4000-8000-00000000c16e",
            secret: "Sandbox~" + Randomness.text(), pkce: .optional)
        let paths = Provider.Paths(
            authorization: "/oauth2/v2.0/authorize", token: "/oauth2/v2.0/token", userinfo: "/oidc/userinfo",
            keys: "/discovery/v2.0/keys", endSession: "/oauth2/v2.0/logout",
            wellKnown: "/v2.0/.well-known/openid-configuration")
        return try provider(
            "Entra ID", base: "/entra", paths, [client],
            tenants: Tenants(template: "https://\(authority(0))/entra/{tenantid}/v2.0"))
    }

    func openID() throws -> Provider {
        var client = client(
            "openid", .openID, [.signedAssertion], .signed, userinfoIsJSON: true, pkce: .required,
            requestObjects: [.signed])
        client.assertionAudienceIsIssuer = true
        client.logoutURI = logout("openid")
        let paths = Provider.Paths(
            keys: "/jwks", pushed: "/par", backChannel: "/bc-authorize", endSession: "/endsession")
        return try provider("OpenID Connect", base: "/openid", paths, [client])
    }

    /// Returns one client for each profile. The two carriers share one, whose issuer is the discovery service.
    func clients(_ providers: [Provider]) -> [TestClient] {
        Self.profiles.compactMap { row in
            guard
                let provider = providers.first(where: { $0.clients.contains { $0.profile == row.profile } }),
                let client = provider.clients.first(where: { $0.profile == row.profile })
            else { return nil }
            return TestClient(
                name: row.name, title: row.title, profile: row.profile,
                issuer: client.flavour == .zenKey ? "https://" + authority(3) : provider.issuer,
                clientID: client.clientID, secret: client.secret, redirectURI: client.redirectURIs[0],
                answersByPost: client.answersByPost)
        }
    }
}
