#if Redis
    extension RedisStoreError {
        /// A stable identifier of the error for logs, metrics and other languages. The article Error codes of JOSETokens contains
        /// the table.
        public var code: String {
            switch self {
            case .optionInvalid: "option_invalid"
            case .backend: "backend_failure"
            }
        }
    }
#endif
