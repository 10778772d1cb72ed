internal import JOSEBytes

/// A client as its service must configure it: everything that a developer writes down.
package struct TestClient: Sendable {
    /// The name of the client, one word for paths and options.
    package let name: String
    package let title: String
    /// The relying party's name of the profile, with the suffix `.reference` if request objects are fetched from the service.
    package let profile: String
    /// The issuer of the provider, or of ZenKey's discovery service.
    package let issuer: String
    package let clientID: String
    package let secret: String?
    package let redirectURI: String
    package let answersByPost: Bool
    /// The data that both sides of a SAML connection exchange, each member in base64.
    struct SAML: Sendable {
        let metadata: String
        /// The certificate that signed the metadata, in DER.
        let signer: String
        /// The certificate of the service's key, in DER.
        let certificate: String
        /// The link that opens DigiD's app.
        let appLink: String
    }
    var saml: SAML?

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("title", title)
        writer.member("profile", profile)
        writer.member("issuer", issuer)
        writer.member("client_id", clientID)
        if let secret { writer.member("client_secret", secret) }
        writer.member("redirect_uri", redirectURI)
        if answersByPost { writer.member("response_mode", "form_post") }
        if let saml {
            writer.member("metadata", saml.metadata)
            writer.member("metadata_signer", saml.signer)
            writer.member("certificate", saml.certificate)
            writer.member("app_link", saml.appLink)
        }
        writer.endObject()
    }

    init(
        name: String, title: String, profile: String, issuer: String, clientID: String, secret: String?,
        redirectURI: String, answersByPost: Bool
    ) {
        self.name = name
        self.title = title
        self.profile = profile
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.redirectURI = redirectURI
        self.answersByPost = answersByPost
    }

    init?(_ members: [JSONMember], in text: Span<UInt8>) {
        func word(_ name: StaticString) -> String? { members.first(name, in: text)?.string(in: text) }
        guard let name = word("name"), let title = word("title"), let profile = word("profile"),
            let issuer = word("issuer"), let id = word("client_id"), let uri = word("redirect_uri")
        else { return nil }
        self.init(
            name: name, title: title, profile: profile, issuer: issuer, clientID: id, secret: word("client_secret"),
            redirectURI: uri, answersByPost: word("response_mode") == "form_post")
        if let metadata = word("metadata"), let signer = word("metadata_signer"),
            let certificate = word("certificate"), let appLink = word("app_link")
        {
            saml = SAML(metadata: metadata, signer: signer, certificate: certificate, appLink: appLink)
        }
    }
}

/// The configuration that a sandbox writes for its service: the content of `sandbox.json`.
package struct SandboxConfiguration: Sendable {
    /// The origin of the service, `https://host:port`.
    package let service: String
    /// The hosts of the providers, which are all served at `port` on 127.0.0.1.
    package let hosts: [String]
    package let port: UInt16
    /// The port of `Sandbox.apiHost`.
    package let apiPort: UInt16
    package let clients: [TestClient]

    package init(service: String, hosts: [String], port: UInt16, apiPort: UInt16, clients: [TestClient]) {
        self.service = service
        self.hosts = hosts
        self.port = port
        self.apiPort = apiPort
        self.clients = clients
    }

    /// The name resolution, in the form of `--resolve` of curl and of `CurlTransport.Options`.
    package var resolve: [String] {
        hosts.map { "\($0):\(port):127.0.0.1" } + ["\(Sandbox.apiHost):\(apiPort):127.0.0.1"]
    }
    /// The hosts that a service calls.
    package var calledHosts: [String] { hosts + [Sandbox.apiHost] }

    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("service", service)
        writer.member("port", Int64(port))
        writer.member("api_port", Int64(apiPort))
        writer.name("hosts")
        writer.beginArray()
        for host in hosts { writer.string(host) }
        writer.endArray()
        writer.name("clients")
        writer.beginArray()
        for client in clients { client.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads what `json` has written, or returns nil for anything else.
    package init?(parsing json: [UInt8]) {
        let text = json.span
        guard let object = try? JSONObject(parsing: text),
            let service = object.first("service", in: text)?.string(in: text),
            let port = object.first("port", in: text)?.integer(in: text).flatMap({ UInt16(exactly: $0) }),
            let apiPort = object.first("api_port", in: text)?.integer(in: text).flatMap({ UInt16(exactly: $0) }),
            let hosts = object.first("hosts", in: text)?.array(in: text),
            let clients = object.first("clients", in: text)?.array(in: text)
        else { return nil }
        var names: [String] = []
        for host in hosts {
            guard let host = host.string(in: text) else { return nil }
            names.append(host)
        }
        var read: [TestClient] = []
        for client in clients {
            guard let members = client.object(in: text), let client = TestClient(members, in: text) else { return nil }
            read.append(client)
        }
        self.init(service: service, hosts: names, port: port, apiPort: apiPort, clients: read)
    }
}
