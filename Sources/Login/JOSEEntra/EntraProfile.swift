internal import JOSE
public import JOSERelyingParty
public import JOSETokens

extension IssuerTemplate {
    /// The tenant of personal Microsoft accounts.
    public static let entraPersonalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// Returns the issuers of Microsoft Entra ID, version 2.0, for logins and for access tokens.
    ///
    /// Every administrator of an accepted tenant can create users with any e-mail address. Identify an account by `iss`
    /// and `sub`, or by `tid` and `oid`, and never by `email`, `upn` or `preferred_username`.
    ///
    /// - Parameter tenants: The accepted tenants. The tenant of personal accounts is ``entraPersonalTenant``.
    public static func entra(_ tenants: TenantRule) -> IssuerTemplate {
        IssuerTemplate("https://login.microsoftonline.com/{tenantid}/v2.0", tenants: tenants)
    }
}

extension ProviderProfile {
    /// The URL of the metadata of all tenants of Microsoft Entra ID, whose `jwks_uri` has the keys of all of them. A
    /// service that verifies access tokens finds the keys with it:
    ///
    /// ```swift
    /// let issuers = IssuerTemplate.entra(.oneOf(["72f988bf-86f1-41af-91ab-2d7cd011db47"]))
    /// let keys = try RemoteKeySet(
    ///     issuer: issuers.text, discovery: .document(at: ProviderProfile.entraMetadata), transport: transport)
    /// ```
    public static let entraMetadata = "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"

    /// Returns the profile of Microsoft Entra ID, version 2.0, for an application that users of several tenants log in
    /// to. For one tenant, prefer `openID(issuer:options:)` with the issuer of that tenant.
    ///
    /// ID tokens are signed with RS256, and `ver`, if it is present, must be `2.0`. The client authenticates with a
    /// secret or with an assertion under a key whose certificate is registered; the header of the assertion then names
    /// the certificate.
    ///
    /// - Parameters:
    ///   - tenants: The accepted tenants.
    ///   - usesUserInfo: Whether the userinfo endpoint is requested. The ID token already has the claims that it
    ///     returns.
    public static func entra(_ tenants: TenantRule, usesUserInfo: Bool = false) -> ProviderProfile {
        var profile = ProviderProfile(name: "entra", issuers: .entra(tenants), tenantAlias: "common")
        profile.userInfoEndpoint = "https://graph.microsoft.com/oidc/userinfo"
        profile.userInfo = usesUserInfo ? UserInfoRules(form: .json) : nil
        profile.client.authentication = [
            .privateKeyJWT, .clientSecretPost, .clientSecretBasic(isFormEncoded: true),
        ]
        profile.client.assertionAlgorithms = [.ps256, .rs256]
        profile.client.assertionsNameCertificate = true
        profile.request.parameters["domain_hint"] = .any
        profile.idToken.rules.append(
            LoginRule { login throws(RelyingPartyError.Reason) in
                guard let version = try login.string("ver") else { return }
                guard version.utf8.elementsEqual("2.0".utf8) else { throw .claimUnexpected("ver") }
            })
        profile.session.supportsLogout = true
        profile.session.supportsRefresh = true
        return profile
    }
}
