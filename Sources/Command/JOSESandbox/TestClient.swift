internal import JOSEBytes

/// A client as its service must configure it: everything that a developer writes down.
package struct TestClient: Sendable {
    /// The name of the client, one word for paths and options.
    package let name: String
    package let title: String
    /// The relying party's name of the profile, with the suffix `.reference` if request objects are fetched from the
    /// service.
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
        /// The link that opens DigiD's app; empty for logins on the web page.
        let appLink: String
    }
    var saml: SAML?
    /// The endpoints of a service whose users log in on DigiD's web page.
    struct Web: Sendable {
        /// The index of the assertion consumer service in the service's metadata.
        let consumerIndex: UInt16
        /// The URL to which the browser returns from a logout.
        let loggedOut: String
        /// The URL that receives requests to end sessions, or nil for none.
        let logout: String?
        /// The client certificate of these requests, in base64.
        let certificate: String

        func write(to writer: inout JSONWriter) {
            writer.member("consumer_index", Int64(consumerIndex))
            writer.member("logged_out_uri", loggedOut)
            if let logout { writer.member("logout_uri", logout) }
            writer.member("client_certificate", certificate)
        }
    }
    var web: Web?

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
            if web == nil { writer.member("app_link", saml.appLink) }
        }
        web?.write(to: &writer)
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
            let certificate = word("certificate")
        {
            saml = SAML(
                metadata: metadata, signer: signer, certificate: certificate, appLink: word("app_link") ?? "")
        }
        if let loggedOut = word("logged_out_uri"), let certificate = word("client_certificate"),
            let index = members.first("consumer_index", in: text)?.integer(in: text).flatMap({ UInt16(exactly: $0) })
        {
            web = Web(
                consumerIndex: index, loggedOut: loggedOut, logout: word("logout_uri"), certificate: certificate)
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
    /// The port of the service that requires a client certificate.
    package let serviceAPIPort: UInt16
    package let clients: [TestClient]

    package init(
        service: String, hosts: [String], port: UInt16, apiPort: UInt16, serviceAPIPort: UInt16, clients: [TestClient]
    ) {
        self.service = service
        self.hosts = hosts
        self.port = port
        self.apiPort = apiPort
        self.serviceAPIPort = serviceAPIPort
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
        writer.member("service_api_port", Int64(serviceAPIPort))
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
            let port = Self.port(object.first("port", in: text), in: text),
            let apiPort = Self.port(object.first("api_port", in: text), in: text),
            let serviceAPIPort = Self.port(object.first("service_api_port", in: text), in: text),
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
        self.init(
            service: service, hosts: names, port: port, apiPort: apiPort, serviceAPIPort: serviceAPIPort, clients: read)
    }

    private static func port(_ value: JSONValue?, in text: Span<UInt8>) -> UInt16? {
        value?.integer(in: text).flatMap { UInt16(exactly: $0) }
    }
}
