extension StoreError {
    /// A stable code of the error, for logs, metrics and programs that cannot match Swift enum cases. The article
    /// "Error codes" of JOSETokens lists all codes.
    public var code: String {
        switch self {
        case .unavailable: "store_unavailable"
        case .notReplicated: "store_not_replicated"
        case .full: "store_full"
        case .refused: "store_connection_rejected"
        case .expired: "lifetime_not_positive"
        case .cancelled: "task_cancelled"
        }
    }
}
