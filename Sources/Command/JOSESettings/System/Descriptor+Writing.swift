#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Descriptor {
    package static let output = Descriptor(number: 1)
    package static let errors = Descriptor(number: 2)

    /// Creates a new file. An existing file, or a link in its place, is not overwritten.
    package init(creating path: String, isPrivate: Bool) throws(CommandFailure) {
        let mode: mode_t = isPrivate ? 0o600 : 0o644
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else {
            throw CommandFailure(
                errno == EEXIST
                    ? "\(path) already exists and is not overwritten" : "cannot create \(path): \(Process.fault())")
        }
        // The mask of the process can only have removed permissions; a private key must be readable by its owner in any
        // case.
        if isPrivate { _ = fchmod(number, mode) }
        self.init(number: number)
    }

    package var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all bytes. If the reader has closed the pipe, the process ends silently; if the disk is full, it ends
    /// with a message.
    package func write(_ bytes: Span<UInt8>) {
        guard !tryWrite(bytes) else { return }
        if errno == EPIPE { Process.endAtOnce(Process.closedPipe) }
        let fault = Process.fault()
        if number != Self.errors.number { Output.complain("\(Process.name): cannot write: \(fault)") }
        Process.endAtOnce(ExitStatus.unusable.rawValue)
    }
}
