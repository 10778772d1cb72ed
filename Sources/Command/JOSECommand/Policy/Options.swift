import JOSE

/// Every option of every command.
enum Options {
    static let help = OptionSpec("help", nil, "this text")

    // Keys.
    static let keys = Option(
        "keys", "FILE|URL", "keys that verify: a JWK, a JWK Set, PEM, a certificate, a URI, or the https URL of a set",
        text)
    static let trust = Option("trust", "FILE", "roots (PEM) that a token's own x5c is verified to", text)
    static let trustName = Option("trust-name", "DNSNAME", "the name that its certificate must have", text)
    static let decryptKeys = Option(
        "decrypt-keys", "FILE", "keys that decrypt: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    static let key = Option("key", "FILE", "the key: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    static let encryptKey = Option(
        "encrypt-key", "FILE", "the recipient's key: a JWK, a JWK Set, PEM, a certificate or a URI", text)
    static let keyID = Option("kid", "NAME", "of a set, the key of this name", text)
    static let encryptKeyID = Option("encrypt-kid", "NAME", "of a set of recipients, the key of this name", text)
    static let passphraseFile = Option("passphrase-file", "FILE", "holds the passphrase of an encrypted key", text)
    static let passphraseDescriptor = Option(
        "passphrase-fd", "NUMBER", "an open descriptor to read the passphrase from", descriptor)
    static let ofKeyFiles = [passphraseFile.spec, passphraseDescriptor.spec]

    // The layers.
    static let nested = OptionSpec("nested", nil, "the token is a signed one inside an encrypted one")
    static let algorithms = Option("alg", "NAME,…", "the only signature algorithms accepted", repeats: true, list)
    static let keyManagement = Option(
        "key-alg", "NAME,…", "the only key management algorithms accepted", repeats: true, list)
    static let contentEncryption = Option(
        "enc", "NAME,…", "the only content encryptions accepted", repeats: true, list)
    static let type = Option("typ", "TYPE", "what typ must be; of a nested token, the inner one", text)
    static let critical = Option("crit", "NAME,…", "extensions of crit that you honour", repeats: true, list)
    static let mostIterations = Option("max-p2c", "COUNT", "rounds that a PBES2 token may ask for (1000000)", count)
    static let allowBroken = OptionSpec(
        "allow-broken-rsa1_5", nil, "also decrypt RSA1_5: who may ask often reads what was encrypted (RFC 7516, 11.5)")
    static let json = OptionSpec(
        "json", nil, "FILE is one JWS or JWE in the JSON serialization, whose payload is bytes")
    static let detachedFile = Option(
        "detached", "FILE", "the payload, which is not in the token: bytes of any length", text)
    static let allSignatures = OptionSpec(
        "all-signatures", nil, "with --json: every signature must be valid, and not only one")
    static let signedBy = Option(
        "signed-by", "KID,…", "with --json: a signature by each of these keys must be valid", repeats: true, list)
    static let allowZip = OptionSpec("allow-zip", nil, "accept compressed content (zip: DEF)")
    static let mostTokenBytes = Option("max-token-bytes", "COUNT", "size of a token (262144)", count)
    static let mostPlaintextBytes = Option("max-plaintext-bytes", "COUNT", "size of a payload (262144)", count)

    // The claims.
    static let issuer = Option("iss", "ISSUER,…", "whose tokens are accepted", repeats: true, list)
    static let anyIssuer = OptionSpec("any-issuer", nil, "accept tokens of any issuer, unchecked")
    static let audience = Option("aud", "AUDIENCE,…", "for whom a token must be meant", repeats: true, list)
    static let anyAudience = OptionSpec("any-audience", nil, "accept tokens meant for others, unchecked")
    static let allowNoExpiration = OptionSpec("allow-no-exp", nil, "accept tokens without exp")
    static let now = Option("now", "SECONDS", "the time to check against, since 1970", seconds)
    static let leeway = Option("leeway", "SECONDS", "by which clocks may differ, 0 to 300 (60)", seconds)
    static let mostLifetime = Option(
        "max-lifetime", "SECONDS", "most time to exp from now, from iat and from nbf (--profile logout: 300)", lifespan)
    static let mostAge = Option("max-age", "SECONDS", "most time since iat", seconds)
    static let mostAuthenticationAge = Option("max-auth-age", "SECONDS", "most time since auth_time", seconds)
    static let required = Option("require", "NAME,…", "claims that must be there", repeats: true, list)
    static let forbidden = Option("forbid", "NAME,…", "claims that must not be there", repeats: true, list)
    static let subject = Option("sub", "SUBJECT", "what sub must be", text)
    static let nonce = Option("nonce", "NONCE", "what nonce must be", text)
    static let authorizedParty = Option("azp", "CLIENT", "what azp must be", text)
    static let levels = Option("acr", "LEVEL,…", "what acr must be one of", repeats: true, list)
    static let bytes = OptionSpec("bytes", nil, "the payload is bytes and no claims: check the layers alone")

    // Streams and answers.
    static let jobs = Option("jobs", "COUNT", "threads (as many as there are cores)", positive)
    static let output = Option("output", "none|payload|json", "one line for each token on standard output (none)") {
        OutputMode(rawValue: $0)
    }
    static let input = Option(
        "input", "lines|jsonl", "what a line of the input is: a token, or a JSON object with id and token (lines)"
    ) { InputForm(rawValue: $0) }
    static let exitZero = OptionSpec(
        "exit-zero", nil,
        "status 0 for rejected tokens and empty input; never for tokens to retry, or keys or input that cannot be read")
    static let showClaims = OptionSpec("show-claims", nil, "show the claims of a valid token")
    static let quiet = OptionSpec("quiet", nil, "no summary and no progress bar")

    // What makes tokens.
    static let makerKeys = Option(
        "key", "FILE", "the key: a JWK, a JWK Set or PEM; several with --json general", repeats: true, one)
    static let makerKeyIDs = Option("kid", "NAME", "of a set, the key of this name", repeats: true, one)
    static let signWith = Option(
        "alg", "NAME", "the signature algorithm (the one of the key); once, or once for each --key", repeats: true, one)
    static let encryptWith = Option(
        "key-alg", "NAME", "the key management algorithm (the one of the key); once, or once for each --key",
        repeats: true, one)
    static let jsonForm = Option("json", "flattened|general", "write the JSON serialization") { text -> JSONForm? in
        text == "flattened" ? .flattened : text == "general" ? .general : nil
    }
    static let detach = OptionSpec("detached", nil, "leave the payload out of the token: it goes its own way")
    static let ownChain = OptionSpec("x5c", nil, "send the certificates that the key came with")
    static let unencoded = OptionSpec("unencoded", nil, "sign the payload as it is, not as base64url (b64: false)")
    static let additionalData = Option("aad-file", "FILE", "authenticated with the token, and open to all", text)
    static let iterations = Option("p2c", "COUNT", "rounds of PBES2, from 1000 (310000)", count)
    static let encipherWith = Option("enc", "NAME", "the content encryption (A128CBC-HS256)", text)
    static let setType = Option("typ", "TYPE", "the header's typ", text)
    static let setContentType = Option("cty", "TYPE", "the header's cty", text)
    static let zip = OptionSpec("zip", nil, "compress what is encrypted (zip: DEF)")
    static let setIssuer = Option("iss", "ISSUER", "add iss, iat and exp to claims that lack them", text)
    static let setAudience = Option("aud", "AUDIENCE", "add aud, iat and exp to claims that lack them", text)
    static let setSubject = Option("sub", "SUBJECT", "add sub, iat and exp to claims that lack them", text)
    static let lifetime = Option("lifetime", "SECONDS", "from iat to the exp that is added (300)", seconds)
    static let setNow = Option("now", "SECONDS", "the time of issue, since 1970, for what is added", seconds)
    static let lines = OptionSpec("lines", nil, "each line of the input is a payload, and gives a line")
    static let ofClaims = [setIssuer.spec, setAudience.spec, setSubject.spec, lifetime.spec]

    // Files that are written.
    static let out = Option("out", "FILE", "write here, to a new file (standard output)", text)
    static let isPrivate = OptionSpec("private", nil, "the private key, and not its public half")
}

extension Options {
    private static let text: @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }

    /// Of an option that may be said more than once: commas belong to the text.
    private static let one: @Sendable (String) -> [String]? = { $0.isEmpty ? nil : [$0] }

    private static let seconds: @Sendable (String) -> Double? = { text in
        guard let number = Double(text), abs(number) <= 0x1p53 else { return nil }
        return number
    }

    private static let lifespan: @Sendable (String) -> Double? = { text in
        seconds(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    private static let count: @Sendable (String) -> Int? = { text in
        guard let number = Int(text), number >= 0, number <= 1 << 30 else { return nil }
        return number
    }

    private static let positive: @Sendable (String) -> Int? = { text in
        guard let number = Int(text), (1...1024).contains(number) else { return nil }
        return number
    }

    private static let descriptor: @Sendable (String) -> Int32? = { text in
        guard let number = Int32(text), number >= 0 else { return nil }
        return number
    }

    /// Commas part the elements; `\,` is one inside an element.
    private static let list: @Sendable (String) -> [String]? = { text in
        var elements = [""]
        var isEscaped = false
        for character in text.unicodeScalars {
            if isEscaped {
                if character != "," && character != "\\" { elements[elements.count - 1] += "\\" }
                elements[elements.count - 1].unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                elements.append("")
            } else {
                elements[elements.count - 1].unicodeScalars.append(character)
            }
        }
        if isEscaped { elements[elements.count - 1] += "\\" }
        return elements.contains("") ? nil : elements
    }
}

enum OutputMode: String, Sendable {
    case none, payload, json
}
