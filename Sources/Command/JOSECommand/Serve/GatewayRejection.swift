import JOSETokens

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
    case undecided(String)

    /// Creates the rejection for the error of a token.
    init(ofToken error: TokenError) { self = error.isRetryable ? .undecided(error.code) : .token(error.code) }

    /// Creates the rejection for the error of a DPoP proof.
    init(ofProof error: TokenError) { self = error.isRetryable ? .undecided(error.code) : .proof(error.code) }

    /// The reason in the words of logs and metrics.
    var code: String {
        switch self {
        case .missing: "token_missing"
        case .scope: "insufficient_scope"
        case .badRequest(let code), .token(let code), .proof(let code), .forbidden(let code), .undecided(let code): code
        }
    }

    /// The status of the response.
    var status: Int {
        switch self {
        case .badRequest: 400
        case .missing, .token, .proof: 401
        case .scope, .forbidden: 403
        case .undecided: 503
        }
    }

    /// Whether the request may be sent again.
    var isRetryable: Bool { if case .undecided = self { true } else { false } }

    /// The member `error` of a challenge (RFC 6750, 3.1; RFC 9449, 7.1); nil where the response has none.
    var challengeError: String? {
        switch self {
        case .badRequest: "invalid_request"
        case .token: "invalid_token"
        case .proof: "invalid_dpop_proof"
        case .scope: "insufficient_scope"
        case .missing, .forbidden, .undecided: nil
        }
    }
}

/// The challenges of a policy: the values of `WWW-Authenticate` (RFC 6750, 3; RFC 9449, 7.1).
struct GatewayChallenges: Sendable {
    /// The challenges of requests that no policy applies to.
    static let general = GatewayChallenges(realm: "bulla", scopes: [], proofs: nil)

    private let realm: String
    private let scope: String
    private let proofs: (algorithms: String, isRequired: Bool)?

    init(realm: String, scopes: [String], proofs: GatewayProofs?) {
        self.realm = realm
        scope = scopes.joined(separator: " ")
        self.proofs = proofs.map { ($0.algorithms.joined(separator: " "), $0.isRequired) }
    }

    /// Returns the challenge of a rejection; nil where another token would not change the decision.
    func challenge(_ rejection: GatewayRejection) -> String? {
        switch rejection {
        case .forbidden, .undecided: nil
        default: challenge(rejection.challengeError, rejection.code)
        }
    }

    /// The largest number of bytes of a challenge, with an error code of up to 128 bytes.
    var maximumBytes: Int {
        ["insufficient_scope", "invalid_dpop_proof"].map { challenge($0, "").utf8.count + 2 * 128 }.max() ?? 0
    }

    private func challenge(_ error: String?, _ description: String) -> String {
        var attributes: [String] = []
        if let error { attributes += ["error=\"\(error)\"", "error_description=\"\(description)\""] }
        if error == "insufficient_scope" { attributes.append("scope=\"\(scope)\"") }
        let bearer = (["Bearer realm=\"\(realm)\""] + attributes).joined(separator: ", ")
        guard let proofs else { return bearer }
        let bound = (["DPoP algs=\"\(proofs.algorithms)\""] + attributes).joined(separator: ", ")
        return proofs.isRequired || error == "invalid_dpop_proof" ? bound : bound + ", " + bearer
    }
}
