#if HTTP
    extension CurlTransportError {
        /// A stable identifier of the error for logs, metrics and other languages; the article Error codes of JOSETokens lists them.
        public var code: String {
            switch self {
            case .optionInvalid: "option_invalid"
            case .backend: "backend_failure"
            }
        }
    }
#endif
