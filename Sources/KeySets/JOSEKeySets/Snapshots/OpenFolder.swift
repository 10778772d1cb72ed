#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
    // Where the members of `timespec` are declared, for a module that imports Synchronization too.
    internal import SwiftOverlayShims
#endif

/// An open folder and the operations on its files. No other code of this module accesses files.
final class OpenFolder {
    private let number: Int32

    /// The `errno` of a file that does not exist.
    static var absent: Int32 { ENOENT }

    /// Opens the folder, and throws `notPrivate` if another user could replace files in it. If `making`, the last part
    /// of the path is created.
    ///
    /// - Parameter isStrict: Whether a folder that others can write to is rejected even if it has the sticky bit.
    init(_ path: String, making: Bool, isStrict: Bool = false) throws(SnapshotFault) {
        if making { _ = unsafe mkdir(path, 0o700) }
        number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .system(errno) }
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .system(errno) }
        guard SnapshotFolder.isPrivate(owner: status.st_uid, mode: UInt32(status.st_mode), user: geteuid()) else {
            throw .notPrivate
        }
        guard !isStrict || status.st_mode & 0o022 == 0 else { throw .notPrivate }
    }

    deinit { if number >= 0 { _ = close(number) } }

    /// Reads a file completely, or returns nil if it does not exist.
    func read(_ name: String, maximumBytes: Int) throws(SnapshotFault) -> [UInt8]? {
        // The open must not wait for a writer if the file is a pipe.
        let file = unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .notPrivate : .system(errno)
        }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw .notPrivate
        }
        guard status.st_size <= maximumBytes else { throw .tooLarge }
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: 65_536))
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                Self.retrying { unsafe systemRead(file, buffer.baseAddress.map { unsafe $0 + start }, 65_536) }
            }
            bytes.removeLast(65_536 - max(0, got))
            guard got >= 0 else { throw .system(errno) }
            if got == 0 { return bytes }
        }
        throw .tooLarge
    }

    /// Creates a file that only this user can read or write, and writes it to the disk before it returns.
    func create(_ name: String, contents bytes: Span<UInt8>) throws(SnapshotFault) {
        let file = unsafe openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(errno) }
        defer { _ = close(file) }
        guard Self.write(bytes, to: file), Self.retrying({ Int(fsync(file)) }) == 0 else { throw .system(errno) }
    }

    /// Locks a file, which is created if it does not exist, against other processes. Returns nil if another process has
    /// locked it. The lock ends with the returned object, or with the process.
    func lock(_ name: String) throws(SnapshotFault) -> LockedFile? {
        let file = unsafe openat(number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw errno == ELOOP ? .notPrivate : .system(errno) }
        let locked = LockedFile(file)
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw .notPrivate
        }
        guard Self.retrying({ Int(flock(file, LOCK_EX | LOCK_NB)) }) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .system(errno)
        }
        return locked
    }

    func rename(_ name: String, to other: String) throws(SnapshotFault) {
        guard unsafe renameat(number, name, number, other) == 0 else { throw .system(errno) }
    }

    func remove(_ name: String) { _ = unsafe unlinkat(number, name, 0) }

    /// Writes the renames and removals to the disk, so that they survive a power failure.
    func synchronize() throws(SnapshotFault) {
        guard Self.retrying({ Int(fsync(number)) }) == 0 else { throw .system(errno) }
    }

    /// Removes the temporary files under `name` that a terminated process left.
    func removeRemains(of name: String) {
        let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return }
        guard let list = unsafe fdopendir(copy) else {
            _ = close(copy)
            return
        }
        defer { _ = unsafe closedir(list) }
        let now = time(nil)
        while let entry = unsafe readdir(list) {
            let found = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard found.hasPrefix(name + "."), found.hasSuffix(".tmp") else { continue }
            var status = stat()
            guard unsafe fstatat(number, found, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            // A younger file may belong to another process that is about to rename it.
            if now - Self.modified(status) > 3_600 { remove(found) }
        }
    }

    private static func modified(_ status: stat) -> time_t {
        #if canImport(Darwin)
            status.st_mtimespec.tv_sec
        #else
            status.st_mtim.tv_sec
        #endif
    }

    private static func write(_ bytes: Span<UInt8>, to file: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let start = unsafe buffer.baseAddress.map { unsafe $0 + done }
                let wrote = retrying { unsafe systemWrite(file, start, buffer.count - done) }
                guard wrote > 0 else { return false }
                done += wrote
            }
            return true
        }
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// A file that this process has locked.
final class LockedFile: Sendable {
    private let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { _ = close(number) }
}

private func systemRead(_ file: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, target, count)
}

private func systemWrite(_ file: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, source, count)
}
