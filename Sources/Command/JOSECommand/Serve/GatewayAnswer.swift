import JOSEBytes

/// The parts of a request that the decision depends on.
struct GatewayRequest: Sendable {
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
    /// Whether a service sent the token in a JSON body, and expects a JSON response.
    var isCall = false
}

/// The reason why a request is not allowed.
enum GatewayRejection: Error, Sendable {
    /// The request has no token.
    case missing
    /// The request is malformed.
    case badRequest(String)
    /// The token is not valid.
    case token(String)
    /// The DPoP proof is not valid.
    case proof(String)
    /// The token is valid and lacks a required scope.
    case scope
    /// The request is not allowed, whatever its token is.
    case forbidden(String)
    /// The token was neither accepted nor rejected.
    case notJudged(String)

    /// The reason in the words of logs and metrics.
    var code: String {
        switch self {
        case .missing: "token_missing"
        case .scope: "insufficient_scope"
        case .badRequest(let code), .token(let code), .proof(let code), .forbidden(let code), .notJudged(let code): code
        }
    }
}

/// A decision on a request.
struct GatewayAnswer: Sendable {
    let status: Int
    /// The reason in the words of logs and metrics; nil for an allowed request.
    let code: String?
    /// The value of `WWW-Authenticate`; nil for none.
    var challenge: String?
    var mayRetry = false
    /// The values of the configured fields of an allowed request, each with a NUL at its end.
    var values: [UInt8]?
    /// The claims of a token that a service sent in a JSON body.
    var payload: [UInt8]?

    static func allowed(_ values: [UInt8]) -> Self { Self(status: 204, code: nil, values: values) }
    static func claims(_ payload: [UInt8]) -> Self { Self(status: 200, code: nil, payload: payload) }

    /// Returns the JSON body of the response to a service.
    var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("result", code == nil ? "valid" : mayRetry ? "retry" : "invalid")
        if let code { writer.member("error", code) }
        if let payload {
            writer.name("claims")
            writer.raw(payload.span)
        }
        writer.endObject()
        return writer.bytes + [0x0A]
    }
}

/// The responses to requests that are not allowed, with their values of `WWW-Authenticate` (RFC 6750, 3; RFC 9449, 7.1).
struct GatewayChallenges: Sendable {
    private let realm: String
    private let scope: String
    private let proofs: (algorithms: String, isRequired: Bool)?

    init(realm: String, scopes: [String], proofs: GatewayProofs?) {
        self.realm = realm
        scope = scopes.joined(separator: " ")
        self.proofs = proofs.map { ($0.algorithms.joined(separator: " "), $0.isRequired) }
    }

    func answer(_ rejection: GatewayRejection) -> GatewayAnswer {
        let code = rejection.code
        switch rejection {
        case .missing: return GatewayAnswer(status: 401, code: code, challenge: challenge(nil))
        case .badRequest:
            return GatewayAnswer(status: 400, code: code, challenge: challenge("invalid_request", code))
        case .token: return GatewayAnswer(status: 401, code: code, challenge: challenge("invalid_token", code))
        case .proof: return GatewayAnswer(status: 401, code: code, challenge: challenge("invalid_dpop_proof", code))
        case .scope: return GatewayAnswer(status: 403, code: code, challenge: challenge("insufficient_scope", code))
        case .forbidden: return GatewayAnswer(status: 403, code: code)
        case .notJudged: return GatewayAnswer(status: 503, code: code, mayRetry: true)
        }
    }

    /// The largest number of bytes of a challenge, with an error code of up to 128 bytes.
    var mostBytes: Int {
        ["insufficient_scope", "invalid_dpop_proof"].map { challenge($0).utf8.count + 2 * 128 }.max() ?? 0
    }

    private func challenge(_ error: String?, _ description: String = "") -> String {
        var attributes: [String] = []
        if let error { attributes += ["error=\"\(error)\"", "error_description=\"\(description)\""] }
        if error == "insufficient_scope" { attributes.append("scope=\"\(scope)\"") }
        let bearer = (["Bearer realm=\"\(realm)\""] + attributes).joined(separator: ", ")
        guard let proofs else { return bearer }
        let bound = (["DPoP algs=\"\(proofs.algorithms)\""] + attributes).joined(separator: ", ")
        return proofs.isRequired || error == "invalid_dpop_proof" ? bound : bound + ", " + bearer
    }
}
