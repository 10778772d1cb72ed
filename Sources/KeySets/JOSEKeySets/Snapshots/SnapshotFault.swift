/// The reason why a snapshot on disk was not used or not saved. In either case the key source continues without
/// the snapshot.
@nonexhaustive public enum SnapshotFault: Error, Equatable, Sendable {
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

extension SnapshotFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPrivate: "the snapshot or its folder belongs to another user, or others can write to it"
        case .tooLarge: "the snapshot is too large"
        case .damaged: "the snapshot is damaged"
        case .foreign: "the snapshot was saved for another URL or issuer"
        case .tooOld: "the snapshot is too old"
        case .fromFuture: "the snapshot was fetched at a time in the future"
        case .refused(let rejection): "the content of the snapshot was rejected: \(rejection)"
        case .system(let number): "the snapshot cannot be read or written: errno \(number)"
        }
    }
}
