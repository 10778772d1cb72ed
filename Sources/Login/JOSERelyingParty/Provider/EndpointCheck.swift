internal import JOSEKeySets
internal import JOSESupport

/// The check that a URL of the metadata is on the host of the issuers, for a provider with many tenants. Like any other
/// requirement, it applies to the URLs that are needed: to `jwks_uri` when the metadata are read, and to an endpoint
/// when a step of a login requests it.
struct EndpointCheck: Sendable {
    private let issuer: WebURL
    /// The userinfo endpoint if it is on another host.
    private let userInfoEndpoint: String?

    /// Creates the check; nil for a provider with one issuer.
    init?(_ profile: ProviderProfile, _ location: ProviderLocation) {
        guard let issuers = location.issuers, let issuer = WebURL(issuers.matcher.issuer(of: "tenant")) else {
            return nil
        }
        self.issuer = issuer
        userInfoEndpoint = profile.userInfoEndpoint
    }

    /// Checks the URL of a member.
    ///
    /// - Throws: `invalid` for a URL on another host.
    func check(_ text: String, _ member: MetadataMember) throws(DiscoveryFault) {
        if member == .userInfoEndpoint, let userInfoEndpoint, bytesEqual(text, userInfoEndpoint) { return }
        guard let url = WebURL(text), url.scheme == issuer.scheme, bytesEqual(url.host, issuer.host),
            url.port == issuer.port
        else { throw .invalid(member) }
    }

    /// The check of `jwks_uri`, which precedes the request for the keys.
    var ofKeySet: MetadataCheck {
        { (metadata) throws(DiscoveryFault) in try check(metadata.requiredURL(.jwksURI), .jwksURI) }
    }
}
