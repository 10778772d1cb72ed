internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

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
        _ tokens: Registration.TokenForm, id: String? = nil, secret: String? = nil
    ) -> Registration {
        let name = Self.name(profile)
        var client = Registration(
            flavour: flavour, profile: profile, clientID: id ?? "sandbox-" + name, redirectURIs: [callback(name)],
            secret: secret, authentication: authentication, tokens: tokens)
        client.keys = publicKeys
        return client
    }

    func itsme() throws -> [Provider] {
        let nested = Registration.TokenForm.nested(.rsaOAEP, .a128cbcHS256)
        let v1 = client("itsme.v1", .itsmeV1, [.signedAssertion], .signed)
        var nestedV1 = client("itsme.v1.nested", .itsmeV1, [.nestedAssertion], nested)
        nestedV1.requestObjects = [.signed, .nested]
        nestedV1.requestAudienceIsEndpoint = true
        var v2 = client("itsme.v2", .itsmeV2, [.nestedAssertion], nested)
        v2.requestObjects = [.nested]
        v2.requestAudienceIsEndpoint = true
        var reference = client("itsme.v2.reference", .itsmeV2, [.nestedAssertion], nested)
        reference.requestObjects = [.nested]
        reference.requestAudienceIsEndpoint = true
        reference.requestURIs = ServiceCalls.documents
        var key = client(
            "itsme.now.key", .itsmeNow, [.signedAssertion, .nestedAssertion], .nested(.rsaOAEP256, .a256gcm))
        key.requestObjects = [.nested]
        key.pkce = .required
        var secret = client(
            "itsme.now.secret", .itsmeNow, [.post], .direct, secret: "sandbox-" + Randomness.text())
        secret.pkce = .required
        var backChannel = client("itsme.now.ciba", .itsmeNow, [.signedAssertion], .nested(.rsaOAEP256, .a256gcm))
        backChannel.isBackChannel = true
        var paths = Provider.Paths()
        paths.backChannel = "/backchannel/authentication"
        paths.search = "/user_discovery_sessions"
        var direct = Provider.Paths()
        direct.authorization = "/connect/authorize"
        direct.token = "/connect/token"
        direct.userinfo = "/connect/userinfo"
        direct.keys = "/.well-known/jwks"
        return try [
            Provider(
                "itsme (sandbox)", authority: authority(0), base: "/oidc",
                keys: ProviderKeys(encrypts: true, makeKey: makeKey),
                clients: [v1, nestedV1], clock: clock),
            Provider(
                "itsme (sandbox)", authority: authority(0), base: "/v2", paths: paths,
                keys: ProviderKeys(encrypts: true, makeKey: makeKey), clients: [v2, reference, key, backChannel],
                clock: clock),
            Provider(
                "itsme (sandbox)", authority: authority(0), base: "/clientsecret-oidc/csapi/v0.1", paths: direct,
                keys: ProviderKeys(encrypts: false, makeKey: makeKey), clients: [secret], clock: clock),
        ]
    }

    func carriers() throws -> [Provider] {
        // The secret contains characters that an encoder would change: it must be sent unchanged.
        let secret = "sandbox:+" + Randomness.text()
        var client = client(
            "zenkey", .zenKey, [.basic], .signed, id: "ccid-SANDBOX000000001", secret: secret)
        client.userinfoIsJSON = true
        client.pkce = .required
        var app = self.client(
            "zenkey.app", .zenKey, [.basic], .signed, id: Self.appID, secret: "sandbox:+" + Randomness.text())
        app.redirectURIs = ["https://\(authority(6))/callback"]
        app.userinfoIsJSON = true
        app.pkce = .required
        var paths = Provider.Paths()
        paths.wellKnown = "/.well-known/openid_configuration"
        paths.keys = "/jwks"
        let one = Provider(
            "Carrier One (sandbox)", authority: authority(1), base: "", paths: paths,
            keys: try ProviderKeys(encrypts: false, makeKey: makeKey), clients: [client, app], clock: clock)
        let two = Provider(
            "Carrier Two (sandbox)", authority: authority(2), base: "", paths: paths,
            keys: try ProviderKeys(encrypts: false, makeKey: makeKey), clients: [client, app], clock: clock, former: one
        )
        return [one, two]
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
            id: "00000000-0000-4000-8000-00000000" + id, secret: "a+b/c=" + Randomness.text())
        client.userinfoIsJSON = true
        client.pkce = .required
        client.requestObjects = [.signed, .nested]
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
        var paths = Provider.Paths()
        paths.authorization = "/connect/authorize"
        paths.token = "/connect/token"
        paths.userinfo = "/connect/userinfo"
        paths.pushed = "/connect/par"
        paths.backChannel = "/connect/ciba"
        paths.endSession = "/connect/endsession"
        paths.keys = "/.well-known/openid-configuration/jwks"
        return try Provider(
            "MitID (sandbox)", authority: authority(0), base: "/op", paths: paths,
            keys: ProviderKeys(encrypts: true, certifiedBy: authority, makeKey: makeKey),
            clients: logins + withoutLogout, clock: clock)
    }

    /// Creates the issuer of age proofs with the wallet AltID, which is another one than that of logins.
    func altID() throws -> Provider {
        var paths = Provider.Paths()
        paths.backChannel = "/connect/ciba"
        paths.keys = "/jwks"
        return try Provider(
            "AltID (sandbox)", authority: authority(0), base: "/altid", paths: paths,
            keys: ProviderKeys(encrypts: true, certifiedBy: authority, makeKey: makeKey),
            clients: [brokerClient("altid.age", "c15e"), brokerClient("altid.age.ciba", "c18e")], clock: clock)
    }

    /// Creates the provider with many tenants, whose paths are those of Entra ID's metadata.
    func entra() throws -> Provider {
        let tenants = Tenants(template: "https://\(authority(0))/entra/{tenantid}/v2.0")
        var client = client(
            "entra", .entra, [.post, .encodedBasic], .signed, id: "00000000-0000-4000-8000-00000000c16e",
            secret: "Sandbox~" + Randomness.text())
        client.pkce = .optional
        var paths = Provider.Paths()
        paths.authorization = "/oauth2/v2.0/authorize"
        paths.token = "/oauth2/v2.0/token"
        paths.userinfo = "/oidc/userinfo"
        paths.endSession = "/oauth2/v2.0/logout"
        paths.keys = "/discovery/v2.0/keys"
        paths.wellKnown = "/v2.0/.well-known/openid-configuration"
        return try Provider(
            "Entra ID (sandbox)", authority: authority(0), base: "/entra", paths: paths,
            keys: ProviderKeys(encrypts: false, tenants: tenants, makeKey: makeKey), clients: [client], clock: clock,
            tenants: tenants)
    }

    func openID() throws -> Provider {
        var client = client("openid", .openID, [.signedAssertion], .signed)
        client.userinfoIsJSON = true
        client.pkce = .required
        client.requestObjects = [.signed]
        client.assertionAudienceIsIssuer = true
        client.logoutURI = logout("openid")
        var paths = Provider.Paths()
        paths.pushed = "/par"
        paths.backChannel = "/bc-authorize"
        paths.endSession = "/endsession"
        paths.keys = "/jwks"
        return try Provider(
            "OpenID Connect (sandbox)", authority: authority(0), base: "/openid", paths: paths,
            keys: ProviderKeys(encrypts: false, makeKey: makeKey), clients: [client], clock: clock)
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
