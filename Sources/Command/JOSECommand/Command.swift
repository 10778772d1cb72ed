internal import JOSEBytes

/// A command of `bulla`, of one word or of two.
struct Command: Sendable {
    let name: String
    /// The operands in the usage line of the help.
    let operands: String
    let mostOperands: Int
    let summary: String
    /// The text between the summary and the options in the help.
    let details: String
    let options: [OptionSpec]
    /// The signals after which the command finishes what it began. They are blocked before anything else of the process runs.
    let held: HeldSignals
    let run: @Sendable (Arguments) throws(CommandFailure) -> ExitStatus

    init(
        _ name: String, operands: String = "", mostOperands: Int = 0, summary: String, details: String = "",
        options: [OptionSpec], held: HeldSignals = .none,
        run: @escaping @Sendable (Arguments) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.operands = operands
        self.mostOperands = mostOperands
        self.summary = summary
        self.details = details
        self.options = options + [Options.helpAll, Options.help]
        self.held = held
        self.run = run
    }
}

enum ExitStatus: Int32, Sendable {
    case valid = 0
    /// A token is invalid, or at least one token of a stream is.
    case invalid = 1
    /// The usage is wrong, input or keys could not be read, or output could not be written.
    case unusable = 2
    /// The verification of a token could not be completed, and the token may be sent again; in a stream, that of at least one
    /// token, whatever the other tokens are. The number is EX_TEMPFAIL of sysexits.h.
    case retry = 75
    /// SIGTERM arrived before the end of the input, and every line that was read was answered. A shell reports this number for a
    /// command that SIGTERM ended.
    case terminated = 143
}

/// An error that ends the command with `ExitStatus.unusable` and one line on standard error.
struct CommandFailure: Error {
    let message: String

    /// Creates an error, whose text names the options of the command in place of limits of the library.
    init(_ message: String) { self.message = OptionNames.inText(message) }

    /// Creates the error of wrong usage: other arguments would have been accepted.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(message) }

    /// The message for a configuration file, whose members have the names of the options without dashes.
    var textOfMembers: String {
        // The example at the end is for the command line, and is left out.
        let text = message.split(separator: "; for example: --", maxSplits: 1).first.map(String.init) ?? message
        return (text.hasPrefix("--") ? String(text.dropFirst(2)) : text).replacing(" --", with: " ")
    }
}

enum Bulla {
    static let version = Release.version

    static let commands: [Command] = [
        .verify, .decrypt, .explain, .sign, .encrypt, .nest, .keyGenerate, .keyInspect, .keyConvert, .keyPublic,
        .keyThumbprint, .keysFetch, .keysWatch, .keysServe, .serve, .worker, .enqueue, .linksCheck, .linksMake, .check,
        .demo, .sandbox,
        .demoLogin, .sbom,
    ]

    static func run(_ words: [String]) -> ExitStatus {
        var words = words
        if words.first == "help" { words = Array(words.dropFirst()) + ["--help"] }
        let found = find(words)
        Signals.release(allBut: found?.0.held ?? .none)
        guard let first = words.first else {
            Output.complain("bulla: needs a command; bulla --help lists them")
            return .unusable
        }
        switch first {
        case "--help", "-h":
            Output.standard(Help.overview())
            return .valid
        case "--version":
            Output.standard("bulla \(version)\n\(implementations)\n")
            return .valid
        default: break
        }
        guard let (command, rest) = found else { return unknown(words) }
        do throws(CommandFailure) {
            let arguments = try Arguments(rest, for: command)
            if arguments.has(Options.help) || arguments.has(Options.helpAll) {
                Signals.release(allBut: .none)
                Output.standard(Help.text(of: command, isWhole: arguments.has(Options.helpAll)))
                return .valid
            }
            return try command.run(arguments)
        } catch {
            Output.complain("bulla \(command.name): \(error.message)")
            return .unusable
        }
    }

    private static func find(_ words: [String]) -> (Command, ArraySlice<String>)? {
        for count in [2, 1] where words.count >= count {
            let name = words.prefix(count).joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) { return (command, words.dropFirst(count)) }
        }
        return nil
    }

    private static func unknown(_ words: [String]) -> ExitStatus {
        let group = commands.filter { $0.name.hasPrefix(words[0] + " ") }
        if !group.isEmpty {
            if words.dropFirst().first.map({ $0 == "--help" || $0 == "-h" }) ?? false {
                Output.standard(Help.overview(of: group))
                return .valid
            }
            let names = group.map { String($0.name.dropFirst(words[0].count + 1)) }
            let given = words.count > 1 ? "'\(words[1])' is none of them" : "none was given"
            Output.complain("bulla \(words[0]): needs one of \(names.joined(separator: ", ")); \(given)")
            return .unusable
        }
        let names = Set(commands.map { String($0.name.prefix { $0 != " " }) })
        Output.complain("bulla: unknown command '\(words[0])'" + Suggestion.hint(for: words[0], among: names.sorted()))
        return .unusable
    }
}
