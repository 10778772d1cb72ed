#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open file, pipe or terminal.
package struct Descriptor: Sendable {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    package static let input = Descriptor(number: 0)

    package init(reading path: String) throws(CommandFailure) {
        number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw CommandFailure("cannot read \(path): \(Process.fault())") }
    }

    /// Opens a file that was found in a folder. A FIFO, a socket or a device is rejected without waiting for it.
    package init(regularFile path: String) throws(CommandFailure) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw CommandFailure("cannot read \(path): \(Process.fault())") }
        self.number = number
        guard size != nil else {
            end()
            throw CommandFailure("cannot read \(path): it is not a regular file")
        }
    }

    package func end() { _ = close(number) }

    /// The size of a regular file, or nil for a pipe, a terminal or a device.
    package var size: Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Appends the bytes of one read, at most `most`. Returns false at the end.
    package func read(onto bytes: inout [UInt8], maximumBytes: Int) throws(CommandFailure) -> Bool {
        var got = 0
        bytes.append(addingCapacity: maximumBytes) { output in
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
    /// - Throws: A failure if there are more than `maximumBytes` bytes.
    package func readAll(maximumBytes: Int, name: String) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        // The reservation includes the last read: an array that grows leaves a copy behind, and this may be a key.
        bytes.reserveCapacity(min(maximumBytes, size ?? 0) + 65_536)
        do throws(CommandFailure) {
            while try read(onto: &bytes, maximumBytes: 65_536) {
                guard bytes.count <= maximumBytes else {
                    throw CommandFailure("contains more than \(maximumBytes.grouped) bytes")
                }
            }
        } catch {
            throw CommandFailure("\(name): \(error.message)")
        }
        return bytes
    }

    /// Returns the bytes of a file.
    ///
    /// - Parameter isRegular: Whether the path must be that of a regular file, because it is read again and again.
    package static func contents(
        of path: String, isRegular: Bool = false, maximumBytes: Int
    ) throws(CommandFailure) -> [UInt8] {
        let file = isRegular ? try Descriptor(regularFile: path) : try Descriptor(reading: path)
        defer { file.end() }
        return try file.readAll(maximumBytes: maximumBytes, name: path)
    }

    /// Writes all bytes. Returns false if that fails; `errno` has the reason.
    package func tryWrite(_ bytes: Span<UInt8>) -> Bool {
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

/// This process, as the operating system sees it.
package enum Process {
    /// Returns the description of the last error of a system call.
    package static func fault() -> String { unsafe String(cString: strerror(errno)) }
}

private func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

private func systemRead(_ number: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(number, target, count)
}

private func systemWrite(_ number: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(number, source, count)
}
