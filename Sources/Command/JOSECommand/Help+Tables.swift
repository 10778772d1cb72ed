extension Help {
    /// An example of each command, by its name. It is the first line of the command's help.
    static let examples: [String: String] = [
        "verify": "bulla verify --keys s1.pub.jwk --iss https://id.example.com --aud shop --alg RS256 < tokens.txt",
        "decrypt": "bulla decrypt --decrypt-keys e1.jwk --key-alg RSA-OAEP --enc A256GCM"
            + " --iss https://id.example.com --aud shop < encrypted.txt",
        "explain": "bulla explain --keys s1.pub.jwk"
            + " --iss https://id.example.com --aud shop --alg RS256 \"$(cat tokens.txt)\"",
        "sign": "bulla sign --key s1.jwk --iss https://id.example.com --aud shop claims.json > tokens.txt",
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

    /// The groups of options in the help, in their order. An option that no group names is in the last group.
    static let groups: [(title: String, options: Set<String>)] = [
        (
            "keys",
            [
                "keys", "secret-file", "key", "kid", "encrypt-key", "encrypt-kid", "decrypt-keys", "trust",
                "trust-name", "x5c", "bits", "use", "passphrase-file", "passphrase-fd", "hash", "uri",
            ]
        ),
        ("remote keys", ["issuer", "ca", "timeout", "allow-loopback-http", "every", "for"]),
        (
            "token and layers",
            [
                "nested", "alg", "key-alg", "enc", "typ", "cty", "crit", "json", "detached", "unencoded", "bytes",
                "zip", "p2c",
                "aad-file", "all-signatures", "signed-by", "profile",
            ]
        ),
        (
            "claims",
            [
                "iss", "any-issuer", "aud", "any-audience", "trusted-aud", "sub", "lifetime", "now", "leeway",
                "allow-no-exp", "max-lifetime", "min-remaining", "max-age", "max-auth-age", "claim", "require",
                "forbid", "nonce", "azp", "acr", "scope", "access-token-file", "code-file", "front-channel", "method",
                "url", "jkt", "kb-aud", "kb-nonce", "kb-alg",
            ]
        ),
        (
            "limits and exceptions",
            [
                "max-token-bytes", "max-plaintext-bytes", "max-signature-bytes", "max-p2c", "max-keys",
                "max-candidate-keys", "allow-zip",
                "vectorized-private-keys",
                "allow-broken-rsa1",
            ]
        ),
        (
            "queue",
            [
                "redis", "stream", "group", "redis-password-file", "redis-ca", "allow-volatile", "entries",
                "entry-bytes",
                "tokens", "lease", "max-deliveries", "retry-delay", "until-empty",
            ]
        ),
        (
            "input and output",
            [
                "lines", "input", "jobs", "output", "show-claims", "exit-zero", "quiet", "out", "public-out", "private",
                "to",
                "form", "count",
            ]
        ),
        ("other", []),
    ]
}
