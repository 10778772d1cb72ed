internal import JOSESupport
internal import JOSETokens

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
    }
    var web: Web?

    var members: ClaimsBuilder {
        var members: ClaimsBuilder = [
            "name": .string(name), "title": .string(title), "profile": .string(profile), "issuer": .string(issuer),
            "client_id": .string(clientID),
        ]
        if let secret { members["client_secret"] = .string(secret) }
        members["redirect_uri"] = .string(redirectURI)
        if answersByPost { members["response_mode"] = "form_post" }
        if let saml {
            members["metadata"] = .string(saml.metadata)
            members["metadata_signer"] = .string(saml.signer)
            members["certificate"] = .string(saml.certificate)
            if web == nil { members["app_link"] = .string(saml.appLink) }
        }
        if let web {
            members["consumer_index"] = .integer(Int64(web.consumerIndex))
            members["logged_out_uri"] = .string(web.loggedOut)
            if let logout = web.logout { members["logout_uri"] = .string(logout) }
            members["client_certificate"] = .string(web.certificate)
        }
        return members
    }
}

extension TestClient {
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

    /// The name resolution, in the form of `--resolve` of curl and of `CurlTransport.Options`.
    package var resolve: [String] {
        hosts.map { "\($0):\(port):127.0.0.1" } + ["\(Sandbox.apiHost):\(apiPort):127.0.0.1"]
    }
    /// The hosts that a service calls.
    package var calledHosts: [String] { hosts + [Sandbox.apiHost] }

    package func json() -> [UInt8] {
        let members: ClaimsBuilder = [
            "service": .string(service), "port": .integer(Int64(port)), "api_port": .integer(Int64(apiPort)),
            "service_api_port": .integer(Int64(serviceAPIPort)), "hosts": .array(hosts.map { .string($0) }),
            "clients": .array(clients.map { .object($0.members.object) }),
        ]
        return members.json()
    }
}

extension SandboxConfiguration {
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
        let names = hosts.compactMap { $0.string(in: text) }
        let read = clients.compactMap { $0.object(in: text).flatMap { TestClient($0, in: text) } }
        guard names.count == hosts.count, read.count == clients.count else { return nil }
        self.init(
            service: service, hosts: names, port: port, apiPort: apiPort, serviceAPIPort: serviceAPIPort, clients: read)
    }

    private static func port(_ value: JSONValue?, in text: Span<UInt8>) -> UInt16? {
        value?.integer(in: text).flatMap { UInt16(exactly: $0) }
    }
}
