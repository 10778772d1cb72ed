/// Where ZenKey's central services are, and whose answers are believed.
public struct ZenKeyEnvironment: Sendable {
    /// Of discovery, up to the query; ZenKey spells its well-known name with an underscore.
    public var discoveryURL: String
    /// The page on which a user without a SIM in this device says who their carrier is.
    public var discoveryUIURL: String
    /// Of optimised discovery, which takes a login's request for whichever carrier is the user's (``ZenKeyEntry/anyOf(_:)``);
    /// nil: there is none.
    public var authorizationURL: String?
    /// Of issuers, of their endpoints, and of the addresses above to which a browser goes.
    public var trust: CarrierTrust

    /// For carriers and services of one's own: a sandbox differs in hosts alone.
    public init(
        discoveryURL: String, discoveryUIURL: String, authorizationURL: String? = nil, trust: CarrierTrust = .carriers
    ) {
        self.discoveryURL = discoveryURL
        self.discoveryUIURL = discoveryUIURL
        self.authorizationURL = authorizationURL
        self.trust = trust
    }

    /// Users' own.
    public static let production = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer.myzenkey.com", uiHost: "discoveryui.myzenkey.com",
        authorizationURL: "https://auth.myzenkey.com/v1/auth")
    /// For tests with the carriers.
    public static let qa = ZenKeyEnvironment(
        discoveryHost: "discoveryissuer-qa.myzenkey.com", uiHost: "discoveryui.myzenkey.com")
    /// The one before production.
    public static let staging = ZenKeyEnvironment(discoveryHost: "app.myzenkey.com", uiHost: "discoveryui.myzenkey.com")
    /// Of the time before the name ZenKey.
    public static let old = ZenKeyEnvironment(discoveryHost: "discoveryissuer.xcijv.com", uiHost: "app.xcijv.com")

    private init(discoveryHost: String, uiHost: String, authorizationURL: String? = nil) {
        self.init(
            discoveryURL: "https://\(discoveryHost)/.well-known/openid_configuration",
            discoveryUIURL: "https://\(uiHost)/ui/discovery-ui", authorizationURL: authorizationURL)
    }
}
