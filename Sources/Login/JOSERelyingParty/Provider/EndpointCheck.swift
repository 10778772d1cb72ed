internal import JOSEBytes
internal import JOSEKeySets

extension ProviderProfile {
    /// Returns the check that all endpoints of a provider with many tenants are on the host of its issuers; nil for any other provider.
    /// A member that is no URL which may be requested is not checked, because no login uses it.
    func endpointCheck(_ place: ProviderPlace) -> MetadataCheck? {
        guard let issuers = place.issuers, let issuer = WebURL(issuers.matcher.issuer(of: "tenant")) else { return nil }
        let elsewhere = userInfoEndpoint
        return { metadata throws(DiscoveryFault) in
            for member in MetadataMember.endpoints {
                guard let text = metadata.string(member) else { continue }
                if member == .userInfoEndpoint, let elsewhere, bytesEqual(text, elsewhere) { continue }
                guard let url = WebURL(text), url.scheme == issuer.scheme, bytesEqual(url.host, issuer.host),
                    url.port == issuer.port
                else { throw .invalid(member) }
            }
        }
    }
}

extension MetadataMember {
    /// The members that are URLs of the provider which a login requests or sends a browser to.
    fileprivate static let endpoints: [MetadataMember] = [
        .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
        .endSessionEndpoint, .revocationEndpoint, .backchannelAuthenticationEndpoint,
    ]
}
