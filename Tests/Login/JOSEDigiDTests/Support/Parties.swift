#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import TestSupport

    /// The keys of the provider, its successor, the service and another party, made once.
    struct Parties: Sendable {
        static let entityID = "https://was-preprod1.digid.nl/saml/idp/metadata"
        static let service = "https://service.test/saml"
        static let consumerURL = "https://service.test/acs"
        static let resolution = "https://was-preprod1.digid.nl/saml/idp/resolve_artifact"
        static let signOn = "https://preprod1.digid.nl/saml/idp/request_authentication"
        static let midden = "urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract"
        static let number = "111222333"

        struct Party: Sendable {
            let key: SAMLKey
            let certificate: Certificate
            let issued: CertificateMaker.Issued
            var verifying: SAMLCertificate { get throws { try SAMLCertificate(certificate) } }
        }
        let maker: CertificateMaker
        let provider: Party, successor: Party, service: Party, other: Party

        static let shared = Result { try Parties() }
        static func made() throws -> Parties { try shared.get() }

        private init() throws {
            let maker = try CertificateMaker()
            func party(_ name: String) throws -> Party {
                let issued = try maker.issue(name, .rsa(2048), extensions: CertificateMaker.Extensions.plainLeaf)
                let certificate = try Certificate(pem: issued.pem)
                return Party(
                    key: try SAMLKey(PrivateKey(pem: issued.keyPEM), certificate: certificate),
                    certificate: certificate, issued: issued)
            }
            self.maker = maker
            provider = try party("provider")
            successor = try party("successor")
            service = try party("service")
            other = try party("other")
        }

        func description(of signing: [Certificate]? = nil) -> IdentityProviderDescription {
            IdentityProviderDescription(
                entityID: Self.entityID, signing: signing ?? [provider.certificate],
                signOn: [SAMLEndpoint(binding: SAMLNames.redirectBinding, location: Self.signOn)],
                artifactResolution: [
                    SAMLEndpoint(binding: SAMLNames.soapBinding, location: Self.resolution, index: 0)
                ])
        }

        func metadata(
            signing: [Certificate]? = nil, now: NumericDate = .now
        ) throws -> IdentityProviderMetadata {
            let xml = try description(of: signing).signed(with: provider.key)
            return try IdentityProviderMetadata(
                xml, entityID: Self.entityID, signedBy: [provider.certificate], now: now)
        }
    }

    extension Result where Failure == any Error {
        init(_ make: () throws -> Success) { self.init(catching: make) }
    }
#endif
