#if SAML
    package import JOSE
    package import JOSERelyingParty

    /// The SAML metadata that an identity provider publishes, for a sandbox and for tests.
    package struct IdentityProviderDescription: Sendable {
        package var entityID: String
        package var signing: [Certificate]
        package var signOn: [SAMLEndpoint]
        package var artifactResolution: [SAMLEndpoint]
        package var singleLogout: [SAMLEndpoint] = []
        package var validUntil: NumericDate?
        package var encryption: [Certificate] = []

        package init(
            entityID: String, signing: [Certificate], signOn: [SAMLEndpoint], artifactResolution: [SAMLEndpoint]
        ) {
            self.entityID = entityID
            self.signing = signing
            self.signOn = signOn
            self.artifactResolution = artifactResolution
        }

        /// Returns the SAML metadata as a signed XML document.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            var writer = XMLWriter()
            let attributes: [(String, String?)] = [
                ("ID", id), ("entityID", entityID),
                ("validUntil", validUntil.map { XMLTime.text($0.secondsSince1970) }),
            ]
            writer.element(.md("EntityDescriptor"), declaring: [.md, .ds], attributes) { entity in
                entity.signature(of: id, by: key.certificate)
                let role = [
                    ("WantAuthnRequestsSigned", "true"), ("protocolSupportEnumeration", SAMLNames.protocolSupport),
                ]
                entity.element(.md("IDPSSODescriptor"), role) { role in
                    for certificate in signing { role.key(certificate, use: "signing") }
                    for certificate in encryption { role.key(certificate, use: "encryption") }
                    for endpoint in artifactResolution { role.write(endpoint, "ArtifactResolutionService") }
                    for endpoint in singleLogout { role.write(endpoint, "SingleLogoutService") }
                    for endpoint in signOn { role.write(endpoint, "SingleSignOnService") }
                }
            }
            return try SAMLDraft(writer).signed(with: key)
        }
    }
#endif
