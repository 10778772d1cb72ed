extension SnapshotFault {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .notPrivate: "snapshot_not_private"
        case .tooLarge: "snapshot_too_large"
        case .damaged: "snapshot_damaged"
        case .foreign: "snapshot_foreign"
        case .tooOld: "snapshot_too_old"
        case .fromFuture: "snapshot_from_future"
        case .refused(let rejection): rejection.code
        case .system: "snapshot_system_error"
        }
    }
}
