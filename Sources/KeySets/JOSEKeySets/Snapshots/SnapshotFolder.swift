internal import JOSECrypto
internal import JOSESupport

/// The folder of the snapshots, one file for each source, named by a hash of the name of the source.
package struct SnapshotFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Returns the folder in this one for documents that are fetched under these root certificates. A process that does
    /// not trust them must not use those documents.
    package func folder(trusting roots: [UInt8]) throws(SnapshotFault) -> SnapshotFolder {
        SnapshotFolder(path: path + "/ca-" + String(decoding: try Snapshot.checksum(roots.span), as: UTF8.self))
    }

    /// Whether only the user of the process and root can rename and remove the files of the user in a folder.
    ///
    /// The owner of a folder can do both, whatever its mode, and could restore an older snapshot. In a folder with the
    /// sticky bit, others can only rename and remove their own files.
    package static func isPrivate(owner: UInt32, mode: UInt32, user: UInt32) -> Bool {
        guard owner == user || owner == 0 else { return false }
        return mode & 0o022 == 0 || mode & 0o1000 != 0
    }

    static func fileName(of source: String, ending: String = ".snapshot") throws(SnapshotFault) -> String {
        let bytes = Array(source.utf8)
        return String(decoding: try Snapshot.checksum(bytes.span), as: UTF8.self) + ending
    }

    /// Creates the folder if it does not exist, and throws `notPrivate` if another user than root can write to it.
    package func prepare() throws(SnapshotFault) { _ = try OpenFolder(path, making: true, isStrict: true) }

    /// Locks the source against other processes, or returns nil if another one has locked it.
    func lock(_ source: String) throws(SnapshotFault) -> LockedFile? {
        try OpenFolder(path, making: true).lock(Self.fileName(of: source, ending: ".lock"))
    }

    /// Saves a snapshot in place of the previous one, which is kept until the new one is complete on the disk.
    package func save(_ snapshot: Snapshot) throws(SnapshotFault) {
        let bytes = try snapshot.written()
        let name = try Self.fileName(of: snapshot.source)
        let folder = try OpenFolder(path, making: true)
        let temporary = "\(name).\(UInt64.random(in: 0 ... .max)).tmp"
        do throws(SnapshotFault) {
            try folder.create(temporary, contents: bytes.span)
            try folder.rename(temporary, to: name)
        } catch {
            folder.remove(temporary)
            throw error
        }
        try folder.synchronize()
    }

    /// Returns the snapshot of a source, or nil if there is none. `bodyLimit` is the largest accepted body in bytes.
    package func load(_ source: String, bodyLimit: Int) throws(SnapshotFault) -> Snapshot? {
        let name = try Self.fileName(of: source)
        let folder: OpenFolder
        do throws(SnapshotFault) {
            folder = try OpenFolder(path, making: false)
        } catch {
            if error == .system(OpenFolder.absent) { return nil }
            throw error
        }
        folder.removeRemains(of: name)
        guard let bytes = try folder.read(name, maximumBytes: bodyLimit + Snapshot.overhead) else { return nil }
        let snapshot = try Snapshot(reading: bytes)
        guard bytesEqual(snapshot.source, source) else { throw .foreign }
        guard snapshot.document.body.count <= bodyLimit else { throw .tooLarge }
        return snapshot
    }

    /// Records in the snapshot that the server confirmed it at a later time. A snapshot of another body, which another
    /// process may have saved, stays as it is.
    package func confirm(
        _ source: String, at time: Double, digest: [UInt8], header: StoredHeader, lifetime: Double, bodyLimit: Int
    ) throws(SnapshotFault) {
        guard var snapshot = try load(source, bodyLimit: bodyLimit),
            let found = try? Hash.sha256.digest(snapshot.document.body.span), found == digest
        else { return }
        snapshot.fetchedAt = time
        snapshot.document.header = header
        snapshot.document.lifetime = lifetime
        try save(snapshot)
    }

    /// Removes the snapshot of a source, so that purged keys do not return at the next start.
    package func remove(_ source: String) throws(SnapshotFault) {
        let name = try Self.fileName(of: source)
        do throws(SnapshotFault) {
            let folder = try OpenFolder(path, making: false)
            folder.remove(name)
            try folder.synchronize()
        } catch {
            guard error == .system(OpenFolder.absent) else { throw error }
        }
    }
}
