internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// The tenants of a provider whose issuers are of one template. A path begins with a tenant, or with the word for all
/// of them.
package struct Tenants: Sendable {
    /// The template of the issuers, `https://…/{tenantid}/v2.0`.
    let template: String

    /// The two organizations of the sandbox.
    package static let first = "00000000-0000-4000-8000-00000000ac3e"
    package static let second = "00000000-0000-4000-8000-00000000f0a1"
    /// The tenant of personal Microsoft accounts.
    package static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    /// An organization that no service accepts. It has no accounts.
    static let strange = "00000000-0000-4000-8000-0000000057a4"
    package static let organizations = [first, second]

    static let placeholder = "{tenantid}"
    private static let all = "common"

    /// Returns the template with a text in place of the tenant.
    func issuer(of tenant: String) -> String { template.replacing(Self.placeholder, with: tenant) }

    /// Returns the organization that the accounts of a tenant can be guests of.
    static func other(than tenant: String) -> String { tenant == second ? first : second }

    /// Returns the first segment of a path and the rest, or nil if the segment is no tenant.
    func parts(of path: String) -> (segment: String, remainder: String)? {
        let remainder = path.dropFirst().drop { $0 != "/" }
        let segment = String(path.dropFirst().dropLast(remainder.count))
        guard ([Self.all, Self.personal] + Self.organizations).contains(segment) else { return nil }
        return (segment, String(remainder))
    }

    /// Returns the persons who have an account of the tenant that a request names in its path.
    func people(at request: WebRequest, base: String) -> [Person] {
        let segment = parts(of: String(request.path.dropFirst(base.count)))?.segment
        return Person.all.filter { segment == Self.all || $0.tenant == segment }
    }

    /// Returns the issuer in the metadata at a path: that of the tenant, or the template.
    fileprivate func announced(_ segment: String) -> String {
        segment == Self.all ? template : issuer(of: segment)
    }
}

extension Provider {
    /// The URL of the metadata.
    package var metadataURL: String {
        tenants == nil ? issuer + paths.wellKnown : origin + base + "/common" + paths.wellKnown
    }

    /// Returns the metadata at the path of a tenant, or at that of all of them. They have the members that Entra ID
    /// publishes, of those that are about logins.
    func tenantMetadata(_ segment: String) -> TransportResponse {
        let tenantURL = "\(origin + base)/\(segment)"
        let claims: ClaimsBuilder = [
            "issuer": .string(tenants?.announced(segment) ?? issuer),
            "authorization_endpoint": .string(tenantURL + paths.authorization),
            "token_endpoint": .string(tenantURL + paths.token), "jwks_uri": .string(tenantURL + paths.keys),
            "end_session_endpoint": .string(tenantURL + (paths.endSession ?? "")),
            // The address is on another host than the others, and is that of the real service.
            "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
            "response_modes_supported": ["query", "fragment", "form_post"], "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "request_uri_parameter_supported": false, "http_logout_supported": true,
            "frontchannel_logout_supported": true,
            "claims_supported": [
                "sub", "iss", "cloud_instance_name", "cloud_instance_host_name", "cloud_graph_host_name",
                "msgraph_host", "aud", "exp", "iat", "auth_time", "acr", "nonce", "preferred_username", "name", "tid",
                "ver", "at_hash", "c_hash", "email",
            ],
            "cloud_instance_name": "microsoftonline.com", "cloud_graph_host_name": "graph.windows.net",
            "msgraph_host": "graph.microsoft.com",
        ]
        return .json(claims, cache: "public, max-age=300")
    }
}
