import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

extension Command {
    static let explain = Command(
        "explain", operands: "TOKEN | FILE | -", maximumOperands: 1,
        summary: "explain each check of a token, with a remedy for each failure",
        details: """
            Takes the policy of bulla verify: --nested for a signed token inside an encrypted one, --decrypt-keys without --keys
            for one that is only encrypted. A check for which an option is missing is not made, and the token is then not
            reported as valid; --profile, --json and SD-JWT require the algorithms and keys. Of a claim that fails, what was
            expected and the kind of value that was found are shown. Frequent mistakes are named: a signature in DER or of
            another length, or by another key or padding than the header names, and what is around a token, such as Bearer.
            If verification could not be completed, the last line is retry in place of invalid, and the exit status is 75.
            With --json each signature or recipient is verified by itself, and then the whole token. Without --profile a token
            that contains ~ is an SD-JWT.
            """,
        options: IssuerSettings.options + [Options.showClaims] + ProfileSettings.options
    ) { (arguments) throws(CommandFailure) in
        try ExplainRun(arguments).run()
    }
}

struct ExplainRun {
    private let arguments: Arguments
    private let form: TokenForm

    init(_ arguments: Arguments) {
        self.arguments = arguments
        form = TokenForm(of: arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        guard !arguments.has(Options.bytes) else { throw .usage("explain checks claims: leave out --bytes") }
        let policy = try IssuerSettings(arguments, form: form)
        let token = try token(maximumBytes: policy.limits().tokenBytes)
        if try isDisclosing(token) { return try disclosures(token, policy) }
        let profile = try ProfileSettings(arguments, policy)
        if arguments.has(Options.json) { return try parts(token, policy) }
        let verifier: TokenVerifier
        if let profile {
            try profile.demandAll()
            guard let own = try profile.tokenVerifier() else { return try proof(token, policy, profile) }
            verifier = own
        } else {
            verifier = try policy.verifier(examinesKeys: false)
        }
        var explanation = verifier.explain(token.span)
        if explanation.error != nil, let timeout = policy.source?.timeout {
            explanation = Blocking.run { try? await verifier.explain(token, timeout: timeout) } ?? explanation
        }
        let need = need(explanation.error, policy, token)
        var text = header(of: token, limits: try policy.limits())
        var layer: TokenLayer??
        for line in explanation.lines {
            if layer != .some(line.layer) {
                text += title(of: line.layer) + "\n"
                layer = line.layer
            }
            text += self.line(line, need)
        }
        if arguments.has(Options.showClaims), let claims = explanation.claims {
            text += "claims " + Self.line(ofJSON: claims.payload) + "\n"
        }
        if let error = explanation.error, need == nil {
            let unasked = notChecked(policy.lacking)
            Output.standard(text + unasked + "\(Fault(error).result): \(Fault(error).code)\n")
            return Fault(error).status
        }
        Output.standard(text)
        return accepted(policy.lacking)
    }

    /// Returns whether the token is an SD-JWT: by its profile, or without one by its options or its text.
    private func isDisclosing(_ token: [UInt8]) throws(CommandFailure) -> Bool {
        if let profile = try arguments.value(Options.profile) { return profile == .sdJWT }
        if ProfileSettings.ofDisclosures.contains(where: { arguments.has($0) }) { return true }
        return form == .signed && !arguments.has(Options.json) && token.contains(UInt8(ascii: "~"))
    }

    /// Returns what the check that failed needs, if it failed only because an option is missing.
    private func need(_ error: TokenError?, _ policy: IssuerSettings, _ token: [UInt8]) -> String? {
        guard case .jose(let fault, let layer)? = error else { return nil }
        let spec: OptionSpec
        var header: (name: String, isKnown: (String) -> Bool)?
        switch (fault, layer) {
        case (.algorithmNotAllowed(.signature), _):
            spec = Options.algorithms.spec
            header = ("alg", { SignatureAlgorithm(name: $0) != nil })
        case (.algorithmNotAllowed(.keyManagement), _):
            spec = Options.keyManagement.spec
            header = ("alg", { KeyManagementAlgorithm(name: $0) != nil })
        case (.algorithmNotAllowed(.contentEncryption), _):
            spec = Options.contentEncryption.spec
            header = ("enc", { ContentEncryption(name: $0) != nil })
        case (.keyNotFound, .signature): spec = Options.keys.spec
        case (.keyNotFound, .encryption): spec = Options.decryptKeys.spec
        default: return nil
        }
        guard let option = policy.lacking.first(where: { $0.spec.name == spec.name }) else { return nil }
        // The header of a signed token inside an encrypted one is not that of the whole.
        let outside =
            form == .nested && layer == .signature ? nil : try? UnverifiedToken(token.span, limits: try policy.limits())
        guard let header, let said = outside?.header.string(header.name) else {
            return "needs \(option.text); for example --\(spec.name) \(option.example)"
        }
        let example = header.isKnown(said) ? said : option.example
        return "needs \(option.text): the token says \(said); for example --\(spec.name) \(example)"
    }

    /// Says that no check failed, and returns the status: that of a valid token if every check was made.
    private func accepted(_ lacking: [NeededOption]) -> ExitStatus {
        let isWhole = lacking.isEmpty
        Output.standard(
            notChecked(lacking)
                + (isWhole ? "valid\n" : "not reported as valid: give the options that were not checked\n"))
        return isWhole ? .valid : .invalid
    }

    private func notChecked(_ lacking: [NeededOption]) -> String {
        let names = lacking.map(\.text)
        return names.isEmpty ? "" : "not checked: \(names.joined(separator: ", "))\n"
    }

    private func token(maximumBytes: Int) throws(CommandFailure) -> [UInt8] {
        let isJSON = arguments.has(Options.json)
        let bytes = try TokenInput(arguments.operands.first).only(maximumBytes: maximumBytes)
        guard isJSON || !bytes.contains(0x0A) else {
            throw CommandFailure("explain takes one token, and the input has more than one line")
        }
        return bytes
    }

    private func parts(_ token: [UInt8], _ policy: IssuerSettings) throws(CommandFailure) -> ExitStatus {
        try policy.demandLayers()
        let check = try policy.check()
        // Each signature is verified by itself first; the requirement of the policy is checked on the whole token
        // below.
        let alone = try policy.check(requirement: .any)
        Output.standard(ExplainedParts(token, limits: try policy.limits(), check: alone)?.text() ?? "")
        func explained(_ error: TokenError) -> VerificationReport.Line { .whole(error) }
        return verdict(policy.lacking, explained) { () throws(TokenError) in try check.run(token.span) }
    }

    /// Explains a DPoP proof, which contains its key.
    private func proof(
        _ token: [UInt8], _ policy: IssuerSettings, _ profile: ProfileSettings
    ) throws(CommandFailure) -> ExitStatus {
        let check = try profile.check()
        let limits = try policy.limits(), signature = try policy.signaturePolicy()
        Output.standard(header(of: token, limits: limits))
        func explained(_ error: TokenError) -> VerificationReport.Line {
            let jwk = (try? UnverifiedToken(token, limits: limits))?.header.json("jwk")
            let key = jwk.flatMap { try? PublicKey(jwk: $0.span, limits: limits) }
            let verifier = key.map { JWSVerifier(unexaminedKeys: KeySet($0), policy: signature) }
            return .whole(
                error, claims: Claims(unverified: token.span, limits: limits),
                mistake: mistake(error, in: token, verifier))
        }
        return verdict([], explained) { () throws(TokenError) in try check(token.span) }
    }

    /// Returns the frequent mistake by which a signed token was rejected; nil for any other cause.
    private func mistake(_ error: TokenError, in jws: [UInt8], _ verifier: JWSVerifier?) -> TokenMistake? {
        guard case .jose(let fault, .signature) = error else { return nil }
        return TokenMistake(fault, in: jws.span, verifier)
    }

    private func disclosures(_ token: [UInt8], _ policy: IssuerSettings) throws(CommandFailure) -> ExitStatus {
        try policy.demandLayers()
        let check = policy.patient(.profile(try ProfileSettings(arguments, policy, as: .sdJWT).check()))
        let showsClaims = arguments.has(Options.showClaims)
        let limits = try policy.limits(), verifier = try policy.layerVerifier()
        let jwt = Array(token.prefix { $0 != UInt8(ascii: "~") })
        let parts = try? SDJWT(token.span, limits: limits)
        var text = header(of: jwt, limits: limits)
        if let parts { text += ExplainedDisclosures.text(parts, showsClaims: showsClaims) }
        Output.standard(text)
        func explained(_ error: TokenError) -> VerificationReport.Line {
            var found = mistake(error, in: jwt, verifier)
            // What follows the last ~, such as a quotation mark, is read as a key binding.
            if error == .disclosure(.keyBindingUnexpected) {
                found = TextMistake(token.span).map { TokenMistake.text($0) }
            }
            return .whole(error, claims: parts?.unverifiedClaims(of: error), mistake: found)
        }
        return verdict(policy.lacking, explained) { () throws(TokenError) in try check.run(token.span) }
    }

    /// Reports the outcome of the token as a whole, and returns the status.
    ///
    /// - Parameters:
    ///   - lacking: The options that are missing.
    ///   - explained: A function that returns the line for the error of a rejected token.
    ///   - run: A function that verifies the token and returns its payload.
    private func verdict(
        _ lacking: [NeededOption], _ explained: (TokenError) -> VerificationReport.Line,
        _ run: () throws(TokenError) -> [UInt8]
    ) -> ExitStatus {
        do throws(TokenError) {
            let payload = try run()
            if arguments.has(Options.showClaims) { Output.standard("payload " + Self.line(ofJSON: payload) + "\n") }
            return accepted(lacking)
        } catch {
            let fault = Fault(error)
            Output.standard(line(explained(error), nil) + "\(fault.result): \(fault.code)\n")
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

    private func line(_ line: VerificationReport.Line, _ need: String?) -> String {
        switch line.outcome {
        case .passed: return "  ok    \(line.check)\n"
        case .notReached: return "  -     \(line.check)\n"
        case .failed:
            if let need { return "  -     \(line.check)\n        \(Output.printable(need))\n" }
            let texts = [line.failure, line.comparison, line.remedy.map { "remedy: \($0)" }].compactMap { $0 }
            return "  FAIL  \(Output.printable(line.check))\n"
                + texts.map { "        \(Output.printable(OptionNames.inText($0)))\n" }.joined()
        }
    }

    /// Returns JSON text in one line, for a terminal.
    static func line(ofJSON json: [UInt8]) -> String {
        String(decoding: TerminalText.escapedJSON(json, isOneLine: true) ?? json, as: UTF8.self)
    }
}
