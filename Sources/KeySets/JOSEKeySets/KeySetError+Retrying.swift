extension KeySetError {
    /// A Boolean value that indicates whether the same fetch may succeed later although nobody changes the configuration: the
    /// server, the network or the time limit was at fault. A key set or metadata that was rejected is not retryable, and neither is
    /// a source that was shut down.
    public var isRetryable: Bool {
        switch self {
        case .transport(let error): error.isRetryable
        case .status(let status): [408, 425, 429].contains(status) || (500...599).contains(status) && status != 501
        case .deadlineExceeded: true
        case .urlInvalid, .optionsInvalid, .refused, .discovery, .issuerRepeated, .closed: false
        }
    }
}

extension TransportError {
    /// A Boolean value that indicates whether the same request may succeed later although nobody changes the configuration of
    /// the client or the server: no address, no connection, no answer in time, a lost connection, a cancelled task, or no
    /// memory or descriptors.
    public var isRetryable: Bool {
        switch self {
        case .nameNotResolved, .connectFailed, .connectDeadlineExceeded, .deadlineExceeded, .connectionLost, .cancelled,
            .backend:
            true
        case .urlInvalid, .requestInvalid, .schemeNotAllowed, .addressNotAllowed, .tls, .bodyTooLarge, .headersTooLarge,
            .redirectNotAllowed, .responseInvalid, .closed:
            false
        }
    }
}
