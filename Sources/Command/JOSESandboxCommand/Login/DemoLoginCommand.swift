import JOSE
import JOSESandbox
import JOSESettings
import JOSESupport

extension Command {
    static let demoLogin = Command(
        "demo-login", summary: "run a small service on loopback whose users log in at bulla-sandbox serve",
        details: """
            Start bulla-sandbox serve --dir DIR first, and leave it running. This command reads the files in DIR, and serves
            https://service.test at the port in them: a page with a button for each provider, the outcome of each login,
            and a page for the user who is signed in. The line "browser" that the sandbox prints has the browser option
            that resolves these names. Sessions end with the command. Serves until it is interrupted.
            """,
        options: [Options.sandboxFolder.spec, Options.loginTimeout.spec], blocked: .ends
    ) { (arguments) throws(CommandFailure) in
        guard let folder = try arguments.value(Options.sandboxFolder) else {
            throw .usage("needs --dir DIR, the folder of bulla-sandbox serve")
        }
        #if Server && HTTP
            return try DemoLoginRun(folder: folder, timeLimit: arguments.value(Options.loginTimeout)).run()
        #else
            throw .usage("bulla-sandbox was built without the package's traits Server and HTTP")
        #endif
    }
}

extension Options {
    static let loginTimeout = Option(
        "login-timeout", "SECONDS",
        "time limit of a login's requests to a provider of OpenID Connect, 1 to 600 (that of its profile)",
        time(1...600))
}

#if Server && HTTP
    internal import JOSEFetch
    internal import JOSERelyingParty

    struct DemoLoginRun {
        let folder: String
        let timeLimit: Duration?

        func run() throws(CommandFailure) -> ExitStatus {
            let written: [UInt8]
            do throws(CommandFailure) { written = try read("sandbox.json") } catch {
                throw CommandFailure(
                    "\(error.message); bulla-sandbox serve --dir \(folder) writes it, and must keep running")
            }
            guard let configuration = SandboxConfiguration(parsing: written) else {
                throw CommandFailure("\(folder)/sandbox.json was not written by bulla-sandbox serve")
            }
            let keys = try keys()
            let site = TestAuthority.Issued(certificate: try read("service.pem"), key: try read("service.key"))
            guard let port = configuration.service.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw CommandFailure("\(folder)/sandbox.json has no port of the service")
            }
            do {
                let store = MemoryLoginStore()
                let service = try DemoService(
                    configuration, keys: keys, transport: CurlTransport(options(configuration)), store: store,
                    timeLimit: timeLimit)
                let server = try WebServer(port: port, site) { request in
                    Blocking.run { await service.answer(request) }
                }
                // Browsers are not asked for a certificate, so the requests of DigiD have a port of their own.
                let api = try apiServer(site, configuration.serviceAPIPort) { request in
                    Blocking.run { await service.answer(request) }
                }
                Output.standard("service \(configuration.service)/\n")
                while !Signals.isEndWanted { Process.sleep(milliseconds: 20) }
                withExtendedLifetime((server, api)) {}
                let done = service.completed
                let mean = done.count == 0 ? 0 : Int64(done.seconds / Double(done.count) * 1e6)
                // The mean is in microseconds for each login. What is left are logins that were begun and not
                // completed, and marks against replay.
                Output.standard("completed \(done.count) mean \(mean) left \(store.count)\n")
                return .valid
            } catch let failure as CommandFailure {
                throw failure
            } catch is WebServer.Failure {
                throw CommandFailure(
                    "cannot listen on 127.0.0.1:\(port): \(Process.fault()); choose another with bulla-sandbox serve --service-port"
                )
            } catch {
                throw CommandFailure("the configuration in \(folder)/sandbox.json cannot be used")
            }
        }

        /// Starts the server at the port that requires a client certificate of the sandbox's authority.
        private func apiServer(
            _ site: TestAuthority.Issued, _ port: UInt16, _ handler: @escaping WebServer.Handler
        ) throws -> WebServer {
            let authority = try read("ca.pem")
            do throws(WebServer.Failure) {
                return try WebServer(port: port, site, clients: authority, handler: handler)
            } catch {
                throw CommandFailure(
                    "cannot listen on 127.0.0.1:\(port): \(Process.fault()); choose another with bulla-sandbox serve --service-api-port"
                )
            }
        }

        /// Returns the options of the transport: it connects to the sandbox's hosts only, at their address, and trusts
        /// the sandbox's authority only.
        private func options(_ configuration: SandboxConfiguration) -> CurlTransport.Options {
            var options = CurlTransport.Options()
            options.trust = .file(folder + "/ca.pem")
            options.resolve = configuration.resolve
            options.allowedHosts = configuration.calledHosts
            options.clientCertificate = .files(certificate: folder + "/client.pem", key: folder + "/client.key")
            options.allowsLoopback = true
            options.hostConnectionLimit = 64
            options.idleConnectionLimit = 64
            return options
        }

        private func keys() throws(CommandFailure) -> KeySet {
            let text = try read("keys.json")
            do throws(JOSEError) { return try KeySet(parsing: text.span) } catch {
                throw CommandFailure("\(folder)/keys.json is not a key set")
            }
        }

        private func read(_ name: String) throws(CommandFailure) -> [UInt8] {
            try Descriptor.contents(of: folder + "/" + name, isRegular: true, maximumBytes: 1 << 20)
        }
    }
#endif
