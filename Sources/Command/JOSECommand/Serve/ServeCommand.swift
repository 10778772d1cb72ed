import JOSE
import JOSESettings
import JOSETokens

extension Command {
    static let serve = Command(
        "serve", operands: "FILE", maximumOperands: 1,
        summary: "verify the tokens of a gateway's requests over HTTP on loopback or a Unix socket",
        details: """
            A gateway such as nginx (auth_request) or Caddy (forward_auth) sends each request to /auth, and acts on the
            response: 204 with claims as header fields, 401, 403 insufficient_scope, or 503 with Retry-After for a token that
            could not be verified now. A service may send {"token":"…","path":"/"} to /verify by POST instead. /healthz,
            /readyz and /metrics are for the operator.

            FILE is one JSON object with these members; a star marks those whose changes take effect at a restart:
            \(Help.table(GatewaySettings.help() + GatewayReplays.help + GatewayPolicySettings.help(in: "policies[].")))
            Paths of files are relative to the folder of FILE.

            SIGHUP reads FILE again; if it is not valid, the configuration in use stays. Files with keys are read again
            within a second after they change, those of each issuer by themselves: where they cannot be read, its keys in
            use stay, and /readyz and /metrics say so. The key set {"keys":[]} withdraws an issuer's last key, and so does a
            file that was removed a second ago. Files must be regular ones. SIGTERM answers what has arrived, and ends
            within limits.drain and a second.
            """,
        options: [Options.checkOnly, Options.quiet], blocked: .service
    ) { (arguments) throws(CommandFailure) in
        guard let path = arguments.operands.first else {
            throw .usage("needs a FILE with the configuration; bulla serve --help describes it")
        }
        if arguments.has(Options.checkOnly) {
            Signals.unblock(allBut: .none)
            let configuration = try GatewayConfigurationReader.read(
                path, keys: RemoteKeySets { Output.complain("bulla serve: \($0)") }, replays: GatewayReplays())
            if !arguments.has(Options.quiet) {
                let count = configuration.router.policies.count
                Output.standard("\(path) is valid: \(count) \(count == 1 ? "policy" : "policies")\n")
            }
            return .valid
        }
        #if Server
            return try GatewayServer(path, isQuiet: arguments.has(Options.quiet)).run()
        #else
            throw .usage("bulla was built without the package's trait Server")
        #endif
    }
}

extension Options {
    static let checkOnly = OptionSpec("check", nil, "check FILE, and serve nothing")
}
