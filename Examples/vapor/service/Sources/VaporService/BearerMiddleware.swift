import BearerService
import JOSETokens
import Vapor

private struct TokenKey: StorageKey {
    typealias Value = VerifiedToken
}

extension Request {
    /// The token that the request was authorized by.
    var token: VerifiedToken? {
        get { storage[TokenKey.self] }
        set { storage[TokenKey.self] = newValue }
    }
}

/// A middleware that lets requests pass that have a valid access token with a scope.
struct BearerMiddleware: AsyncMiddleware {
    let tokens: AccessTokens
    let scope: String

    // Sample: a middleware of Vapor
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        do throws(BearerRejection) {
            let token = try await tokens.verify(request.headers[.authorization])
            try token.require(scope: scope)
            request.token = token
        } catch {
            return Response(
                status: .init(statusCode: error.status), headers: HTTPHeaders(error.fields.map { ($0.name, $0.value) }))
        }
        return try await next.respond(to: request)
    }
    // Sample: end
}
