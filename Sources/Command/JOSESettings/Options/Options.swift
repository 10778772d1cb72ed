package import JOSE
import JOSESupport

/// The options that describe an issuer: its keys, the layers of its tokens and their claims. Commands have others.
package enum Options {
    // Keys.
    package static let keys = Option(
        "keys", "FILE|URL", "verification keys: a JWK, a JWK Set, PEM, a certificate, a URI, or the URL of a JWKS",
        text)
    package static let secretFile = Option(
        "secret-file", "FILE", "file with an HMAC secret as text, in place of --keys", text)
    package static let trust = Option("trust", "FILE", "root certificates (PEM) for the token's own x5c", text)
    package static let trustName = Option("trust-name", "DNSNAME", "the DNS name that the certificate must have", text)
    package static let decryptKeys = Option(
        "decrypt-keys", "FILE", "decryption keys: a JWK, a JWK Set, PEM, PKCS#12 or a URI", text)
    package static let passphraseFile = Option(
        "passphrase-file", "FILE", "file with the passphrase of an encrypted key", text)
    package static let passphraseDescriptor = Option(
        "passphrase-fd", "NUMBER", "open file descriptor to read the passphrase from", descriptor)
    package static let maximumKeys = Option(
        "max-keys", "COUNT", "most keys of a key set, 1 to 10000 (100)", integer(1...10_000))
    package static let maximumCandidates = Option(
        "max-candidate-keys", "COUNT", "most keys that are tried for a token, as one without kid, 1 to 100 (8)",
        integer(1...100))
    static let ofPassphrases = [passphraseFile.spec, passphraseDescriptor.spec]
    package static let ofKeyFiles = ofPassphrases + [maximumKeys.spec]

    // The layers.
    package static let nested = OptionSpec("nested", nil, "the token is a signed token inside an encrypted one")
    package static let algorithms = Option("alg", "NAME,…", "accepted signature algorithms", repeats: true, list)
    package static let keyManagement = Option(
        "key-alg", "NAME,…", "accepted key management algorithms", repeats: true, list)
    package static let contentEncryption = Option(
        "enc", "NAME,…", "accepted content encryption algorithms", repeats: true, list)
    package static let type = Option("typ", "TYPE", "required typ (with --nested: of the inner token)", text)
    package static let contentType = Option(
        "cty", "TYPE|any", "with --nested: required cty of the outer token (JWT); any: also none", text)
    package static let critical = Option(
        "crit", "NAME,…", "extensions in crit that you understand and process", repeats: true, list)
    package static let maximumIterations = Option(
        "max-p2c", "COUNT", "most PBKDF2 iterations of a token (1000000)", count)
    package static let allowBroken = OptionSpec(
        "allow-broken-rsa1_5", nil, "also decrypt RSA1_5, which is open to chosen-ciphertext attacks (RFC 7516, 11.5)")
    package static let json = OptionSpec(
        "json", nil, "FILE is one JWS or JWE in the JSON serialization, whose payload is bytes")
    package static let detachedFile = Option(
        "detached", "FILE", "the payload, if it is not in the token: bytes of any length", text)
    package static let allSignatures = OptionSpec(
        "all-signatures", nil, "with --json: every signature must be valid, not only one")
    package static let signedBy = Option(
        "signed-by", "KID,…", "with --json: a signature by each of these keys must be valid", repeats: true, list)
    package static let vectorizedPrivateKeys = OptionSpec(
        "vectorized-private-keys", nil,
        "compute several private RSA operations at a time by this package's code (AVX-512 IFMA)")
    package static let allowZip = OptionSpec("allow-zip", nil, "accept compressed content (zip: DEF)")
    package static let maximumTokenBytes = Option(
        "max-token-bytes", "COUNT", "largest size of a token in bytes (262144)", count)
    package static let maximumPlaintextBytes = Option(
        "max-plaintext-bytes", "COUNT", "largest size of a payload in bytes (262144)", count)
    package static let maximumSignatureBytes = Option(
        "max-signature-bytes", "COUNT", "largest size of a signature in bytes (16384)", count)

    // The claims.
    package static let issuer = Option("iss", "ISSUER,…", "accepted issuers", repeats: true, list)
    package static let anyIssuer = OptionSpec("any-issuer", nil, "accept tokens of any issuer, unchecked")
    package static let audience = Option("aud", "AUDIENCE,…", "accepted audiences", repeats: true, list)
    package static let anyAudience = OptionSpec("any-audience", nil, "accept tokens for any audience, unchecked")
    package static let trustedAudiences = Option(
        "trusted-aud", "AUDIENCE,…", "audiences beside --aud; aud may contain no others (--profile id-token: none)",
        repeats: true, list)
    package static let allowNoExpiration = OptionSpec("allow-no-exp", nil, "accept tokens without exp")
    package static let now = Option("now", "SECONDS", "time of the checks, in seconds since 1970 (now)", instant)
    package static let leeway = Option("leeway", "SECONDS", "accepted clock skew, 0 to 300 (60)", duration)
    package static let maximumLifetime = Option(
        "max-lifetime", "SECONDS", "longest time until exp from now, iat and nbf (--profile logout: 300)", lifespan)
    package static let minimumRemaining = Option(
        "min-remaining", "SECONDS", "shortest time from now until exp", lifespan)
    package static let maximumAge = Option("max-age", "SECONDS", "longest time since iat", duration)
    package static let maximumAuthenticationAge = Option(
        "max-auth-age", "SECONDS", "longest time since auth_time", duration)
    package static let required = Option("require", "NAME,…", "required claims", repeats: true, list)
    package static let values = Option(
        "claim", "NAME=VALUE,…", "required value of a claim, or one of several", repeats: true
    ) { text -> [ClaimValueArgument]? in
        guard let pairs = list(text)?.map({ ClaimValueArgument($0) }), !pairs.contains(where: { $0 == nil }) else {
            return nil
        }
        return pairs.compactMap { $0 }
    }
    package static let forbidden = Option("forbid", "NAME,…", "forbidden claims", repeats: true, list)
    package static let subject = Option("sub", "SUBJECT", "required sub", text)
    package static let nonce = Option("nonce", "NONCE", "required nonce", text)
    package static let authorizedParty = Option("azp", "CLIENT", "required azp", text)
    package static let levels = Option("acr", "LEVEL,…", "accepted values of acr", repeats: true, list)
    package static let bytes = OptionSpec("bytes", nil, "the payload is bytes, not claims: check the layers only")
}

extension Options {
    package static let text: @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }

    /// Reads one text of an option that may be given more than once. Commas are part of it.
    package static let texts: @Sendable (String) -> [String]? = { $0.isEmpty ? nil : [$0] }

    /// Returns a reader of integers.
    package static func integer(_ range: ClosedRange<Int>) -> @Sendable (String) -> Int? {
        return { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// Returns a reader of seconds, which are rounded down to milliseconds.
    package static func time(_ range: ClosedRange<Double>) -> @Sendable (String) -> Duration? {
        return { text in Double(text).flatMap { range.contains($0) ? Duration.milliseconds(Int($0 * 1000)) : nil } }
    }

    private static let seconds: @Sendable (String) -> Double? = { text in
        guard let number = Double(text), abs(number) <= 0x1p53 else { return nil }
        return number
    }

    package static let instant: @Sendable (String) -> NumericDate? = { text in
        seconds(text).map { NumericDate(secondsSince1970: $0) }
    }

    package static let duration: @Sendable (String) -> Duration? = { text in
        seconds(text).map { Duration(saturatingSeconds: $0) }
    }

    private static let lifespan: @Sendable (String) -> Duration? = { text in
        duration(text).flatMap { $0 >= .zero ? $0 : nil }
    }

    package static let count = integer(0...1 << 30)

    private static let descriptor: @Sendable (String) -> Int32? = { text in
        guard let number = Int32(text), number >= 0 else { return nil }
        return number
    }

    /// Reads a list. Commas separate its elements, and `\,` is a comma inside an element.
    package static let list: @Sendable (String) -> [String]? = { text in
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
package struct ClaimValueArgument: Equatable, Sendable {
    package let name: String
    package let value: String

    /// Reads `NAME=VALUE`. Neither may be empty, so that a variable of the environment that is not set is an error.
    init?(_ text: String) {
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        (name, value) = (String(text[..<index]), String(text[text.utf8.index(after: index)...]))
        if name.isEmpty || value.isEmpty { return nil }
    }
}
