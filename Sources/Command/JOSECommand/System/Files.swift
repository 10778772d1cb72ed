import JOSESettings

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The file of a socket that this process listens on.
struct SocketFile {
    private let path: String
    private let identity: [UInt64]?

    /// Remembers the file that is at the path.
    init(_ path: String) {
        self.path = path
        identity = Self.identity(path)
    }

    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
    }

    /// Removes the file, unless another process has put its own there.
    func remove() {
        guard let identity, Self.identity(path) == identity else { return }
        _ = unsafe unlink(path)
    }
}

extension Process {
    /// Removes a file that could not be written completely.
    static func remove(_ path: String) { _ = unsafe unlink(path) }
}
