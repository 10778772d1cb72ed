extension KeySetError {
    /// A Boolean value that indicates whether the fetch may succeed later without a change of configuration: the
    /// server, the network or the time limit was at fault. A rejected key set, rejected metadata and a source that was
    /// shut down are not retryable.
    public var isRetryable: Bool {
        switch self {
        case .transport(let error): error.isRetryable
        case .status(let status): [408, 425, 429].contains(status) || (500...599).contains(status) && status != 501
        case .deadlineExceeded: true
        case .urlInvalid, .optionInvalid, .refused, .discovery, .issuerRepeated, .closed: false
        }
    }
}

extension TransportError {
    /// A Boolean value that indicates whether the request may succeed later without a change of configuration of the
    /// client or the server: the host name has no address, there was no connection or no response in time, the
    /// connection was lost, the task was cancelled, or memory or descriptors are exhausted.
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
