/// Why a snapshot on disk is not used, or was not written. Neither stops anything: what is served comes from the network then.
@nonexhaustive public enum SnapshotFault: Error, Equatable, Sendable {
    /// Not a regular file of this user that nobody else can write, or in a folder that others can write to, or that belongs to a
    /// user other than this one and root.
    case notPrivate
    /// More than a set that comes from the network may have.
    case tooLarge
    /// Not a snapshot, one of another version, or one that was cut or changed: its checksum does not hold.
    case damaged
    /// Of another URL or issuer.
    case foreign
    /// Fetched so long ago that the process before would not serve it any more either.
    case tooOld
    /// Fetched at a time that has not come yet: one of the clocks was wrong.
    case fromFuture
    /// Whole, and refused as the same body from the network would be.
    case refused(KeySetRejection)
    /// The system gave this `errno`.
    case system(Int32)
}

extension SnapshotFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPrivate: "the snapshot or its folder belongs to another user, or others can write to it"
        case .tooLarge: "the snapshot is too large"
        case .damaged: "the snapshot is damaged"
        case .foreign: "the snapshot is of another source"
        case .tooOld: "the snapshot is too old"
        case .fromFuture: "the snapshot is from the future"
        case .refused(let refusal): "the snapshot's content is refused: \(refusal)"
        case .system(let number): "the snapshot cannot be read or written: errno \(number)"
        }
    }
}
