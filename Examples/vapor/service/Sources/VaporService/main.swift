// A service whose routes require an access token (RFC 6750), under the keys that an issuer publishes.
//
//     KEYS_URL=https://id.example.com/jwks DECRYPTION_KEY=decryption.pem swift run VaporService
import BearerService
import ServiceLifecycle
import Vapor

let settings = try ServiceSettings()
let app = try await Application.make(.production, logger: settings.logger)
app.middleware.use(TracingMiddleware(), at: .beginning)

app.get(".well-known", "jwks.json") { request in
    let answer = settings.document.response(ifNoneMatch: request.headers.first(name: .ifNoneMatch))
    return Response(
        status: .init(statusCode: answer.status), headers: HTTPHeaders(answer.headers.map { ($0.name, $0.value) }),
        body: .init(data: Data(answer.body)))
}

// Sample: routes of Vapor that require a token
app.grouped(BearerMiddleware(tokens: settings.tokens, scope: "orders:read"))
    .get("orders") { request in "orders of \(request.token?.claims.subject ?? "nobody")\n" }
// Sample: end

// The services end in the reverse order: the server first, and then the keys.
let services = ServiceGroup(
    services: [settings.keys, WebService(app: app, port: settings.port)],
    gracefulShutdownSignals: [.sigterm, .sigint], logger: settings.logger)
try await services.run()
