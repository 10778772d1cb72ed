extension StoreError {
    /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens has the
    /// table.
    public var code: String {
        switch self {
        case .unavailable: "store_unavailable"
        case .notReplicated: "not_replicated"
        case .full: "store_full"
        case .refused: "refused"
        case .expired: "expired"
        case .cancelled: "cancelled"
        }
    }
}
