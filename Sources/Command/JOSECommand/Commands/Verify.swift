import JOSE
import JOSETokens

extension Command {
    private static let options =
        PolicyArguments.options + [
            Options.lines, Options.input.spec, Options.jobs.spec, Options.output.spec, Options.showClaims,
            Options.exitZero, Options.quiet,
        ]

    private static let details = """
        TOKEN is a token itself; anything else is a FILE of one token a line, and - or nothing standard input. Tokens are
        verified on all cores in constant memory, and answered in the order of the input; an empty line is a malformed token.

        Issuer, audience and algorithms must be given, or waived in so many words: --any-issuer, --any-audience. exp must
        be there unless --allow-no-exp. Commas part the elements of a list; \\, is a comma inside one.

        --output payload writes the payload of each valid token, one a line, and an empty line for each other token. A pipe
        or a file gets it byte for byte; a terminal gets its control and bidirectional characters escaped.
        --output json writes {"n":1,"result":"valid"} or {"n":2,"result":"invalid","error":"expired"} for each line;
        --show-claims adds "claims", or with --bytes "payload_b64url".

        --input jsonl reads rows {"id":"a7","token":"…"} and writes one line {"id":"a7","result":"valid"} for each line of the
        input, in order, whatever --output says. The id is a string or an integer of any size. A pipe or a file gets it back
        byte for byte; a terminal gets its control and bidirectional characters escaped. Other members are ignored.
        --show-claims or --output payload adds "claims", or for a payload of bytes "payload" (a string) if it is UTF-8, and
        else "payload_b64url". With --json token may also be a JSON object. A row without a token gets the error row_invalid
        under its id, and one whose token is longer than --max-token-bytes the error too_large.
        A line that is not one JSON object with one id, such as an empty line, gets
        {"id":null,"result":"invalid","error":"row_invalid"}. A line may have six times --max-token-bytes and 65536 bytes more;
        of a longer one the id is not read, and it gets {"id":null,"result":"invalid","error":"too_large"}.

        A token whose verification could not be completed is neither valid nor invalid. Its result is retry, and error says why:
        jwks_unavailable, jwks_expired, overloaded, backend, or no_key while the keys could not be refreshed.
        Exit status: 0 if all tokens are valid, 1 if one is invalid, 75 if one is to be sent again (whatever the others are), 2
        for wrong usage, for input without a token, for input or keys that cannot be read, and for output that cannot be
        written. --exit-zero turns 1 into 0, and accepts empty input.

        With --json FILE is one token in the JSON serialization, on any number of lines; with --json --lines each line is one.
        Of several signatures one must be valid, by a key of --keys, unless --all-signatures or --signed-by asks for more.

        --keys https://… fetches the keys, and --issuer finds them by the issuer's metadata. They are kept for the whole input and
        refreshed as the server's answers say; a token that other keys may verify waits for the refresh that is under way.
        """

    private static let verifyDetails =
        details + """

            --detached FILE is the payload of a token that has none. It is read once and may be of any length, in constant
            memory where the algorithm allows it: all but EdDSA and ML-DSA, and not with --json.

            --profile adds what the specification of such tokens asks: an OpenID ID token (--aud is the client), a JWT access
            token (RFC 9068), a logout token, a DPoP proof (RFC 9449), an SD-JWT and its key binding (RFC 9901). Used tokens
            are not recorded: a token that was verified before is valid again. The lifetime of a logout token is bounded by
            300 seconds, or by --max-lifetime; that of other tokens by --max-lifetime alone. A DPoP proof has no exp: its age
            is bounded by --max-age.
            """

    private static let decryptDetails =
        details + """

            PBES2 is accepted where --key-alg names it, RSA1_5 where --allow-broken-rsa1_5 does.
            """

    static let verify = Command(
        "verify", operands: "[TOKEN | FILE | -]", mostOperands: 1,
        summary: "verify signed tokens (with --nested: signed, then encrypted ones)", details: verifyDetails,
        options: options + [Options.detachedFile.spec] + ProfileArguments.options
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .signed).run()
    }

    static let decrypt = Command(
        "decrypt", operands: "[TOKEN | FILE | -]", mostOperands: 1,
        summary: "decrypt tokens (with --nested: and verify what is inside)", details: decryptDetails, options: options
    ) { (arguments) throws(CommandFailure) in
        try VerifyRun(arguments, form: arguments.has(Options.nested) ? .nested : .encrypted).run()
    }
}
