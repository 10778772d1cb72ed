extension Help {
    /// An example of each command, by its name. It is the first line of the command's help.
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
        "links check": "bulla links check https://shop.example.com",
        "links make": "bulla links make apple --app ABCDE12345.com.example.shop --path /callback",
        "check": "bulla check < requests.jsonl > answers.jsonl",
        "demo": "bulla demo --count 20000",
        "sandbox": "bulla sandbox --dir ./sandbox",
        "demo-login": "bulla demo-login --dir ./sandbox",
        "sbom": "bulla sbom",
    ]

    /// The texts between summary and options of a help that has the common options alone, by the name of the command.
    /// `--help-all` of these commands has the whole text and all options.
    static let briefs: [String: String] = [
        "verify": ofStreams, "decrypt": ofStreams,
        "explain": """
        Takes the policy of bulla verify, and reports each check of one token. A check for which an option
        is missing is not made, and the token is then not reported as valid. Exit status: 0 the token is
        valid; 1 it is not; 75 it could not be verified now; 2 wrong usage, or keys that cannot be read.
        """,
        "worker": """
        Each process is a worker; one on each machine is enough. Entries of the stream have the field rows,
        as bulla enqueue adds them. Answers are added to the stream NAME:answers. A worker renews its lease;
        if that has ended, its entries are delivered to other workers. A token that --max-deliveries workers
        began without a result is dead-lettered to NAME:dead-letters. Redis must have appendonly yes and
        maxmemory-policy noeviction. SIGTERM ends the worker with status 0.
        """,
    ]

    private static let ofStreams = """
        Each line of FILE or of standard input is a token; an operand with the form of a token is one.
        Issuer, audience and algorithms must be given, or --any-issuer and --any-audience; exp is required.
        Commas separate the elements of a list. --input jsonl reads rows {"id":"a7","token":"…"} and writes
        {"id":"a7","result":"valid"} for each.

        Exit status: 0 all tokens are valid; 1 one is invalid; 75 one could not be verified now, and may be
        retried; 2 wrong usage, input without a token, or input or keys that cannot be read.
        """

    /// The groups of options in the help, in their order, each with its common options and the others. An option that
    /// no group names is in the last group.
    static let groups: [(title: String, common: Set<String>, others: Set<String>)] = [
        (
            "keys", ["keys", "decrypt-keys"],
            [
                "secret-file", "key", "kid", "encrypt-key", "encrypt-kid", "trust", "trust-name", "x5c", "bits", "use",
                "passphrase-file", "passphrase-fd", "hash", "uri",
            ]
        ),
        ("remote keys", ["issuer"], ["ca", "timeout", "allow-loopback-http", "key-cache", "key-lag", "every", "for"]),
        (
            "token and layers", ["nested", "alg", "key-alg", "enc", "typ", "profile"],
            [
                "cty", "crit", "json", "detached", "unencoded", "bytes", "zip", "p2c", "aad-file", "all-signatures",
                "signed-by",
            ]
        ),
        (
            "claims", ["iss", "any-issuer", "aud", "any-audience", "leeway", "claim", "require"],
            [
                "trusted-aud", "sub", "lifetime", "now", "allow-no-exp", "max-lifetime", "min-remaining", "max-age",
                "max-auth-age", "forbid", "nonce", "azp", "acr", "scope", "access-token-file", "code-file",
                "front-channel", "method", "url", "jkt", "kb-aud", "kb-nonce", "kb-alg",
            ]
        ),
        (
            "limits and exceptions", [],
            [
                "max-token-bytes", "max-plaintext-bytes", "max-signature-bytes", "max-p2c", "max-keys",
                "max-candidate-keys", "key-tables", "allow-zip", "vectorized-private-keys", "allow-broken-rsa1_5",
            ]
        ),
        (
            "queue", ["redis", "stream", "redis-password-file", "lease", "max-deliveries"],
            [
                "redis-ca", "allow-plain-redis-password", "allow-volatile", "replicas", "replica-timeout", "entries",
                "entry-bytes", "tokens", "retry-delay", "until-empty",
            ]
        ),
        (
            "input and output", ["input", "output", "show-claims", "exit-zero"],
            ["lines", "jobs", "quiet", "out", "public-out", "private", "to", "form", "count"]
        ),
        ("other", ["help", "help-all"], []),
    ]
}
