import JOSE
import JOSESettings

/// The options of commands, beside those that describe an issuer.
extension Options {
    // Keys.
    static let key = Option("key", "FILE", "the key: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    static let encryptKey = Option(
        "encrypt-key", "FILE", "the recipient's key: a JWK, a JWK Set, PEM, a certificate or a URI", text)
    static let keyID = Option("kid", "NAME", "kid of the key to use, if there are several", text)
    static let encryptKeyID = Option("encrypt-kid", "NAME", "kid of the recipient's key, if there are several", text)

    // Streams and output.
    static let jobs = Option(
        "jobs", "COUNT", "number of threads (one for each core that affinity and cgroups allow)", integer(1...1024))
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
        "key", "FILE", "the key: a JWK, a JWK Set or PEM; several with --json general", repeats: true, texts)
    static let makerKeyIDs = Option("kid", "NAME", "kid of the key to use, if there are several", repeats: true, texts)
    static let signWith = Option(
        "alg", "NAME", "the signature algorithm (that of the key); once, or once for each --key", repeats: true, texts)
    static let encryptWith = Option(
        "key-alg", "NAME", "the key management algorithm (that of the key); once, or once for each --key",
        repeats: true, texts)
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

enum OutputMode: String, Sendable {
    case none, payload, json
}
