import JOSE
import JOSEBytes

/// The options of all commands.
enum Options {
    static let help = OptionSpec("help", nil, "print this text")

    // Keys.
    static let keys = Option(
        "keys", "FILE|URL", "verification keys: a JWK, a JWK Set, PEM, a certificate, a URI, or the URL of a JWKS",
        text)
    static let secretFile = Option(
        "secret-file", "FILE", "file with an HMAC secret as text, in place of --keys", text)
    static let trust = Option("trust", "FILE", "root certificates (PEM) for the token's own x5c", text)
    static let trustName = Option("trust-name", "DNSNAME", "the DNS name that the certificate must have", text)
    static let decryptKeys = Option(
        "decrypt-keys", "FILE", "decryption keys: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    static let key = Option("key", "FILE", "the key: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    static let encryptKey = Option(
        "encrypt-key", "FILE", "the recipient's key: a JWK, a JWK Set, PEM, a certificate or a URI", text)
    static let keyID = Option("kid", "NAME", "kid of the key to use, if there are several", text)
    static let encryptKeyID = Option("encrypt-kid", "NAME", "kid of the recipient's key, if there are several", text)
    static let passphraseFile = Option("passphrase-file", "FILE", "file with the passphrase of an encrypted key", text)
    static let passphraseDescriptor = Option(
        "passphrase-fd", "NUMBER", "open file descriptor to read the passphrase from", descriptor)
    static let mostKeys = Option("max-keys", "COUNT", "most keys of a key set, 1 to 10000 (100)") { text -> Int? in
        Int(text).flatMap { (1...10_000).contains($0) ? $0 : nil }
    }
    static let mostCandidates = Option(
        "max-candidate-keys", "COUNT", "most keys that are tried for a token, as one without kid, 1 to 100 (8)"
    ) { text -> Int? in
        Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
    }
    static let ofKeyFiles = [passphraseFile.spec, passphraseDescriptor.spec, mostKeys.spec]

    // The layers.
    static let nested = OptionSpec("nested", nil, "the token is a signed token inside an encrypted one")
    static let algorithms = Option("alg", "NAME,…", "accepted signature algorithms", repeats: true, list)
    static let keyManagement = Option(
        "key-alg", "NAME,…", "accepted key management algorithms", repeats: true, list)
    static let contentEncryption = Option(
        "enc", "NAME,…", "accepted content encryption algorithms", repeats: true, list)
    static let type = Option("typ", "TYPE", "required typ (with --nested: of the inner token)", text)
    static let contentType = Option(
        "cty", "TYPE|any", "with --nested: required cty of the outer token (JWT); any: also none", text)
    static let critical = Option(
        "crit", "NAME,…", "extensions in crit that you understand and process", repeats: true, list)
    static let mostIterations = Option("max-p2c", "COUNT", "most PBKDF2 iterations of a token (1000000)", count)
    static let allowBroken = OptionSpec(
        "allow-broken-rsa1_5", nil, "also decrypt RSA1_5, which is open to chosen-ciphertext attacks (RFC 7516, 11.5)")
    static let json = OptionSpec(
        "json", nil, "FILE is one JWS or JWE in the JSON serialization, whose payload is bytes")
    static let detachedFile = Option(
        "detached", "FILE", "the payload, if it is not in the token: bytes of any length", text)
    static let allSignatures = OptionSpec(
        "all-signatures", nil, "with --json: every signature must be valid, not only one")
    static let signedBy = Option(
        "signed-by", "KID,…", "with --json: a signature by each of these keys must be valid", repeats: true, list)
    static let vectorizedPrivateKeys = OptionSpec(
        "vectorized-private-keys", nil,
        "compute several private RSA operations at a time by this package's code (AVX-512 IFMA)")
    static let allowZip = OptionSpec("allow-zip", nil, "accept compressed content (zip: DEF)")
    static let mostTokenBytes = Option("max-token-bytes", "COUNT", "largest size of a token in bytes (262144)", count)
    static let mostPlaintextBytes = Option(
        "max-plaintext-bytes", "COUNT", "largest size of a payload in bytes (262144)", count)
    static let mostSignatureBytes = Option(
        "max-signature-bytes", "COUNT", "largest size of a signature in bytes (16384)", count)

    // The claims.
    static let issuer = Option("iss", "ISSUER,…", "accepted issuers", repeats: true, list)
    static let anyIssuer = OptionSpec("any-issuer", nil, "accept tokens of any issuer, unchecked")
    static let audience = Option("aud", "AUDIENCE,…", "accepted audiences", repeats: true, list)
    static let anyAudience = OptionSpec("any-audience", nil, "accept tokens for any audience, unchecked")
    static let trustedAudiences = Option(
        "trusted-aud", "AUDIENCE,…", "audiences beside --aud; aud may contain no others (--profile id-token: none)",
        repeats: true, list)
    static let allowNoExpiration = OptionSpec("allow-no-exp", nil, "accept tokens without exp")
    static let now = Option("now", "SECONDS", "time of the checks, in seconds since 1970 (now)", instant)
    static let leeway = Option("leeway", "SECONDS", "accepted clock skew, 0 to 300 (60)", duration)
    static let mostLifetime = Option(
        "max-lifetime", "SECONDS", "longest time until exp from now, iat and nbf (--profile logout: 300)", lifespan)
    static let leastRemaining = Option("min-remaining", "SECONDS", "shortest time from now until exp", lifespan)
    static let mostAge = Option("max-age", "SECONDS", "longest time since iat", duration)
    static let mostAuthenticationAge = Option("max-auth-age", "SECONDS", "longest time since auth_time", duration)
    static let required = Option("require", "NAME,…", "required claims", repeats: true, list)
    static let values = Option(
        "claim", "NAME=VALUE,…", "required value of a claim; of several for one claim, one is required", repeats: true
    ) { text -> [ClaimValueArgument]? in
        guard let pairs = list(text)?.map({ ClaimValueArgument($0) }), !pairs.contains(where: { $0 == nil }) else {
            return nil
        }
        return pairs.compactMap { $0 }
    }
    static let forbidden = Option("forbid", "NAME,…", "forbidden claims", repeats: true, list)
    static let subject = Option("sub", "SUBJECT", "required sub", text)
    static let nonce = Option("nonce", "NONCE", "required nonce", text)
    static let authorizedParty = Option("azp", "CLIENT", "required azp", text)
    static let levels = Option("acr", "LEVEL,…", "accepted values of acr", repeats: true, list)
    static let bytes = OptionSpec("bytes", nil, "the payload is bytes, not claims: check the layers only")

    // Streams and output.
    static let jobs = Option(
        "jobs", "COUNT", "number of threads (one for each core that affinity and cgroups allow)", positive)
    static let output = Option("output", "none|payload|json", "what to print for each token, one line each (none)") {
        OutputMode(rawValue: $0)
    }
    static let input = Option(
        "input", "lines|jsonl", "format of a line of input: a token, or a JSON object with id and token (lines)"
    ) { InputForm(rawValue: $0) }
    static let exitZero = OptionSpec(
        "exit-zero", nil,
        "exit with 0 despite rejected tokens or empty input; not for tokens to retry, or unreadable keys or input")
    static let showClaims = OptionSpec("show-claims", nil, "show the claims of a valid token")
    static let quiet = OptionSpec("quiet", nil, "no summary and no progress bar")

    // Making tokens.
    static let makerKeys = Option(
        "key", "FILE", "the key: a JWK, a JWK Set or PEM; several with --json general", repeats: true, one)
    static let makerKeyIDs = Option("kid", "NAME", "kid of the key to use, if there are several", repeats: true, one)
    static let signWith = Option(
        "alg", "NAME", "the signature algorithm (that of the key); once, or once for each --key", repeats: true, one)
    static let encryptWith = Option(
        "key-alg", "NAME", "the key management algorithm (that of the key); once, or once for each --key",
        repeats: true, one)
    static let jsonForm = Option("json", "flattened|general", "write the JSON serialization") { text -> JSONForm? in
        text == "flattened" ? .flattened : text == "general" ? .general : nil
    }
    static let detach = OptionSpec("detached", nil, "leave the payload out of the token")
    static let ownChain = OptionSpec("x5c", nil, "put the certificates of the key into the header")
    static let unencoded = OptionSpec("unencoded", nil, "sign the payload as it is, not as base64url (b64: false)")
    static let additionalData = Option("aad-file", "FILE", "additional data: authenticated, not encrypted", text)
    static let iterations = Option("p2c", "COUNT", "PBKDF2 iterations of PBES2, at least 1000 (310000)", count)
    static let encipherWith = Option("enc", "NAME", "the content encryption algorithm (A128CBC-HS256)", text)
    static let setType = Option("typ", "TYPE", "the header's typ", text)
    static let setContentType = Option("cty", "TYPE", "the header's cty", text)
    static let zip = OptionSpec("zip", nil, "compress the content before encryption (zip: DEF)")
    static let setIssuer = Option("iss", "ISSUER", "add iss, iat and exp to claims that lack them", text)
    static let setAudience = Option("aud", "AUDIENCE", "add aud, iat and exp to claims that lack them", text)
    static let setSubject = Option("sub", "SUBJECT", "add sub, iat and exp to claims that lack them", text)
    static let lifetime = Option("lifetime", "SECONDS", "time from iat to the exp that is added (300)", duration)
    static let setNow = Option("now", "SECONDS", "time of issue, in seconds since 1970 (now)", instant)
    static let lines = OptionSpec("lines", nil, "process each input line separately, and write a line for each")
    static let ofClaims = [setIssuer.spec, setAudience.spec, setSubject.spec, lifetime.spec]

    // Files to write.
    static let out = Option("out", "FILE", "new file to write to (standard output)", text)
    static let isPrivate = OptionSpec("private", nil, "write the private key, not its public half")
}

extension Options {
    private static let text: @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }

    /// Reads one value of an option that may be given more than once. Commas are part of the text.
    private static let one: @Sendable (String) -> [String]? = { $0.isEmpty ? nil : [$0] }

    private static let seconds: @Sendable (String) -> Double? = { text in
        guard let number = Double(text), abs(number) <= 0x1p53 else { return nil }
        return number
    }

    private static let instant: @Sendable (String) -> NumericDate? = { text in
        seconds(text).map { NumericDate(secondsSince1970: $0) }
    }

    private static let duration: @Sendable (String) -> Duration? = { text in
        seconds(text).map { Duration(saturatingSeconds: $0) }
    }

    private static let lifespan: @Sendable (String) -> Duration? = { text in
        duration(text).flatMap { $0 >= .zero ? $0 : nil }
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

    /// Reads a list. Commas separate its elements, and `\,` is a comma inside an element.
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

/// The value that `--claim` requires of a claim.
struct ClaimValueArgument: Equatable, Sendable {
    let name: String
    let value: String

    /// Reads `NAME=VALUE`. Neither may be empty, so that a variable of the environment that is not set is an error.
    init?(_ text: String) {
        guard let place = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        (name, value) = (String(text[..<place]), String(text[text.utf8.index(after: place)...]))
        if name.isEmpty || value.isEmpty { return nil }
    }
}

enum OutputMode: String, Sendable {
    case none, payload, json
}
