#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    package import JOSERelyingParty

    /// A SAML login request (AuthnRequest) that an identity provider has received, for a sandbox and for tests.
    package struct ReceivedAuthnRequest: Sendable {
        package let id: String
        package let issuer: String
        package let destination: String
        package let consumer: AuthnRequest.Consumer
        package let issueInstant: Double
        package let classReference: String
        package let forceAuthn: Bool

        /// Creates a request from the percent-decoded value of `SAMLRequest`: base64 of raw DEFLATE, which inflates to
        /// at most 256 KiB. The caller must verify the signature, which covers the query.
        package init(redirectValue text: String) throws(RelyingPartyError.Reason) {
            guard text.utf8.count <= XMLDocument.byteLimit, let deflated = Base64.decode(Array(text.utf8)) else {
                throw .malformed
            }
            let xml: [UInt8]
            do throws(Deflate.Fault) {
                let inflated = try Deflate.inflate(deflated.span, maximum: XMLDocument.byteLimit)
                xml = inflated.withBytes { $0.copy() }
            } catch {
                throw error == .backend ? .internalFault : .malformed
            }
            try self.init(try XMLDocument(xml).root)
        }

        /// Creates a request from an XML message, whose enveloped signature is verified.
        package init(signed xml: [UInt8], by certificates: [SAMLCertificate]) throws(RelyingPartyError.Reason) {
            let document = try XMLDocument(xml)
            try document.root.verify(by: certificates)
            try self.init(document.root)
        }

        private init(_ request: XMLElement) throws(RelyingPartyError.Reason) {
            guard request.has(.samlp("AuthnRequest")), bytesEqual(request.attribute("Version"), "2.0"),
                let id = request.attribute("ID"), let destination = request.attribute("Destination"),
                let issuer = try request.text(of: .saml("Issuer")), let instant = try request.time("IssueInstant")
            else { throw .malformed }
            self.id = id
            self.issuer = issuer
            self.destination = destination
            issueInstant = instant
            let url = request.attribute("AssertionConsumerServiceURL")
            switch (request.attribute("AssertionConsumerServiceIndex"), url) {
            case (let index?, nil):
                guard let number = UInt16(index), request.attribute("ProtocolBinding") == nil else { throw .malformed }
                consumer = .index(number)
            case (nil, let url?): consumer = .url(url)
            default: throw .malformed
            }
            let context = try request.one(.samlp("RequestedAuthnContext"))
            guard bytesEqual(context.attribute("Comparison"), "minimum"),
                let reference = try context.text(of: .saml("AuthnContextClassRef"))
            else { throw .malformed }
            classReference = reference
            forceAuthn = bytesEqual(request.attribute("ForceAuthn"), "true")
        }
    }

    /// A request to resolve an artifact (ArtifactResolve) that an identity provider has received, for a sandbox and for
    /// tests.
    package struct ReceivedArtifactResolve: Sendable {
        package let id: String
        package let issuer: String
        package let artifact: String

        /// Creates a request from a SOAP envelope, in which the enveloped signature of the message is verified.
        package init(envelope: [UInt8], by certificates: [SAMLCertificate]) throws(RelyingPartyError.Reason) {
            let document = try XMLDocument(envelope)
            let resolve = try SOAPEnvelope.body(of: document)
            guard resolve.has(.samlp("ArtifactResolve")) else { throw .malformed }
            try resolve.verify(by: certificates)
            guard bytesEqual(resolve.attribute("Version"), "2.0"), let id = resolve.attribute("ID"),
                let issuer = try resolve.text(of: .saml("Issuer")),
                let artifact = try resolve.text(of: .samlp("Artifact"))
            else { throw .malformed }
            self.id = id
            self.issuer = issuer
            self.artifact = artifact
        }
    }
#endif
