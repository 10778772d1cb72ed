import JOSE
import JOSESandbox
import JOSESettings

extension Command {
    static let serve = Command(
        "serve",
        summary:
            "simulate itsme, ZenKey, MitID, DigiD, Entra ID and an OpenID provider over https on loopback",
        details: """
            Serves provider.test, carrier-one.test, carrier-two.test, discovery.test, zenkey-app.test, digid.test and
            app.digid.test with certificates of a new authority, and api.digid.test, which requires a client
            certificate, at a port of its own. DigiD asks the service to end sessions at another port of service.test,
            with a client certificate. Makes DIR and writes to it what a service needs for logins: ca.pem (the authority),
            sandbox.json (issuers, clients, redirect URIs), keys.json (the service's own private keys), service.pem
            and service.key (a certificate for service.test), client.pem and client.key (the client certificate for
            api.digid.test). On the pages you choose a user, and optionally a fault that the provider simulates.
            Browsers and clients resolve the names with --host-resolver-rules and --resolve; the configuration of the
            system is not changed. Serves until it is interrupted.
            """,
        options: [
            Options.sandboxPort.spec, Options.servicePort.spec, Options.serviceAPIPort.spec,
            Options.sandboxFolder.spec,
        ], blocked: .ends
    ) { (arguments) throws(CommandFailure) in
        guard let folder = try arguments.value(Options.sandboxFolder) else {
            throw .usage("needs --dir DIR, a new or an empty folder")
        }
        let port = try arguments.value(Options.sandboxPort) ?? 8443
        let servicePort = try arguments.value(Options.servicePort) ?? 8444
        let next = servicePort < UInt16.max ? servicePort + 1 : servicePort - 1
        let serviceAPIPort = try arguments.value(Options.serviceAPIPort) ?? next
        guard servicePort != serviceAPIPort else {
            throw .usage("needs different ports for --service-port and --service-api-port")
        }
        #if Server
            return try SandboxRun(folder: folder, servicePort: servicePort, serviceAPIPort: serviceAPIPort).run(port)
        #else
            throw .usage("bulla-sandbox was built without the package's trait Server")
        #endif
    }
}

extension Options {
    static let sandboxPort = Option("port", "NUMBER", "port of the providers; 0 is any free port (8443)") {
        UInt16($0)
    }
    static let servicePort = Option("service-port", "NUMBER", "port of service.test (8444)", ownPort)
    static let serviceAPIPort = Option(
        "service-api-port", "NUMBER", "port of service.test for DigiD's requests (the one after --service-port)",
        ownPort)

    @Sendable private static func ownPort(_ text: String) -> UInt16? {
        UInt16(text).flatMap { $0 > 0 ? $0 : nil }
    }

    static let sandboxFolder = Option(
        "dir", "DIR", "folder that sandbox and service share; new or empty when the sandbox starts", text)
}

#if Server
    #if HTTP
        internal import JOSEFetch
    #endif
    internal import JOSESupport
    internal import JOSEKeySets
    internal import Synchronization

    struct SandboxRun {
        let folder: String
        let servicePort: UInt16
        let serviceAPIPort: UInt16

        func run(_ port: UInt16) throws(CommandFailure) -> ExitStatus {
            try Folder.make(folder)
            // A folder with files of an earlier sandbox is reported before keys are generated.
            guard try Folder.names(folder).isEmpty else {
                throw CommandFailure("\(folder) is not empty; each sandbox needs an empty folder")
            }
            let handler = LateHandler()
            do {
                let authority = try TestAuthority()
                let server = try WebServer(port: port, authority.issue(Sandbox.hosts)) { handler.answer($0) }
                // Browsers are not asked for a certificate, so the endpoint that requires one has its own port.
                let api = try WebServer(
                    port: 0, authority.issue([Sandbox.apiHost]), clients: authority.pem()
                ) { handler.answer($0) }
                let sandbox = try Sandbox(
                    port: server.port, apiPort: api.port, service: "https://\(Sandbox.serviceHost):\(servicePort)",
                    serviceAPIPort: serviceAPIPort, authority: authority, transport: transport(authority),
                    certified: { try transport(authority, $0) })
                handler.set { request in
                    guard sandbox.asksService(request) else { return sandbox.answer(request) }
                    return Blocking.run { await sandbox.respond(request) }
                }
                try write(sandbox, authority)
                tell(sandbox)
                while !Signals.isEndWanted { Process.sleep(milliseconds: 20) }
                withExtendedLifetime((server, api)) {}
                return .valid
            } catch let failure as CommandFailure {
                throw failure
            } catch is WebServer.Failure {
                throw CommandFailure(
                    "cannot listen on 127.0.0.1:\(port): \(Process.fault()); choose another with --port; 0 is any free port"
                )
            } catch {
                throw CommandFailure("no keys or certificates could be made")
            }
        }

        /// Returns a transport of the providers, which reaches the service only, by its name and on this machine.
        ///
        /// - Parameter certificate: The client certificate that it presents, or nil for none.
        private func transport(
            _ authority: TestAuthority, _ certificate: TestAuthority.Issued? = nil
        ) throws -> (any HTTPTransport)? {
            #if HTTP
                var options = CurlTransport.Options()
                options.trust = .pem(try authority.pem())
                options.resolve = [servicePort, serviceAPIPort].map { "\(Sandbox.serviceHost):\($0):127.0.0.1" }
                options.clientCertificate = certificate.map { .pem(certificate: $0.certificate, key: $0.key) }
                options.allowedHosts = [Sandbox.serviceHost]
                options.allowsLoopback = true
                return try CurlTransport(options)
            #else
                return nil
            #endif
        }

        private func write(_ sandbox: Sandbox, _ authority: TestAuthority) throws {
            let site = try authority.issue([Sandbox.serviceHost])
            try put("ca.pem", authority.pem())
            try put("client.pem", sandbox.serviceCertificate.certificate)
            try put("client.key", sandbox.serviceCertificate.key, isPrivate: true)
            try put("service.pem", site.certificate)
            try put("service.key", site.key, isPrivate: true)
            var keys: [[UInt8]] = []
            for case .privateKey(let key) in sandbox.serviceKeys.keys { keys.append(try key.exportPrivateJWK()) }
            let joined = Array(keys.joined(separator: Array(",".utf8)))
            try put("keys.json", Array("{\"keys\":[".utf8) + joined + Array("]}\n".utf8), isPrivate: true)
            // This file is written last: whoever waits for it finds the others complete. It contains secrets.
            try put("sandbox.json", sandbox.configuration.json() + Array("\n".utf8), isPrivate: true)
        }

        private func put(_ name: String, _ bytes: [UInt8], isPrivate: Bool = false) throws(CommandFailure) {
            let file = try Descriptor(creating: folder + "/" + name, isPrivate: isPrivate)
            defer { file.end() }
            file.write(bytes.span)
        }

        private func tell(_ sandbox: Sandbox) {
            let configuration = sandbox.configuration
            var lines = [
                "sandbox \(sandbox.origin)/", "authority \(folder)/ca.pem", "service \(configuration.service)/",
            ]
            for client in configuration.clients {
                lines.append("client \(client.name) \(client.profile) \(client.clientID) \(client.issuer)")
            }
            let rules = configuration.hosts.map { "MAP \($0) 127.0.0.1" } + ["MAP \(Sandbox.serviceHost) 127.0.0.1"]
            lines.append("browser --host-resolver-rules=\"\(rules.joined(separator: ", "))\"")
            lines.append(
                "curl --cacert \(folder)/ca.pem "
                    + configuration.resolve.map { "--resolve \($0)" }.joined(separator: " "))
            Output.standard(lines.joined(separator: "\n") + "\n")
        }
    }

    /// A handler that is set after the server has started, because the port of a server is known only then.
    final class LateHandler: Sendable {
        // A function that is itself the value of a generic type would be wrapped once more whenever it is read.
        private struct State { var handler: WebServer.Handler? }
        private let state = Mutex(State())

        func set(_ handler: @escaping WebServer.Handler) { state.withLock { $0.handler = handler } }

        func answer(_ request: WebRequest) -> TransportResponse {
            state.withLock { $0.handler }?(request) ?? TransportResponse(status: 503)
        }
    }
#endif
