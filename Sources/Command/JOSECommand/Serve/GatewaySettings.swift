import JOSESettings

/// The settings of `bulla serve` outside of its policies.
///
/// A new one is a property, a row of `table`, and a row of the article Gateways; one that the HTTP server needs is
/// assigned in `GatewayLoop.limits` too.
struct GatewaySettings: GatewaySettingsTable {
    enum Mode: String, CaseIterable, Sendable {
        /// Responses have the status that describes the result.
        case http
        /// Responses have a status of which nginx's `auth_request` makes no 500.
        case nginx
    }
    enum Logged: String, CaseIterable, Sendable { case all, rejected, none }

    var listen: [GatewayAddress] = []
    var mode = Mode.http
    var pathField = "X-Bulla-Path"
    var methodField = "X-Bulla-Method"
    var targetField = "X-Bulla-Target"
    /// The field that names the client; nil if the gateway sets none.
    var clientField: String?
    var distinguishesCase = false
    var headerBytes = 2048
    var proxyBufferBytes = 4096
    var threads = min(Process.cores, 64)
    var connections = 1024
    /// With the fields of a response this remains below 32,768 bytes, which libmicrohttpd takes from the heap and not
    /// from pages of their own.
    var headBytes = 28_672
    var timeout = 10
    var requestTimeout = 10
    var drain = Duration.seconds(5)
    var wait = Duration.milliseconds(500)
    var keyTables = 256
    var retryAfter = 1
    var concurrent = min(Process.cores, 64)
    var queued = 64
    var queueTimeout = Duration.milliseconds(250)
    var cacheEntries = 10_000
    var cacheBytes = 32 << 20
    var logged = Logged.rejected

    static let table: [GatewayMember<Self>] = [
        .init(
            "listen", \.listen,
            #"addresses: "unix:/run/bulla/gateway.sock", "127.0.0.1:9292"; none if systemd passes the sockets"#,
            needsRestart: true, read: addresses),
        .choice(
            "gateway", \.mode, "http, or nginx, whose auth_request turns every status but 2xx, 401 and 403 into a 500"),
        .field(
            "request.path-header", \.pathField,
            "the field with the path and query as the client sent them, which the gateway must set itself"),
        .field("request.method-header", \.methodField, "the field with the method, for DPoP"),
        .field("request.target-header", \.targetField, "the field with the target, for DPoP"),
        .init(
            "issuers",
            #"{"NAME": {…}}: the options of bulla verify and decrypt as members, such as "iss", "aud", "alg", "keys", "#
                + #""issuer", "secret-file", "decrypt-keys", "nested", "cty", "max-lifetime", "trusted-aud", "#
                + #""claim": ["token_use=access"], or "profile": "at+jwt""#),
        .init(
            "policies",
            "a list of objects; the policy with the longest path that the request's path is at or "
                + "below applies. A path that services may read as one of another policy, such as /ADMIN for /admin, is "
                + "answered with 403."),
        .flag(
            "case-sensitive", \.distinguishesCase,
            "true if every service distinguishes upper and lower case in paths"),
        .init(
            "headers",
            #"{"X-Auth-Subject": "sub"}: header fields and their claims. Each is sent with every 204, empty where the "#
                + "token lacks the claim. Values are percent-encoded ASCII."),
        .count("header-bytes", \.headerBytes, 0...65_536, "bytes of all values of a response"),
        .count("proxy-buffer-size", \.proxyBufferBytes, 1024...1_048_576, "that of nginx in bytes"),
        .count(
            "limits.threads", \.threads, 1...64, "event loops", fallback: "the processors of the process",
            needsRestart: true),
        .count(
            "limits.connections", \.connections, 1...65_536, "connections of each loop at each address",
            needsRestart: true),
        .count(
            "limits.head-bytes", \.headBytes, 4096...1_048_576, "bytes of the request line and the fields of a request",
            needsRestart: true),
        .count(
            "limits.timeout", \.timeout, 1...3600, "seconds after which a silent connection is closed",
            needsRestart: true),
        .count(
            "limits.request-timeout", \.requestTimeout, 1...3600,
            "seconds in which a request must have arrived, and in which the gateway must take the response",
            needsRestart: true),
        .seconds("limits.drain", \.drain, 0...300, "seconds for open requests after SIGTERM"),
        .seconds("limits.wait", \.wait, 0...10, "seconds that a token waits for new keys"),
        .count("limits.key-tables", \.keyTables, 0...65_536, "most P-256 and Ed25519 keys with a table"),
        .count("limits.retry-after", \.retryAfter, 1...3600, "seconds in Retry-After of a 503"),
        .count(
            "limiter.concurrent", \.concurrent, 1...64, "decryptions at a time, and as many proofs",
            fallback: "the processors of the process", needsRestart: true),
        .count("limiter.queued", \.queued, 1...65_536, "tokens that wait for them"),
        .seconds("limiter.timeout", \.queueTimeout, 0.001...10, "seconds in the queue"),
        .init(
            "limiter.client-header", \.clientField,
            "the field in which the gateway names the client, each of which has a share of the queue", fallback: "none"
        ) { (value) throws(CommandFailure) in try HeaderValue.name(value) },
        .count("cache.entries", \.cacheEntries, 1...10_000_000, "most verified tokens, of all policies"),
        .count(
            "cache.bytes", \.cacheBytes, 1024...(1 << 34), "bytes of their entries; without cache none is remembered"),
        .init(
            "replay",
            "where used DPoP proofs are marked, if several processes accept them; in memory by default"),
        .choice("log", \.logged, "the requests that are logged: all, rejected or none"),
    ]

    private static func addresses(_ value: ConfigurationValue) throws(CommandFailure) -> [GatewayAddress] {
        try value.strings().enumerated().map { (index, text) throws(CommandFailure) in
            guard let address = GatewayAddress(text) else {
                throw CommandFailure(
                    "listen[\(index)]: must be unix:/PATH, 127.0.0.1:PORT or [::1]:PORT, not '\(text)'")
            }
            return address
        }
    }
}

extension GatewayMember {
    fileprivate static func field(_ name: String, _ property: any Property<String>, _ help: String) -> Self {
        Self(name, property, help, fallback: Settings()[keyPath: property]) { (value) throws(CommandFailure) in
            try HeaderValue.name(value)
        }
    }
}

/// The settings of one policy of `bulla serve`.
struct GatewayPolicySettings: GatewaySettingsTable {
    var path: String?
    var issuers: [String]?
    var isPublic = false
    var scopes: [String] = []
    var cookie: String?
    var realm = "bulla"
    var proofAlgorithms: [String]?
    var origin: String?
    var requiresProof = true
    var maximumProofAge = Duration.seconds(60)

    static let table: [GatewayMember<Self>] = [
        .init("path", \.path, "the path, such as /") { (value) throws(CommandFailure) in try value.string() },
        .init("issuers", \.issuers, "the names of the issuers") { (value) throws(CommandFailure) in
            try value.strings()
        },
        .flag("public", \.isPublic, "true for a path that needs no token, in place of issuers"),
        .init("scope", \.scopes, "the scopes that a token needs", fallback: "none", read: scopes),
        .init("cookie", \.cookie, "the cookie with the token", fallback: "none") { (value) throws(CommandFailure) in
            try value.string()
        },
        .init("realm", \.realm, "the realm of challenges", fallback: "bulla", read: realm),
        .init("headers", "as above, for this policy"),
        .init("dpop.alg", \.proofAlgorithms, "accepted algorithms of DPoP proofs") { (value) throws(CommandFailure) in
            let names = try value.strings()
            do throws(CommandFailure) { _ = try AlgorithmNames.signature(names) } catch {
                throw value.failure(error.message)
            }
            return names
        },
        .init("dpop.origin", \.origin, "scheme and authority, such as https://api.example.com", read: origin),
        .flag("dpop.required", \.requiresProof, "false: also accept tokens without a proof that need none"),
        .seconds("dpop.max-age", \.maximumProofAge, 1...3600, "seconds since iat of a proof"),
    ]

    private static func scopes(_ value: ConfigurationValue) throws(CommandFailure) -> [String] {
        let scopes = try value.strings()
        guard scopes.allSatisfy({ $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C } }) else {
            throw value.failure("must be words of printable ASCII (RFC 6749, 3.3)")
        }
        return scopes
    }

    private static func realm(_ value: ConfigurationValue) throws(CommandFailure) -> String {
        let realm = try value.string()
        guard realm.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
            throw value.failure("must be printable ASCII without quotation marks and backslashes")
        }
        return realm
    }

    private static func origin(_ value: ConfigurationValue) throws(CommandFailure) -> String {
        let origin = try value.string()
        guard KeySetSource.isURL(origin), !origin.hasSuffix("/") else {
            throw value.failure("must be a scheme and an authority, such as https://api.example.com")
        }
        return origin
    }
}
