#if HTTP
    extension CurlTransportError {
        /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes
        /// of JOSETokens lists all identifiers.
        public var code: String {
            switch self {
            case .optionInvalid: "option_invalid"
            case .libraryMissing: "library_missing"
            case .backend: "backend_failure"
            }
        }
    }
#endif
