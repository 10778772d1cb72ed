import JOSEFetch
import JOSETokens

// RemoteKeys URL TOKEN: verifies a token under the keys that an issuer publishes.
let (address, token) = (CommandLine.arguments[1], CommandLine.arguments[2])

var transportOptions = CurlTransport.Options()
transportOptions.allowsLoopbackHTTP = true  // For development: an issuer on this machine needs no TLS.
var options = KeySetOptions()
options.allowsLoopbackHTTP = true
let keys = try RemoteKeySet(url: address, transport: CurlTransport(transportOptions), options: options)
try await keys.warmUp(timeout: .seconds(10))

let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]),
    claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let verifier = try TokenVerifier(policy, verificationKeys: keys)

// If `keys` lacks the key of the token, the call waits for one refresh, for two seconds at most.
let verified = try await verifier.verify(token, timeout: .seconds(2))
print("subject \(verified.claims.subject ?? "none")")
await keys.shutdown()
