internal import JOSESupport

/// A program of this package: its commands, and the texts of its help.
package protocol Program {
    static var name: String { get }
    /// The text behind name and version in the first line of the help.
    static var summary: String { get }
    /// The text below the commands in the help: how to get more of it, and the exit statuses.
    static var notes: String { get }
    static var commands: [Command] { get }
    /// The lines that follow the version, with a line feed at the end of each.
    static var implementations: String { get }

    /// An example of each command, by its name. It is the first line of the command's help.
    static var examples: [String: String] { get }
    /// The texts between summary and options of a help that has the common options alone, by the name of the command.
    /// `--help-all` of these commands has the whole text and all options.
    static var briefs: [String: String] { get }
    /// The groups of options in the help, in their order. An option that no group names is in the last group; a help
    /// without groups has no titles.
    static var groups: [OptionGroup] { get }
}

/// Options that have a title in the help.
package struct OptionGroup: Sendable {
    let title: String
    /// The names of the options that a brief help has, and of the others.
    let common, others: Set<String>

    package init(_ title: String, common: Set<String> = [], others: Set<String> = []) {
        self.title = title
        self.common = common
        self.others = others
    }
}

extension Program {
    package static var implementations: String { "" }
    package static var briefs: [String: String] { [:] }
    package static var groups: [OptionGroup] { [] }

    /// Runs the program with the arguments of the process, and ends the process.
    package static func start() -> Never {
        // A command that finishes its work on SIGTERM may be told to end before anything else of it has run.
        Signals.blockAtStart()
        Process.endQuietlyOnClosedPipe()
        Process.end(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ words: [String]) -> ExitStatus {
        var words = words
        if words.first == "help" { words = Array(words.dropFirst()) + ["--help"] }
        let found = find(words)
        Signals.unblock(allBut: found?.0.blocked ?? .none)
        guard let first = words.first else {
            Output.complain("\(name): needs a command; \(name) --help lists them")
            return .unusable
        }
        switch first {
        case "--help", "-h":
            Output.standard(Help.overview(of: Self.self))
            return .valid
        case "--version":
            Output.standard("\(name) \(Release.version)\n\(implementations)")
            return .valid
        default: break
        }
        guard let (command, remaining) = found else { return unknown(words) }
        do throws(CommandFailure) {
            let arguments = try Arguments(remaining, for: command, of: name)
            if arguments.has(Options.help) || arguments.has(Options.helpAll) {
                Signals.unblock(allBut: .none)
                Output.standard(Help.text(of: command, in: Self.self, isWhole: arguments.has(Options.helpAll)))
                return .valid
            }
            return try command.run(arguments)
        } catch {
            Output.complain("\(name) \(command.name): \(error.message)")
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
                Output.standard(Help.overview(of: group, in: Self.self))
                return .valid
            }
            let names = group.map { String($0.name.dropFirst(words[0].count + 1)) }
            let given = words.count > 1 ? "'\(words[1])' is none of them" : "none was given"
            Output.complain("\(name) \(words[0]): needs one of \(names.joined(separator: ", ")); \(given)")
            return .unusable
        }
        let names = Set(commands.map { String($0.name.prefix { $0 != " " }) })
        Output.complain(
            "\(name): unknown command '\(words[0])'" + Suggestion.hint(for: words[0], among: names.sorted()))
        return .unusable
    }
}
