internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// The profile of a provider: all rules in which logins with it differ from logins with other providers.
/// ``RelyingParty`` performs logins according to these rules.
public struct ProviderProfile: Sendable {
    /// The name of the profile. It is stored with each pending login, and a callback is rejected if its login began
    /// with a profile of another name.
    public let name: String
    /// Returns the location of the provider in an environment; nil if the provider does not have the environment.
    var place: @Sendable (ProviderEnvironment) -> ProviderPlace?
    /// Creates the directory that finds the provider of a login; nil if there is one provider, found by its issuer.
    var directory: DirectoryMaker?
    /// The settings by which the provider's keys and metadata are cached.
    var keySets = KeySetOptions.ofProviders
    /// The time that a login may take.
    var lifetime = Duration.seconds(600)

    var request = RequestRules()
    var client = ClientRules()
    var callback = CallbackRules()
    var idToken = IDTokenRules()
    /// The rules of the userinfo endpoint; nil if it does not exist or is not used.
    var userInfo: UserInfoRules?
    /// The rules of further tokens of the provider, which are read when the login is complete.
    var furtherTokens: [String: TokenRules] = [:]
    var errors = ErrorRules()
    /// Checks members of the token response that only this provider has, before its tokens are verified.
    var checkResponse: @Sendable (TokenResponse, LoginTransaction) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }
    var logout = LogoutRules()
    /// Adds the values that only this provider returns, after all checks have passed.
    var finish: (@Sendable (inout LoggedInUser, LoginContext, RelyingParty) async throws(RelyingPartyError) -> Void)?

    /// Creates a profile with the current best practice of OpenID Connect: the code in the query, PKCE, ID tokens
    /// signed with RS256, and assertions whose audience is the issuer.
    init(name: String, place: @escaping @Sendable (ProviderEnvironment) -> ProviderPlace?) {
        self.name = name
        self.place = place
    }
}

/// An environment of a provider, such as production or test.
public enum ProviderEnvironment: Sendable, Equatable {
    /// The production environment, with real users.
    case production
    /// The test environment that the provider operates.
    case test
    /// A substitute for the provider, such as a local test server, with this issuer. It differs from the provider only
    /// in its hosts.
    case sandbox(issuer: String)
}

/// The location of a provider.
struct ProviderPlace: Sendable {
    /// The issuer, byte for byte as tokens contain it; for a directory, the issuer of the service that finds the
    /// providers.
    var issuer: String
    var discovery = Discovery.openID
    /// Whether publicly known keys are rejected.
    var isProduction: Bool
}

/// The rule for the audience of client assertions and request objects. It is a constant of the profile and does not
/// depend on fetched documents, except where the specification requires the URL of the token endpoint.
enum AudienceRuleOfProfile: Sendable {
    case issuer
    /// The issuer, followed by this path.
    case issuerPath(String)
    case tokenEndpoint

    func audience(_ provider: Provider) -> String {
        switch self {
        case .issuer: provider.issuer
        case .issuerPath(let path): provider.issuer + path
        case .tokenEndpoint: provider.metadata.tokenEndpoint ?? provider.issuer
        }
    }
}

/// The rules for the authentication of the client.
struct ClientRules: Sendable {
    /// The accepted methods, the preferred one first.
    var authentication: [ClientAuthentication] = [.privateKeyJWT]
    var assertionAlgorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256]
    var assertionAudience = AudienceRuleOfProfile.issuer
    /// The lifetime of an assertion.
    var assertionLifetime = Duration.seconds(120)
    /// The algorithms of assertions that are encrypted.
    var assertionEncryption: EncryptionRules?
    /// Whether the body contains `client_id` besides the client's credentials.
    var sendsClientID = false
    /// Whether the token request repeats `redirect_uri` (RFC 6749, 4.1.3).
    var repeatsRedirectURI = true
    /// Returns whether a string is a valid `client_id`.
    var acceptsID: @Sendable (String) -> Bool = { !$0.isEmpty }
    /// Returns whether a string is a valid redirect URI.
    var acceptsRedirectURI: @Sendable (_ uri: String, _ clientID: String) -> Bool = { uri, _ in
        guard let url = WebURL(uri) else { return false }
        return url.scheme == .https && !url.hasFragment && !url.hasUserInformation
    }
}

/// The algorithms for messages that are encrypted to the provider.
struct EncryptionRules: Sendable {
    /// The key management algorithms. The first one that matches a key of the provider is used.
    var keyManagement: [KeyManagementAlgorithm]
    /// The content encryption algorithms. The first one is used.
    var contentEncryption: [ContentEncryption]
}

/// The rules for callbacks.
struct CallbackRules: Sendable {
    /// The rule for the parameter `iss` (RFC 9207).
    enum IssuerRule: Sendable {
        /// The parameter is required if the metadata says that it is sent.
        case asAnnounced
        /// The parameter is required if the metadata says that it is sent, except in error responses.
        case asAnnouncedWithoutErrors
    }
    var issuer = IssuerRule.asAnnounced
    /// Whether a repeated callback is reported as `replayed` and not as `stateMismatch`. This stores one more mark for
    /// each login.
    var tellsReplays = false
    /// The names of the provider's own parameters. A duplicate of one of them is reported by its name.
    var parameters: [ParameterName] = []
    /// Whether `error` may follow a second `?`, and so appear as the end of `state`.
    var errorMayEndState = false
}

/// The meaning of the provider's error codes.
struct ErrorRules: Sendable {
    enum Place: Sendable { case authorization, token, pushedRequest, userInfo }
    /// Returns the meaning of an error code; nil for `providerError` with the remedy of OAuth. `detail` is the
    /// provider's text in visible ASCII, or nil.
    var meaning: @Sendable (_ code: ProviderErrorCode, _ detail: String?, _ place: Place) -> ErrorMeaning? = {
        _, _, _ in nil
    }

    func error(_ code: ProviderErrorCode, _ detail: String?, _ place: Place, _ step: LoginStep) -> RelyingPartyError {
        guard let meaning = meaning(code, detail, place) else {
            return RelyingPartyError(.providerError(code), in: step)
        }
        return RelyingPartyError(meaning.failure ?? .providerError(code), in: step, remedy: meaning.remedy)
    }
}

/// The meaning of an error code.
struct ErrorMeaning: Sendable {
    /// The reason of the error; nil for `providerError` with the code.
    var failure: RelyingPartyError.Reason?
    var remedy: Remedy
}

/// The logout and refresh functions that the provider supports.
struct LogoutRules: Sendable {
    var isInitiated = false
    /// The type (`typ`) of logout tokens; nil if the provider sends none.
    var tokenType: TypeRule?
    var refreshes = false
    var revokes = false
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
