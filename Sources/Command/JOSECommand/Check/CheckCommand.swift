import JOSESettings
import JOSETokens

extension Command {
    static let check = Command(
        "check", summary: "answer JSON Lines: the driver for other languages and for conformance suites",
        details: """
            Reads one request a line from standard input and writes one answer a line, in order, whatever a line contains.

            request  {"n":7,"op":"jwt-verify","token":"…","keys":{…},"options":{…}}
            answer   {"n":7,"result":"valid","payload_b64url":"…"}
                     {"n":7,"result":"invalid","error":"signature_invalid"}

            op is jws-verify, jwe-decrypt, jwt-verify, nested-verify or jwk-parse, and keys a JWK or a JWK Set. Options are algs,
            key_algs, encs (allow-lists; absent: all that are built in; empty: none), crit, serialization,
            detached_payload_b64url, iss, aud, sub, nonce, azp, now, leeway (60), require, max_age, max_auth_age, acr, typ,
            access_token, code; trusted_aud (what aud may contain beside aud, and nothing else), claim ({"NAME":"VALUE"} or lists
            of values), secret (an HMAC secret as text, beside keys), for nested-verify cty (JWT; any: also none), for jwk-parse
            kind (jwk, jwks), and limits with the defaults of bulla verify: \(CheckOptions.limits.map(\.name).joined(separator: ", ")).

            result is valid, invalid, retry or unsupported, and error the code of the library's error. retry: the verification could
            not be completed, because memory or the cryptographic library failed; the token may be sent again. unsupported: the
            request's own options or keys name an algorithm that is not built in.

            Members of a request that are not named here are ignored; each unknown name of an option is reported once on standard
            error. Content compressed as zip: DEF is accepted, up to max_plaintext_bytes. A claim is checked if its option is
            given; exp may be absent unless require names it.

            The keys and the policies of the last requests are kept, so that equal keys and options cost little in further lines.

            Exit status 0: every line was answered; 143: SIGTERM arrived, and every line that was read before it was answered.
            """,
        options: [Options.jobs.spec], blocked: .termination
    ) { (arguments) throws(CommandFailure) in
        try CheckRun(jobs: arguments.value(Options.jobs) ?? Process.cores).run()
    }
}

struct CheckRun {
    /// The largest size of a request: enough for a token of the largest size and its keys many times over.
    static let maximumRequestBytes = 8 * 1024 * 1024
    let jobs: Int

    func run() throws(CommandFailure) -> ExitStatus {
        var reader = LineReader(.input, maximumBytes: Self.maximumRequestBytes, endsOnTermination: true)
        let unknown = UnknownOptions()
        let plans = CheckPlans()
        do throws(CommandFailure) {
            try Pipeline(jobs: jobs).run(&reader) { batch in
                let bytes = batch.bytes
                for line in batch.lines {
                    let answer =
                        line.isTooLong
                        ? CheckAnswer(
                            n: RequestNumber.find(in: bytes.span.extracting(line.range)), .failed(.tooLarge))
                        : CheckAnswer(request: bytes.span.extracting(line.range), unknown, plans)
                    answer.write(to: &batch.output)
                }
                batch.output = Output.escaped(json: batch.output)
                return true
            } out: { batch in
                Descriptor.output.write(batch.output.span)
            }
        } catch {
            throw CommandFailure("standard input: \(error.message)")
        }
        return reader.wasTerminated ? .terminated : .valid
    }
}
