package import JOSEKeySets
internal import JOSERelyingParty

/// A mobile carrier as ZenKey's discovery describes it: an OpenID provider whose issuer and endpoints are on trusted
/// hosts.
public struct ZenKeyCarrier: Sendable {
    /// The OpenID configuration of the carrier, whose URLs have been checked.
    package let metadata: IssuerMetadata
    /// The mobile network of the user.
    public let network: MobileNetwork

    /// The issuer of the carrier's tokens (`iss`).
    public var issuer: String { metadata.issuer }
    /// The text that the carrier requires on the login button.
    public let branding: String?
    /// The text that the carrier requires below the login button.
    public let linkBranding: String?
    /// The URL of an image for the browser to show. The library never fetches it.
    public let linkImage: String?

    /// The endpoints, whose presence the initializer has checked.
    var authorizationEndpoint: String { metadata.authorizationEndpoint ?? "" }
    var tokenEndpoint: String { metadata.tokenEndpoint ?? "" }
    var userInfoEndpoint: String { metadata.userInfoEndpoint ?? "" }
    var keySetURL: String { metadata.keySetURL ?? "" }

    /// Reads a response of discovery.
    ///
    /// - Parameter wanted: The network that was asked for; nil to accept any network.
    init(
        parsing json: [UInt8], for wanted: MobileNetwork?, trust: ZenKeyCarrierTrust
    ) throws(RelyingPartyError) {
        guard let answer = CarrierJSON(json) else { throw RelyingPartyError(.malformed, in: .discovery) }
        guard let issuer = answer.string("issuer") else { throw RelyingPartyError(.discoveryMismatch, in: .discovery) }
        // The issuer is checked before the other members are read: nothing else about an untrusted one is reported.
        guard trust.trusts(issuer) else { throw RelyingPartyError(.untrustedIssuer, in: .discovery) }
        do throws(DiscoveryFault) {
            metadata = try IssuerMetadata(parsing: json, issuer: issuer)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
        }
        branding = answer.string("branding")
        linkBranding = answer.string("link_branding")
        linkImage = answer.string("link_image")
        for member in [MetadataMember.authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .jwksURI] {
            let address: String
            do throws(DiscoveryFault) { address = try metadata.requiredURL(member) } catch {
                throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
            }
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
