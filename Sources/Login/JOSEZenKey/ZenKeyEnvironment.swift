internal import JOSERelyingParty

/// The URLs of ZenKey's discovery service and discovery page, and the trusted hosts.
public struct ZenKeyEnvironment: Sendable {
    /// The URL of the discovery service, without a query. Its path ends in `openid_configuration`, which ZenKey spells
    /// with an underscore.
    package var discoveryURL: String
    /// The URL of the discovery page, on which a user whose carrier is not known selects it.
    package var discoveryUIURL: String
    /// The hosts that are trusted in the URLs of issuers, of their endpoints, and of a discovery page that a response
    /// contains.
    package var trust: ZenKeyCarrierTrust

    /// Creates an environment with other URLs or trusted hosts, such as those of a sandbox.
    ///
    /// - Parameters:
    ///   - discoveryURL: The URL of the discovery service, without a query.
    ///   - discoveryUIURL: The URL of the discovery page.
    ///   - trust: The trusted hosts.
    public init(discoveryURL: String, discoveryUIURL: String, trust: ZenKeyCarrierTrust = .carriers) {
        self.discoveryURL = discoveryURL
        self.discoveryUIURL = discoveryUIURL
        self.trust = trust
    }

    /// The production environment, for real users.
    public static let production = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer.myzenkey.com", uiHost: "discoveryui.myzenkey.com")
    /// The quality assurance environment, for tests with the carriers.
    public static let qa = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer-qa.myzenkey.com", uiHost: "discoveryui.myzenkey.com")

    private init(discoveryHost: String, uiHost: String) {
        self.init(
            discoveryURL: "https://\(discoveryHost)/.well-known/openid_configuration",
            discoveryUIURL: "https://\(uiHost)/ui/discovery-ui")
    }
}
