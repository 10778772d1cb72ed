import JOSESettings

/// The texts of `--help`, made from the tables of commands and options.
enum Help {
    static func overview() -> String {
        """
        bulla \(Bulla.version): makes, verifies and explains signed and encrypted JSON Web Tokens.

        usage: bulla COMMAND [OPTIONS]

        \(rows(Bulla.commands.map { ($0.name, $0.summary) }))

        bulla COMMAND --help describes a command. Exit status: 0 all tokens are valid; 1 a token is invalid; 2 wrong
        usage, input or keys that cannot be read, or output that cannot be written; 75 the verification of a token could
        not be completed, and may be retried.

        """
    }

    static func overview(of commands: [Command]) -> String {
        rows(commands.map { ("bulla " + $0.name, $0.summary) }) + "\n"
    }

    static func text(of command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " " + command.operands
        let example = examples[command.name].map { "example: \($0)\n\n" } ?? ""
        let details = command.details.isEmpty ? "" : "\n" + command.details + "\n"
        return """
            \(example)usage: bulla \(command.name) [OPTIONS]\(operands)

            \(command.summary)
            \(details)
            \(options(of: command))

            """
    }

    /// The options of a command, by group. A command with few options has no titles of groups.
    private static func options(of command: Command) -> String {
        func row(_ spec: OptionSpec) -> (String, String) {
            ("--" + spec.name + (spec.placeholder.map { " " + $0 } ?? ""), spec.help)
        }
        guard command.options.count > 6 else { return rows(command.options.map(row)) }
        let width = width(of: command.options.map(row))
        var texts: [String] = []
        for (index, group) in groups.enumerated() {
            let isLast = index == groups.count - 1
            let members = command.options.filter { spec in
                isLast ? !groups.contains { $0.options.contains(spec.name) } : group.options.contains(spec.name)
            }
            guard !members.isEmpty else { continue }
            texts.append("\(group.title):\n" + rows(members.map(row), width: width))
        }
        return texts.joined(separator: "\n\n")
    }

    private static func width(of rows: [(String, String)]) -> Int {
        min(rows.map { $0.0.unicodeScalars.count }.max() ?? 0, 28)
    }

    private static func rows(_ rows: [(String, String)], width: Int? = nil) -> String {
        let width = width ?? self.width(of: rows)
        return rows.map { name, text in
            let gap = String(repeating: " ", count: max(0, width - name.unicodeScalars.count))
            let start =
                name.unicodeScalars.count > width ? name + "\n  " + String(repeating: " ", count: width) : name + gap
            return "  \(start)  \(text)"
        }.joined(separator: "\n")
    }
}
