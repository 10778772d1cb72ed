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

            FILE is one JSON object:
              listen     addresses: "unix:/run/bulla/gateway.sock", "127.0.0.1:9292". None if systemd passes the sockets.
              gateway    "http" (default), or "nginx", whose auth_request turns every status but 2xx, 401 and 403 into a 500
              request    path-header (X-Bulla-Path): the field with the path and query as the client sent them,
                         which the gateway must set itself; for DPoP: method-header (X-Bulla-Method),
                         target-header (X-Bulla-Target)
              issuers    {"NAME": {…}}: the options of bulla verify and decrypt as members, such as "iss", "aud", "alg",
                         "keys", "issuer", "secret-file", "decrypt-keys", "nested", "cty", "max-lifetime", "trusted-aud",
                         "claim": ["token_use=access"], or "profile": "at+jwt"
              policies   [{"path": "/", "issuers": ["NAME"], "scope": [], "cookie": "NAME", "headers": {}, "realm": "",
                         "dpop": {"alg": [], "origin": "https://…", "required": true, "max-age": 60}} or {"path": "/", "public": true}];
                         the longest path that the request's path is at or below applies. A path that services may read
                         as one of another policy, such as /ADMIN for /admin, is answered with 403.
              case-sensitive  true if every service distinguishes upper and lower case in paths; false by default
              headers    {"X-Auth-Subject": "sub"}: header fields and their claims. Each is sent with every 204, empty where
                         the token lacks the claim. Values are percent-encoded ASCII.
              header-bytes (2048), proxy-buffer-size of nginx (4096), limits {threads, connections, head-bytes, timeout,
              request-timeout, drain, wait, retry-after, key-tables}, limiter {concurrent, queued, timeout, client-header} for
              tokens to decrypt and proofs, where client-header is the field in which the gateway names the client, each of which has a
              share of the queue; cache {entries, bytes}, which all policies share (none), log "all", "rejected" (default) or
              "none"
              replay     {"redis": "rediss://host", "redis-password-file": "FILE", "redis-ca": "FILE",
                         "allow-volatile": true, "replicas": 1, "replica-timeout": 0.4,
                         "allow-plain-redis-password": true}: where used DPoP proofs are marked, if several processes
                         accept them; in memory by default. replicas is the number of replicas that must confirm a mark.
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
