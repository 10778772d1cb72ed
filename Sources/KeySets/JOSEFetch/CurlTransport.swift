#if HTTP
    internal import CJOSEFetch
    internal import JOSEBytes
    public import JOSEKeySets

    /// A `HTTPTransport` over libcurl, for as many servers and tasks as there are: one thread carries all requests, and keeps
    /// connections for the next ones.
    ///
    /// An answer of a redirect that is not followed is an error; any other status is an answer. A GET that met a connection
    /// which the server had closed is sent once more; a POST never is, but where HTTP/2 says that it was not looked at
    /// (RFC 9113, 8.7). A process that forks may not use it in the child.
    @safe public final class CurlTransport: HTTPTransport, Sendable {
        private nonisolated(unsafe) let handle: OpaquePointer

        /// Begins the thread.
        public init(_ options: Options = Options()) throws(CurlTransportError) {
            try options.check()
            guard let handle = unsafe cjose_fetch_new() else { throw .backend }
            guard unsafe options.apply(to: handle), unsafe cjose_fetch_start(handle) else {
                unsafe cjose_fetch_free(handle)
                throw .backend
            }
            unsafe self.handle = handle
        }

        deinit { unsafe cjose_fetch_free(handle) }

        /// Ends the requests that are under way with `closed`, as all that come after it, and closes the connections.
        /// It is over within a second, most often within a millisecond.
        public func shutdown() { unsafe cjose_fetch_stop(handle) }

        /// The version of the libcurl that was loaded, such as 7.88.1.
        public static var libraryVersion: String { unsafe String(cString: cjose_fetch_version()) }

        /// The answer, whatever its status but a redirect that is not followed. A task that is cancelled gets `cancelled` at
        /// once. `Host`, `Content-Length`, `User-Agent`, `Accept-Encoding` and what concerns the connection are not the
        /// request's to set.
        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let exchange = Exchange<Answer>(cancelled: .failure(.cancelled))
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard exchange.begin(continuation) else { return }
                    do throws(TransportError) { try start(request, exchange) } catch { exchange.end(.failure(error)) }
                }
            } onCancel: {
                if let id = exchange.cancel() { unsafe cjose_fetch_cancel(handle, id) }
            }
            return try result.get()
        }

        typealias Answer = Result<TransportResponse, TransportError>

        private func start(_ request: TransportRequest, _ exchange: Exchange<Answer>) throws(TransportError) {
            var prepared = try PreparedRequest(request)
            guard let request = unsafe prepared.take() else { throw .backend }
            var id: UInt64 = 0
            let context = unsafe Unmanaged.passRetained(exchange)
            let status = unsafe cjose_fetch_send(
                handle, request,
                { context, answer in
                    guard let context = unsafe context else { return }
                    let exchange = unsafe Unmanaged<Exchange<Answer>>.fromOpaque(context).takeRetainedValue()
                    exchange.end(unsafe TransportResponse.result(of: answer.pointee))
                }, context.toOpaque(), &id)
            if let error = TransportError(status) {
                unsafe context.release()
                throw error
            }
            if exchange.didStart(id) { unsafe cjose_fetch_cancel(handle, id) }
        }
    }

    /// Why a transport could not be made.
    @nonexhaustive public enum CurlTransportError: Error, Equatable, Sendable {
        /// The option holds what it may not.
        case optionInvalid(CurlTransport.Option)
        /// Out of memory, descriptors or threads.
        case backend
    }
#endif
