internal import JOSE
internal import JOSESupport

extension SandboxMaker {
    /// Creates DigiD.
    ///
    /// - Parameters:
    ///   - certificate: The client certificate of the service, in DER.
    ///   - signing: The certificate of the key that the service signs with, in DER.
    ///   - calls: The requests to the service, or nil for none.
    func digiD(apiPort: UInt16, certificate: [UInt8], signing: [UInt8], calls: DigiDCalls?) throws -> DigiDProvider {
        let urls = [false, true].map { isLater in
            let number = isLater ? "4" : "3"
            let web = "digid-web-saml" + number
            return (
                isLater: isLater,
                urls: DigiDURLs(
                    app: callback("digid-saml" + number), page: "\(service)/return/digid-saml\(number)",
                    consumer: callback(web),
                    loggedOut: "\(service)/logged-out/\(web)", logout: "\(serviceAPI)/end-sessions/\(web)")
            )
        }
        return try DigiDProvider(
            web: authority(4), app: authority(5), api: "\(Sandbox.apiHost):\(apiPort)",
            client: DigiDProvider.Client(
                id: "00000000-0000-4000-8000-00000000d161", redirectURI: callback("digid"), keys: publicKeys,
                certificate: certificate),
            urls: urls, certificate: signing, calls: calls, clock: clock, makeKey: makeKey)
    }

    /// Returns the clients of the service at DigiD: for its app, and for its web page.
    ///
    /// - Parameter certificate: The client certificate with which DigiD sends requests to the service, in DER.
    func clients(of digiD: DigiDProvider, certificate: [UInt8]) throws -> [TestClient] {
        let openID = TestClient(
            name: "digid", title: "DigiD", profile: "digid.oidc", issuer: digiD.issuer, clientID: digiD.client.id,
            secret: nil, redirectURI: digiD.client.redirectURI, answersByPost: false)
        #if SAML
            let apps = try digiD.saml.map { try client(of: $0, appLink: "https://" + digiD.app + "/digid-app") }
            let pages = try digiD.saml.map { saml in
                try client(
                    of: saml,
                    web: TestClient.Web(
                        consumerIndex: 1, loggedOut: saml.urls.loggedOut, logout: saml.isLater ? nil : saml.urls.logout,
                        certificate: Base64.encode(certificate.span)))
            }
            return [openID] + apps + pages
        #else
            return [openID]
        #endif
    }

    #if SAML
        /// Returns a client for logins by an app, or for those on the web page.
        private func client(
            of saml: DigiDSAML, appLink: String = "", web: TestClient.Web? = nil
        ) throws -> TestClient {
            let name = saml.isLater ? "saml4" : "saml3"
            let title = (web == nil ? "DigiD" : "DigiD's web page") + ", by SAML " + (saml.isLater ? "4" : "3")
            var client = TestClient(
                name: web == nil ? "digid-" + name : "digid-web-" + name, title: title,
                profile: web == nil ? "digid." + name : "digid-web." + name, issuer: saml.entityID,
                clientID: saml.service, secret: nil, redirectURI: web == nil ? saml.urls.app : saml.urls.consumer,
                answersByPost: false)
            let (metadata, signer) = (try saml.metadata(), saml.metadataCertificate.der)
            let certificate = saml.certificate.der
            client.saml = TestClient.SAML(
                metadata: Base64.encode(metadata.span), signer: Base64.encode(signer.span),
                certificate: Base64.encode(certificate.span), appLink: appLink)
            client.web = web
            return client
        }
    #endif
}
