/// Where ZenKey's central services are, and whose answers are believed.
public struct ZenKeyEnvironment: Sendable {
    /// Of discovery, up to the query; ZenKey spells its well-known name with an underscore.
    public var discoveryURL: String
    /// The page on which a user without a SIM in this device says who their carrier is.
    public var discoveryUIURL: String
    /// Of issuers, of their endpoints, and of a page that discovery names.
    public var trust: ZenKeyCarrierTrust

    /// For carriers and services of one's own: a sandbox differs in hosts alone.
    public init(discoveryURL: String, discoveryUIURL: String, trust: ZenKeyCarrierTrust = .carriers) {
        self.discoveryURL = discoveryURL
        self.discoveryUIURL = discoveryUIURL
        self.trust = trust
    }

    /// Users' own.
    public static let production = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer.myzenkey.com", uiHost: "discoveryui.myzenkey.com")
    /// For tests with the carriers.
    public static let qa = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer-qa.myzenkey.com", uiHost: "discoveryui.myzenkey.com")

    private init(discoveryHost: String, uiHost: String) {
        self.init(
            discoveryURL: "https://\(discoveryHost)/.well-known/openid_configuration",
            discoveryUIURL: "https://\(uiHost)/ui/discovery-ui")
    }
}
