internal import JOSEBytes

/// The folder where snapshots lie, one file for each source, named by a hash of the source's name.
package struct SnapshotFolder: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// Returns whether nobody but the process's own user and root can rename and remove the user's files in a folder.
    ///
    /// The owner of a folder can do both, whatever its mode says, and could bring an older snapshot back. In a folder with the sticky
    /// bit, others can do it to their own files alone.
    package static func isPrivate(owner: UInt32, mode: UInt32, user: UInt32) -> Bool {
        guard owner == user || owner == 0 else { return false }
        return mode & 0o022 == 0 || mode & 0o1000 != 0
    }

    private static let ending = ".snapshot"

    static func fileName(of source: String) throws(SnapshotFault) -> String {
        let bytes = Array(source.utf8)
        return String(decoding: try Snapshot.checksum(bytes.span), as: UTF8.self) + ending
    }

    /// In the place of the one before, which is there until this one is whole on the disk.
    package func save(_ snapshot: Snapshot) throws(SnapshotFault) {
        let bytes = try snapshot.written()
        let name = try Self.fileName(of: snapshot.source)
        let folder = try OpenFolder(path, making: true)
        let temporary = "\(name).\(UInt64.random(in: 0 ... .max)).tmp"
        do throws(SnapshotFault) {
            try folder.create(temporary, holding: bytes.span)
            try folder.rename(temporary, to: name)
        } catch {
            folder.remove(temporary)
            throw error
        }
        try folder.synchronize()
    }

    /// Nil where there is none. `bodyLimit`: bytes that a body may have.
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
        guard let bytes = try folder.read(name, most: bodyLimit + Snapshot.overhead) else { return nil }
        let snapshot = try Snapshot(reading: bytes)
        guard sameBytes(snapshot.source, source) else { throw .foreign }
        guard snapshot.document.body.count <= bodyLimit else { throw .tooLarge }
        return snapshot
    }

    /// The server says that what is there holds still: the same as of another time.
    package func confirm(
        _ source: String, at time: Double, header: StoredHeader, lifetime: Double, bodyLimit: Int
    ) throws(SnapshotFault) {
        guard var snapshot = try load(source, bodyLimit: bodyLimit) else { return }
        snapshot.fetchedAt = time
        snapshot.document.header = header
        snapshot.document.lifetime = lifetime
        try save(snapshot)
    }

    /// What was purged must not come back at the next start.
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
