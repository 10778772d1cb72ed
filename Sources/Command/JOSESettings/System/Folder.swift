#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Lists and makes folders.
package enum Folder {
    /// Makes a folder that only its owner can use, unless there is one of this name. The folder around it must exist.
    package static func make(_ path: String) throws(CommandFailure) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("cannot create \(path): \(Process.fault())")
        }
    }

    /// Returns the names in a folder, sorted by their bytes, without those that begin with a dot.
    package static func names(_ path: String) throws(CommandFailure) -> [String] {
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
