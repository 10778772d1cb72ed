import JOSEKeySets
import JOSESupport

#if Server
    internal import CJOSEServe
#endif

/// A response of the service, to a gateway, a service or the operator.
struct GatewayResponse: Sendable {
    /// The largest number of bytes of the status line, `Date`, `Connection` and the fields below without a challenge.
    static let maximumFixedBytes = 512

    /// The status in logs and metrics.
    let status: Int
    /// The status that is sent. nginx and services get another one than `status` for some decisions.
    let sentStatus: UInt32
    /// The reason in the words of logs and metrics; nil for an allowed request.
    private(set) var code: String?
    private var fields: [(name: String, value: String)] = []
    /// The number of the configured fields, their names and their values, each with a NUL at its end.
    private var claims: (count: Int, names: [UInt8], values: [UInt8])?
    private var body: [UInt8] = []

    /// Creates the response for the operator, or one that every sender gets.
    init(_ status: Int, _ text: String, type: String = "text/plain") {
        self.init(status, sent: status, body: Array(text.utf8), type: type)
    }

    private init(_ status: Int, sent: Int, body: [UInt8] = [], type: String? = nil) {
        self.status = status
        sentStatus = UInt32(sent)
        self.body = body
        if let type { fields = [("Content-Type", type), ("Cache-Control", "no-store")] }
    }

    /// The response to a service whose request is malformed.
    static var malformed: Self {
        Self(400, #"{"error":"request_malformed"}"# + "\n", type: "application/json")
    }

    /// Creates the response of `bulla keys serve`.
    init(_ response: TransportResponse) {
        self.init(response.status, sent: response.status, body: response.body)
        fields = response.headers.map { ($0.name, $0.value) }
    }

    /// Creates the response for a decision.
    ///
    /// - Parameter policy: The policy that the decision was made under, or nil if none applied.
    init(
        _ decision: GatewayDecision, for sender: GatewayRequest.Sender, under policy: GatewayPolicy?,
        _ configuration: GatewayConfiguration
    ) {
        switch (sender, decision) {
        case (.service, .success(let claims)):
            self.init(200, sent: 200, body: Self.answer("valid", claims: claims), type: "application/json")
        case (.service, .failure(let rejection)):
            let result = rejection.isRetryable ? "retry" : "invalid"
            self.init(
                rejection.status, sent: rejection.isRetryable ? 503 : 200,
                body: Self.answer(result, code: rejection.code), type: "application/json")
        case (.gateway, .success(let values)):
            self.init(204, sent: 204)
            if configuration.nameCount > 0 { claims = (configuration.nameCount, configuration.names, values) }
        case (.gateway, .failure(let rejection)):
            self.init(rejection.status, sent: configuration.settings.mode.sent(rejection.status))
            if let challenge = (policy?.challenges ?? .general).challenge(rejection) {
                fields.append(("WWW-Authenticate", challenge))
            }
            if configuration.settings.mode == .nginx { fields.append(("X-Bulla-Status", "\(rejection.status)")) }
        }
        guard case .failure(let rejection) = decision else { return }
        code = rejection.code
        if rejection.isRetryable { fields.append(("Retry-After", "\(configuration.settings.retryAfter)")) }
    }

    /// Returns the JSON body of the response to a service.
    private static func answer(_ result: String, code: String? = nil, claims: [UInt8]? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("result", result)
        if let code { writer.member("error", code) }
        if let claims {
            writer.name("claims")
            writer.raw(claims.span)
        }
        writer.endObject()
        return writer.bytes + [0x0A]
    }
}

extension GatewaySettings.Mode {
    /// Returns the status for a gateway. nginx's `auth_request` passes 401 and 403 on, and turns others into 500.
    fileprivate func sent(_ status: Int) -> Int {
        switch (self, status) {
        case (.nginx, 400): 401
        case (.nginx, 503): 403
        default: status
        }
    }
}

#if Server
    extension GatewayResponse {
        /// Writes the response. If a field cannot be added, the client gets a 500 without any.
        @unsafe func write(to reply: OpaquePointer) {
            let content = body.span
            let isMade = unsafe content.withUnsafeBytes {
                unsafe cjose_serve_reply_body(reply, sentStatus, $0.baseAddress, $0.count) == 1
            }
            guard isMade else { return }
            let isWhole = unsafe writeFields(to: reply) && writeClaims(to: reply)
            if !isWhole { unsafe cjose_serve_reply_drop(reply) }
        }

        @unsafe private func writeFields(to reply: OpaquePointer) -> Bool {
            for (name, value) in fields {
                guard unsafe cjose_serve_reply_field(reply, name, value) == 1 else { return false }
            }
            return true
        }

        @unsafe private func writeClaims(to reply: OpaquePointer) -> Bool {
            guard let (count, names, values) = claims else { return true }
            return unsafe names.withUnsafeBytes { names in
                unsafe values.withUnsafeBytes { values in
                    guard let names = names.baseAddress, let values = values.baseAddress else { return false }
                    return unsafe cjose_serve_reply_fields(
                        reply, count, names.assumingMemoryBound(to: CChar.self),
                        values.assumingMemoryBound(to: CChar.self)) == 1
                }
            }
        }
    }
#endif
