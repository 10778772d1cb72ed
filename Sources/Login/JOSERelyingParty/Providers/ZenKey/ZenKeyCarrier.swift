public import JOSEKeySets

/// A carrier as discovery describes it: an OpenID Provider whose addresses are all of trusted hosts.
public struct ZenKeyCarrier: Sendable {
    /// Its OpenID configuration; what it says of addresses has been looked at.
    public let metadata: IssuerMetadata
    /// Of the user whom this carrier serves.
    public let network: MobileNetwork

    /// `iss` of its tokens.
    public var issuer: String { metadata.issuer }
    /// A line for the button, as the carrier wants it.
    public let branding: String?
    /// The line below the button.
    public let linkBranding: String?
    /// The address of a picture: for a browser, never fetched here.
    public let linkImage: String?

    /// Checked present when this was made.
    var authorizationEndpoint: String { metadata.authorizationEndpoint ?? "" }
    var tokenEndpoint: String { metadata.tokenEndpoint ?? "" }
    var userInfoEndpoint: String { metadata.userInfoEndpoint ?? "" }
    var keySetURL: String { metadata.keySetURL ?? "" }

    /// Reads the answer for `wanted`; nil: for whatever network it names.
    init(
        parsing json: [UInt8], for wanted: MobileNetwork?, trust: ZenKeyCarrierTrust
    ) throws(RelyingPartyError) {
        guard let answer = CarrierJSON(json) else { throw RelyingPartyError(.malformed, in: .discovery) }
        guard let issuer = answer.string("issuer") else { throw RelyingPartyError(.discoveryMismatch, in: .discovery) }
        // Before the rest is read: whoever is not trusted is not argued with.
        guard trust.trusts(issuer) else { throw RelyingPartyError(.untrustedIssuer, in: .discovery) }
        do throws(DiscoveryFault) {
            metadata = try IssuerMetadata(parsing: json, issuer: issuer)
        } catch {
            throw RelyingPartyError(error == .tooLarge ? .tooLarge : .discoveryMismatch, in: .discovery)
        }
        branding = answer.string("branding")
        linkBranding = answer.string("link_branding")
        linkImage = answer.string("link_image")
        let needed = [
            metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.userInfoEndpoint, metadata.keySetURL,
        ]
        for address in needed {
            guard let address else { throw RelyingPartyError(.discoveryMismatch, in: .discovery) }
            guard trust.trusts(address) else { throw RelyingPartyError(.untrustedIssuer, in: .discovery) }
        }
        if let algorithms = metadata.strings(.idTokenSigningAlgorithms), !algorithms.contains("RS256") {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        guard let network = answer.integer("mccmnc").flatMap({ MobileNetwork(number: $0) }),
            wanted == nil || wanted == network
        else { throw RelyingPartyError(.discoveryMismatch, in: .discovery) }
        self.network = network
    }
}
