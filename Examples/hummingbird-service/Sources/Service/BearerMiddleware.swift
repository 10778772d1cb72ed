import HTTPTypes
import Hummingbird
import JOSETokens

/// The context of a request, with the token that it was authorized by.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var token: VerifiedToken?

    init(source: Source) { coreContext = .init(source: source) }
}

/// The verifiers of access tokens (RFC 9068): signed ones, and signed ones that are encrypted as well.
struct AccessTokens: Sendable {
    let signed: TokenVerifier
    let nested: TokenVerifier

    /// Verifies the token, and waits for its key for at most one second.
    func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        // An encrypted token has five parts, and a signed one three (RFC 7516, 9).
        let isEncrypted = token.utf8.count { $0 == UInt8(ascii: ".") } == 4
        return try await (isEncrypted ? nested : signed).verify(token, timeout: .seconds(1))
    }
}

/// The rejection of a request, as RFC 6750, section 3, describes it. It says nothing of the content of the token.
struct BearerChallenge: Error, HTTPResponseError {
    enum Reason {
        /// The request has no bearer token: it gets no error code (RFC 6750, 3.1).
        case noToken
        /// The `Authorization` header field is not of the form `Bearer token`.
        case malformed
        /// The token was rejected. The text is the code of the error.
        case rejected(String)
        /// The token is valid, and lacks the scope.
        case scope(String)
        /// The token was neither accepted nor rejected, for example because its key could not be fetched.
        case unavailable
    }
    let reason: Reason

    var status: HTTPResponse.Status {
        switch reason {
        case .noToken, .rejected: .unauthorized
        case .malformed: .badRequest
        case .scope: .forbidden
        case .unavailable: .serviceUnavailable
        }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let challenge =
            switch reason {
            case .noToken: #"Bearer realm="orders""#
            case .malformed: #"Bearer realm="orders", error="invalid_request""#
            case .rejected(let code): #"Bearer realm="orders", error="invalid_token", error_description="\#(code)""#
            case .scope(let scope): #"Bearer realm="orders", error="insufficient_scope", scope="\#(scope)""#
            case .unavailable: ""
            }
        guard !challenge.isEmpty else { return Response(status: status, headers: [.retryAfter: "5"]) }
        return Response(status: status, headers: [.wwwAuthenticate: challenge, .cacheControl: "no-store"])
    }
}

/// A middleware that lets requests pass that have a valid access token in the `Authorization` header field.
struct BearerMiddleware: RouterMiddleware {
    let tokens: AccessTokens

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.token = try await token(request)
        return try await next(request, context)
    }

    // Sample: a bearer token from a request
    private func token(_ request: Request) async throws(BearerChallenge) -> VerifiedToken {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first else { throw BearerChallenge(reason: .noToken) }
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        // The name of a scheme has no case (RFC 9110, 11.1); another scheme is no attempt with a bearer token.
        guard words[0].lowercased() == "bearer" else { throw BearerChallenge(reason: .noToken) }
        guard fields.count == 1, words.count == 2, !words[1].isEmpty else { throw BearerChallenge(reason: .malformed) }
        do throws(TokenError) {
            return try await tokens.verify(String(words[1]))
        } catch {
            throw BearerChallenge(reason: error.isRetryable ? .unavailable : .rejected(error.code))
        }
    }
    // Sample: end
}

/// A middleware that lets requests pass whose token has a scope (RFC 6749, 3.3).
struct RequireScope: RouterMiddleware {
    let scope: String

    init(_ scope: String) { self.scope = scope }

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let scopes = context.token?.claims.string("scope")?.split(separator: " ") ?? []
        guard scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) else {
            throw BearerChallenge(reason: .scope(scope))
        }
        return try await next(request, context)
    }
}
