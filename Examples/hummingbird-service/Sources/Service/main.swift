// A service whose routes require an access token (RFC 6750), under the keys that an issuer publishes.
//
//     KEYS_URL=https://id.example.com/jwks DECRYPTION_KEY=decryption.pem swift run Service
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import JOSEKeySets
import JOSETokens
import Logging
import NIOCore

let environment = ProcessInfo.processInfo.environment
let logger = Logger(label: "orders")
guard let address = environment["KEYS_URL"], let keyFile = environment["DECRYPTION_KEY"] else {
    print("KEYS_URL and DECRYPTION_KEY are required")
    exit(64)
}
let isDevelopment = address.hasPrefix("http://127.0.0.1:")

// The issuer's keys, and the key with which this service decrypts.
let client = HTTPClient(configuration: ClientTransport.configuration)
var options = KeySetOptions()
options.allowsLoopbackHTTP = isDevelopment
let keys = try RemoteKeySet(
    url: address, transport: ClientTransport(client, allowsLoopbackHTTP: isDevelopment), options: options,
    observer: KeyObserver(logger: logger))
let decryptionKey = try PrivateKey(pem: Data(contentsOf: URL(fileURLWithPath: keyFile)))

// Verifiers are made once, and shared by all requests.
// Sample: verifiers for routes
var profile = AccessTokenProfile(
    issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
let observer = TokenObserver(logger: logger)
let signed = try TokenVerifier(profile, verificationKeys: keys, observer: observer)
profile.encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
let nested = try TokenVerifier(profile, verificationKeys: keys, decryptionKeys: decryptionKey, observer: observer)
// Sample: end

let router = Router(context: ServiceContext.self)
router.add(middleware: TracingMiddleware())
router.add(middleware: MetricsMiddleware())

// The public key to which issuers encrypt.
let document = KeySetDocument([decryptionKey.publicKey], maximumAge: 600)
router.get("/.well-known/jwks.json") { request, _ in
    let response = document.response(ifNoneMatch: request.headers[.ifNoneMatch])
    var fields = HTTPFields()
    for field in response.headers {
        if let name = HTTPField.Name(field.name) { fields[name] = field.value }
    }
    return Response(
        status: .init(code: response.status), headers: fields,
        body: .init(byteBuffer: ByteBuffer(bytes: response.body)))
}

// Sample: routes that require a token
router.group("orders")
    .add(middleware: BearerMiddleware(tokens: AccessTokens(signed: signed, nested: nested)))
    .add(middleware: RequireScope("orders:read"))
    .get { _, context in "orders of \(context.token?.claims.subject ?? "nobody")\n" }
// Sample: end

let app = Application(
    router: router,
    configuration: .init(address: .hostname("127.0.0.1", port: Int(environment["PORT"] ?? "") ?? 8080)),
    services: [KeySetService(keys: keys, client: client)],
    onServerRunning: { channel in
        print("listening on port \(channel.localAddress?.port ?? 0)")
        fflush(nil)
    },
    logger: logger)
try await app.runService()
