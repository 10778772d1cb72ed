/// The source of the passphrase of an encrypted key: a file, a descriptor or the terminal. It is never an argument,
/// because every process of the machine can read those.
struct Passphrase {
    static let maximumBytes = 4096
    let arguments: Arguments
    /// Whether a passphrase is needed again and again: its file must be a regular one, and there is no prompt.
    let isService: Bool

    func word(for path: String) throws(CommandFailure) -> [UInt8] {
        if arguments.has(Options.passphraseFile), arguments.has(Options.passphraseDescriptor) {
            throw .usage("--passphrase-file and --passphrase-fd cannot be combined")
        }
        if let file = try arguments.value(Options.passphraseFile) {
            let descriptor = isService ? try Descriptor(regularFile: file) : try Descriptor(reading: file)
            defer { descriptor.end() }
            return try firstLine(of: descriptor, name: file)
        }
        if let number = try arguments.value(Options.passphraseDescriptor) {
            return try firstLine(of: Descriptor(number: number), name: "descriptor \(number)")
        }
        guard !isService else { throw CommandFailure("\(path) is encrypted: give --passphrase-file") }
        guard let typed = try Terminal.secret("Passphrase of \(TerminalText.escaped(path)): ") else {
            throw CommandFailure("\(path) is encrypted: give --passphrase-file or --passphrase-fd")
        }
        return typed
    }

    /// Returns the first line, without its end, which editors add.
    private func firstLine(of descriptor: Descriptor, name: String) throws(CommandFailure) -> [UInt8] {
        var bytes = try descriptor.readAll(maximumBytes: Self.maximumBytes, name: name)
        if let end = bytes.firstIndex(of: 0x0A) { bytes.removeLast(bytes.count - end) }
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes
    }
}
