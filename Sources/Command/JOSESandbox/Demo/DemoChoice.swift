internal import JOSE
internal import JOSERelyingParty

/// What the service asks for of each provider: the profile by its name, and a request that uses what the provider has.
enum DemoChoice {
    /// Nil: no profile of this name is here.
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
        case "zenkey": (.zenKey.at(carriers(client, configuration)), zenKey)
        case "mitid.broker": (.mitID(), mitID)
        case "mitid.par": (.mitIDPushed(), mitID)
        case "mitid.ciba": (.mitIDBackChannel(), mitID)
        case "openid": (.openID(issuer: client.issuer), openID)
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

    private static let openID: LoginRequest = {
        var request = LoginRequest()
        request.scopes = ["openid", "profile", "email", "phone"]
        request.acrValues = ["high"]
        return request
    }()

    /// The discovery service and the sandbox's carriers, at its port.
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
    /// The same, by another way than the profile's first.
    fileprivate func by(_ delivery: RequestDelivery) -> LoginRequest {
        var request = self
        request.delivery = delivery
        return request
    }
}
