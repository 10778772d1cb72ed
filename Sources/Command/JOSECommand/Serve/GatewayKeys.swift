import JOSE
import JOSEKeySets
import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The keys of the policies: remote key sets, which survive a new configuration, and the files that keys are read from.
final class GatewayKeys: Sendable {
    /// The verification keys of an issuer.
    struct Source: Sendable {
        let name: String
        let remote: RemoteKeySet?

        /// Whether a token can be verified with keys of this source.
        var hasKeys: Bool { remote?.health.isServing ?? true }
    }

    private let remotes = Mutex<[String: RemoteKeySet]>([:])

    /// Returns the key set of this name, or keeps `new` under it and begins its first fetch.
    func shared(_ name: String, _ new: RemoteKeySet) -> RemoteKeySet {
        let (set, isNew) = remotes.withLock { remotes in
            if let old = remotes[name] { return (old, false) }
            remotes[name] = new
            return (new, true)
        }
        if isNew { Task { try? await set.warmUp(timeout: .seconds(30)) } }
        return set
    }

    /// Drops the key sets that no policy uses any more.
    func keep(_ names: Set<String>) {
        remotes.withLock { remotes in remotes = remotes.filter { names.contains($0.key) } }
    }

    /// The state of a file, which differs after the file was written or replaced.
    struct FileState: Equatable, Sendable {
        private let numbers: [Int]

        init(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                numbers = []
                return
            }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            // The two parts of the time, seconds and nanoseconds.
            let parts = unsafe withUnsafeBytes(of: time) { unsafe $0.map { Int($0) } }
            numbers =
                [Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size)]
                + parts
        }
    }
}
