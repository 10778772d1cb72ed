public import JOSE

/// The reason why a snapshot on disk was not used or not saved. In either case the key source continues without
/// the snapshot.
@nonexhaustive public enum SnapshotFault: CodedError, Equatable {
    /// The snapshot is not a regular file that belongs to the user of this process and is writable by no other user; or
    /// its folder belongs to a user other than this one and root, or is writable by others.
    case notPrivate
    /// The snapshot is larger than a fetched document may be.
    case tooLarge
    /// The file is not a snapshot, has another version, or was truncated or changed so that its checksum differs.
    case damaged
    /// The snapshot was saved for another URL or issuer.
    case foreign
    /// The snapshot was fetched so long ago that even the process that saved it would no longer use it.
    case tooOld
    /// The snapshot was fetched at a time in the future: a clock was wrong.
    case fromFuture
    /// The content of the snapshot was rejected, for a reason for which a fetched body is rejected too.
    case refused(KeySetRejection)
    /// The operating system returned this `errno`.
    case system(Int32)
}

extension SnapshotFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let fetch = "nothing to do: the keys are fetched"
        return switch self {
        case .notPrivate:
            row(
                "snapshot_not_private", "the snapshot or its folder belongs to another user, or others can write to it",
                remedy: "give a folder of mode 700 that belongs to the user of the process")
        case .tooLarge: row("snapshot_too_large", "the snapshot is too large", remedy: fetch)
        case .damaged: row("snapshot_damaged", "the snapshot is damaged", remedy: fetch)
        case .foreign: row("snapshot_foreign", "the snapshot was saved for another URL or issuer", remedy: fetch)
        case .tooOld: row("snapshot_too_old", "the snapshot is too old", remedy: fetch)
        case .fromFuture:
            row("snapshot_from_future", "the snapshot was fetched at a time in the future", remedy: "correct the clock")
        case .refused(let rejection): row("the content of the snapshot was rejected: ", of: rejection)
        case .system(let number):
            row(
                "snapshot_system_error", "the snapshot cannot be read or written: errno \(number)",
                remedy: "check the folder, its permissions and the errno")
        }
    }
}
