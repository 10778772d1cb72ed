internal import JOSESupport

/// The texts of `--help`, made from the tables of commands and options.
package enum Help {
    /// The columns of a terminal. Only an example, which is to be copied, may be longer.
    private static let columns = 80
    /// The largest width of names beside their texts: of an option, and of a row of another table.
    private static let nameWidth = 20, memberWidth = 28

    static func overview(of program: any Program.Type) -> String {
        """
        \(program.name) \(Release.version): \(program.summary)

        usage: \(program.name) COMMAND [OPTIONS]

        \(rows(program.commands.map { ($0.name, $0.summary) }))

        \(program.notes)

        """
    }

    static func overview(of commands: [Command], in program: any Program.Type) -> String {
        rows(commands.map { (program.name + " " + $0.name, $0.summary) }) + "\n"
    }

    /// Returns the help of a command.
    ///
    /// - Parameter isWhole: Whether a command with a brief text has its whole text and all of its options.
    static func text(of command: Command, in program: any Program.Type, isWhole: Bool) -> String {
        let operands = command.operands.isEmpty ? "" : " " + command.operands
        let example = program.examples[command.name].map { "example: \($0)\n\n" } ?? ""
        let brief = isWhole ? nil : program.briefs[command.name]
        let text = brief ?? command.details
        let details = text.isEmpty ? "" : "\n" + filled(text) + "\n"
        return """
            \(example)usage: \(program.name) \(command.name) [OPTIONS]\(operands)

            \(command.summary)
            \(details)
            \(brief == nil ? options(of: command, in: program) : commonOptions(of: command, program.groups))

            """
    }

    /// Returns rows of names and texts, which continue below themselves.
    package static func table(_ rows: [(String, String)]) -> String {
        self.rows(rows, width: width(of: rows, atMost: memberWidth))
    }

    /// Returns a text whose paragraphs have as many words in a line as fit. Indented lines, and those with several
    /// spaces in a row, stay as they are.
    private static func filled(_ text: String) -> String {
        var lines: [String] = [], words = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            if !line.isEmpty, !line.contains("  "), line.first != " " {
                words += line + " "
            } else {
                lines += wrapped(words, width: columns) + [line]
                words = ""
            }
        }
        return lines.dropLast().joined(separator: "\n")
    }

    /// The common options of a command, by group.
    private static func commonOptions(of command: Command, _ groups: [OptionGroup]) -> String {
        let options = command.options.filter { spec in groups.contains { $0.common.contains(spec.name) } }
        let width = width(of: options.map(row))
        let texts = groups.compactMap { group -> String? in
            let members = options.filter { group.common.contains($0.name) }
            guard !members.isEmpty else { return nil }
            return "\(group.title):\n" + rows(members.map(row), width: width)
        }
        return texts.joined(separator: "\n")
    }

    /// Returns the text in lines of at most `width` characters; a longer word has a line of its own.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.unicodeScalars.count + 1 + word.unicodeScalars.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func row(_ spec: OptionSpec) -> (String, String) {
        ("--" + spec.label, spec.help)
    }

    /// The options of a command, by group. A command with few options has no titles of groups.
    private static func options(of command: Command, in program: any Program.Type) -> String {
        // Without a brief text, both helps are the same.
        let options = command.options.filter { $0.name != Options.helpAll.name || program.briefs[command.name] != nil }
        let groups = program.groups
        guard options.count > 6, !groups.isEmpty else { return rows(options.map(row)) }
        let width = width(of: options.map(row))
        let named = groups.map { $0.common.union($0.others) }
        let texts = groups.indices.compactMap { index -> String? in
            let members = options.filter { spec in
                (named.firstIndex { $0.contains(spec.name) } ?? groups.count - 1) == index
            }
            return members.isEmpty ? nil : "\(groups[index].title):\n" + rows(members.map(row), width: width)
        }
        return texts.joined(separator: "\n\n")
    }

    private static func width(of rows: [(String, String)], atMost limit: Int = nameWidth) -> Int {
        min(rows.map { $0.0.unicodeScalars.count }.max() ?? 0, limit)
    }

    /// Returns rows of names and texts, which continue below themselves. A longer name has a line of its own.
    private static func rows(_ rows: [(String, String)], width: Int? = nil) -> String {
        let width = width ?? self.width(of: rows)
        let indent = "\n" + String(repeating: " ", count: width + 4)
        return rows.map { name, text in
            let rest = width - name.unicodeScalars.count
            let gap = rest < 0 ? indent : String(repeating: " ", count: rest + 2)
            return "  " + name + gap + wrapped(text, width: columns - width - 4).joined(separator: indent)
        }.joined(separator: "\n")
    }
}

extension Options {
    static let help = OptionSpec("help", nil, "print this text")
    static let helpAll = OptionSpec("help-all", nil, "print the whole text and all options")
}
