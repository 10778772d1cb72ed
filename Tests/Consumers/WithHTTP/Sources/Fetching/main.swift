import Foundation
import JOSE
import JOSEFetch
import JOSEKeySets

// A key set from a server on loopback, fetched with the public interface alone.
let url = ProcessInfo.processInfo.environment["BULLA_KEYS_URL"] ?? ""
var options = CurlTransport.Options()
let strict = try CurlTransport(options)
options.allowsLoopbackHTTP = true
let transport = try CurlTransport(options)

var refusal: TransportError?
do throws(TransportError) { _ = try await strict.send(TransportRequest(url: url)) } catch { refusal = error }
precondition(refusal == .schemeNotAllowed, "http without being allowed: \(String(describing: refusal))")

// `traits: [.defaults, "HTTP"]` keeps the default trait Accelerated.
precondition(SignatureAlgorithm.rs256.verificationImplementation != .library)

var bounds = KeySetOptions()
bounds.allowsLoopbackHTTP = true
let source = try RemoteKeySet(url: url, transport: transport, options: bounds)
try await source.warmUp(timeout: .seconds(10))
let count = try source.current().keys.count
precondition(count == 1, "\(count) keys")
await source.shutdown()
transport.shutdown()
print(
    "A consumer with the trait HTTP fetched a set of \(count) key with libcurl \(CurlTransport.libraryVersion ?? "none")."
)
