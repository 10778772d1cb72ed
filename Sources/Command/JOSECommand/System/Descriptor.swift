#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open file, pipe or terminal.
struct Descriptor: Sendable {
    let number: Int32

    init(number: Int32) { self.number = number }

    static let input = Descriptor(number: 0)
    static let output = Descriptor(number: 1)
    static let errors = Descriptor(number: 2)

    init(reading path: String) throws(CommandFailure) {
        number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw CommandFailure("cannot read \(path): \(Process.fault())") }
    }

    /// Opens a file that was found in a folder. A FIFO, a socket or a device is rejected without waiting for it.
    init(regularFile path: String) throws(CommandFailure) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw CommandFailure("cannot read \(path): \(Process.fault())") }
        self.number = number
        guard size != nil else {
            end()
            throw CommandFailure("cannot read \(path): it is not a regular file")
        }
    }

    /// Creates a new file. An existing file, or a link in its place, is not overwritten.
    init(creating path: String, isPrivate: Bool) throws(CommandFailure) {
        let mode: mode_t = isPrivate ? 0o600 : 0o644
        number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else {
            throw CommandFailure(
                errno == EEXIST
                    ? "\(path) already exists and is not overwritten" : "cannot create \(path): \(Process.fault())")
        }
        // The mask of the process can only have removed permissions; a private key must be readable by its owner in any case.
        if isPrivate { _ = fchmod(number, mode) }
    }

    func end() { _ = close(number) }

    var isTerminal: Bool { isatty(number) == 1 }

    /// The size of a regular file, or nil for a pipe, a terminal or a device.
    var size: Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Appends the bytes of one read, at most `most`. Returns false at the end.
    func read(onto bytes: inout [UInt8], most: Int) throws(CommandFailure) -> Bool {
        var got = 0
        bytes.append(addingCapacity: most) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                got = retrying { unsafe systemRead(number, buffer.baseAddress, buffer.count) }
                count = max(0, got)
            }
        }
        guard got >= 0 else { throw CommandFailure("cannot read: \(Process.fault())") }
        return got > 0
    }

    /// Returns all remaining bytes.
    ///
    /// - Throws: A failure if there are more than `most` bytes.
    func readAll(most: Int, name: String) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        // The reservation includes the last read: an array that grows leaves a copy behind, and this may be a key.
        bytes.reserveCapacity(min(most, size ?? 0) + 65_536)
        do throws(CommandFailure) {
            while try read(onto: &bytes, most: 65_536) {
                guard bytes.count <= most else {
                    throw CommandFailure("contains more than \(Output.grouped(most)) bytes")
                }
            }
        } catch {
            throw CommandFailure("\(name): \(error.message)")
        }
        return bytes
    }

    /// Writes all bytes. If the reader has closed the pipe, the process ends silently; if the disk is full, it ends with a
    /// message.
    func write(_ bytes: Span<UInt8>) {
        guard !tryWrite(bytes) else { return }
        if errno == EPIPE { Process.endAtOnce(Process.closedPipe) }
        let fault = Process.fault()
        if number != Self.errors.number { Output.complain("bulla: cannot write: \(fault)") }
        Process.endAtOnce(ExitStatus.unusable.rawValue)
    }

    func tryWrite(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let start = unsafe buffer.baseAddress.map { unsafe $0 + done }
                let wrote = retrying { unsafe systemWrite(number, start, buffer.count - done) }
                guard wrote > 0 else { return false }
                done += wrote
            }
            return true
        }
    }
}

extension Process {
    /// Removes a file that could not be written completely.
    static func remove(_ path: String) { _ = unsafe unlink(path) }
}

private func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

private func systemRead(_ number: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(number, place, count)
}

private func systemWrite(_ number: Int32, _ place: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(number, place, count)
}
