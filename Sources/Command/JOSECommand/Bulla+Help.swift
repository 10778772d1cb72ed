import JOSESettings

extension Bulla {
    static let examples: [String: String] = [
        "verify": "bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg RS256 jwt.txt",
        "decrypt": "bulla decrypt --decrypt-keys e1.jwk --key-alg RSA-OAEP --enc A256GCM"
            + " --iss https://id.example.com --aud shop < encrypted.txt",
        "explain": "bulla explain --keys s1.pub.jwk"
            + " --iss https://id.example.com --aud shop --alg RS256 jwt.txt",
        "sign": "bulla sign --key s1.jwk --iss https://id.example.com --aud shop claims.json > jwt.txt",
        "encrypt": "bulla encrypt --key e1.pub.jwk --key-alg RSA-OAEP --enc A256GCM"
            + " --iss https://id.example.com --aud shop claims.json > encrypted.txt",
        "nest": "bulla nest --key s1.jwk --encrypt-key e1.pub.jwk --key-alg RSA-OAEP --enc A256GCM"
            + " --iss https://id.example.com --aud shop claims.json > nested.txt",
        "key generate": "bulla key generate RSA --alg RS256 --kid s1 --out s1.jwk --public-out s1.pub.jwk",
        "key inspect": "bulla key inspect s1.jwk",
        "key convert": "bulla key convert --to pem --private s1.jwk",
        "key public": "bulla key public s1.jwk",
        "key thumbprint": "bulla key thumbprint s1.pub.jwk",
        "keys fetch": "bulla keys fetch --issuer https://id.example.com",
        "keys watch": "bulla keys watch --issuer https://id.example.com",
        "keys serve": "bulla keys serve --port 8080 s1.pub.jwk",
        "serve": "bulla serve gateway.json",
        "worker": "bulla worker --redis redis://127.0.0.1 --stream tokens"
            + " --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg RS256",
        "enqueue": "bulla enqueue --redis redis://127.0.0.1 --stream tokens tokens.txt",
        "check": "bulla check < requests.jsonl > answers.jsonl",
        "sbom": "bulla sbom",
    ]

    static let briefs: [String: String] = [
        "verify": ofStreams, "decrypt": ofStreams,
        "explain": """
        Takes the policy of bulla verify, and reports each check of one token. A check for which an option
        is missing is not made, and the token is then not reported as valid. Exit status: 0 the token is
        valid; 1 it is not; 75 it could not be verified now; 2 wrong usage, or keys that cannot be read.
        """,
        "serve": """
        A gateway such as nginx (auth_request) or Caddy (forward_auth) sends each request to
        /auth, and acts on the response: 204 with claims as header fields, 401, 403, or 503
        with Retry-After for a token that could not be verified now. /healthz, /readyz and
        /metrics are for the operator.

        FILE is one JSON object, whose other members --help-all lists:
          {"listen": ["unix:/run/bulla/gateway.sock"], "gateway": "http",
           "headers": {"X-Auth-Subject": "sub"},
           "issuers": {"main": {"iss": "https://id.example.com", "aud": "shop",
                                "alg": "ES256", "keys": "keys.json"}},
           "policies": [{"path": "/", "issuers": ["main"]},
                        {"path": "/admin", "issuers": ["main"], "scope": ["admin"]},
                        {"path": "/health", "public": true}]}
        An issuer has the options of bulla verify and decrypt as members. The policy with the
        longest path that the request's path is at or below applies. Paths of files are
        relative to the folder of FILE.

        SIGHUP reads FILE again; if it is not valid, the configuration in use stays. Files with
        keys are read again within a second after they change. SIGTERM answers what has
        arrived, and ends within limits.drain and a second.
        """,
        "worker": """
        Each process is a worker; one on each machine is enough. Entries of the stream have the field rows,
        as bulla enqueue adds them. Answers are added to the stream NAME:answers. A token that
        --max-deliveries workers began without a result is dead-lettered to NAME:dead-letters. Redis must
        have appendonly yes and maxmemory-policy noeviction. SIGTERM ends the worker with status 0.
        """,
    ]

    private static let ofStreams = """
        Each line of FILE or of standard input is a token. Issuer, audience and algorithms must be given, or
        --any-issuer and --any-audience; exp is required. Commas separate the elements of a list. --input
        jsonl reads rows {"id":"a7","token":"…"} and writes {"id":"a7","result":"valid"} for each.

        Exit status: 0 all tokens are valid; 1 one is invalid; 75 one could not be verified now, and may be
        retried; 2 wrong usage, or no token, or input or keys that cannot be read.
        """

    static let groups = [
        OptionGroup(
            "keys", common: ["keys", "decrypt-keys"],
            others: [
                "secret-file", "key", "kid", "encrypt-key", "encrypt-kid", "trust", "trust-name", "x5c", "bits", "use",
                "passphrase-file", "passphrase-fd", "hash", "uri",
            ]
        ),
        OptionGroup(
            "remote keys", common: ["issuer"],
            others: ["ca", "timeout", "allow-loopback-http", "key-cache", "key-lag", "every", "for"]),
        OptionGroup(
            "token and layers", common: ["nested", "alg", "key-alg", "enc", "typ", "profile"],
            others: [
                "cty", "crit", "json", "detached", "unencoded", "bytes", "zip", "p2c", "aad-file", "all-signatures",
                "signed-by",
            ]
        ),
        OptionGroup(
            "claims", common: ["iss", "any-issuer", "aud", "any-audience", "leeway", "claim", "require"],
            others: [
                "trusted-aud", "sub", "lifetime", "now", "allow-no-exp", "max-lifetime", "min-remaining", "max-age",
                "max-auth-age", "forbid", "nonce", "azp", "acr", "scope", "access-token-file", "code-file",
                "front-channel", "method", "url", "jkt", "kb-aud", "kb-nonce", "kb-alg",
            ]
        ),
        OptionGroup(
            "limits and exceptions",
            others: Set(OptionNames.ofLimits.map(\.option.spec.name)).union([
                "key-tables", "allow-zip", "vectorized-private-keys", "allow-broken-rsa1_5",
            ])),
        OptionGroup(
            "queue", common: ["redis", "stream", "lease", "max-deliveries"],
            others: [
                "redis-password-file", "redis-ca", "allow-plain-redis-password", "allow-volatile", "replicas",
                "replica-timeout", "entries", "entry-bytes", "tokens", "retry-delay", "until-empty",
            ]
        ),
        OptionGroup(
            "input and output", common: ["input", "output", "show-claims", "check"],
            others: ["exit-zero", "lines", "jobs", "quiet", "out", "public-out", "private", "to", "form", "count"]
        ),
        OptionGroup("other", common: ["help", "help-all"]),
    ]
}
