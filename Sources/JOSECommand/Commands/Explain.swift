import JOSE
import JOSETokens

extension Command {
    static let explain = Command(
        "explain", operands: "TOKEN | FILE | -", mostOperands: 1,
        summary: "say what becomes of each check of a token, and what would mend it",
        details: """
            Takes the policy of bulla verify: --nested for a signed token inside an encrypted one, --decrypt-keys without --keys
            for one that is only encrypted. What is not asked for is not checked, and the token is then never called valid.
            With --json each signature or recipient is judged by itself, and then the whole. An SD-JWT is known by its ~.
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
        guard !arguments.has(Options.bytes) else { throw .usage("--bytes leaves nothing to explain about claims") }
        let policy = try PolicyArguments(arguments, form: form)
        let token = try token(most: policy.limits().tokenBytes)
        if arguments.has(Options.json) { return try parts(token, policy) }
        if form == .signed, token.contains(UInt8(ascii: "~")) { return try disclosures(token, policy) }
        let verifier = try policy.verifier()
        let explanation = verifier.explain(token.span)
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
            text += "claims " + Self.ascii(claims.payload) + "\n"
        }
        let unasked = notAskedFor()
        if !unasked.isEmpty { text += "not asked for: " + unasked.joined(separator: ", ") + "\n" }
        if let error = explanation.error {
            text += "invalid: \(ErrorWord(error).rawValue)\n"
        } else {
            text += unasked.isEmpty ? "valid\n" : "not called valid: give what was not asked for\n"
        }
        Output.standard(text)
        return explanation.isValid && unasked.isEmpty ? .valid : .invalid
    }

    private func token(most: Int) throws(CommandFailure) -> [UInt8] {
        let isJSON = arguments.has(Options.json)
        let bytes = try TokenInput(arguments.operands.first, isJSON: isJSON).only(most: most)
        guard isJSON || !bytes.contains(0x0A) else {
            throw CommandFailure("explain takes one token, and here is more than one line")
        }
        return bytes
    }

    private func parts(_ token: [UInt8], _ policy: PolicyArguments) throws(CommandFailure) -> ExitStatus {
        let check = try policy.check()
        // Each by itself: what the policy asks of them together is for the whole.
        let alone = try policy.check(requirement: .any)
        Output.standard(ExplainedParts(token, limits: try policy.limits(), check: alone)?.text() ?? "")
        return verdict { () throws(TokenError) in try check.run(token.span) }
    }

    private func disclosures(_ token: [UInt8], _ policy: PolicyArguments) throws(CommandFailure) -> ExitStatus {
        let check = try ProfileArguments(arguments, policy, as: .sdJWT).check()
        let showsClaims = arguments.has(Options.showClaims)
        let limits = try policy.limits()
        var text = header(of: Array(token.prefix { $0 != UInt8(ascii: "~") }), limits: limits)
        if let token = try? SDJWT(token.span, limits: limits) {
            text += ExplainedDisclosures.text(token, showsClaims: showsClaims)
        }
        Output.standard(text)
        return verdict { () throws(TokenError) in try check(token.span) }
    }

    private func verdict(_ run: () throws(TokenError) -> [UInt8]) -> ExitStatus {
        let unasked = arguments.has(Options.json) ? [] : notAskedFor()
        do throws(TokenError) {
            let payload = try run()
            if arguments.has(Options.showClaims) { Output.standard("payload " + Self.ascii(payload) + "\n") }
            if unasked.isEmpty {
                Output.standard("valid\n")
            } else {
                Output.standard("not asked for: " + unasked.joined(separator: ", ") + "\n")
                Output.standard("not called valid: give what was not asked for\n")
            }
            return unasked.isEmpty ? .valid : .invalid
        } catch {
            Output.standard("invalid: \(ErrorWord(error).rawValue): \(error)\n")
            return .invalid
        }
    }

    private func header(of token: [UInt8], limits: Limits) -> String {
        guard let outside = try? UnverifiedToken(token, limits: limits) else { return "" }
        return "header, unverified: \(Self.ascii(outside.header.bytes))\n"
    }

    private func title(of layer: TokenLayer?) -> String {
        switch layer {
        case .encryption: "encryption layer"
        case .signature: "signature layer"
        case .keyBinding: "key binding"
        case nil: "claims"
        }
    }

    private func line(_ line: Explanation.Line) -> String {
        switch line.outcome {
        case .passed: "  ok    \(line.check)\n"
        case .notReached: "  -     \(line.check)\n"
        case .failed:
            "  FAIL  \(line.check)\n" + (line.failure.map { "        \($0)\n" } ?? "")
                + (line.remedy.map { "        to mend it: \($0)\n" } ?? "")
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

    /// JSON text that no terminal takes for anything else: what is not ASCII is written as escapes, which mean the same.
    static func ascii(_ json: [UInt8]) -> String {
        var result = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if (0x20..<0x7F).contains(scalar.value) {
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                // Outside strings alone: inside them the scanner takes none.
                result += " "
            } else {
                for unit in String(scalar).utf16 {
                    result += "\\u" + String(Int(unit) + 0x1_0000, radix: 16).dropFirst()
                }
            }
        }
        return result
    }
}
