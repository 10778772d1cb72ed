package import JOSE
internal import JOSEDigiD
internal import JOSEEntra
internal import JOSEItsme
package import JOSEKeySets
internal import JOSEMitID
internal import JOSETokens

/// All providers, served by one server: host and path of a request choose the provider.
package final class Sandbox: Sendable {
    package static let hosts = [
        "provider.test", "carrier-one.test", "carrier-two.test", "discovery.test", "digid.test", "app.digid.test",
        "zenkey-app.test",
    ]
    /// The host of DigiD that requires a client certificate, at a port of its own.
    package static let apiHost = "api.digid.test"
    package static let serviceHost = "service.test"

    package let providers: [Provider]
    package let discovery: ZenKeyDiscovery
    private let zenKeyApp: ZenKeyApp
    package let digiD: DigiDProvider
    /// The client certificate that the service presents to `apiHost`.
    package let serviceCertificate: TestAuthority.Issued
    package let configuration: SandboxConfiguration
    /// The keys of the service: it signs with the first, and decrypts with the others.
    package let serviceKeys: KeySet
    /// The origin of the providers, `https://provider.test:port`.
    package let origin: String

    private let calls: ServiceCalls?

    /// Creates the sandbox. Generating its keys takes some seconds.
    ///
    /// - Parameters:
    ///   - serviceAPIPort: The port of the service that requires a client certificate.
    ///   - transport: The transport of the providers' requests to the service, or nil for no such requests.
    ///   - certified: Returns the transport of those that present the given client certificate.
    ///   - makeKey: Makes the RSA keys, of which there are about thirty, all different.
    package init(
        port: UInt16, apiPort: UInt16, service: String, serviceAPIPort: UInt16, authority: TestAuthority,
        transport: (any HTTPTransport)? = nil,
        certified: ((TestAuthority.Issued) throws -> (any HTTPTransport)?)? = nil, clock: WallClock = .system,
        makeKey: @escaping RSAKeyMaker = { try PrivateKey.generate(.rsa(bits: $0)) }
    ) throws {
        let own = [
            try ProviderKeys.rsa(.signature, "s1", makeKey), try ProviderKeys.rsa(.encryption, "e1", makeKey),
            try ProviderKeys.rsa(.encryption, "e2", makeKey),
        ]
        serviceKeys = KeySet(own.map { .privateKey($0) })
        let maker = SandboxMaker(
            port: port, service: service, serviceAPI: "https://\(Self.serviceHost):\(serviceAPIPort)",
            publicKeys: KeySet(own.map { .publicKey($0.publicKey) }),
            authority: authority, clock: clock, makeKey: makeKey)
        origin = "https://" + maker.authority(0)
        providers =
            try maker.itsme() + maker.carriers() + [
                maker.mitID(), maker.altID(), maker.openID(), maker.entra(),
            ]
        discovery = maker.discovery()
        zenKeyApp = maker.app(discovery, transport: transport)
        serviceCertificate = try authority.issueClient(Self.serviceHost)
        let digiDCertificate = try authority.issueClient(Self.hosts[4])
        let certifiedTransport = try certified.flatMap { try $0(digiDCertificate) }
        let digiDCalls = transport.flatMap { plain in
            certifiedTransport.map { DigiDCalls(certified: $0, plain: plain) }
        }
        digiD = try maker.digiD(
            apiPort: apiPort, certificate: serviceCertificate.der,
            signing: authority.certify("service.test", keyPEM: own[0].exportPrivatePEM()), calls: digiDCalls)
        calls = transport.map { ServiceCalls(origin: service, transport: $0) }
        configuration = try SandboxConfiguration(
            service: service, hosts: Self.hosts, port: port, apiPort: apiPort, serviceAPIPort: serviceAPIPort,
            clients: maker.clients(providers) + maker.clients(of: digiD, certificate: digiDCertificate.der))
    }

    /// Returns whether a request needs data from the service before `answer`; `respond` fetches them.
    package func asksService(_ request: WebRequest) -> Bool {
        reference(request) != nil || request.path == "/logout" && request.method == "POST" || asksByDigiD(request)
            || zenKeyApp.asksService(request)
    }

    /// Answers a request, after fetching what it needs from the service.
    package func respond(_ request: WebRequest) async -> TransportResponse {
        #if SAML
            if asksByDigiD(request) { return await digiD.endSessions(request) }
        #endif
        if zenKeyApp.asksService(request) { return await zenKeyApp.respond(request) }
        var request = request
        if let (client, uri) = reference(request) {
            request.requestObject = await calls?.document(uri, for: client)
        } else if request.path == "/logout", "https://" + request.authority.lowercased() == origin {
            return await logOut(request)
        }
        return answer(request)
    }

    /// Returns whether the request makes DigiD ask the service to end the sessions of a user.
    private func asksByDigiD(_ request: WebRequest) -> Bool {
        #if SAML
            digiD.asksService(request)
        #else
            false
        #endif
    }

    private func reference(_ request: WebRequest) -> (Registration, uri: String)? {
        guard request.isRead, let query = request.query, let uri = query["request_uri"], uri.hasPrefix("https:"),
            let provider = providers.first(where: { $0.isAuthorization(request) }),
            let client = provider.client(query["client_id"])
        else { return nil }
        return (client, uri)
    }

    /// Ends the sessions of a person at all services of a provider.
    private func logOut(_ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages, let form = request.form,
            let provider = providers.first(where: { $0.issuer == form["issuer"] }), let person = form.person
        else { return .page("Not done", status: 400, "<p role=\"alert\">Nobody was logged out.</p>") }
        var told = 0
        for client in provider.clients {
            guard let uri = client.logoutURI, let calls, let token = try? provider.logoutToken(person, client) else {
                continue
            }
            if await calls.logOut(token, at: uri) { told += 1 }
        }
        return .page(
            "\(person.name) was logged out",
            "<p><span id=\"told\">\(told)</span> clients accepted the logout token.</p>")
    }

    package func answer(_ request: WebRequest) -> TransportResponse {
        if request.authority.lowercased() == discovery.authority { return discovery.answer(request) }
        if request.authority.lowercased() == zenKeyApp.authority { return zenKeyApp.answer(request) }
        if let answer = digiD.answer(request) { return answer }
        // The longest base is first, because that of a carrier is empty.
        for provider in providers.sorted(by: { $0.base.utf8.count > $1.base.utf8.count }) {
            if let answer = provider.answer(request) { return answer }
        }
        if "https://" + request.authority.lowercased() == origin { return front(request) }
        return .notFound()
    }

    private func logoutForms(_ provider: Provider) -> [Markup] {
        guard provider.clients.contains(where: { $0.logoutURI != nil }) else { return [] }
        return Person.all.map { person in
            """
            <form method="post" action="/logout"><input type="hidden" name="issuer" value="\(provider.issuer)">
            <button name="person" value="\(person.id)">Log \(person.name) out</button></form>
            """
        }
    }

    /// Returns a link to the page that stands for the app of a provider, if one of its clients shows codes for it.
    private func app(_ provider: Provider) -> Markup {
        provider.paths.search == nil
            ? .nothing : "<a href=\"\(provider.issuer + Provider.scanPath)\">The app, which scans codes</a>"
    }

    /// Returns the front page, with links to the providers and buttons that rotate keys.
    private func front(_ request: WebRequest) -> TransportResponse {
        switch (request.method, request.path) {
        case ("GET", "/"), ("HEAD", "/"):
            let rows: [Markup] = providers.map { provider in
                """
                <li>\(provider.title): <a href="\(provider.metadataURL)">\(provider.issuer)</a>
                <form method="post" action="/rotate"><input type="hidden" name="issuer" value="\(provider.issuer)">
                <button>Sign with a fresh key</button></form>\(logoutForms(provider))\(app(provider))</li>
                """
            }
            return .page(
                "Bulla sandbox",
                """
                <p>Providers to try logins with. The service is at
                <a href="\(configuration.service)">\(configuration.service)</a>.</p><ul>
                \(rows)
                <li><a href="https://\(zenKeyApp.authority)/">An app with ZenKey's SDK (sandbox)</a></li>
                <li><a href="https://\(digiD.web)/">DigiD (sandbox)</a></li>
                </ul>
                """)
        case ("POST", "/rotate"):
            // A rotation is harmless, and is still accepted only from the sandbox's own pages.
            guard request.isFromOwnPages, let issuer = request.form?["issuer"],
                let provider = providers.first(where: { $0.issuer == issuer }), (try? provider.rotateKeys()) != nil
            else { return .page("Not done", status: 400, "<p role=\"alert\">No key was made.</p>") }
            return .seeOther("/")
        default: return .notFound()
        }
    }
}
