internal import JOSE
internal import JOSEDigiD
internal import JOSEEntra
internal import JOSEItsme
internal import JOSEMitID
internal import JOSERelyingParty
internal import JOSEZenKey

/// Chooses what the service requests from each provider: the profile by its name, and a request that uses the
/// provider's features.
enum DemoChoice {
    /// Returns the profile and the request of a client, or nil if there is no profile of this name.
    static func of(
        _ client: TestClient, _ configuration: SandboxConfiguration
    ) -> (ProviderProfile, LoginRequest)? {
        switch client.profile {
        case "itsme.v1": (.itsmeV1(), itsme)
        case "itsme.v1.nested": (.itsmeV1Nested, itsme.by(.object))
        case "itsme.v2": (.itsmeV2, itsme)
        case "itsme.v2.reference": (.itsmeV2, itsme.by(.reference("")))
        case "itsme.now.key": (.itsmeKey, itsme.by(.object))
        case "itsme.now.secret": (.itsmeSecret(isOnboardedBeforeJune2025: true), itsme)
        case "itsme.now.ciba": (.itsmeBackChannel(), itsme)
        case "zenkey", "zenkey.app": (.zenKey.at(carriers(client, configuration)), zenKey)
        case "mitid.broker": (.mitID(), mitID)
        case "mitid.par": (.mitIDPushed(), mitID)
        case "mitid.ciba": (.mitIDBackChannel(), mitID)
        case "mitid.app": (.mitID(withLinks(to: DemoService.appLink(of: client))), mitID)
        case "altid.person": (.mitID(), .altIDPerson([.fullName, .birthDate, .nationality]))
        case "mitid.business": (.mitID(), .mitIDErhverv())
        case "mitid.age": (.mitID(), .mitIDAge(atLeast: 18))
        case "mitid.years": (.mitID(), .mitIDAge())
        case "altid.age", "altid.age.ciba": (.altIDAge(), .altIDAge(atLeast: [18, 67]))
        case "openid": (.openID(issuer: client.issuer), openID)
        case "entra": (.entra(.oneOf(Tenants.organizations)), entra)
        case "digid.oidc": (.digiDOpenID(DigiDOpenIDSettings(issuer: client.issuer)), .digiD(level: .substantieel))
        default: nil
        }
    }

    private static let itsme = LoginRequest.itsme(
        service: "SANDBOX_LOGIN", level: .advanced, scopes: [.profile, .email, .phone, .address])

    private static let zenKey: LoginRequest = {
        var request = LoginRequest.zenKey([.name, .email, .phone])
        request.acrValues = ["a3"]
        return request
    }()

    private static let mitID = LoginRequest.mitID(
        level: .substantial, scopes: [.ssn, .userInfoToken, .transactionToken])

    private static func withLinks(to link: String) -> MitIDSettings {
        var settings = MitIDSettings()
        settings.appLinks = MitIDAppLinks(urls: [link], associatedHosts: [Sandbox.serviceHost])
        return settings
    }

    private static let openID: LoginRequest = {
        var request = LoginRequest()
        request.scopes = ["openid", "profile", "email", "phone"]
        request.acrValues = ["high"]
        return request
    }()

    private static let entra: LoginRequest = {
        var request = LoginRequest()
        request.scopes = ["openid", "profile", "email"]
        return request
    }()

    /// Returns the options for the discovery service and the carriers of the sandbox, at its port.
    private static func carriers(
        _ client: TestClient, _ configuration: SandboxConfiguration
    ) -> ZenKeyEnvironment {
        ZenKeyEnvironment(
            discoveryURL: client.issuer + "/.well-known/openid_configuration",
            discoveryUIURL: client.issuer + "/ui/discovery-ui",
            trust: ZenKeyCarrierTrust(origins: configuration.hosts.map { "https://\($0):\(configuration.port)" }))
    }
}

extension LoginRequest {
    /// Returns the request with another delivery than the profile's default.
    fileprivate func by(_ delivery: RequestDelivery) -> LoginRequest {
        var request = self
        request.delivery = delivery
        return request
    }
}
