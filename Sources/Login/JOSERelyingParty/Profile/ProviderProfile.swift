internal import JOSE
public import JOSEKeySets
internal import JOSESupport
public import JOSETokens

/// The profile of a provider: all rules in which logins with it differ from logins with other providers.
/// ``RelyingParty`` performs logins according to these rules.
///
/// A new profile has the rules of OpenID Connect Core with the current best practice, so that a provider that follows
/// the standard needs its issuers and what the client registered:
///
/// ```swift
/// var profile = ProviderProfile(name: "acme", production: "https://id.acme.example", test: "https://id.acme.test")
/// profile.client.authentication = [.clientSecretPost]
/// profile.userInfo = UserInfoRules(form: .json)
/// ```
///
/// A provider that differs from the standard changes the rules in which it does. The article <doc:DescribingAProvider>
/// has an example. ``openID(issuer:options:)`` is a profile whose settings are those of a registration.
public struct ProviderProfile: Sendable {
    /// The name of the profile. It is stored with each pending login, and a callback is rejected if its login began
    /// with a profile of another name.
    public let name: String
    private let production: String?
    private let test: String?
    /// The rule for the issuers of a provider with many tenants; nil if there is one issuer.
    private let tenants: TenantRule?
    /// The path segment in place of the tenant at which the metadata of all tenants are.
    private let tenantAlias: String
    /// The URL of the userinfo endpoint of a provider with many tenants if it is on another host than their issuers. By
    /// default it is nil, and the endpoint must be on their host.
    public var userInfoEndpoint: String?
    /// The location of the metadata of an issuer: by default that of OpenID Connect, and that of RFC 8414 after the
    /// status 404 or 410.
    public var discovery = Discovery.standard
    /// Creates the directory that finds the provider of a login; nil if there is one provider, found by its issuer.
    package var directory: DirectoryMaker?
    /// The settings by which the provider's keys and metadata are cached. By default they are cached for between 5
    /// minutes and 24 hours, and refreshed at most once a minute.
    public var keySets = KeySetOptions.ofProviders
    /// The time that a login may take: 10 minutes by default. A callback that arrives later is rejected.
    public var lifetime = Duration.seconds(600)
    /// The time limit for the requests of a call that begins or completes a login, and for its waits for new keys: 15
    /// seconds by default. When it has passed, the call throws `unreachable`, or `internalFault` if it waited for a
    /// signing key outside the process. The service's own store is not limited by it, and neither are calls that poll.
    public var timeLimit = Duration.seconds(15)

    /// The rules for authorization requests.
    public var request = RequestRules()
    /// The rules for logins that the back end begins and for whose result it polls; nil, the default, if the provider
    /// does not support them.
    public var backChannel: BackChannelRules?
    /// The rules for the authentication of the client.
    public var client = ClientRules()
    /// The rules for callbacks.
    public var callback = CallbackRules()
    /// The rules for ID tokens.
    public var idToken = IDTokenRules()
    /// The rules for the userinfo endpoint; nil, the default, if it does not exist or is not used.
    public var userInfo: UserInfoRules?
    /// The rules of further tokens of the provider, which are read when the login is complete.
    package var furtherTokens: [String: TokenRules] = [:]
    /// The keys that the provider publishes with their private keys for tests of its clients.
    package var testKeys = CompromisedKeys.none
    /// The domains of the provider's issuers in production. An issuer on a host of one of them is that of production,
    /// whatever its path.
    package var productionDomains: [String] = []
    /// Whether a completed request is a login. If it is not, functions of the profile alone begin and complete
    /// requests, because the subject identifies nobody.
    package var isLogin = true
    /// The meaning of the provider's error codes.
    public var errors = ErrorRules()
    /// Checks members of the token response that only this provider has, before its tokens are verified.
    package var checkResponse: @Sendable (TokenResponse, LoginTransaction) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }
    /// The functions that the provider supports after a login: refresh, logout and revocation.
    public var session = SessionRules()
    /// Adds the values that only this provider returns, after all checks have passed.
    package var finish:
        (@Sendable (inout LoggedInUser, LoginContext, RelyingParty) async throws(RelyingPartyError) -> Void)?

    /// Creates a profile with the current best practice of OpenID Connect: the code in the query, PKCE, ID tokens
    /// signed with RS256, and assertions whose audience is the issuer.
    ///
    /// - Parameters:
    ///   - name: The name of the profile, which no other profile of the service has. A change of the name ends the
    ///     logins that are pending.
    ///   - production: The issuer of the production environment, byte for byte as tokens contain it; nil if there is
    ///     none.
    ///   - test: The issuer of the test environment; nil if there is none. The environment `.sandbox(issuer:)` is
    ///     always possible.
    public init(name: String, production: String?, test: String? = nil) {
        self.name = name
        self.production = production
        self.test = test
        tenants = nil
        tenantAlias = ""
    }

    /// Creates the profile of a provider with many tenants, each of which is an issuer, with the current best practice
    /// of OpenID Connect: the code in the query, PKCE, ID tokens signed with RS256, and assertions whose audience is
    /// the token endpoint.
    ///
    /// The metadata must name the template as `issuer`, and each of their URLs that a login needs must be on its host.
    /// ``LoggedInUser/issuer`` is the issuer of the user's tenant, so that the same `sub` in two tenants is two
    /// accounts.
    ///
    /// - Parameters:
    ///   - name: The name of the profile, which no other profile of the service has.
    ///   - issuers: The template of the issuers, with the accepted tenants. The environment `.sandbox(issuer:)`
    ///     replaces its text.
    ///   - tenantAlias: The path segment in place of the tenant at which the metadata of all tenants are, such as
    ///     `organizations`.
    public init(name: String, issuers: IssuerTemplate, tenantAlias: String) {
        self.name = name
        production = issuers.text
        test = nil
        tenants = issuers.tenants
        self.tenantAlias = tenantAlias
        client.assertionAudience = .tokenEndpoint
        idToken.token.acceptsMissingKeyID = false
    }

    /// Returns the location of the provider in an environment; nil if the provider does not have the environment.
    func location(_ environment: ProviderEnvironment) -> ProviderLocation? {
        let issuer: String? =
            switch environment {
            case .production: production
            case .test: test
            case .sandbox(let issuer): issuer
            }
        guard let issuer else { return nil }
        var location = ProviderLocation(
            issuer: issuer, discovery: discovery,
            isProduction: environment == .production || isOnlyProduction(issuer) || isInProductionDomain(issuer))
        if let tenants {
            let template = IssuerTemplate(issuer, tenants: tenants)
            guard let matcher = IssuerMatcher(template) else { return nil }
            location.discovery = .document(at: matcher.issuer(of: tenantAlias) + "/.well-known/openid-configuration")
            location.issuers = (template, matcher)
        }
        return location
    }

    /// Returns whether an issuer is that of the production environment alone. Such an issuer is no substitute for the
    /// provider, under whatever name of an environment it is given.
    private func isOnlyProduction(_ issuer: String) -> Bool {
        bytesEqual(issuer, production ?? "") && !bytesEqual(issuer, test ?? "")
    }

    /// Returns the publicly known keys that no client of the provider may have: in production all of them, and in any
    /// other environment those that other providers publish for tests.
    func rejectedKeys(at location: ProviderLocation) -> CompromisedKeys {
        location.isProduction ? .all : .ofTests.subtracting(testKeys)
    }

    private func isInProductionDomain(_ issuer: String) -> Bool {
        guard !productionDomains.isEmpty, let host = WebURL(issuer)?.host.lowercased() else { return false }
        // A name may end with the dot of the root (RFC 1034, 3.1).
        let name = "." + (host.hasSuffix(".") ? String(host.dropLast()) : host)
        return productionDomains.contains { name.hasSuffix("." + $0) }
    }

    /// Throws `configurationError` for rules by which no login could ever succeed.
    func check() throws(RelyingPartyError.Reason) {
        guard !name.isEmpty, lifetime > .zero, timeLimit > .zero, idToken.leeway >= .zero,
            idToken.leeway <= .seconds(300)
        else {
            throw .configurationError
        }
    }
}

/// An environment of a provider, such as production or test.
public enum ProviderEnvironment: Sendable, Equatable {
    /// The production environment, with real users.
    case production
    /// The test environment that the provider operates.
    case test
    /// A substitute for the provider, such as a local test server, with this issuer. It differs from the provider only
    /// in its hosts. The provider's own production issuer is treated as ``production``, unless it is that of ``test``
    /// too.
    case sandbox(issuer: String)
}

/// The location of a provider.
package struct ProviderLocation: Sendable {
    /// The issuer, byte for byte as tokens contain it; for a directory, the issuer of the service that finds the
    /// providers.
    package var issuer: String
    var discovery: Discovery
    /// Whether the users are real ones.
    package var isProduction: Bool
    /// The issuers of all tenants, for a provider with many; nil if `issuer` is the only one.
    var issuers: (template: IssuerTemplate, matcher: IssuerMatcher)?
}

extension KeySetOptions {
    /// The settings for the key sets of providers: they are cached for between 5 minutes and 24 hours, and refreshed at
    /// most once a minute.
    static var ofProviders: KeySetOptions {
        var options = KeySetOptions()
        options.floor = .seconds(300)
        options.cooldown = .seconds(60)
        options.bypasses = 0
        return options
    }
}
