import BearerService
import HTTPTypes
import Hummingbird
import JOSETokens

/// The context of a request, with the token that it was authorized by.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var token: VerifiedToken?

    init(source: Source) { coreContext = .init(source: source) }
}

/// A middleware that lets requests pass that have a valid access token with a scope.
struct BearerMiddleware: RouterMiddleware {
    let tokens: AccessTokens
    let scope: String

    // Sample: a middleware of Hummingbird
    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do throws(BearerRejection) {
            let token = try await tokens.verify(request.headers[values: .authorization])
            try token.require(scope: scope)
            context.token = token
        } catch {
            return Response(error)
        }
        return try await next(request, context)
    }
    // Sample: end
}

extension Response {
    init(_ rejection: BearerRejection) {
        self.init(status: .init(code: rejection.status), headers: HTTPFields(rejection.fields))
    }
}

extension HTTPFields {
    init(_ fields: [(name: String, value: String)]) {
        self.init()
        for field in fields {
            if let name = HTTPField.Name(field.name) { self[name] = field.value }
        }
    }
}
