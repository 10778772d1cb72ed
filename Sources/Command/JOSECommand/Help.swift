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
        let options = command.options.map { spec in
            ("--" + spec.name + (spec.placeholder.map { " " + $0 } ?? ""), spec.help)
        }
        let details = command.details.isEmpty ? "" : "\n" + command.details + "\n"
        return """
            usage: bulla \(command.name) [OPTIONS]\(operands)

            \(command.summary)
            \(details)
            \(rows(options))

            """
    }

    private static func rows(_ rows: [(String, String)]) -> String {
        let width = min(rows.map { $0.0.unicodeScalars.count }.max() ?? 0, 28)
        return rows.map { name, text in
            let gap = String(repeating: " ", count: max(0, width - name.unicodeScalars.count))
            let start =
                name.unicodeScalars.count > width ? name + "\n  " + String(repeating: " ", count: width) : name + gap
            return "  \(start)  \(text)"
        }.joined(separator: "\n")
    }
}
