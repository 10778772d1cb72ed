#if Server
    internal import CJOSESandbox
    internal import CJOSEServe
    package import JOSEKeySets

    /// The versions of the C libraries that serve the pages.
    package enum WebLibraries {
        package static var server: String { unsafe String(cString: cjose_serve_version()) }
        package static var tls: String { unsafe String(cString: cjose_sandbox_tls_version()) }
        package static var code: String { unsafe String(cString: cjose_sandbox_code_version()) }
    }

    /// An https server on 127.0.0.1, with a thread for each connection, so that a handler may wait.
    @safe package final class WebServer: Sendable {
        package typealias Handler = @Sendable (WebRequest) -> TransportResponse

        /// An error of the system, whose number is in `errno`.
        package struct Failure: Error {}

        private final class Context: Sendable {
            let handler: Handler
            init(_ handler: @escaping Handler) { self.handler = handler }
        }
        private let context: Context
        private nonisolated(unsafe) let handle: OpaquePointer

        /// Starts the server.
        ///
        /// - Parameters:
        ///   - port: The port, or 0 for any free one.
        ///   - authorities: The certificates of the authorities of clients, in PEM, or nil to request no client
        ///     certificate.
        package init(
            port: UInt16, _ certificate: TestAuthority.Issued, clients authorities: [UInt8]? = nil,
            handler: @escaping Handler
        ) throws(Failure) {
            context = Context(handler)
            let context = unsafe Unmanaged.passUnretained(self.context).toOpaque()
            // C strings end with NUL.
            let pem = (certificate.certificate + [0]).map { CChar(bitPattern: $0) }
            let key = (certificate.key + [0]).map { CChar(bitPattern: $0) }
            let trusted = authorities.map { ($0 + [0]).map { CChar(bitPattern: $0) } } ?? []
            let started = unsafe pem.withUnsafeBufferPointer { pem in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe trusted.withUnsafeBufferPointer { trusted in
                        var limits = cjose_serve_limits()
                        (limits.body, limits.connections) = (256 * 1024, 1024)
                        (limits.idle_seconds, limits.request_seconds) = (10, 10)
                        var options = unsafe cjose_serve_options(
                            port: port, certificate: pem.baseAddress, key: key.baseAddress,
                            client_authorities: trusted.isEmpty ? nil : trusted.baseAddress, limits: limits,
                            is_threaded: 1)
                        return unsafe cjose_serve_start(
                            &options,
                            { context, request, reply in
                                guard let context = unsafe context else { return }
                                let taken = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                                unsafe WebServer.answer(request, reply, taken.handler)
                            }, context)
                    }
                }
            }
            guard let handle = unsafe started else { throw Failure() }
            unsafe self.handle = handle
        }

        /// Waits for the handlers that run.
        deinit { unsafe cjose_serve_stop(handle) }

        package var port: UInt16 { unsafe cjose_serve_port(handle) }

        @unsafe private static func answer(_ request: OpaquePointer, _ reply: OpaquePointer, _ handler: Handler) {
            var fields: [TransportHeaderField] = []
            for name in WebRequest.fields {
                // A duplicate field is rejected, because nobody can tell which value the client meant.
                guard unsafe cjose_serve_request_field_count(request, name) <= 1 else {
                    return unsafe send(TransportResponse(status: 400), reply)
                }
                if let value = unsafe cjose_serve_request_field(request, name) {
                    // Blanks after a value are not part of it (RFC 9110, 5.5), and the server removes only those before
                    // it.
                    var text = unsafe String(cString: value)
                    while let last = text.unicodeScalars.last, last == " " || last == "\t" {
                        text.unicodeScalars.removeLast()
                    }
                    fields.append(TransportHeaderField(name, text))
                }
            }
            var count = 0
            let start = unsafe cjose_serve_request_body(request, &count)
            let body = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
            var taken = unsafe WebRequest(
                String(cString: cjose_serve_request_method(request)),
                authority: fields.first { $0.name == "Host" }?.value ?? "",
                target: String(cString: cjose_serve_request_target(request)), headers: fields, body: body)
            if let session = unsafe cjose_serve_request_session(request),
                let certificate = unsafe cjose_sandbox_certificate(session, &count)
            {
                taken.clientCertificate = unsafe [UInt8](UnsafeRawBufferPointer(start: certificate, count: count))
            }
            unsafe send(handler(taken), reply)
        }

        @unsafe private static func send(_ response: TransportResponse, _ reply: OpaquePointer) {
            let isMade = unsafe response.body.withUnsafeBytes {
                unsafe cjose_serve_reply_body(reply, UInt32(response.status), $0.baseAddress, $0.count) == 1
            }
            for field in response.headers where isMade {
                _ = unsafe cjose_serve_reply_field(reply, field.name, field.value)
            }
        }
    }
#endif
