import JOSE
import JOSESettings
import JOSETokens

extension Command {
    private static let options =
        IssuerSettings.options + [
            Options.lines, Options.input.spec, Options.jobs.spec, Options.output.spec, Options.showClaims,
            Options.exitZero, Options.quiet, Options.keyLag.spec, Options.keyTables.spec,
        ]

    private static let details = """
        An operand is a FILE with one token per line if there is such a file. Otherwise it is a token if it has
        the 2 or 4 dots and the header of one, or if it begins with { (--json). - or no operand is standard input. Tokens are
        verified on all cores in constant memory, and results have the order of the input. An empty line is a malformed
        token.

        Issuer, audience and algorithms must be given; --any-issuer and --any-audience waive the check. exp is required unless
        --allow-no-exp is given. Commas separate the elements of a list; \\, is a comma inside an element.

        --output payload writes one line for each token: the payload of a valid one, and an empty line for any other. A
        pipe or a file gets the payload byte for byte; on a terminal its control and bidirectional characters are
        escaped.
        --output json writes {"n":1,"result":"valid"} or {"n":2,"result":"invalid","error":"token_expired"} for each line;
        --show-claims adds "claims", or with --bytes "payload_b64url".
        Where a token was rejected because of its key, "unusable" lists the keys of the set that cannot be used and that the token may have
        needed, with "index", "kid" and "reason"; at most ten.

        --input jsonl reads rows {"id":"a7","token":"…"} and writes one line {"id":"a7","result":"valid"} for each line of the
        input, in order, whatever --output is. The id is a string or an integer of any size. A pipe or a file gets it back
        byte for byte; on a terminal its control and bidirectional characters are escaped. Other members are ignored.
        --show-claims or --output payload adds "claims"; with --bytes or --json it adds "payload" (a string) if the
        payload is UTF-8, and "payload_b64url" otherwise. With --json token may also be a JSON object. A row without a
        token gets the error row_invalid with its id, and a row whose token is longer than --max-token-bytes the error
        limit_exceeded.
        A line that is not one JSON object with one id, such as an empty line, gets
        {"id":null,"result":"invalid","error":"row_invalid"}. A line may have up to 6 times --max-token-bytes plus 65536
        bytes. The id of a longer line is not read: it gets {"id":null,"result":"invalid","error":"limit_exceeded"}.

        A key may be published after its first token, and a rejection is final. So a token whose key is missing is invalid only once a
        fetch that began after the token was read (with --input jsonl at least 10 seconds after it, which --key-lag changes) has shown
        that the key does not exist. Until then the token and the answers behind it wait for the next fetch, at most --key-lag and a
        minute; up to 32 MiB of input are read ahead meanwhile. Fetches are 30 seconds apart, but for two in five minutes, and
        for sooner ones after a failure, whatever the names of the missing keys are. If the fetch fails, the result is retry.
        A key may also be replaced under its kid. So a signature that fails causes a fetch, at most one in 30 seconds, and is then verified
        again. With --input jsonl, the result is retry until a fetch that began after the row was read has confirmed the key.

        A token whose verification could not be completed is neither valid nor invalid. Its result is retry, and its error is
        keys_unavailable, overloaded, external_key_failure or backend_failure.
        Exit status: 0 if all tokens are valid; 1 if any is invalid; 75 if any is to be retried, even if others are
        invalid; 2 for wrong usage, input without a token, input or keys that cannot be read, and output that cannot be
        written. --exit-zero turns 1 into 0, and accepts empty input. 143 if SIGTERM arrived before the end of the input:
        every whole line that was read before it was answered, and no other.

        With --json FILE is one token in the JSON serialization, on any number of lines; with --json --lines each line is one.
        Of several signatures one must be valid, by a key of --keys, unless --all-signatures or --signed-by requires more.

        --keys https://… fetches a remote JWKS, and --issuer finds it by the issuer's metadata. It is cached for the
        whole input, and refreshed as the server's responses allow. A token with a missing key waits for a refresh that
        is in progress. With --key-cache DIR, processes share what they fetched: of those that start at the same time one
        fetches (each, if that fails), and later ones do not until the keys are no longer fresh. Keys that were fetched with
        --ca are used with the same --ca only. DIR is created with mode 700; one that others can write to is refused. A file
        in it that is damaged, of another user or writable by others is reported and not used.
        """

    private static let verifyDetails =
        details + """

            --detached FILE is the payload of a token that has none. It is read once and may have any length. It takes
            constant memory, except with EdDSA, ML-DSA or --json.

            --profile adds the checks of the specification of an OpenID ID token (--aud is the client), a JWT access token
            (RFC 9068), a logout token, a DPoP proof (RFC 9449), or an SD-JWT and its key binding (RFC 9901). There is no replay
            protection: a token that was verified before is valid again. The lifetime of a logout token is limited to 300
            seconds, or to --max-lifetime; that of other tokens only by --max-lifetime. A DPoP proof has no exp: its age is
            limited by --max-age.
            """

    private static let decryptDetails =
        details + """

            PBES2 is accepted if --key-alg names it, RSA1_5 if --allow-broken-rsa1_5 is given.
            """

    static let verify = Command(
        "verify", operands: "[TOKEN | FILE | -]", maximumOperands: 1,
        summary: "verify signed tokens (with --nested: signed, then encrypted ones)", details: verifyDetails,
        options: options + [Options.detachedFile.spec] + ProfileSettings.options, blocked: .termination
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .signed).run()
    }

    static let decrypt = Command(
        "decrypt", operands: "[TOKEN | FILE | -]", maximumOperands: 1,
        summary: "decrypt tokens (with --nested: and verify the signed tokens in them)", details: decryptDetails,
        options: options, blocked: .termination
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .encrypted).run()
    }
}
