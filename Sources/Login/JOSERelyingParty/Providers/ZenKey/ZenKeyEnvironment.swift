/// The location of ZenKey's central services, and the trusted hosts.
public struct ZenKeyEnvironment: Sendable {
    /// The URL of discovery, without the query. ZenKey spells its well-known name with an underscore.
    public var discoveryURL: String
    /// The URL of the page on which a user without a SIM in this device names their carrier.
    public var discoveryUIURL: String
    /// The trusted hosts of issuers, of their endpoints, and of a page that discovery names.
    public var trust: ZenKeyCarrierTrust

    /// Creates an environment with other services or carriers. A sandbox differs in its hosts only.
    ///
    /// - Parameters:
    ///   - discoveryURL: The URL of discovery, without the query.
    ///   - discoveryUIURL: The URL of the discovery page.
    ///   - trust: The trusted hosts.
    public init(discoveryURL: String, discoveryUIURL: String, trust: ZenKeyCarrierTrust = .carriers) {
        self.discoveryURL = discoveryURL
        self.discoveryUIURL = discoveryUIURL
        self.trust = trust
    }

    /// The environment of real users.
    public static let production = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer.myzenkey.com", uiHost: "discoveryui.myzenkey.com")
    /// The environment for tests with the carriers.
    public static let qa = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer-qa.myzenkey.com", uiHost: "discoveryui.myzenkey.com")

    private init(discoveryHost: String, uiHost: String) {
        self.init(
            discoveryURL: "https://\(discoveryHost)/.well-known/openid_configuration",
            discoveryUIURL: "https://\(uiHost)/ui/discovery-ui")
    }
}
