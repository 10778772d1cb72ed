public import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The settings of a service for all of its logins with MitID.
public struct MitIDSettings: Sendable {
    /// The links that MitID's app may open to return the user to the service's app. If there are none, a request with
    /// an app switch is rejected.
    public var appLinks = MitIDAppLinks.none
    /// The accepted types of identity of logins with MitID. A test identity is always accepted outside production, and
    /// never in production. MitID Erhverv has professional identities, and private ones if
    /// ``MitIDParameters/allowsPrivate`` is set.
    public var identityTypes: Set<MitIDIdentityType> = [.private]
    /// The authenticators of which a user of MitID or MitID Erhverv must have used at least one; nil to accept any
    /// authenticator.
    public var authenticators: Set<MitIDAuthenticator>?
    /// The check of the certificates of transaction tokens; nil to verify only the signature of the tokens, which makes
    /// them weaker evidence.
    public var evidence: MitIDEvidence?
    /// The key management algorithm of encrypted requests: RSA-OAEP-256, RSA-OAEP-384 or RSA-OAEP-512.
    public var keyManagement = KeyManagementAlgorithm.rsaOAEP256
    /// The content encryption algorithm of encrypted requests: A128CBC-HS256 or A256GCM.
    public var contentEncryption = ContentEncryption.a128cbcHS256
    /// The broker's issuer URL, if the client is registered under an older one; nil for the issuer of the environment.
    public var authority: String?

    /// The issuer URL of the age proofs of the wallet AltID, which is another one than that of logins; nil, the
    /// default, if the service requests none. There is no default, because the broker has not yet deployed them.
    public var ageAuthority: String?

    /// Creates settings with the broker's recommendations: encrypted requests use RSA-OAEP-256 and A128CBC-HS256.
    public init() {}
}

extension ProviderProfile {
    /// Returns the profile of MitID through the broker of Nets and Signaturgruppen. By default, the request is signed
    /// and sent through the browser, and the broker returns the response in a form post.
    ///
    /// - Parameter settings: The settings of the service.
    public static func mitID(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        MitID.profile("mitid.broker", issuers: MitID.issuers(settings), settings, [.object, .query])
    }

    /// Returns the profile of MitID with pushed authorization requests (RFC 9126). They may contain values that must
    /// not pass through the browser in clear, such as a civil registration number.
    ///
    /// - Parameter settings: The settings of the service.
    public static func mitIDPushed(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        MitID.profile("mitid.par", issuers: MitID.issuers(settings), settings, [.pushed, .pushedParameters])
    }

    /// Returns the profile of MitID with request objects that are signed, and encrypted to the broker.
    ///
    /// - Parameter settings: The settings of the service.
    public static func mitIDEncrypted(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        var profile = MitID.profile(
            "mitid.encrypted", issuers: MitID.issuers(settings), settings, [.object], isEncrypted: true)
        profile.request.object?.encryption = EncryptionRules(
            keyManagement: [settings.keyManagement], contentEncryption: [settings.contentEncryption])
        return profile
    }

    /// Returns the profile of MitID with logins that the back end begins (CIBA), for
    /// `RelyingParty.beginMitIDBackChannelLogin(_:)`.
    ///
    /// - Parameter settings: The settings of the service.
    public static func mitIDBackChannel(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        var profile = MitID.profile("mitid.ciba", issuers: MitID.issuers(settings), settings, [.pushedParameters])
        var rules = BackChannelRules()
        rules.request = profile.request
        rules.request.usesPKCE = false
        // The return of the browser is bound to the request in place of a nonce.
        rules.acceptsNonce = true
        rules.beginning = .browser
        profile.backChannel = rules
        profile.request.deliveries = []
        let errors = profile.errors
        profile.errors = ErrorRules { code, detail, endpoint in
            // Without one of the broker's own codes the error does not say that it was the user who cancelled.
            errors.meaning(code, detail, endpoint)
                ?? (bytesEqual(code.description, "access_denied") ? ErrorMeaning(action: .tellUser) : nil)
        }
        return profile
    }
}

/// The rules that all profiles share.
enum MitID {
    /// The names of the profiles whose logins are with the broker.
    static let names: Set<String> = ["mitid.broker", "mitid.par", "mitid.encrypted", "mitid.ciba"]

    /// Returns the issuers of logins.
    static func issuers(_ settings: MitIDSettings) -> (production: String?, test: String?) {
        (settings.authority ?? "https://netseidbroker.dk/op", settings.authority ?? "https://pp.netseidbroker.dk/op")
    }

    static func profile(
        _ name: String, issuers: (production: String?, test: String?), _ settings: MitIDSettings,
        _ deliveries: [RequestDelivery], isEncrypted: Bool = false
    ) -> ProviderProfile {
        var profile = ProviderProfile(name: name, production: issuers.production, test: issuers.test)
        profile.request = request(settings) { delivery in
            switch delivery ?? deliveries.first {
            case .pushed, .pushedParameters: .backChannel
            case .object, .reference: isEncrypted ? .encrypted : .signed
            default: .plain
            }
        }
        profile.request.deliveries = deliveries
        profile.client = client
        profile.callback.issuer = .asAnnouncedWithoutErrors
        profile.callback.reportsReplays = true
        profile.idToken = IDTokenRules(token: idToken, rules: rules(settings))
        profile.idToken.authenticationTime = { (login) throws(RelyingPartyError.Reason) in
            try MitIDClaims.seconds("auth_time", login.claims).map { NumericDate(secondsSince1970: $0) }
        }
        profile.userInfo = UserInfoRules(
            form: .json, rules: [demanded])
        profile.furtherTokens = [
            userInfoToken: userInfoTokenRules, transactionToken: transactionTokenRules,
        ]
        profile.errors = errors
        profile.session.supportsLogout = true
        profile.session.logoutTokenType = .absentOr("logout+jwt")
        profile.session.supportsRefresh = true
        profile.session.supportsRevocation = true
        profile.finish = { user, login, party throws(RelyingPartyError) in
            try await finish(&user, login, party, settings)
        }
        return profile
    }

    private static var client: ClientRules {
        var rules = ClientRules()
        rules.authentication = [
            .privateKeyJWT, .clientSecretBasic(isFormEncoded: true), .clientSecretPost, .clientSecretJWT,
        ]
        rules.assertionAlgorithms = [.rs256, .ps256, .es256, .rs384, .ps384, .es384, .rs512, .ps512, .es512]
        return rules
    }

    private static var idToken: TokenRules {
        var rules = TokenRules()
        rules.selectKeys = { MitIDKeyRoles($0, for: .login) }
        return rules
    }

    static let userInfoToken = "userinfo_token"
    static let transactionToken = "transaction_token"

    private static var userInfoTokenRules: TokenRules {
        var rules = idToken
        rules.type = .exactly(TokenKind.accessToken.rawValue)
        return rules
    }

    private static var transactionTokenRules: TokenRules {
        var rules = TokenRules()
        rules.type = .any
        rules.selectKeys = { MitIDKeyRoles($0, for: .transaction) }
        return rules
    }

    /// The meaning of OAuth's error codes, and of the broker's own codes in their descriptions.
    private static let errors = ErrorRules { code, detail, endpoint in
        // Logins that the back end began fail at the token endpoint.
        guard endpoint == .authorization || endpoint == .token,
            bytesEqual(code.description, "access_denied"),
            let detail,
            let outcome = MitIDBrokerCode.outcome(of: detail), let known = ProviderErrorCode(detail)
        else { return nil }
        return ErrorMeaning(
            outcome == .cancelled ? .cancelled : .providerError(known), action: outcome.action)
    }
}
