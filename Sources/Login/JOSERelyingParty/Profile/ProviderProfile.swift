internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// How one provider speaks OpenID Connect, as a value: what differs from provider to provider stands in it, and the login itself is
/// written once, in ``RelyingParty``.
public struct ProviderProfile: Sendable {
    /// Kept in each transaction: a callback is judged by the profile that its login began with.
    public let name: String
    /// Where the provider is; nil: it is not there in that environment.
    var place: @Sendable (ProviderEnvironment) -> ProviderPlace?
    /// Who finds the provider of a login; nil: there is one provider, found by its issuer.
    var directory: DirectoryMaker?
    /// For the provider's keys and metadata.
    var keySets = KeySetOptions.ofProviders
    /// Seconds that a login may take.
    var lifetime = 600.0

    var request = RequestRules()
    var client = ClientRules()
    var callback = CallbackRules()
    var idToken = IDTokenRules()
    /// Nil: the provider has none, or it is not asked.
    var userInfo: UserInfoRules?
    /// Tokens that the provider has besides, read when the login is complete.
    var furtherTokens: [String: TokenRules] = [:]
    var errors = ErrorRules()
    /// What the token response says besides, before its tokens are looked at.
    var checkResponse: @Sendable (TokenResponse, LoginTransaction) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }
    var logout = LogoutRules()
    /// Once all else held: what the provider has besides.
    var finish: (@Sendable (inout LoggedInUser, LoginCheck, RelyingParty) async throws(RelyingPartyError) -> Void)?

    /// As it is: OpenID Connect with today's best practice; the code in the query, PKCE, ID tokens under RS256, assertions for the
    /// issuer alone.
    init(name: String, place: @escaping @Sendable (ProviderEnvironment) -> ProviderPlace?) {
        self.name = name
        self.place = place
    }
}

/// Which of a provider's environments.
public enum ProviderEnvironment: Sendable, Equatable {
    /// Real users.
    case production
    /// The provider's own for trying things out.
    case test
    /// A stand-in elsewhere, of this issuer: a sandbox. It differs in its hosts alone.
    case sandbox(issuer: String)
}

/// Where a provider is.
struct ProviderPlace: Sendable {
    /// Byte for byte as tokens have it; of a directory, whom it asks first.
    var issuer: String
    var discovery = Discovery.openID
    /// Whether keys that everyone has are refused.
    var isProduction: Bool
}

/// What a provider makes of `client_assertion` and of a request object: for whom they are. A constant of the profile, never of a
/// document that was fetched, but where the specification says the token endpoint's address.
enum AudienceRuleOfProfile: Sendable {
    case issuer
    /// The issuer and this behind it.
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

/// How the client shows itself.
struct ClientRules: Sendable {
    /// Those that may be used, the best first.
    var authentication: [ClientAuthentication] = [.privateKeyJWT]
    var assertionAlgorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256]
    var assertionAudience = AudienceRuleOfProfile.issuer
    /// Seconds.
    var assertionLifetime = 120.0
    /// Of assertions that are encrypted.
    var assertionEncryption: EncryptionRules?
    /// Whether `client_id` stands in the body beside what proves it.
    var sendsClientID = false
    /// Whether the token request has `redirect_uri` again (RFC 6749, 4.1.3).
    var repeatsRedirectURI = true
    /// What `client_id` must look like.
    var acceptsID: @Sendable (String) -> Bool = { !$0.isEmpty }
    /// What a redirect URI must look like.
    var acceptsRedirectURI: @Sendable (_ uri: String, _ clientID: String) -> Bool = { uri, _ in
        guard let url = WebURL(uri) else { return false }
        return url.scheme == .https && !url.hasFragment && !url.hasUserInformation
    }
    /// Least bytes of a secret; HMAC asks for 32 whatever this says.
    var leastSecretBytes = 1
}

/// The pair of algorithms for what is encrypted to the provider.
struct EncryptionRules: Sendable {
    /// The first that a key of the provider fits.
    var keyManagement: [KeyManagementAlgorithm]
    /// The first.
    var contentEncryption: [ContentEncryption]
}

/// What the callback may be.
struct CallbackRules: Sendable {
    /// RFC 9207.
    enum IssuerRule: Sendable {
        /// Required where the metadata says that it is sent.
        case asAnnounced
        /// The same, but for errors.
        case asAnnouncedWithoutErrors
    }
    var issuer = IssuerRule.asAnnounced
    /// Whether a second callback of one login is told from one of no login: a mark more in the store for each.
    var tellsReplays = false
    /// Whether `error` may stand behind a second `?`, in what is then the end of `state`.
    var errorMayEndState = false
}

/// What the provider's error codes mean.
struct ErrorRules: Sendable {
    enum Place: Sendable { case authorization, token, pushedRequest, userInfo }
    /// Nil: `providerError` with the remedy of OAuth. `detail`: the provider's text, of visible ASCII, or nil.
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

struct ErrorMeaning: Sendable {
    /// Nil: `providerError` with the code.
    var failure: RelyingPartyError.Reason?
    var remedy: Remedy
}

/// What there is of logout.
struct LogoutRules: Sendable {
    var isInitiated = false
    /// `typ` of logout tokens; nil: the provider sends none.
    var tokenType: TypeRule?
    var refreshes = false
    var revokes = false
}

extension KeySetOptions {
    /// README of the provider profiles, rule 7: kept within 5 minutes and 24 hours, a refresh a minute.
    static var ofProviders: KeySetOptions {
        var options = KeySetOptions()
        options.floor = .seconds(300)
        options.cooldown = .seconds(60)
        options.bypasses = 0
        return options
    }
}
