import JOSESupport

#if Server
    internal import CJOSEServe
#endif

/// A request to verify a token: the parts of it that the decision depends on.
struct GatewayRequest: Sendable {
    /// The sender of the request, on which its form and that of the response depend, by the path.
    enum Sender: String, Sendable {
        /// A gateway, which sends the fields of its client's request.
        case gateway = "/auth"
        /// A service, which sends the token in a JSON body.
        case service = "/verify"
    }

    let sender: Sender
    var path: [UInt8]?
    var authorization: [UInt8]?
    var cookie: [UInt8]?
    var proof: [UInt8]?
    /// The method and the path of the client's request, which the gateway sets.
    var method: [UInt8]?
    var target: [UInt8]?
    /// The client, as far as the gateway tells it: a share of the limiter.
    var client: [UInt8]?
    /// Whether a field of the request that may be sent once was sent several times.
    var isRepeated = false

    init(from sender: Sender) { self.sender = sender }
}

#if Server
    extension GatewayRequest {
        /// Reads a request from the HTTP server, or returns nil if the body of a service's request is malformed.
        @unsafe static func read(
            _ request: OpaquePointer, from sender: Sender, _ configuration: GatewayConfiguration
        ) -> GatewayRequest? {
            var wanted = GatewayRequest(from: sender)
            if let name = configuration.settings.clientField {
                wanted.client = unsafe wanted.field(name, of: request) ?? []
            }
            switch sender {
            case .gateway: unsafe wanted.readFields(of: request, configuration)
            case .service: guard unsafe wanted.readBody(of: request) else { return nil }
            }
            return wanted
        }

        @unsafe private mutating func readFields(of request: OpaquePointer, _ configuration: GatewayConfiguration) {
            path = unsafe field(configuration.settings.pathField, of: request)
            authorization = unsafe field("Authorization", of: request)
            if configuration.router.readsCookies { cookie = unsafe field("Cookie", of: request) }
            if configuration.router.readsProofs {
                proof = unsafe field("DPoP", of: request)
                method = unsafe field(configuration.settings.methodField, of: request)
                target = unsafe field(configuration.settings.targetField, of: request)
            }
        }

        @unsafe private mutating func field(_ name: String, of request: OpaquePointer) -> [UInt8]? {
            var (size, count) = (0, 0)
            guard let value = unsafe cjose_serve_request_only_field(request, name, &size, &count) else { return nil }
            if count > 1 { isRepeated = true }
            // Blanks around a value are not part of it (RFC 9110, 5.5), and the server removes only those before it.
            let bytes = unsafe UnsafeRawBufferPointer(start: value, count: size)
            let end = unsafe bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
            let start = unsafe bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? end
            return unsafe [UInt8](bytes[start..<end])
        }

        /// Reads the JSON body `{"token":"…","path":"/"}`. Returns false if it is malformed.
        @unsafe private mutating func readBody(of request: OpaquePointer) -> Bool {
            guard unsafe String(cString: cjose_serve_request_method(request)) == "POST" else { return false }
            var size = 0
            guard let body = unsafe cjose_serve_request_body(request, &size) else { return false }
            let text = unsafe [UInt8](UnsafeRawBufferPointer(start: body, count: size))
            // A member with another name may be a misspelt `path`, without which the policy of "/" would decide.
            guard let object = try? JSONObject(parsing: text.span),
                object.members.count == (object.first("path", in: text.span) == nil ? 1 : 2),
                let token = object.first("token", in: text.span)?.stringBytes(in: text.span), !token.isEmpty,
                token.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return false }
            authorization = Array("Bearer ".utf8) + token
            guard let member = object.first("path", in: text.span) else {
                path = [UInt8(ascii: "/")]
                return true
            }
            path = member.stringBytes(in: text.span)
            return path != nil
        }
    }
#endif
