#if Redis
    extension RedisStoreError {
        /// A stable, machine-readable identifier of the error for logs, metrics and other programs. The article Error
        /// codes in the documentation of JOSETokens lists all identifiers.
        public var code: String {
            switch self {
            case .optionInvalid: "option_invalid"
            case .backend: "backend_failure"
            }
        }
    }
#endif
