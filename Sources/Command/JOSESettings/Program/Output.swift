/// Standard output and standard error. Text from outside the process is escaped before it is written, so that a
/// terminal shows its control and format characters and interprets none of them (``TerminalText``).
///
/// Three kinds of output reach pipes and files without these escapes: payloads, which are written byte for byte;
/// answers to rows of `--input jsonl`, which are JSON with the escapes that JSON requires and no others; and DER. If
/// standard output is a terminal, payloads and answers to rows are escaped too, and DER is not written.
///
/// A stream is written in order, by one thread at a time. The threads that produce its output call `escaped(json:)` or
/// `escaped(payload:)`, so that the thread that writes does nothing else.
package enum Output {
    /// Writes lines of text.
    package static func standard(_ text: String) {
        Descriptor.output.write(TerminalText.escaped(text, keeping: ["\n"]).utf8.span)
    }

    /// Writes JSON text, of one document or of many lines.
    package static func json(_ text: [UInt8]) {
        let shown = escaped(json: text)
        Descriptor.output.write(shown.span)
    }
    package static func json(_ text: String) { json(Array(text.utf8)) }

    /// Returns JSON text, of one document or of many lines, with its unsafe characters escaped: JSON text of the same
    /// meaning.
    package static func escaped(json: [UInt8]) -> [UInt8] { TerminalText.escapedJSON(json) ?? json }

    /// Returns payloads as standard output gets them: unchanged, or as escaped text if it is a terminal.
    package static func escaped(payload: [UInt8]) -> [UInt8] {
        guard Descriptor.output.isTerminal else { return payload }
        return Array(TerminalText.escaped(String(decoding: payload, as: UTF8.self), keeping: ["\n", "\t"]).utf8)
    }

    /// Writes one line to standard error. Line feeds in the text are escaped.
    package static func complain(_ text: String) {
        let line = printable(text) + "\n"
        Descriptor.errors.write(line.utf8.span)
    }

    /// Returns text from outside the process, escaped for use within a line.
    package static func printable(_ text: String) -> String { TerminalText.escaped(text) }

    /// Returns the number with `digits` digits after the decimal point.
    package static func decimal(_ number: Double, _ digits: Int) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "-" }
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number.magnitude * Double(scale)).rounded())
        let fraction = String(scaled % scale + scale).dropFirst()
        return (number < 0 ? "-" : "") + String(scaled / scale) + (digits == 0 ? "" : "." + fraction)
    }
}
