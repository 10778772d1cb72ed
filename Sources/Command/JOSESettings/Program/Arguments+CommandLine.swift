extension Arguments {
    /// Reads the arguments: `--name value`, `--name=value`, and operands. After `--` all arguments are operands.
    init(_ words: ArraySlice<String>, for command: Command, of program: String) throws(CommandFailure) {
        var (options, operands): ([String: [String]], [String]) = ([:], [])
        var remaining = words
        var optionsEnded = false
        while let word = remaining.popFirst() {
            if optionsEnded || word == "-" || !word.hasPrefix("-") {
                operands.append(word)
            } else if word == "--" {
                optionsEnded = true
            } else {
                try Self.read(word, &remaining, command, of: program, into: &options)
            }
        }
        guard options[Options.help.name] != nil || operands.count <= command.maximumOperands else {
            // The text of a token is not repeated.
            let extra = operands[command.maximumOperands]
            let text = extra.contains("eyJ") ? "operand" : "argument '\(extra)'"
            throw .usage("unexpected \(text); see \(program) \(command.name) --help")
        }
        let name = command.name
        self.init(command: name, options: options, operands: operands) {
            Output.complain("\(program) \(name): \($0)")
        }
    }

    private static func read(
        _ word: String, _ remaining: inout ArraySlice<String>, _ command: Command, of program: String,
        into options: inout [String: [String]]
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0] == "-h" ? "help" : String(parts[0].dropFirst(2))
        guard parts[0].hasPrefix("--") || parts[0] == "-h",
            let spec = command.options.first(where: { $0.name == name })
        else {
            throw .usage(
                "unknown option '\(parts[0])'" + Suggestion.hint(forOption: parts[0], of: command, in: program))
        }
        guard options[name] == nil || spec.repeats else { throw .usage("--\(name) is given twice") }
        guard let placeholder = spec.placeholder else {
            guard parts.count == 1 else { throw .usage("--\(name) takes no value") }
            options[name] = []
            return
        }
        if parts.count == 2 {
            options[name, default: []].append(parts[1])
        } else {
            // A value that begins with two dashes is more often a forgotten value; after `=` any value is accepted.
            guard let value = remaining.first, !value.hasPrefix("--") else {
                throw .usage("--\(name) needs \(placeholder)")
            }
            remaining.removeFirst()
            options[name, default: []].append(value)
        }
    }
}

extension Suggestion {
    /// The names of options in other tools and in the RFCs, each with those here: the first that the command has is
    /// suggested. The one without dashes is an operand.
    private static let aliases: [String: [String]] = [
        "algorithm": ["--alg"], "algorithms": ["--alg"], "audience": ["--aud"], "issuer": ["--iss"],
        "subject": ["--sub"], "jwk": ["--keys", "--key"], "jwks": ["--keys", "--key"], "jwks-uri": ["--keys"],
        "jwks-url": ["--keys"], "public-key": ["--keys", "--key"],
        "private-key": ["--key", "--decrypt-keys"], "secret": ["--secret-file", "--key"],
        "key-id": ["--kid"], "expires-in": ["--lifetime"], "exp": ["--lifetime"], "ttl": ["--lifetime"],
        "clock-skew": ["--leeway"], "clock-tolerance": ["--leeway"], "crv": ["KIND"], "curve": ["KIND"],
        "kty": ["KIND"],
    ]

    /// Returns a hint with the option that is known by another name, or else with the nearest one.
    static func hint(forOption word: String, of command: Command, in program: String) -> String {
        let names = command.options.map { "--" + $0.name }
        let accepted = names + (command.operands == "[KIND]" ? ["KIND"] : [])
        let known = aliases[String(word.lowercased().drop { $0 == "-" })]?.first { accepted.contains($0) }
        switch known {
        case "KIND": return "; give the kind alone, such as \(program) \(command.name) P-256"
        case let known?: return "; did you mean '\(known)'?"
        case nil: return hint(for: word, among: names)
        }
    }
}
