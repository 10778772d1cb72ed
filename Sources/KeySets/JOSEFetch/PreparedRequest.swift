#if HTTP
    internal import CJOSEFetch
    internal import JOSEKeySets

    /// A validated request in the form that the C library takes.
    @safe struct PreparedRequest: ~Copyable {
        private var handle: OpaquePointer?

        init(_ request: TransportRequest) throws(TransportError) {
            let deadline = request.deadline.milliseconds
            let connect = min(request.connectDeadline.milliseconds, deadline)
            guard deadline > 0 else { throw .deadlineExceeded }
            guard connect > 0 else { throw .connectDeadlineExceeded }
            // C would end the URL at a NUL.
            guard !request.url.utf8.contains(0) else { throw .urlInvalid }
            let isPost = request.method == .post
            guard isPost || request.body.isEmpty else { throw .requestInvalid }
            var lines = try request.headers.map { field throws(TransportError) in try Self.line(field) }
            if isPost {
                // These suppress the fields that libcurl would add.
                lines.append("Expect:")
                if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                    lines.append("Content-Type:")
                }
            }
            guard let handle = unsafe cjose_fetch_request_new(request.url, isPost) else { throw .backend }
            unsafe self.handle = handle
            let redirects = Int32(clamping: max(0, request.redirectLimit))
            unsafe cjose_fetch_request_set_bounds(handle, deadline, connect, max(0, request.bodyLimit), redirects)
            var isWhole = true
            for line in lines { isWhole = unsafe cjose_fetch_request_add_header(handle, line) && isWhole }
            isWhole = unsafe cjose_fetch_request_set_body(handle, request.body, request.body.count) && isWhole
            guard isWhole else { throw .backend }
        }

        deinit { unsafe cjose_fetch_request_free(handle) }

        /// Passes the handle to the caller, who then owns it.
        mutating func take() -> OpaquePointer? { unsafe handle.take() }

        /// The fields that the transport sets or that concern only the connection (RFC 9110, 7.6.1).
        private static let own: Set<String> = [
            "host", "content-length", "user-agent", "accept-encoding", "connection", "keep-alive", "proxy-connection",
            "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "expect", "http2-settings",
        ]

        private static func line(_ field: TransportHeaderField) throws(TransportError) -> String {
            let value = field.value.utf8
            guard HTTPToken.isToken(field.name.utf8), !own.contains(field.name.lowercased()) else {
                throw .requestInvalid
            }
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }), !isBlank(value.first),
                !isBlank(value.last)
            else { throw .requestInvalid }
            return value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
        }

        private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
    }

    /// The tokens of HTTP (RFC 9110, 5.6.2).
    enum HTTPToken {
        private static let others = Set("!#$%&'*+-.^_`|~".utf8)

        static func isToken(_ text: some Sequence<UInt8>) -> Bool {
            var isEmpty = true
            for byte in text {
                isEmpty = false
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
                default: guard others.contains(byte) else { return false }
                }
            }
            return !isEmpty
        }
    }

    extension Duration {
        /// The duration in milliseconds, rounded up, and limited to 0 to 2 * 10^9.
        var milliseconds: Int64 {
            let maximum: Int64 = 2_000_000
            guard self > .zero else { return 0 }
            guard components.seconds < maximum else { return maximum * 1000 }
            return components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        }
    }
#endif
