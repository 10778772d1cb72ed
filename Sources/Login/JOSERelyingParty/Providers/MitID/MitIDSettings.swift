public import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// What a service settles with the broker once, for all of its logins with MitID.
public struct MitIDSettings: Sendable {
    /// Where MitID's app may send users back to; none: no app switch is asked for.
    public var appLinks = MitIDAppLinks.none
    /// Whom the service takes; `test` is taken outside production whatever this says.
    public var identityTypes: Set<MitIDIdentityType> = [.private]
    /// At least one of these must have been used; nil: whatever was.
    public var authenticators: Set<MitIDAuthenticator>?
    /// What a transaction token is checked against besides its signature; nil: nothing, and the token is worth less later.
    public var evidence: MitIDEvidence?
    /// Of encrypted requests: one of RSA-OAEP-256, -384 and -512, with the pair of content algorithms that the broker documents.
    public var keyManagement = KeyManagementAlgorithm.rsaOAEP256
    /// A128CBC-HS256 or A256GCM.
    public var contentEncryption = ContentEncryption.a128cbcHS256
    /// The broker's issuer by an older name, where the client is registered under that; nil: of the environment.
    public var authority: String?

    /// As the broker recommends: signed, RSA-OAEP-256 with A128CBC-HS256 where it is encrypted.
    public init() {}
}

extension ProviderProfile {
    /// MitID through the broker of Nets and Signaturgruppen: the request is signed and goes through the browser, the answer comes by a form to
    /// the back end.
    public static func mitID(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        MitID.profile("mitid.broker", settings, [.object, .query])
    }

    /// The same with requests that are pushed to the broker (RFC 9126): what may not be seen on the way, as a civil registration number, can be
    /// asked for so.
    public static func mitIDPushed(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        MitID.profile("mitid.par", settings, [.pushed, .pushedParameters])
    }

    /// The same with requests that are encrypted to the broker.
    public static func mitIDEncrypted(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        var profile = MitID.profile("mitid.encrypted", settings, [.object], isEncrypted: true)
        profile.request.object?.encryption = EncryptionRules(
            keyManagement: [settings.keyManagement], contentEncryption: [settings.contentEncryption])
        return profile
    }

    /// A login that the back end begins, for `RelyingParty.beginBackChannelLogin`.
    public static func mitIDBackChannel(_ settings: MitIDSettings = MitIDSettings()) -> ProviderProfile {
        var profile = MitID.profile("mitid.ciba", settings, [.pushedParameters])
        profile.request.isBackChannel = true
        // The request has no nonce; what is tied to the browser is its return.
        profile.idToken.checks = MitID.checks(settings, hasNonce: false)
        return profile
    }
}

/// What all four profiles have in common.
enum MitID {
    static func profile(
        _ name: String, _ settings: MitIDSettings, _ deliveries: [RequestDelivery], isEncrypted: Bool = false
    ) -> ProviderProfile {
        var profile = ProviderProfile(name: name) { environment in
            switch environment {
            case .production:
                ProviderPlace(issuer: settings.authority ?? "https://netseidbroker.dk/op", isProduction: true)
            case .test:
                ProviderPlace(issuer: settings.authority ?? "https://pp.netseidbroker.dk/op", isProduction: false)
            case .sandbox(let issuer): ProviderPlace(issuer: issuer, isProduction: false)
            }
        }
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
        profile.callback.tellsReplays = true
        profile.idToken = IDTokenRules(token: idToken, checks: checks(settings))
        profile.idToken.authenticationTime = { (check) throws(RelyingPartyError.Reason) in
            try MitIDClaims.seconds("auth_time", check.claims)
        }
        profile.userInfo = UserInfoRules(
            form: .json, checks: [demanded])
        profile.furtherTokens = [
            userInfoToken: userInfoTokenRules, transactionToken: transactionTokenRules,
        ]
        profile.errors = errors
        profile.logout = LogoutRules(
            isInitiated: true, tokenType: .absentOr("logout+jwt"), refreshes: true, revokes: true)
        profile.finish = { user, check, party throws(RelyingPartyError) in
            try await finish(&user, check, party, settings)
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
        rules.selectsKeys = { MitIDKeyRoles($0, for: .login) }
        return rules
    }

    static let userInfoToken = "userinfo_token"
    static let transactionToken = "transaction_token"

    private static var userInfoTokenRules: TokenRules {
        var rules = idToken
        rules.type = .exactly("at+jwt")
        return rules
    }

    private static var transactionTokenRules: TokenRules {
        var rules = TokenRules()
        rules.type = .any
        rules.selectsKeys = { MitIDKeyRoles($0, for: .transaction) }
        return rules
    }

    /// What OAuth's codes mean here, and the broker's own in their description.
    private static let errors = ErrorRules { code, detail, place in
        // Of the token endpoint, where the back end began the login.
        guard place == .authorization || place == .token, code.description.utf8.elementsEqual("access_denied".utf8),
            let detail,
            let outcome = MitIDBrokerCode.outcome(of: detail), let known = ProviderErrorCode(detail)
        else { return nil }
        return ErrorMeaning(
            failure: outcome == .cancelled ? .cancelled : .providerError(known), remedy: outcome.remedy)
    }
}
