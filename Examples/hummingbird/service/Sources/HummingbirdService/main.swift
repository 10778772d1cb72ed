// A service whose routes require an access token (RFC 6750), under the keys that an issuer publishes.
//
//     KEYS_URL=https://id.example.com/jwks DECRYPTION_KEY=decryption.pem swift run HummingbirdService
import BearerService
import Foundation
import HTTPTypes
import Hummingbird

let settings = try ServiceSettings()
let router = Router(context: ServiceContext.self)
router.add(middleware: TracingMiddleware())
router.add(middleware: MetricsMiddleware())

router.get("/.well-known/jwks.json") { request, _ in
    let answer = settings.document.response(ifNoneMatch: request.headers[.ifNoneMatch])
    return Response(
        status: .init(code: answer.status), headers: HTTPFields(answer.headers.map { ($0.name, $0.value) }),
        body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
}

// Sample: routes of Hummingbird that require a token
router.group("orders")
    .add(middleware: BearerMiddleware(tokens: settings.tokens, scope: "orders:read"))
    .get { _, context in "orders of \(context.token?.claims.subject ?? "nobody")\n" }
// Sample: end

let app = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: settings.port)),
    services: [settings.keys],
    onServerRunning: { channel in
        print("listening on port \(channel.localAddress?.port ?? 0)")
        fflush(nil)
    },
    logger: settings.logger)
try await app.runService()
