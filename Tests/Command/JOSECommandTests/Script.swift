import Foundation
import TestSupport

/// A text of commands and what they must say, run in a folder of its own by `sh`:
///
///     $ bulla --version      a command; so many lines may follow it as it has answers
///     > bulla 0.1.0          a line of its standard output; … stands for any text, a line … for any lines
///     ! bulla: …             a line of its standard error
///     ? 2                    its exit status, where it is not 0
///     = name                 the lines up to the next `=` are a file of that name
///     # why
struct Script {
    struct Step {
        let line: Int
        let command: String
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0
    }
    struct Complaint: Error, CustomStringConvertible { let description: String }

    private(set) var steps: [Step] = []
    private(set) var files: [(name: String, text: String)] = []

    init(_ text: String) throws {
        var file: (name: String, text: String)?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("=") {
                if let file { files.append(file) }
                let name = line.dropFirst().trimmingCharacters(in: .whitespaces)
                file = name.isEmpty ? nil : (name, "")
            } else if file != nil {
                file?.text += line + "\n"
            } else {
                try read(line, index + 1)
            }
        }
    }

    private mutating func read(_ line: String, _ number: Int) throws {
        let rest = String(line.dropFirst(2))
        switch line.first {
        case nil, "#": break
        case "$": steps.append(Step(line: number, command: rest))
        case ">" where !steps.isEmpty: steps[steps.count - 1].output.append(rest)
        case "!" where !steps.isEmpty: steps[steps.count - 1].errors.append(rest)
        case "?" where !steps.isEmpty: steps[steps.count - 1].status = Int32(rest) ?? -1
        default: throw Complaint(description: "line \(number) is no line of a script: \(line)")
        }
    }

    /// Runs the script, and returns the differences from its text; none if all is as written.
    func run() throws -> [String] {
        guard let tool = builtTool("bulla") else { throw Complaint(description: "bulla is not built") }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for file in files { try Data(file.text.utf8).write(to: folder.url.appending(path: file.name)) }
        let path = (tool as NSString).deletingLastPathComponent + ":/usr/bin:/bin"
        var complaints: [String] = []
        for step in steps {
            let result = try TestSupport.run(
                "/bin/sh", ["-c", "cd '\(folder.url.path)' && \(step.command)"], environment: ["PATH": path])
            func compare(_ what: String, _ got: String, _ wanted: [String]) {
                var lines = got.components(separatedBy: "\n")
                if lines.last == "" { lines.removeLast() }
                guard !Self.matches(lines[...], wanted[...]) else { return }
                complaints.append("line \(step.line): \(step.command)\n  \(what): \(lines)\n  wanted: \(wanted)")
            }
            compare("output", result.stdout, step.output)
            compare("errors", result.stderr, step.errors)
            if result.status != step.status {
                complaints.append("line \(step.line): \(step.command)\n  status \(result.status), not \(step.status)")
            }
        }
        return complaints
    }

    private static func matches(_ lines: ArraySlice<String>, _ wanted: ArraySlice<String>) -> Bool {
        guard let first = wanted.first else { return lines.isEmpty }
        if first == "…" {
            return matches(lines, wanted.dropFirst()) || (!lines.isEmpty && matches(lines.dropFirst(), wanted))
        }
        guard let line = lines.first, matches(line, first) else { return false }
        return matches(lines.dropFirst(), wanted.dropFirst())
    }

    private static func matches(_ line: String, _ wanted: String) -> Bool {
        let pieces = wanted.components(separatedBy: "…")
        guard pieces.count > 1 else { return line == wanted }
        guard line.hasPrefix(pieces[0]) else { return false }
        var rest = line.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return pieces[pieces.count - 1].isEmpty || rest.hasSuffix(pieces[pieces.count - 1])
    }
}
