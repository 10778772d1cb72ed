#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The controlling terminal of the process, whatever its standard streams are.
enum Terminal {
    /// Returns what the user types after `prompt`, without echo, or nil if there is no terminal.
    static func secret(_ prompt: String) throws(CommandFailure) -> [UInt8]? {
        let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { return nil }
        let terminal = Descriptor(number: number)
        defer { terminal.end() }
        var before = termios()
        guard unsafe tcgetattr(number, &before) == 0 else { return nil }
        var quiet = before
        // The interrupt key is read as a byte, so that the echo is restored before the process ends.
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard unsafe tcsetattr(number, TCSAFLUSH, &quiet) == 0 else { return nil }
        defer {
            unsafe tcsetattr(number, TCSAFLUSH, &before)
            _ = terminal.tryWrite("\n".utf8.span)
        }
        _ = terminal.tryWrite(prompt.utf8.span)
        return try line(from: terminal)
    }

    private static func line(from terminal: Descriptor) throws(CommandFailure) -> [UInt8] {
        var typed: [UInt8] = []
        typed.reserveCapacity(1024)
        var byte: [UInt8] = []
        while try terminal.read(onto: &byte, maximumBytes: 1), let key = byte.popLast() {
            switch key {
            case 0x0A, 0x0D, 0x04: return typed
            case 0x03: throw CommandFailure("interrupted")
            case 0x08, 0x7F: while let last = typed.popLast(), last & 0xC0 == 0x80 {}
            case 0x15: typed.removeAll(keepingCapacity: true)
            default: if typed.count < 1024 { typed.append(key) }
            }
        }
        return typed
    }
}
