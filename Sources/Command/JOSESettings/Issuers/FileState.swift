#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The state of a file, which differs after the file was written or replaced.
package struct FileState: Equatable, Sendable {
    /// The device, the number, the size and the two times, or nothing if there is no such file.
    private let numbers: [Int]
    /// Whether there is no file of this name. A file that cannot be examined for another reason is not missing.
    package let isMissing: Bool

    package init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            isMissing = errno == ENOENT || errno == ENOTDIR
            numbers = []
            return
        }
        isMissing = false
        #if canImport(Darwin)
            let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (written, changed) = (status.st_mtim, status.st_ctim)
        #endif
        // The time of the last write can be set to any value, and a tool that copies files does so. The time of the
        // last change cannot.
        numbers =
            [Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size)]
            + Self.parts(written) + Self.parts(changed)
    }

    /// Returns the bytes of a time, whose members have other modules in other C libraries.
    private static func parts(_ time: timespec) -> [Int] {
        unsafe withUnsafeBytes(of: time) { unsafe $0.map { Int($0) } }
    }
}
