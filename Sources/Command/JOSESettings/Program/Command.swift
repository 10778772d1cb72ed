internal import JOSEBytes
import JOSESettings

/// A command of `bulla`, of one word or of two.
struct Command: Sendable {
    let name: String
    /// The operands in the usage line of the help.
    let operands: String
    let maximumOperands: Int
    let summary: String
    /// The text between the summary and the options in the help.
    let details: String
    let options: [OptionSpec]
    /// The signals after which the command finishes what it began. They are blocked before anything else of the process
    /// runs.
    let blocked: BlockedSignals
    let run: @Sendable (Arguments) throws(CommandFailure) -> ExitStatus

    init(
        _ name: String, operands: String = "", maximumOperands: Int = 0, summary: String, details: String = "",
        options: [OptionSpec], blocked: BlockedSignals = .none,
        run: @escaping @Sendable (Arguments) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.operands = operands
        self.maximumOperands = maximumOperands
        self.summary = summary
        self.details = details
        self.options = options + [Options.helpAll, Options.help]
        self.blocked = blocked
        self.run = run
    }
}

enum ExitStatus: Int32, Sendable {
    case valid = 0
    /// A token is invalid, or at least one token of a stream is.
    case invalid = 1
    /// The usage is wrong, input or keys could not be read, or output could not be written.
    case unusable = 2
    /// The verification of a token could not be completed, and the token may be sent again; in a stream, that of at
    /// least one token, whatever the other tokens are. The number is EX_TEMPFAIL of sysexits.h.
    case retry = 75
    /// SIGTERM arrived before the end of the input, and every line that was read was answered. A shell reports this
    /// number for a command that SIGTERM ended.
    case terminated = 143
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
        Signals.unblock(allBut: found?.0.blocked ?? .none)
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
        guard let (command, remaining) = found else { return unknown(words) }
        do throws(CommandFailure) {
            let arguments = try Arguments(remaining, for: command)
            if arguments.has(Options.help) || arguments.has(Options.helpAll) {
                Signals.unblock(allBut: .none)
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
