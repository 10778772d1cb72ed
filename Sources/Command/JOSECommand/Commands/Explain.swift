import JOSE
import JOSETokens

extension Command {
    static let explain = Command(
        "explain", operands: "TOKEN | FILE | -", mostOperands: 1,
        summary: "explain each check of a token, with a remedy for each failure",
        details: """
            Takes the policy of bulla verify: --nested for a signed token inside an encrypted one, --decrypt-keys without --keys
            for one that is only encrypted. Issuer and audience are checked only if they are given, and without both the token is
            not reported as valid. If verification could not be completed, the last line is retry in place of invalid, and the
            exit status is 75. With --json each signature or recipient is verified by itself, and then the whole token. A token
            that contains ~ is an SD-JWT.
            """,
        options: PolicyArguments.options + [
            Options.showClaims, Options.bindingAudience.spec, Options.bindingNonce.spec, Options.bindingAlgorithms.spec,
        ]
    ) { (arguments) throws(CommandFailure) in
        try ExplainRun(arguments).run()
    }
}

struct ExplainRun {
    private let arguments: Arguments
    private let form: TokenForm

    init(_ arguments: Arguments) {
        self.arguments = arguments
        let isEncrypted = arguments.has(Options.decryptKeys) || arguments.has(Options.keyManagement)
        let isSigned =
            arguments.has(Options.keys) || arguments.has(Options.issuerURL) || arguments.has(Options.algorithms)
        form = arguments.has(Options.nested) ? .nested : isEncrypted && !isSigned ? .encrypted : .signed
    }

    func run() throws(CommandFailure) -> ExitStatus {
        guard !arguments.has(Options.bytes) else { throw .usage("explain checks claims: leave out --bytes") }
        let policy = try PolicyArguments(arguments, form: form)
        let token = try token(most: policy.limits().tokenBytes)
        if arguments.has(Options.json) { return try parts(token, policy) }
        if form == .signed, token.contains(UInt8(ascii: "~")) { return try disclosures(token, policy) }
        let verifier = try policy.verifier(examinesKeys: false)
        var explanation = verifier.explain(token.span)
        if let error = explanation.error, policy.source?.hasNewKeys(after: error) ?? false {
            explanation = verifier.explain(token.span)
        }
        var text = header(of: token, limits: try policy.limits())
        var layer: TokenLayer??
        for line in explanation.lines {
            if layer != .some(line.layer) {
                text += title(of: line.layer) + "\n"
                layer = line.layer
            }
            text += self.line(line)
        }
        if arguments.has(Options.showClaims), let claims = explanation.claims {
            text += "claims " + Self.line(ofJSON: claims.payload) + "\n"
        }
        let unasked = notAskedFor()
        if !unasked.isEmpty { text += "not checked: " + unasked.joined(separator: ", ") + "\n" }
        if let error = explanation.error {
            text += "\(Fault(error).result): \(Fault(error).code)\n"
        } else {
            text += unasked.isEmpty ? "valid\n" : "not reported as valid: give the options that were not checked\n"
        }
        Output.standard(text)
        if let error = explanation.error { return Fault(error).status }
        return unasked.isEmpty ? .valid : .invalid
    }

    private func token(most: Int) throws(CommandFailure) -> [UInt8] {
        let isJSON = arguments.has(Options.json)
        let bytes = try TokenInput(arguments.operands.first).only(most: most)
        guard isJSON || !bytes.contains(0x0A) else {
            throw CommandFailure("explain takes one token, and the input has more than one line")
        }
        return bytes
    }

    private func parts(_ token: [UInt8], _ policy: PolicyArguments) throws(CommandFailure) -> ExitStatus {
        let check = try policy.check()
        // Each signature is verified by itself first; the requirement of the policy is checked on the whole token below.
        let alone = try policy.check(requirement: .any)
        Output.standard(ExplainedParts(token, limits: try policy.limits(), check: alone)?.text() ?? "")
        return verdict { () throws(TokenError) in try check.run(token.span) }
    }

    private func disclosures(_ token: [UInt8], _ policy: PolicyArguments) throws(CommandFailure) -> ExitStatus {
        let check = policy.patient(.profile(try ProfileArguments(arguments, policy, as: .sdJWT).check()))
        let showsClaims = arguments.has(Options.showClaims)
        let limits = try policy.limits()
        var text = header(of: Array(token.prefix { $0 != UInt8(ascii: "~") }), limits: limits)
        if let token = try? SDJWT(token.span, limits: limits) {
            text += ExplainedDisclosures.text(token, showsClaims: showsClaims)
        }
        Output.standard(text)
        return verdict { () throws(TokenError) in try check.run(token.span) }
    }

    private func verdict(_ run: () throws(TokenError) -> [UInt8]) -> ExitStatus {
        let unasked = arguments.has(Options.json) ? [] : notAskedFor()
        do throws(TokenError) {
            let payload = try run()
            if arguments.has(Options.showClaims) { Output.standard("payload " + Self.line(ofJSON: payload) + "\n") }
            if unasked.isEmpty {
                Output.standard("valid\n")
            } else {
                Output.standard("not checked: " + unasked.joined(separator: ", ") + "\n")
                Output.standard("not reported as valid: give the options that were not checked\n")
            }
            return unasked.isEmpty ? .valid : .invalid
        } catch {
            let fault = Fault(error)
            Output.standard("\(fault.result): \(fault.code): \(Output.printable("\(error)"))\n")
            return fault.status
        }
    }

    private func header(of token: [UInt8], limits: ParsingLimits) -> String {
        guard let outside = try? UnverifiedToken(token, limits: limits) else { return "" }
        return "header, unverified: \(Self.line(ofJSON: outside.header.bytes))\n"
    }

    private func title(of layer: TokenLayer?) -> String {
        switch layer {
        case .encryption: "encryption layer"
        case .signature: "signature layer"
        case .keyBinding: "key binding"
        case nil: "claims"
        }
    }

    private func line(_ line: VerificationReport.Line) -> String {
        switch line.outcome {
        case .passed: "  ok    \(line.check)\n"
        case .notReached: "  -     \(line.check)\n"
        case .failed:
            "  FAIL  \(line.check)\n" + (line.failure.map { "        \(Output.printable("\($0)"))\n" } ?? "")
                + (line.remedy.map { "        remedy: \(Output.printable("\($0)"))\n" } ?? "")
        }
    }

    private func notAskedFor() -> [String] {
        var names: [String] = []
        if !arguments.has(Options.issuer), !arguments.has(Options.anyIssuer), !arguments.has(Options.issuerURL) {
            names.append("--iss (or --any-issuer)")
        }
        if !arguments.has(Options.audience), !arguments.has(Options.anyAudience) {
            names.append("--aud (or --any-audience)")
        }
        return names
    }

    /// Returns JSON text in one line, for a terminal.
    static func line(ofJSON json: [UInt8]) -> String {
        String(decoding: TerminalText.escapedJSON(json, isOneLine: true) ?? json, as: UTF8.self)
    }
}
