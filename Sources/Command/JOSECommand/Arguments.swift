/// An option of a command, as the command line and the help name it.
struct OptionSpec: Sendable {
    let name: String
    /// The placeholder of the value in the help, or nil for an option without a value.
    let placeholder: String?
    let help: String
    /// Whether the option may be given more than once.
    let repeats: Bool

    init(_ name: String, _ placeholder: String? = nil, _ help: String, repeats: Bool = false) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.repeats = repeats
    }
}

/// An option with a value, and the function that reads the value from text.
struct Option<Value: Sendable>: Sendable {
    let spec: OptionSpec
    /// Returns the value, or nil if the text is not one.
    let read: @Sendable (String) -> Value?

    init(
        _ name: String, _ placeholder: String, _ help: String, repeats: Bool = false,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        spec = OptionSpec(name, placeholder, help, repeats: repeats)
        self.read = read
    }
}

/// The arguments of a command: options with their values, and operands.
struct Arguments: Sendable {
    let command: String
    private var given: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// Reads the arguments: `--name value`, `--name=value`, and operands. After `--` all arguments are operands.
    init(_ words: ArraySlice<String>, for command: Command) throws(CommandFailure) {
        self.command = command.name
        var rest = words
        var optionsEnded = false
        while let word = rest.popFirst() {
            if optionsEnded || word == "-" || !word.hasPrefix("-") {
                operands.append(word)
            } else if word == "--" {
                optionsEnded = true
            } else {
                try option(word, &rest, command)
            }
        }
        guard !has(Options.help) else { return }
        guard operands.count <= command.mostOperands else {
            // The text of a token is not repeated.
            let extra = operands[command.mostOperands]
            let text = extra.contains("eyJ") ? "operand" : "argument '\(extra)'"
            throw .usage("unexpected \(text); see bulla \(command.name) --help")
        }
    }

    /// Creates the arguments of a command that reads its options from a file.
    ///
    /// - Parameter options: The values of each option by its name; none for an option without a value.
    init(command: String, options: [String: [String]]) {
        self.command = command
        given = options
    }

    private mutating func option(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: Command
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0] == "-h" ? "help" : String(parts[0].dropFirst(2))
        guard parts[0].hasPrefix("--") || parts[0] == "-h",
            let spec = command.options.first(where: { $0.name == name })
        else {
            throw .usage("unknown option '\(parts[0])'" + Suggestion.hint(forOption: parts[0], of: command))
        }
        guard given[name] == nil || spec.repeats else { throw .usage("--\(name) is given twice") }
        guard let placeholder = spec.placeholder else {
            guard parts.count == 1 else { throw .usage("--\(name) takes no value") }
            given[name] = []
            return
        }
        if parts.count == 2 {
            given[name, default: []].append(parts[1])
        } else {
            // A value that begins with two dashes is more often a forgotten value; after `=` any value is accepted.
            guard let value = rest.first, !value.hasPrefix("--") else { throw .usage("--\(name) needs \(placeholder)") }
            rest.removeFirst()
            given[name, default: []].append(value)
        }
    }

    func has(_ option: OptionSpec) -> Bool { given[option.name] != nil }
    func has<Value>(_ option: Option<Value>) -> Bool { has(option.spec) }

    func value<Value>(_ option: Option<Value>) throws(CommandFailure) -> Value? {
        guard let text = given[option.spec.name]?.last else { return nil }
        return try read(text, option)
    }

    /// Returns the elements that all occurrences of a list option give, or nil without the option.
    func list<Element>(_ option: Option<[Element]>) throws(CommandFailure) -> [Element]? {
        guard let texts = given[option.spec.name] else { return nil }
        var all: [Element] = []
        for text in texts { all += try read(text, option) }
        return all
    }

    private func read<Value>(_ text: String, _ option: Option<Value>) throws(CommandFailure) -> Value {
        guard let value = option.read(text) else {
            throw .usage("--\(option.spec.name) takes \(option.spec.placeholder ?? "no value"), not '\(text)'")
        }
        return value
    }
}
