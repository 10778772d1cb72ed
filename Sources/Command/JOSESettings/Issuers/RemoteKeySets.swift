import JOSE
package import JOSEKeySets
import Synchronization

/// The state of the verification keys of an issuer.
package struct IssuerKeyState: Sendable {
    package let name: String
    package internal(set) var remote: RemoteKeySet?
    /// Whether the files of the issuer contain a key or a root certificate.
    package internal(set) var hasFileKeys = false
    /// The reason why the keys in use are not those of the files, or nil if they are.
    package internal(set) var fault: String?

    init(name: String) { self.name = name }

    /// Whether a token can be verified with keys of this source.
    package var hasKeys: Bool { remote?.health.isServing ?? hasFileKeys }
}

/// The remote key sets of a service, which survive a new configuration.
package final class RemoteKeySets: Sendable {
    /// The properties of a remote key set. With any other value the keys are fetched anew: keys that were fetched under
    /// a root that is no longer configured are not used any more.
    package struct Name: Hashable, Sendable {
        let location: KeySetSource.Location
        let timeout: Duration
        let allowsLoopbackHTTP: Bool
        /// The largest number of keys that are read; nil for the default.
        let keyLimit: Int?
        /// The content of the file with the root certificates, or nil for those of the system.
        let roots: [UInt8]?
    }

    private let remotes = Mutex<[Name: RemoteKeySet]>([:])
    private let report: @Sendable (String) -> Void

    /// Creates an empty collection.
    ///
    /// - Parameter report: Reports what is no failure, and what the operator should know.
    package init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Returns the key set of this name, or keeps `new` under it and begins its first fetch.
    func shared(_ name: Name, _ new: RemoteKeySet) -> RemoteKeySet {
        let (set, isNew) = remotes.withLock { remotes in
            if let old = remotes[name] { return (old, false) }
            remotes[name] = new
            return (new, true)
        }
        if isNew {
            Task { [report] in
                try? await set.warmUp(timeout: .seconds(30))
                guard set.ignoredKeys > 0 else { return }
                report(
                    "\(TerminalText.escaped(name.location.text)): the last \(set.ignoredKeys) keys of the set are ignored:"
                        + " raise max-keys")
            }
        }
        return set
    }

    /// Drops the key sets that no policy uses any more.
    package func keep(_ names: Set<Name>) {
        remotes.withLock { remotes in remotes = remotes.filter { names.contains($0.key) } }
    }
}

/// The keys of an issuer whose key set is empty, or whose file was removed: its last key was withdrawn. A verifier
/// accepts a source that may change without keys, and rejects every token with `keyNotFound`.
struct NoKeys: KeySource {
    func current() throws(JOSEError) -> KeySet { .empty }
}
