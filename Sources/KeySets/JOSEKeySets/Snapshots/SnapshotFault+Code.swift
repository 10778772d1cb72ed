extension SnapshotFault {
    /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
    public var code: String {
        switch self {
        case .notPrivate: "not_private"
        case .tooLarge: "too_large"
        case .damaged: "damaged"
        case .foreign: "foreign"
        case .tooOld: "too_old"
        case .fromFuture: "from_future"
        case .refused(let rejection): rejection.code
        case .system: "system"
        }
    }
}
