import AsyncHTTPClient
import Foundation
import JOSEKeySets
import JOSETokens
import Logging
import ServiceLifecycle

/// The parts of a service that its environment variables describe: `KEYS_URL`, the address of the issuer's keys, `DECRYPTION_KEY`, a
/// PEM file with the key that decrypts, and `PORT`.
public struct ServiceSettings: Sendable {
    /// The verifiers of the service.
    public let tokens: AccessTokens
    /// The keys of the issuer as a service.
    public let keys: KeySetService
    /// The public key to which issuers encrypt, as a document to publish.
    public let document: KeySetDocument
    /// The port to listen on; 0 for any that is free.
    public let port: Int
    /// The logger of the service.
    public let logger = Logger(label: "orders")

    /// A variable that is required and not set.
    public struct Missing: Error, CustomStringConvertible {
        /// The description for the user.
        public let description = "KEYS_URL and DECRYPTION_KEY are required"
    }

    /// Reads the key and connects the parts. Nothing is fetched yet.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: ``Missing``, an error of the file, `JOSEError` for a key that is not valid, or `KeySetError` for a URL that is not.
    public init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        guard let address = environment["KEYS_URL"], let keyFile = environment["DECRYPTION_KEY"] else {
            throw Missing()
        }
        let isDevelopment = address.hasPrefix("http://127.0.0.1:")
        let client = HTTPClient(configuration: ClientTransport.configuration)
        var options = KeySetOptions()
        options.allowsLoopbackHTTP = isDevelopment
        let remote = try RemoteKeySet(
            url: address, transport: ClientTransport(client, allowsLoopbackHTTP: isDevelopment), options: options,
            observer: KeyObserver(logger: logger))
        let decryptionKey = try PrivateKey(pem: Data(contentsOf: URL(fileURLWithPath: keyFile)))
        tokens = try AccessTokens(keys: remote, decryptionKey: decryptionKey, observer: TokenObserver(logger: logger))
        keys = KeySetService(keys: remote, client: client)
        document = KeySetDocument([decryptionKey.publicKey], maximumAge: 600)
        port = Int(environment["PORT"] ?? "") ?? 8080
    }
}
