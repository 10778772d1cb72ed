import ServiceLifecycle
import Vapor

/// The server of an application as a service, so that it is shut down in order with the others.
struct WebService: ServiceLifecycle.Service {
    let app: Application
    let port: Int

    func run() async throws {
        try await app.asyncBoot()
        try await app.server.start(address: .hostname("127.0.0.1", port: port))
        print("listening on port \(app.http.server.shared.localAddress?.port ?? 0)")
        fflush(nil)
        try? await gracefulShutdown()
        await app.server.shutdown()
        try await app.asyncShutdown()
    }
}
