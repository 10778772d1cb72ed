import JOSERelyingParty
import JOSETokens

// The samples of the article "Describing a provider".

// Sample: describe a provider
extension ProviderProfile {
    /// The profile of Acme's identity provider.
    static var acme: ProviderProfile {
        var profile = ProviderProfile(
            name: "acme", production: "https://id.acme.example", test: "https://id.acme.test")
        profile.client.authentication = [.clientSecretPost]
        profile.request.parameters["acme_tenant"] = .any
        profile.idToken.rules = acmeRules
        profile.userInfo = UserInfoRules(form: .json)
        profile.errors = ErrorRules([
            "acme_cancelled": ErrorMeaning(.cancelled, action: .tellUser),
            "acme_account_locked": ErrorMeaning(action: .tellUser),
        ])
        return profile
    }
}
// Sample: end

// Sample: rules of a provider
extension ProviderProfile {
    /// Acme's levels of assurance, the lowest first.
    private static let acmeLevels = ["urn:acme:loa:password", "urn:acme:loa:token", "urn:acme:loa:card"]

    /// The rules of OpenID Connect with Acme's levels, followed by those for Acme's own claims.
    private static let acmeRules =
        IDTokenRules.openIDRules(levels: .acr { acmeLevels.firstIndex(of: $0) }) + [
            .requiredString("employee_id"),
            .claim("employment", isOneOf: ["active", "leave"]),
            LoginRule { login throws(RelyingPartyError.Reason) in
                guard let tenant = login.notes["acme.tenant"] else { return }
                guard try login.string("tenant") == tenant else { throw .claimUnexpected("tenant") }
            },
        ]
}
// Sample: end

// Sample: requests and users of a provider
extension LoginRequest {
    /// Returns a request for a login in a tenant of Acme, which the ID token must name.
    static func acme(tenant: String) -> LoginRequest {
        var request = LoginRequest()
        request["acme_tenant"] = tenant
        request.notes["acme.tenant"] = tenant
        return request
    }
}

extension LoggedInUser {
    /// The user's employee number at Acme; nil after a login with another provider.
    var acmeEmployeeID: String? { idToken.claims.string("employee_id") }
}
// Sample: end
