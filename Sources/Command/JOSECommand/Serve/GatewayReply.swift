#if Server
    internal import CJOSEServe
    import JOSEBytes

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Reads requests from the HTTP server, and writes responses to it.
    enum GatewayReply {
        @unsafe static func isPath(_ path: UnsafePointer<CChar>, _ expected: StaticString) -> Bool {
            unsafe strcmp(path, UnsafeRawPointer(expected.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
        }

        /// Returns what a gateway sent.
        @unsafe static func request(
            _ request: OpaquePointer, _ configuration: GatewayConfiguration
        ) -> GatewayRequest {
            var wanted = GatewayRequest()
            wanted.client = unsafe client(request, configuration, &wanted.isRepeated)
            wanted.path = unsafe field(request, configuration.fields.path, &wanted.isRepeated)
            wanted.authorization = unsafe field(request, "Authorization", &wanted.isRepeated)
            if configuration.readsCookies { wanted.cookie = unsafe field(request, "Cookie", &wanted.isRepeated) }
            if configuration.readsProofs {
                wanted.proof = unsafe field(request, "DPoP", &wanted.isRepeated)
                wanted.method = unsafe field(request, configuration.fields.method, &wanted.isRepeated)
                wanted.target = unsafe field(request, configuration.fields.target, &wanted.isRepeated)
            }
            return wanted
        }

        /// Returns what the gateway names the client.
        @unsafe private static func client(
            _ request: OpaquePointer, _ configuration: GatewayConfiguration, _ isRepeated: inout Bool
        ) -> [UInt8]? {
            guard let name = configuration.fields.client else { return nil }
            return unsafe field(request, name, &isRepeated) ?? []
        }

        @unsafe private static func field(
            _ request: OpaquePointer, _ name: String, _ isRepeated: inout Bool
        ) -> [UInt8]? {
            var (size, count) = (0, 0)
            guard let value = unsafe cjose_serve_request_only_field(request, name, &size, &count) else { return nil }
            if count > 1 { isRepeated = true }
            // Blanks around a value are not part of it (RFC 9110, 5.5), and the server removes only those before it.
            let bytes = unsafe UnsafeRawBufferPointer(start: value, count: size)
            let end = unsafe bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
            let start = unsafe bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? end
            return unsafe [UInt8](bytes[start..<end])
        }

        /// Returns what a service sent in a JSON body, `{"token":"…","path":"/"}`, or nil if it is malformed.
        @unsafe static func call(_ request: OpaquePointer, _ configuration: GatewayConfiguration) -> GatewayRequest? {
            guard unsafe strcmp(cjose_serve_request_method(request), "POST") == 0 else { return nil }
            var size = 0
            guard let body = unsafe cjose_serve_request_body(request, &size) else { return nil }
            let text = unsafe [UInt8](UnsafeRawBufferPointer(start: body, count: size))
            // A member with another name may be a misspelt `path`, without which the policy of "/" would decide.
            guard let object = try? JSONObject(parsing: text.span),
                object.members.count == (object.first("path", in: text.span) == nil ? 1 : 2),
                let token = object.first("token", in: text.span)?.stringBytes(in: text.span), !token.isEmpty,
                token.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return nil }
            var wanted = GatewayRequest(authorization: Array("Bearer ".utf8) + token)
            if let path = object.first("path", in: text.span) {
                guard let bytes = path.stringBytes(in: text.span) else { return nil }
                wanted.path = bytes
            } else {
                wanted.path = [UInt8(ascii: "/")]
            }
            wanted.client = unsafe client(request, configuration, &wanted.isRepeated)
            wanted.isCall = true
            return wanted
        }

        @unsafe static func text(_ reply: OpaquePointer, _ status: UInt32, _ text: String, _ type: String) {
            let body = text.utf8.span
            let isMade = unsafe body.withUnsafeBytes {
                unsafe cjose_serve_reply_body(reply, status, $0.baseAddress, $0.count) == 1
            }
            if isMade {
                _ = unsafe cjose_serve_reply_field(reply, "Content-Type", type)
                _ = unsafe cjose_serve_reply_field(reply, "Cache-Control", "no-store")
            }
        }

        /// Writes a decision. If a field cannot be added, the client gets a 500 without any.
        @unsafe static func write(
            _ answer: GatewayAnswer, isCall: Bool, _ reply: OpaquePointer, _ configuration: GatewayConfiguration
        ) {
            if isCall {
                let status: UInt32 = answer.mayRetry ? 503 : 200
                unsafe text(reply, status, String(decoding: answer.body, as: UTF8.self), "application/json")
                if answer.mayRetry {
                    _ = unsafe cjose_serve_reply_field(reply, "Retry-After", "\(configuration.retryAfter)")
                }
                return
            }
            guard unsafe cjose_serve_reply_body(reply, status(answer, configuration.mode), nil, 0) == 1 else { return }
            if let values = answer.values, configuration.nameCount > 0 {
                let isWhole = unsafe configuration.names.withUnsafeBytes { names in
                    unsafe values.withUnsafeBytes { values in
                        guard let names = names.baseAddress, let values = values.baseAddress else { return false }
                        return unsafe cjose_serve_reply_fields(
                            reply, configuration.nameCount, names.assumingMemoryBound(to: CChar.self),
                            values.assumingMemoryBound(to: CChar.self)) == 1
                    }
                }
                if !isWhole { unsafe cjose_serve_reply_drop(reply) }
                return
            }
            if let challenge = answer.challenge {
                _ = unsafe cjose_serve_reply_field(reply, "WWW-Authenticate", challenge)
            }
            if answer.mayRetry {
                _ = unsafe cjose_serve_reply_field(reply, "Retry-After", "\(configuration.retryAfter)")
            }
            if answer.code != nil, configuration.mode == .nginx {
                _ = unsafe cjose_serve_reply_field(reply, "X-Bulla-Status", "\(answer.status)")
            }
        }

        /// Returns the status for a gateway. nginx's `auth_request` passes 401 and 403 on, and turns others into 500.
        private static func status(_ answer: GatewayAnswer, _ mode: GatewayConfiguration.Mode) -> UInt32 {
            switch (mode, answer.status) {
            case (.nginx, 400): 401
            case (.nginx, 503): 403
            default: UInt32(answer.status)
            }
        }
    }
#endif
