extension StoreError {
    /// A stable identifier of the error for logs, metrics and clients. The article "Error codes" of `JOSETokens` lists
    /// all identifiers.
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
