import JOSESettings

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Lists and makes folders.
enum Folder {
    /// Makes a folder that only its owner can use, unless there is one of this name. The folder around it must exist.
    static func make(_ path: String) throws(CommandFailure) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("cannot create \(path): \(Process.fault())")
        }
    }

    /// Returns the names in a folder, sorted by their bytes, without those that begin with a dot.
    static func names(_ path: String) throws(CommandFailure) -> [String] {
        guard let folder = unsafe opendir(path) else {
            throw CommandFailure("cannot read \(path): \(Process.fault())")
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }
}

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
