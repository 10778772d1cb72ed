#if HTTP
    internal import CJOSEFetch
    internal import JOSESupport
    public import JOSE
    public import JOSEKeySets

    /// An `HTTPTransport` based on libcurl. One instance sends the requests of any number of tasks to any number of
    /// servers, on a single thread, and reuses connections.
    ///
    /// A redirect that is not followed is an error; a response with any other status is returned. A GET on a connection
    /// that the server had closed is sent once more; a POST is not, unless HTTP/2 reports that it was not processed
    /// (RFC 9113, 8.7). After a fork, the child process must not use the transport.
    @safe public final class CurlTransport: HTTPTransport, Sendable {
        private nonisolated(unsafe) let handle: OpaquePointer

        /// Creates a transport and starts its thread.
        ///
        /// - Parameter options: The options.
        /// - Throws: `optionInvalid` if an option has an invalid value, `libraryMissing` if libcurl cannot be loaded, and
        ///   `backend` if memory, descriptors or threads are exhausted.
        public init(_ options: Options = Options()) throws(CurlTransportError) {
            try options.check()
            guard cjose_fetch_load() else { throw .libraryMissing }
            guard let handle = unsafe cjose_fetch_new() else { throw .backend }
            guard unsafe options.apply(to: handle), unsafe cjose_fetch_start(handle) else {
                unsafe cjose_fetch_free(handle)
                throw .backend
            }
            unsafe self.handle = handle
        }

        deinit { unsafe cjose_fetch_free(handle) }

        /// Shuts the transport down: requests in progress and later ones fail with `closed`, and connections are
        /// closed. This takes less than a second, and usually less than a millisecond.
        public func shutdown() { unsafe cjose_fetch_stop(handle) }

        /// The version of libcurl, such as 7.88.1, or nil if it cannot be loaded. On Linux it is loaded by the first use
        /// of this property or of a transport.
        public static var libraryVersion: String? { unsafe cjose_fetch_version().map { unsafe String(cString: $0) } }

        /// Sends a request and returns the response, whatever its status, unless it is a redirect that is not followed.
        /// If the task is cancelled, the request fails with `cancelled` at once.
        ///
        /// A request is rejected with `requestInvalid` if it contains a field that the transport sets itself: `Host`,
        /// `Content-Length`, `User-Agent`, `Accept-Encoding`, or one that controls the connection, such as
        /// `Connection`.
        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let wait = Wait<Answer>(cancelled: .failure(.cancelled))
            let result = await wait.value {
                do throws(TransportError) { try start(request, wait) } catch { wait.end(.failure(error)) }
            }
            return try result.get()
        }

        typealias Answer = Result<TransportResponse, TransportError>

        private func start(_ request: TransportRequest, _ wait: Wait<Answer>) throws(TransportError) {
            var prepared = try PreparedRequest(request)
            guard let request = unsafe prepared.take() else { throw .backend }
            var id: UInt64 = 0
            let context = unsafe Unmanaged.passRetained(wait)
            let status = unsafe cjose_fetch_send(
                handle, request,
                { context, answer in
                    guard let context = unsafe context else { return }
                    let wait = unsafe Unmanaged<Wait<Answer>>.fromOpaque(context).takeRetainedValue()
                    wait.end(unsafe TransportResponse.result(of: answer.pointee))
                }, context.toOpaque(), &id)
            if let error = TransportError(status) {
                unsafe context.release()
                throw error
            }
            wait.onAbandon { [self, id] in unsafe cjose_fetch_cancel(handle, id) }
        }
    }

    /// The reason why a transport could not be created.
    @nonexhaustive public enum CurlTransportError: CodedError, Equatable {
        /// The option of this name has an invalid value.
        case optionInvalid(String)
        /// libcurl (`libcurl.so.4`) cannot be loaded: it is not installed, or lacks a function that the
        /// transport uses. A later attempt loads it again.
        case libraryMissing
        /// Memory, descriptors or threads are exhausted.
        case backend
    }

    extension CurlTransportError: ErrorTable {
        package func row(_ row: ErrorRow) -> ErrorRow.Cell {
            switch self {
            case .optionInvalid(let option):
                row(
                    "option_invalid", "the option \(option) has an invalid value",
                    remedy: "correct the option where the transport is made")
            case .libraryMissing:
                row(
                    "library_missing", "libcurl.so.4 cannot be loaded; on Debian it is in the package libcurl4",
                    remedy: "install libcurl, or another version of it")
            case .backend:
                row(
                    "backend_failure", "memory, descriptors or threads are exhausted",
                    remedy: "check the memory and descriptors of this process", retryable: true)
            }
        }
    }
#endif
